package crawler_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
	"heed/politeness/standards"
	"heed/store/bolt"
)

// virtualSites answer every request after the latency of its host, in the time of a
// synctest bubble. They have no policy documents.
type virtualSites struct {
	latency func(host string) time.Duration

	mu   sync.Mutex
	last map[bool]time.Time // when the last page came, of slow hosts and of others
	n    map[bool]int
}

const slowSite = "slow.test"

// Do implements crawler.Fetcher.
func (v *virtualSites) Do(ctx context.Context, r fetch.Request) (*fetch.Exchange, error) {
	x := &fetch.Exchange{URL: r.URL, RequestedAt: time.Now()}
	host := frontier.HostKey(r.URL)
	select {
	case <-time.After(v.latency(host)):
	case <-ctx.Done():
		return x, ctx.Err()
	}
	x.RespondedAt, x.FinishedAt = time.Now(), time.Now()
	x.Header, x.Status = http.Header{"Content-Type": {"text/plain"}}, 204
	isPolicy := strings.HasSuffix(r.URL, ".txt")
	if isPolicy {
		x.Status = 404
	}
	r.OnHead(x)
	if isPolicy {
		return x, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	slow := host == slowSite
	v.last[slow], v.n[slow] = x.FinishedAt, v.n[slow]+1
	return x, nil
}

// Address implements crawler.Fetcher: every host has a machine of its own.
func (v *virtualSites) Address(_ context.Context, host string, _ uint16) (netip.Addr, bool, error) {
	var n int
	_, _ = fmt.Sscanf(host, "h%d.test", &n) // slow.test is the first
	return netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)}), false, nil
}

// Vet implements crawler.Fetcher.
func (v *virtualSites) Vet(string) error { return nil }

// crawlVirtually crawls sites with default pace and workers, and returns how long the
// hosts that are not slow took.
func crawlVirtually(t *testing.T, v *virtualSites, urls []string) (fast time.Duration) {
	t.Helper()
	v.last, v.n = map[bool]time.Time{}, map[bool]int{}
	began := time.Now()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "state.db"), bolt.Options{Clock: time.Now, CommitWindow: 500 * time.Millisecond, PerHost: 1,
		Delay: func(string, []byte) time.Duration { return time.Second }})
	if err != nil {
		t.Fatal(err)
	}
	o := pace.Defaults()
	o.Shelf, o.Rand = engine, func() float64 { return 0.5 }
	gate := politeness.NewGate(standards.All(standards.Options{Token: "heed", MaxCrawlDelay: time.Minute}), politeness.NewLibrary(engine, 4096), func() string { return "d" })
	scope, err := frontier.NewScope(frontier.ScopeAny, nil, nil, nil, -1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := crawler.New(crawler.Options{Purposes: politeness.PurposesOf(politeness.Index), Workers: 64, Score: 50, Retries: 3, RetryBase: 30 * time.Second, RetryMax: time.Hour,
		Patience: 5 * time.Minute, MaxBodyBytes: 1 << 20, MaxLinks: 10, MaxURLBytes: 2048, TrapRepeat: 4, Context: crawler.ContextOff, Discover: discover.DefaultPolicy(),
		Clock: time.Now, Rand: o.Rand, Log: slog.New(slog.DiscardHandler)},
		crawler.Rooms{Queue: engine, Gate: gate, Pace: pace.New(o), Fetcher: v, Notes: engine, Sink: silent{}, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	var seeds []crawler.Seed
	for _, u := range urls {
		seeds = append(seeds, crawler.Seed{URL: u, Score: -1})
	}
	if _, err := c.AddSeeds(t.Context(), seeds); err != nil {
		t.Fatal(err)
	}
	if end, err := c.Run(t.Context()); err != nil || end.Code != crawler.EndDone {
		t.Fatalf("ended with %+v, %v", end, err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return v.last[false].Sub(began)
}

// A host that answers in 30 s and a thousand that answer at once: the slow one costs
// one of 64 workers while it is asked, whether the hosts' delay or the workers are
// what bounds the crawl.
func TestASlowHostCostsAThousandOthersNothing(t *testing.T) {
	const hosts, pages = 1000, 5
	for name, latency := range map[string]time.Duration{"bound by the delay": 10 * time.Millisecond, "bound by the workers": 400 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sites := &virtualSites{latency: func(host string) time.Duration {
					if host == slowSite {
						return 30 * time.Second
					}
					return latency
				}}
				var slow, fast []string
				for p := range pages {
					slow = append(slow, fmt.Sprintf("http://%s/%d", slowSite, p))
					for h := range hosts {
						fast = append(fast, fmt.Sprintf("http://h%d.test/%d", h+1, p))
					}
				}
				alone := crawlVirtually(t, sites, fast)
				beside := crawlVirtually(t, sites, append(slow, fast...))
				t.Logf("%d pages of %d hosts took %v alone, %v beside the slow host (%+.2f %%)", sites.n[false], hosts, alone, beside, 100*(float64(beside)/float64(alone)-1))
				if sites.n[false] != hosts*pages || sites.n[true] != pages {
					t.Errorf("pages %v", sites.n)
				}
				if beside > alone*105/100 {
					t.Errorf("beside the slow host it took %v, alone %v", beside, alone)
				}
			})
		})
	}
}
