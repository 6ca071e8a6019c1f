package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLookupsAreRememberedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &answers{lists: [][]string{{"192.0.2.1", "::ffff:192.0.2.2"}, {"192.0.2.3"}}}
		n := newNames(r, time.Now, time.Second)
		look := func(name string) string {
			addrs, err := n.lookup(t.Context(), name)
			return fmt.Sprint(addrs, err)
		}
		first := look("shop.test")
		if first != "[192.0.2.1 192.0.2.2] <nil>" || look("shop.test.") != first || r.count() != 1 {
			t.Errorf("first %s, %d lookups", first, r.count())
		}
		pass(nameLife)
		if got := look("shop.test"); got != "[192.0.2.3] <nil>" {
			t.Errorf("after its life: %s", got)
		}
		n.forget("shop.test.")
		if look("shop.test"); r.count() != 3 {
			t.Errorf("%d lookups after forget, want 3", r.count())
		}
	})
}

func TestOnlyADefiniteNoIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			err  *net.DNSError
			asks int
		}{
			{&net.DNSError{Err: "no such host", IsNotFound: true}, 2},
			{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, 3},
		} {
			r := &answers{err: tt.err}
			n := newNames(r, time.Now, time.Second)
			for _, wait := range []time.Duration{0, time.Second, missingNameLife} {
				pass(wait)
				if _, err := n.lookup(t.Context(), "shop.test"); err == nil || err.(*fault).kind != KindDNS {
					t.Errorf("error %v", err)
				}
			}
			if r.count() != tt.asks {
				t.Errorf("%v: %d lookups, want %d", tt.err, r.count(), tt.asks)
			}
		}
	})
}

func TestLocalhostIsThisMachineWhateverTheResolverSays(t *testing.T) {
	r := &answers{lists: [][]string{{"192.0.2.1"}}}
	n := newNames(r, time.Now, time.Second)
	for name, want := range map[string]string{"localhost": "[127.0.0.1]", "localhost.": "[127.0.0.1]", "shop.localhost": "[127.0.0.1]", "notlocalhost": "[192.0.2.1]"} {
		if addrs, err := n.lookup(t.Context(), name); err != nil || fmt.Sprint(addrs) != want {
			t.Errorf("%s is %v, %v, want %s", name, addrs, err, want)
		}
	}
	if r.count() != 1 {
		t.Errorf("the resolver was asked for %q", r.asked)
	}
}

// gate answers once it is opened.
type gate struct {
	open chan struct{}
	mu   sync.Mutex
	asks int
}

func (g *gate) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	g.mu.Lock()
	g.asks++
	g.mu.Unlock()
	select {
	case <-g.open:
		return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestLookupsOfOneNameAreJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{open: make(chan struct{})}
		n := newNames(g, time.Now, time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := n.lookup(ctx, "shop.test"); err == nil {
				t.Error("a cancelled lookup succeeded")
			}
		})
		synctest.Wait()
		for range 9 {
			wg.Go(func() {
				if addrs, err := n.lookup(t.Context(), "shop.test"); err != nil || len(addrs) != 1 {
					t.Errorf("%v, %v", addrs, err)
				}
			})
		}
		synctest.Wait()
		cancel() // the one who asked first goes away, the others still get their answer
		synctest.Wait()
		close(g.open)
		wg.Wait()
		if g.asks != 1 {
			t.Errorf("%d lookups", g.asks)
		}
	})
}

func TestTheNameCacheIsBounded(t *testing.T) {
	now := time.Unix(1e9, 0)
	n := newNames(nil, func() time.Time { return now }, time.Second)
	for i := range maxNames + 100 {
		n.remember(fmt.Sprint(i), nameEntry{until: now.Add(time.Minute)})
	}
	if len(n.known) > maxNames {
		t.Errorf("%d names", len(n.known))
	}
	now = now.Add(time.Hour)
	n.remember("one", nameEntry{until: now.Add(time.Minute)})
	n.remember("two", nameEntry{until: now.Add(time.Minute)})
	if len(n.known) > 2 {
		t.Errorf("%d names after all but two expired", len(n.known))
	}
}

func TestAddressesPerNameAreBounded(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("192.0.2.%d", i))
	}
	addrs, err := newNames(&answers{lists: [][]string{many}}, time.Now, time.Second).lookup(t.Context(), "shop.test")
	if err != nil || len(addrs) != maxAddresses {
		t.Errorf("%d addresses, %v", len(addrs), err)
	}
}

// pass lets the bubble's false clock run on by d.
func pass(d time.Duration) { <-time.After(d) }
