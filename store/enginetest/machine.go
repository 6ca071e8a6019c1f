package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/frontier"
)

// machine drives an engine and a model with the same operations.
type machine struct {
	*stage
	m   *model
	old []frontier.GrantRef // all grants ever made
}

func runModel(t *testing.T, open Opener) {
	rapid.Check(t, func(r *rapid.T) {
		s := &stage{T: t, ctx: t.Context(), clock: newClock(), dir: t.TempDir(), open: open}
		s.Engine = open(t, s.dir, s.clock.now)
		defer func() { s.Engine.Close() }()
		x := &machine{stage: s, m: newModel(s.clock.now())}
		actions := map[string]func(*rapid.T){
			"":         x.compare,
			"discover": x.discoverSome, "claim": x.claimSome, "settle": x.settleSome, "settle outside": x.settleOutside,
			"extend": x.extendSome, "release": x.releaseSome, "wait": x.wait, "update": x.updateHost,
			"renew": x.renewSome, "reopen": x.reopenClean,
		}
		if _, ok := s.Engine.(Crasher); ok {
			actions["crash"] = x.crashAndOpen
		}
		r.Repeat(actions)
	})
}

var (
	hostNames = []string{"a.test", "b.test", "c.test"}
	anyHost   = rapid.SampledFrom(hostNames)
	settled   = rapid.SampledFrom([]frontier.State{frontier.Fetched, frontier.NotModified, frontier.Redirected,
		frontier.Gone, frontier.Refused, frontier.Failed, frontier.Future})
)

func seconds(r *rapid.T, low, high int, what string) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(r, what)) * time.Second
}

func (x *machine) candidate(r *rapid.T) frontier.Candidate {
	host := anyHost.Draw(r, "host")
	origin := rapid.SampledFrom([]string{"https://" + host, "http://" + host, "https://" + host + ":8443"}).Draw(r, "origin")
	c := frontier.Candidate{
		URL: fmt.Sprintf("%s/%d", origin, rapid.IntRange(0, 4).Draw(r, "path")), Host: host,
		Score: rapid.IntRange(0, 100).Draw(r, "score"), Depth: rapid.IntRange(0, 5).Draw(r, "depth"), Path: "LL",
	}
	if rapid.IntRange(0, 3).Draw(r, "no page") == 0 {
		c.URL += "#sitemap"
	}
	if rapid.IntRange(0, 5).Draw(r, "later") == 0 {
		c.NotBefore = x.clock.now().Add(seconds(r, -5, 100, "not before"))
	}
	if len(x.m.urls) > 0 && rapid.Bool().Draw(r, "has parent") {
		c.Parent = rapid.SampledFrom(slices.Sorted(maps.Keys(x.m.urls))).Draw(r, "parent")
	} else if rapid.IntRange(0, 9).Draw(r, "unknown parent") == 0 {
		c.Parent = "https://elsewhere.test/"
	}
	return c
}

func (x *machine) candidates(r *rapid.T) []frontier.Candidate {
	n := rapid.IntRange(0, 6).Draw(r, "candidates")
	cs := make([]frontier.Candidate, n)
	for i := range cs {
		cs[i] = x.candidate(r)
	}
	return cs
}

func (x *machine) discoverSome(r *rapid.T) {
	cs := x.candidates(r)
	added, err := x.Discover(x.ctx, cs)
	check(r, err)
	if want := x.m.discover(cs); added != want {
		r.Fatalf("discover added %d, want %d", added, want)
	}
}

func check(r *rapid.T, err error) {
	if err != nil {
		r.Helper()
		r.Fatal(err)
	}
}
