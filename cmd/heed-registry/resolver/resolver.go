package resolver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"heed/registry/proof"
)

// Errors of a lookup that found out nothing about the name.
var (
	// ErrServer means that the resolver refused or failed, e.g. because the zone
	// is bogus.
	ErrServer = errors.New("resolver: the resolver could not answer")
	// ErrAnswer means that what came back is no answer to the question.
	ErrAnswer = errors.New("resolver: not an answer to the question")
	// ErrTimeout means that nothing came back in time.
	ErrTimeout = errors.New("resolver: no answer in time")
	// ErrUnreachable means that the resolver cannot be talked to.
	ErrUnreachable = errors.New("resolver: the resolver cannot be reached")
)

const (
	attempts       = 2               // over UDP, which loses packets
	attemptTimeout = 3 * time.Second // of one of them
	maxAliases     = 8               // in one answer
	// udpBytes is what fits into a packet everywhere (DNS flag day 2020).
	udpBytes       = 1232
	portPlain      = 53
	portTLS        = 853
	systemSettings = "/etc/resolv.conf"
)

// Resolver asks one recursive resolver. It is safe for concurrent use.
type Resolver struct {
	servers []string // HOST:PORT, asked in order
	tls     *tls.Config
	trusted bool // its AD bit counts
	names   *net.Resolver
}

var _ proof.Resolver = (*Resolver)(nil)

// New reads the address of a resolver: ADDR, ADDR:PORT, tls://ADDR[:PORT], or ""
// for those of the system. roots are the authorities for tls; nil means the
// system's.
func New(address string, roots *x509.CertPool) (*Resolver, error) {
	if address == "" {
		return system()
	}
	text, secure := strings.CutPrefix(address, "tls://")
	port := uint16(portPlain)
	if secure {
		port = portTLS
	}
	server, err := netip.ParseAddrPort(text)
	if err != nil {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("resolver: new: %q is not the address of a resolver", address)
		}
		server = netip.AddrPortFrom(addr, port)
	}
	r := &Resolver{servers: []string{server.String()}, trusted: secure || server.Addr().Unmap().IsLoopback()}
	if secure {
		r.tls = &tls.Config{ServerName: server.Addr().String(), RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	r.names = &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		if r.tls != nil {
			return (&tls.Dialer{Config: r.tls}).DialContext(ctx, "tcp", r.servers[0])
		}
		return (&net.Dialer{}).DialContext(ctx, network, r.servers[0])
	}}
	return r, nil
}

// system takes the resolvers of this machine. Their AD bit does not count: the
// settings do not vouch for them.
func system() (*Resolver, error) {
	c, err := dns.ClientConfigFromFile(systemSettings)
	if err != nil {
		return nil, fmt.Errorf("resolver: new: %w", err)
	}
	r := &Resolver{names: &net.Resolver{PreferGo: true}}
	for _, server := range c.Servers {
		r.servers = append(r.servers, net.JoinHostPort(server, c.Port))
	}
	if len(r.servers) == 0 {
		return nil, fmt.Errorf("resolver: new: %s names no resolver", systemSettings)
	}
	return r, nil
}

// LookupNetIP returns the addresses of a host.
func (r *Resolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if !strings.HasSuffix(host, ".") {
		host += "." // never with the system's search list
	}
	return r.names.LookupNetIP(ctx, network, host)
}

// LookupTXT returns the TXT records at exactly this name, through aliases.
func (r *Resolver) LookupTXT(ctx context.Context, name string) (proof.Text, error) {
	q := new(dns.Msg)
	q.SetQuestion(dns.Fqdn(name), dns.TypeTXT)
	q.AuthenticatedData = true // asks for the AD bit (RFC 6840 5.7)
	q.SetEdns0(udpBytes, false)
	var last error
	for _, server := range r.servers {
		answer, err := r.ask(ctx, q, server)
		if err == nil {
			return r.read(answer, q), nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return proof.Text{}, publicly(last)
}

// publicly takes addresses out of an error: what is found out about a proof is
// shown to everyone.
func publicly(err error) error {
	var fault net.Error
	switch {
	case errors.Is(err, ErrServer), errors.Is(err, ErrAnswer):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &fault) && fault.Timeout():
		return ErrTimeout
	}
	return ErrUnreachable
}

// ask returns an answer of one server that says something about the name.
func (r *Resolver) ask(ctx context.Context, q *dns.Msg, server string) (*dns.Msg, error) {
	var answer *dns.Msg
	var err error
	if r.tls != nil {
		answer, err = exchange(ctx, &dns.Client{Net: "tcp-tls", TLSConfig: r.tls, Timeout: attemptTimeout}, q, server)
	} else {
		for range attempts {
			if answer, err = exchange(ctx, &dns.Client{UDPSize: udpBytes, Timeout: attemptTimeout}, q, server); err == nil || ctx.Err() != nil {
				break
			}
		}
		if err == nil && answer.Truncated {
			answer, err = exchange(ctx, &dns.Client{Net: "tcp", Timeout: attemptTimeout}, q, server)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case answer.Truncated:
		return nil, fmt.Errorf("%w: truncated over TCP", ErrAnswer)
	case answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError:
		return nil, fmt.Errorf("%w: %s", ErrServer, dns.RcodeToString[answer.Rcode])
	}
	return answer, nil
}

// exchange sends a question with a number of its own and takes only the answer
// to it.
func exchange(ctx context.Context, c *dns.Client, q *dns.Msg, server string) (*dns.Msg, error) {
	m := q.Copy()
	m.Id = dns.Id()
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	answer, _, err := c.ExchangeContext(ctx, m, server)
	if err != nil {
		return nil, err
	}
	if !answer.Response || len(answer.Question) != 1 || !sameQuestion(answer.Question[0], q.Question[0]) {
		return nil, ErrAnswer
	}
	return answer, nil
}

func sameQuestion(a, b dns.Question) bool {
	return a.Qtype == b.Qtype && a.Qclass == b.Qclass && strings.EqualFold(a.Name, b.Name)
}

// read follows the aliases of the name and collects the records at their end.
func (r *Resolver) read(answer, q *dns.Msg) proof.Text {
	name := q.Question[0].Name
	for range maxAliases {
		i := slices.IndexFunc(answer.Answer, func(rr dns.RR) bool {
			_, alias := rr.(*dns.CNAME)
			return alias && strings.EqualFold(rr.Header().Name, name)
		})
		if i < 0 {
			break
		}
		name = answer.Answer[i].(*dns.CNAME).Target
	}
	found := proof.Text{Validated: r.trusted && answer.AuthenticatedData}
	for _, rr := range answer.Answer {
		if txt, ok := rr.(*dns.TXT); ok && strings.EqualFold(rr.Header().Name, name) {
			found.Records = append(found.Records, unescape(strings.Join(txt.Txt, "")))
		}
	}
	return found
}

// unescape turns the presentation form in which the library keeps strings into
// their octets (RFC 1035 5.1).
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+3 < len(text) && isDigits(text[i+1:i+4]) {
			b.WriteByte((text[i+1]-'0')*100 + (text[i+2]-'0')*10 + text[i+3] - '0')
			i += 3
			continue
		}
		if c == '\\' && i+1 < len(text) {
			i++
			c = text[i]
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
