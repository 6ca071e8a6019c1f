package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// nameLife is how long addresses are believed. The system's resolver tells no
	// TTL; five minutes is what most sites set at least. The guard looks at the
	// dialled address, so a stale answer is a failed connection at worst, after
	// which the name is looked up again.
	nameLife = 5 * time.Minute
	// missingNameLife is how long "no such name" is believed.
	missingNameLife = 30 * time.Second
	// maxNames bounds the cache; about 200 octets each.
	maxNames = 1 << 16
	// maxAddresses bounds the addresses kept, and so the dials, of one name.
	maxAddresses = 8
)

// names is a cache of address lookups. Lookups of one name at a time are
// joined.
type names struct {
	resolver Resolver
	clock    func() time.Time
	timeout  time.Duration
	flight   singleflight.Group

	mu    sync.Mutex // guards known
	known map[string]nameEntry
}

type nameEntry struct {
	addrs []netip.Addr
	err   error // a definite "no such name"
	until time.Time
}

func newNames(r Resolver, clock func() time.Time, timeout time.Duration) *names {
	return &names{resolver: r, clock: clock, timeout: timeout, known: make(map[string]nameEntry)}
}

// lookup returns the addresses of name, at least one and at most maxAddresses.
// The error is a *fault unless ctx ended.
func (n *names) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	name = strings.TrimSuffix(name, ".")
	n.mu.Lock()
	entry, ok := n.known[name]
	n.mu.Unlock()
	if ok && n.clock().Before(entry.until) {
		return entry.addrs, entry.err
	}
	// The lookup outlives the caller that started it: others may have joined.
	result := n.flight.DoChan(name, func() (any, error) {
		lctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.timeout)
		defer cancel()
		return n.ask(lctx, name)
	})
	select {
	case r := <-result:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.([]netip.Addr), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (n *names) ask(ctx context.Context, name string) ([]netip.Addr, error) {
	addrs, err := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, error(nil)
	if !ownMachine(name) {
		addrs, err = n.resolver.LookupNetIP(ctx, "ip", name)
	}
	if err != nil || len(addrs) == 0 {
		f := &fault{kind: KindDNS, reason: "name cannot be looked up", err: err}
		var dns *net.DNSError
		switch {
		case err == nil || errors.As(err, &dns) && dns.IsNotFound:
			f.reason = "name has no address"
			n.remember(name, nameEntry{err: f, until: n.clock().Add(missingNameLife)})
		case ctx.Err() != nil:
			f.reason = "lookup took too long"
		}
		return nil, f
	}
	kept := make([]netip.Addr, 0, min(len(addrs), maxAddresses))
	for _, a := range addrs[:min(len(addrs), maxAddresses)] {
		kept = append(kept, plain(a))
	}
	n.remember(name, nameEntry{addrs: kept, until: n.clock().Add(nameLife)})
	return kept, nil
}

// ownMachine tells the names that mean the loopback address whatever a resolver
// says (RFC 6761 6.3).
func ownMachine(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// remember stores an entry and keeps the map bounded: what has expired goes
// first, then arbitrary entries.
func (n *names) remember(name string, e nameEntry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= maxNames {
		now := n.clock()
		for k, old := range n.known {
			if !now.Before(old.until) {
				delete(n.known, k)
			}
		}
		for k := range n.known {
			if len(n.known) < maxNames {
				break
			}
			delete(n.known, k)
		}
	}
	n.known[name] = e
}

// peek returns what is known of name, however old, without asking.
func (n *names) peek(name string) []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[strings.TrimSuffix(name, ".")].addrs
}

// forget drops what is known of name, after its addresses did not answer.
func (n *names) forget(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, strings.TrimSuffix(name, "."))
}

// absoluteResolver asks for absolute names only, so that a search list in the
// system's configuration cannot turn one site's name into another's.
type absoluteResolver struct{ *net.Resolver }

func (r absoluteResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return r.Resolver.LookupNetIP(ctx, network, host+".")
}
