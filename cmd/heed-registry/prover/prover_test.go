package prover_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"

	"heed/cmd/heed-registry/prover"
	"heed/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const line = "botcentral-verify=q7W0c2nYH3m0Jx5fS1tKpQ8vBz4LrE6a"

// question asks for the token in line.
var question = registry.ProofQuestion{Domain: "shop.example", Tokens: []string{"other", strings.TrimPrefix(line, "botcentral-verify=")}, Allow: []string{"SampleBot"}}

// origin is a site and its DNS.
type origin struct {
	t      *testing.T
	site   *httptest.Server
	ca     string
	dns    string
	opened atomic.Int32 // connections

	mu        sync.Mutex
	addresses []string            // A and AAAA of every name
	looked    map[string][]string // A of a name, answer by answer, the last for good
	asked     map[string]int      // questions for A, by name
	records   []string            // TXT of every name
	rcode     int
}

func newOrigin(t *testing.T, h http.Handler) *origin {
	t.Helper()
	o := &origin{t: t}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"shop.example", "www.shop.example"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	o.ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(o.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	o.site = httptest.NewUnstartedServer(h)
	o.site.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	o.site.Config.ErrorLog = log.New(io.Discard, "", 0) // connections that are refused or given up are the point
	o.site.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			o.opened.Add(1)
		}
	}
	o.site.StartTLS()
	t.Cleanup(o.site.Close)
	o.serveDNS()
	return o
}

func (o *origin) serveDNS() {
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		o.t.Fatal(err)
	}
	o.dns = packets.LocalAddr().String()
	started, done := make(chan struct{}), make(chan error, 1)
	s := &dns.Server{PacketConn: packets, NotifyStartedFunc: func() { close(started) }, Handler: dns.HandlerFunc(o.answer)}
	go func() { done <- s.ActivateAndServe() }()
	<-started
	o.t.Cleanup(func() {
		if err := errors.Join(s.Shutdown(), <-done); err != nil {
			o.t.Error(err)
		}
	})
}

func (o *origin) answer(w dns.ResponseWriter, q *dns.Msg) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := new(dns.Msg).SetReply(q)
	m.Rcode = o.rcode
	head := dns.RR_Header{Name: q.Question[0].Name, Rrtype: q.Question[0].Qtype, Class: dns.ClassINET, Ttl: 1}
	switch q.Question[0].Qtype {
	case dns.TypeTXT:
		for _, text := range o.records {
			m.Answer = append(m.Answer, &dns.TXT{Hdr: head, Txt: []string{text}})
		}
	case dns.TypeA, dns.TypeAAAA:
		for _, text := range o.addressesOf(q.Question[0]) {
			addr := netip.MustParseAddr(text)
			if addr.Is4() && q.Question[0].Qtype == dns.TypeA {
				m.Answer = append(m.Answer, &dns.A{Hdr: head, A: addr.AsSlice()})
			} else if addr.Is6() && q.Question[0].Qtype == dns.TypeAAAA {
				m.Answer = append(m.Answer, &dns.AAAA{Hdr: head, AAAA: addr.AsSlice()})
			}
		}
	}
	_ = w.WriteMsg(m) // the asker may have gone
}

// addressesOf is what DNS says at this moment; o.mu is held.
func (o *origin) addressesOf(q dns.Question) []string {
	name := strings.TrimSuffix(q.Name, ".")
	list := o.looked[name]
	if q.Qtype != dns.TypeA || len(list) == 0 {
		return o.addresses
	}
	if o.asked == nil {
		o.asked = make(map[string]int)
	}
	o.asked[name]++
	return []string{list[min(o.asked[name], len(list))-1]}
}

// prover reaches the origin; without opened it has the guard of the wild.
func (o *origin) prover(opened bool) *prover.Prover {
	o.t.Helper()
	if opened {
		return o.proverAt(o.site.Listener.Addr().String())
	}
	return o.newProver(prover.Options{})
}

// proverAt finds every name at an address of loopback.
func (o *origin) proverAt(address string) *prover.Prover {
	o.t.Helper()
	return o.newProver(prover.Options{AllowAddress: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolve: []string{"*:443:" + address}})
}

func (o *origin) newProver(options prover.Options) *prover.Prover {
	o.t.Helper()
	options.UserAgent, options.Resolver, options.CAFiles, options.SpoolDir = "heed-registry/test (+https://registry.example)", o.dns, []string{o.ca}, o.t.TempDir()
	p, err := prover.New(options)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(p.Close)
	return p
}

// files serves texts by path, the rest is 404.
func files(texts map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := texts[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, body) // the asker may have gone
	})
}

