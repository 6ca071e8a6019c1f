package bolt

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"heed/frontier"
)

// manual is a clock that tests move.
type manual struct{ millis atomic.Int64 }

func newClock() *manual {
	c := &manual{}
	c.millis.Store(1_800_000_000_000)
	return c
}

func (c *manual) now() time.Time { return time.UnixMilli(c.millis.Load()).UTC() }

func (c *manual) pass(d time.Duration) { c.millis.Add(d.Milliseconds()) }

func openAt(t testing.TB, path string, o Options) *Engine {
	t.Helper()
	e, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func openTemp(t testing.TB, o Options) *Engine {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "state.db"), o)
}

func candidate(host, path string) frontier.Candidate {
	return frontier.Candidate{URL: "https://" + host + path, Host: host, Score: 50}
}

func discover(t testing.TB, e *Engine, c ...frontier.Candidate) {
	t.Helper()
	if _, err := e.Discover(context.Background(), c); err != nil {
		t.Fatal(err)
	}
}

// claimOne claims one grant of one URL and fails if there is none.
func claimOne(t testing.TB, e *Engine) frontier.Grant {
	t.Helper()
	g, o, err := e.Claim(context.Background(), frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if len(g) != 1 {
		t.Fatalf("nothing to claim, outlook %+v", o)
	}
	return g[0]
}

// fetched settles the first URL of a grant as fetched.
func fetched(g frontier.Grant, links ...frontier.Candidate) frontier.Settlement {
	return frontier.Settlement{
		Grant: g.GrantRef, Links: links,
		Outcomes: []frontier.Outcome{{URL: g.URLs[0].URL, State: frontier.Fetched, Page: &frontier.Page{Status: 200, ETag: `"x"`}}},
	}
}

func settle(t testing.TB, e *Engine, s ...frontier.Settlement) []frontier.Verdict {
	t.Helper()
	v, err := e.Settle(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func why(t testing.TB, e *Engine, url string) frontier.Report {
	t.Helper()
	r, err := e.Why(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func noDelay(string, []byte) time.Duration { return 0 }
