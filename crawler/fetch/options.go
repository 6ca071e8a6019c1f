package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Resolver looks addresses up; *net.Resolver is one.
type Resolver interface {
	// LookupNetIP returns the addresses of host; network is "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options configures a Client. The zero value of a field other than UserAgent
// means its default.
type Options struct {
	// UserAgent identifies us in every request; required.
	UserAgent string
	// From is the operator's mail address, sent as the From field; "" sends none.
	From string
	// Resolve replaces lookups for matching names. The address guard still applies.
	Resolve []ResolveRule
	// AllowAddress opens the address guard for these ranges, on any port.
	AllowAddress []netip.Prefix
	// Proxy is what every connection goes through; nil is none, and the environment
	// is never asked. A literal address and every address that our own lookup finds
	// for a name must still pass the guard, the proxy itself need not. A SOCKS5 proxy
	// is told the address. An HTTP proxy is told the name and looks it up again, so
	// what it connects to is in the end its own choice.
	Proxy *Proxy
	// CAFiles are PEM files whose certificates are trusted beside the system's.
	CAFiles []string
	// Limits bounds what a peer controls.
	Limits Limits
	// HTTP1Only keeps every request on HTTP/1.1, as archiving needs.
	HTTP1Only bool
	// SpoolDir holds bodies above Limits.MemoryBodyBytes; default os.TempDir().
	// The files are unlinked as soon as they are open, where the system lets us,
	// so a crash leaves none.
	SpoolDir string
	// BodyBudgetBytes bounds the memory of all bodies that are being read or not
	// yet closed; default 256 MiB. Do waits for its share under its context.
	BodyBudgetBytes int64
	// Clock replaces time.Now for the times that are recorded and for the age of
	// cached lookups. Deadlines always run on the real clock.
	Clock func() time.Time
	// Resolver replaces net.DefaultResolver.
	Resolver Resolver
}

const defaultBodyBudgetBytes = 256 << 20

func (o Options) withDefaults() (Options, error) {
	if o.UserAgent == "" {
		return Options{}, errors.New("fetch: new: Options.UserAgent is empty: a request must say who sends it")
	}
	if !validFieldValue(o.UserAgent) || !validFieldValue(o.From) {
		return Options{}, errors.New("fetch: new: Options.UserAgent or From contains a control octet")
	}
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return Options{}, err
	}
	o.Limits = limits
	if o.BodyBudgetBytes < 0 {
		return Options{}, fmt.Errorf("fetch: new: Options.BodyBudgetBytes is %d, must not be negative", o.BodyBudgetBytes)
	}
	if o.BodyBudgetBytes == 0 {
		o.BodyBudgetBytes = defaultBodyBudgetBytes
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	return o, nil
}