func TestFindingsBecomeTheRegistrysTerms(t *testing.T) {
	const wellKnown = "/.well-known/botcentral.txt"
	failing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	tests := []struct {
		name    string
		site    http.Handler
		records []string
		rcode   int
		want    registry.Finding
		note    string
	}{
		{"BC-P-006 the file", files(map[string]string{wellKnown: line + "\n"}), nil, 0,
			registry.Finding{Method: registry.WellKnownFile, Token: 1, Crawl: registry.CrawlFine}, "found"},
		{"BC-P-011 the record", files(nil), []string{"v=spf1", line}, 0,
			registry.Finding{Method: registry.DNSTXT, Token: 1, Crawl: registry.CrawlFine}, "no file"},
		{"BC-P-001 the token at every place but the two", files(map[string]string{"/": `<meta name="botcentral-verify" content="` + strings.TrimPrefix(line, "botcentral-verify=") + `">`,
			"/botcentral.txt": line, "/.well-known/botcentral": line, "/robots.txt": "# " + line, "/sitemap.xml": line, "/llms.txt": line}), []string{"v=spf1"}, 0,
			registry.Finding{Method: registry.Unverified, Token: -1, Crawl: registry.CrawlFine}, "token absent"},
		{"BC-P-906 surely neither", files(nil), []string{"v=spf1"}, 0,
			registry.Finding{Method: registry.Unverified, Token: -1, Crawl: registry.CrawlFine}, "token absent"},
		{"BC-P-906 surely no record, and a site in trouble", failing, nil, 0,
			registry.Finding{Method: registry.Unverified, Token: -1, Partial: true, Crawl: registry.CrawlNoRobots}, "robots.txt unreachable"},
		{"BC-P-013 a bogus zone says nothing", files(nil), nil, dns.RcodeServerFailure,
			registry.Finding{Method: registry.Pending, Token: -1, Crawl: registry.CrawlFine}, "SERVFAIL"},
		{"BC-P-013 a bogus zone does not undo the file", files(map[string]string{wellKnown: line}), nil, dns.RcodeServerFailure,
			registry.Finding{Method: registry.WellKnownFile, Token: 1, Crawl: registry.CrawlFine}, "found"},
		{"BC-P-908 robots.txt bars whom the card allows", files(map[string]string{wellKnown: line, "/robots.txt": "User-agent: samplebot\nDisallow: /\n"}), nil, 0,
			registry.Finding{Method: registry.WellKnownFile, Token: 1, Crawl: registry.CrawlBarred}, "robots.txt bars SampleBot"},
		{"BC-P-908 robots.txt bars everybody", files(map[string]string{wellKnown: line, "/robots.txt": "User-agent: *\nDisallow: /\n"}), nil, 0,
			registry.Finding{Method: registry.WellKnownFile, Token: 1, Crawl: registry.CrawlBarred}, "robots.txt bars SampleBot"},
		{"BC-P-908 robots.txt bars somebody else", files(map[string]string{wellKnown: line, "/robots.txt": "User-agent: OtherBot\nDisallow: /\n"}), nil, 0,
			registry.Finding{Method: registry.WellKnownFile, Token: 1, Crawl: registry.CrawlFine}, "found"},
		{"BC-P-008 a shell for every path", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><title>App</title>\n"+line)
		}), nil, 0, registry.Finding{Method: registry.Unverified, Token: -1, Crawl: registry.CrawlFine}, "HTML returned"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := newOrigin(t, test.site)
			o.mu.Lock()
			o.records, o.rcode = test.records, test.rcode
			o.mu.Unlock()
			got := o.prover(true).Prove(t.Context(), question)
			if !strings.Contains(got.Note, test.note) {
				t.Errorf("note %q, want %q in it", got.Note, test.note)
			}
			if leaks(got.Note) {
				t.Errorf("note %q shows an address or a token", got.Note)
			}
			got.Note = ""
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// leaks tells whether a note says what nobody is to know.
func leaks(note string) bool {
	return strings.Contains(note, "127.") || strings.Contains(note, "10.0.0.5") || strings.Contains(note, strings.TrimPrefix(line, "botcentral-verify="))
}

func TestACheckEndsWithItsContext(t *testing.T) {
	o := newOrigin(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if got := o.prover(true).Prove(ctx, question); got.Method != registry.Pending || time.Since(began) > 5*time.Second {
		t.Errorf("%+v after %v", got, time.Since(began))
	}
}

func TestOptionsThatCannotBeUsedAreRefused(t *testing.T) {
	for _, o := range []prover.Options{
		{Resolver: "127.0.0.1"},
		{UserAgent: "x", Resolver: "dns.example"},
		{UserAgent: "x", Resolver: "127.0.0.1", Resolve: []string{"shop.example"}},
		{UserAgent: "x", Resolver: "127.0.0.1", CAFiles: []string{"none.pem"}},
	} {
		if _, err := prover.New(o); err == nil || !strings.HasPrefix(err.Error(), "prover: new: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
