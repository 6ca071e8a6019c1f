package enginetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"heed/frontier"
)

// Delay is the delay of every host, with which the engines of the suite must be
// opened; they must have one slot per host.
const Delay = 10 * time.Second

// Opener opens the engine whose state is kept in dir, and makes it if there is
// none. The engine takes its time from clock. Opener fails the test on errors.
type Opener func(t *testing.T, dir string, clock func() time.Time) frontier.Engine

// Crasher is an engine that can stop without warning: what is not committed is
// lost, nothing is marked, and the state can be opened again in the same
// process.
type Crasher interface{ Crash() error }

// Run runs the suite.
func Run(t *testing.T, open func(t *testing.T, dir string, clock func() time.Time) frontier.Engine) {
	for _, c := range stories() {
		t.Run(c.name, func(t *testing.T) { c.run(newStage(t, open)) })
	}
	t.Run("random operations agree with the model", func(t *testing.T) { runModel(t, open) })
}

// clock is moved by the suite only. It starts at a whole second and moves by
// whole milliseconds, so that no engine has to round.
type clock struct{ millis atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.millis.Store(1_800_000_000_000)
	return c
}

func (c *clock) now() time.Time { return time.UnixMilli(c.millis.Load()).UTC() }

// stage is an engine with its clock, for a story.
type stage struct {
	*testing.T
	frontier.Engine
	ctx   context.Context
	clock *clock
	dir   string
	open  Opener
}

func newStage(t *testing.T, open Opener) *stage {
	s := &stage{T: t, ctx: t.Context(), clock: newClock(), dir: t.TempDir(), open: open}
	s.Engine = open(t, s.dir, s.clock.now)
	t.Cleanup(func() { s.Engine.Close() })
	return s
}

func (s *stage) pass(d time.Duration) { s.clock.millis.Add(d.Milliseconds()) }

// reopen closes the engine and opens it again.
func (s *stage) reopen() {
	s.Helper()
	s.must(s.Engine.Close())
	s.Engine = s.open(s.T, s.dir, s.clock.now)
}

// crash stops the engine as a kill would and opens it again.
func (s *stage) crash() {
	s.Helper()
	c, ok := s.Engine.(Crasher)
	if !ok {
		s.Skip("the engine cannot be made to crash")
	}
	s.must(c.Crash())
	s.Engine = s.open(s.T, s.dir, s.clock.now)
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) wantErr(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Fatalf("error is %v, want %v", err, want)
	}
}

// discover makes URLs known and returns how many were new.
func (s *stage) discover(c ...frontier.Candidate) int {
	s.Helper()
	added, err := s.Discover(s.ctx, c)
	s.must(err)
	return added
}

// claim asks for grants of one URL with a life of one minute.
func (s *stage) claim(hosts, perGrant int) []frontier.Grant {
	s.Helper()
	g, _, err := s.Claim(s.ctx, frontier.ClaimRequest{MaxHosts: hosts, PerGrant: perGrant, TTL: time.Minute})
	s.must(err)
	return g
}

// one claims one URL and fails without.
func (s *stage) one() frontier.Grant {
	s.Helper()
	g := s.claim(1, 1)
	if len(g) != 1 || len(g[0].URLs) != 1 {
		s.Fatalf("granted %+v, want one URL", g)
	}
	return g[0]
}

// none fails if anything can be claimed.
func (s *stage) none(why string) {
	s.Helper()
	if g := s.claim(10, 10); len(g) > 0 {
		s.Fatalf("%s, and yet there is a grant of %s", why, g[0].URLs[0].URL)
	}
}

func (s *stage) settle(x frontier.Settlement) frontier.Verdict {
	s.Helper()
	v, err := s.Settle(s.ctx, []frontier.Settlement{x})
	s.must(err)
	return v[0]
}

// state fails unless the URL is in this state.
func (s *stage) state(url string, want frontier.State) frontier.Report {
	s.Helper()
	r, err := s.Why(s.ctx, url)
	if errors.Is(err, frontier.ErrUnknown) && want == frontier.Unknown {
		return r
	}
	s.must(err)
	if r.State != want {
		s.Fatalf("%s is %s, want %s", url, r.State, want)
	}
	return r
}

func page(host, path string, score int) frontier.Candidate {
	return frontier.Candidate{URL: "https://" + host + path, Host: host, Score: score}
}

// done settles all URLs of a grant as fetched.
func done(g frontier.Grant, links ...frontier.Candidate) frontier.Settlement {
	x := frontier.Settlement{Grant: g.GrantRef, Links: links}
	for _, u := range g.URLs {
		x.Outcomes = append(x.Outcomes, frontier.Outcome{URL: u.URL, State: frontier.Fetched, Page: &frontier.Page{Status: 200}})
	}
	return x
}
