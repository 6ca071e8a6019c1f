package enginetest

import (
	"errors"
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

func (x *machine) claimSome(r *rapid.T) {
	req := frontier.ClaimRequest{
		MaxHosts: rapid.IntRange(1, 4).Draw(r, "hosts"), PerGrant: rapid.IntRange(1, 4).Draw(r, "per grant"),
		TTL: seconds(r, 1, 60, "ttl"),
	}
	grants, outlook, err := x.Claim(x.ctx, req)
	check(r, err)
	sure := map[string]uint64{} // hosts that must be granted, to the rank of their head
	for _, name := range hostNames {
		due := x.m.claimable(name)
		if len(due) == 0 {
			continue
		}
		if may, maybe := x.m.may(x.m.host(name)); may && !maybe {
			sure[name] = due[0].rank()
		}
	}
	if len(grants) > req.MaxHosts {
		r.Fatalf("%d grants, asked for %d", len(grants), req.MaxHosts)
	}
	var last uint64
	for _, g := range grants {
		last = max(last, x.checkGrant(r, &req, &g))
		delete(sure, g.Host)
	}
	for name, head := range sure {
		if len(grants) < req.MaxHosts {
			r.Fatalf("%s may be asked and was not granted", name)
		}
		if head < last {
			r.Fatalf("%s has a URL of rank %d and was passed over for one of %d", name, head, last)
		}
	}
	x.checkOutlook(r, &outlook, len(grants))
}

// checkGrant compares a grant with the model, enters it there, and returns the
// rank of its first URL.
func (x *machine) checkGrant(r *rapid.T, req *frontier.ClaimRequest, g *frontier.Grant) uint64 {
	h := x.m.host(g.Host)
	if may, _ := x.m.may(h); !may {
		r.Fatalf("%s was granted: paused %v, live grant %v, next %v, now %v", g.Host, h.paused, h.grant != nil, h.next, x.m.now)
	}
	if g.Token <= x.m.token || g.Slot != 0 {
		r.Fatalf("token %d in slot %d after token %d", g.Token, g.Slot, x.m.token)
	}
	x.m.token = g.Token
	due := x.m.claimable(g.Host)
	if want := min(len(due), req.PerGrant); len(g.URLs) != want {
		r.Fatalf("%d URLs of %s granted, want %d", len(g.URLs), g.Host, want)
	}
	mg := &modelGrant{ref: g.GrantRef, deadline: x.m.now.Add(req.TTL)}
	if !g.Deadline.Equal(mg.deadline) {
		r.Fatalf("deadline %v, want %v", g.Deadline, mg.deadline)
	}
	for i, item := range g.URLs {
		u := x.m.urls[item.URL]
		if u == nil || u.grant != nil || u.state != frontier.Ready {
			r.Fatalf("%s was granted and is not ready", item.URL)
		}
		if u.rank() != due[i].rank() {
			r.Fatalf("%s of rank %d was granted before %s of %d", item.URL, u.rank(), due[i].URL, due[i].rank())
		}
		if item != u.Item {
			r.Fatalf("granted\n%+v, want\n%+v", item, u.Item)
		}
		u.grant = mg
		mg.urls = append(mg.urls, u)
	}
	h.grant = mg
	x.old = append(x.old, g.GrantRef)
	return due[0].rank()
}

func (x *machine) checkOutlook(r *rapid.T, o *frontier.Outlook, granted int) {
	queued, leased := 0, 0
	var next time.Time // earliest time at which the model has something
	for _, u := range x.m.urls {
		switch s := u.shown(); s {
		case frontier.Leased:
			leased++
		case frontier.Ready, frontier.Future:
			queued++
			h := x.m.host(u.Host)
			if h.paused || h.grant != nil {
				continue
			}
			at := later(later(h.next, h.soft), u.since)
			if s == frontier.Future {
				at = later(at, u.due)
			}
			if next.IsZero() || at.Before(next) {
				next = at
			}
		}
	}
	if o.Queued != queued || o.Leased != leased {
		r.Fatalf("outlook says %d queued, %d leased; want %d and %d", o.Queued, o.Leased, queued, leased)
	}
	if queued == 0 && !o.Next.IsZero() {
		r.Fatalf("nothing is queued, and next is %v", o.Next)
	}
	if granted == 0 && !next.IsZero() && (o.Next.IsZero() || o.Next.After(next)) {
		r.Fatalf("next is %v, want no later than %v", o.Next, next)
	}
}

// ref picks the name of a grant, live or not.
func (x *machine) ref(r *rapid.T) (frontier.GrantRef, bool) {
	if len(x.old) == 0 {
		return frontier.GrantRef{}, false
	}
	var live []frontier.GrantRef
	for _, name := range hostNames {
		if h := x.m.hosts[name]; h != nil && h.grant != nil {
			live = append(live, h.grant.ref)
		}
	}
	if len(live) > 0 && rapid.IntRange(0, 4).Draw(r, "live") > 0 {
		return rapid.SampledFrom(live).Draw(r, "grant"), true
	}
	return rapid.SampledFrom(x.old).Draw(r, "old grant"), true
}

func (x *machine) isLive(g frontier.GrantRef) bool {
	h := x.m.hosts[g.Host]
	return h != nil && h.grant != nil && h.grant.ref == g
}

func (x *machine) outcome(r *rapid.T, url string) frontier.Outcome {
	o := frontier.Outcome{URL: url, State: settled.Draw(r, "state"), Reason: rapid.SampledFrom([]string{"", "timeout"}).Draw(r, "reason")}
	if o.State == frontier.Future {
		o.Attempts = rapid.IntRange(1, 3).Draw(r, "attempts")
		o.Due = x.clock.now().Add(seconds(r, -5, 60, "due"))
	}
	if rapid.Bool().Draw(r, "page") {
		o.Page = &frontier.Page{Status: 200, FetchedAt: x.clock.now(), ETag: `"e"`,
			LastModified: rapid.SampledFrom([]string{"", "Sun, 06 Nov 1994 08:49:37 GMT", "yesterday"}).Draw(r, "modified"),
			Checks:       1, Location: rapid.SampledFrom([]string{"", "f:0:1"}).Draw(r, "location")}
		if rapid.Bool().Draw(r, "fresh") {
			o.Page.FreshUntil = x.clock.now().Add(seconds(r, 0, 100, "fresh for"))
		}
	}
	return o
}

func (x *machine) rest(r *rapid.T, s *frontier.Settlement) {
	s.Links = x.candidates(r)
	if rapid.Bool().Draw(r, "has next") {
		s.HostNext = x.clock.now().Add(seconds(r, 0, 60, "next"))
	}
	if rapid.Bool().Draw(r, "has pace") {
		s.Pace = []byte(rapid.SampledFrom([]string{"one", "two"}).Draw(r, "pace"))
	}
	s.Tally[rapid.IntRange(0, 3).Draw(r, "counter")] = int64(rapid.IntRange(0, 9).Draw(r, "count"))
}

func (x *machine) settleSome(r *rapid.T) {
	ref, ok := x.ref(r)
	if !ok {
		r.Skip("nothing was granted yet")
	}
	s := frontier.Settlement{Grant: ref}
	x.rest(r, &s)
	if h := x.m.hosts[ref.Host]; x.isLive(ref) {
		for _, u := range h.grant.urls {
			if rapid.IntRange(0, 4).Draw(r, "closed") > 0 {
				s.Outcomes = append(s.Outcomes, x.outcome(r, u.URL))
			}
		}
	} else {
		s.Outcomes = append(s.Outcomes, x.outcome(r, "https://a.test/0"))
	}
	x.apply(r, &s)
}

// settleOutside reports on something done outside of any grant.
func (x *machine) settleOutside(r *rapid.T) {
	s := frontier.Settlement{Grant: frontier.GrantRef{Host: anyHost.Draw(r, "host")}}
	x.rest(r, &s)
	if rapid.Bool().Draw(r, "has outcome") {
		s.Outcomes = append(s.Outcomes, x.outcome(r, fmt.Sprintf("https://%s/%d", s.Grant.Host, rapid.IntRange(0, 4).Draw(r, "path"))))
	}
	x.apply(r, &s)
}

func (x *machine) apply(r *rapid.T, s *frontier.Settlement) {
	var got frontier.Verdict
	if rapid.Bool().Draw(r, "async") {
		done := make(chan error, 1)
		check(r, x.SettleAsync(x.ctx, *s, func(v frontier.Verdict, err error) { got = v; done <- err }))
		check(r, x.Flush(x.ctx))
		select {
		case err := <-done:
			check(r, err)
		default:
			r.Fatal("done was not called before Flush returned")
		}
	} else {
		v, err := x.Settle(x.ctx, []frontier.Settlement{*s})
		check(r, err)
		got = v[0]
	}
	if want := x.m.settle(s); got != want {
		r.Fatalf("verdict %+v, want %+v", got, want)
	}
}

func (x *machine) extendSome(r *rapid.T) {
	ref, ok := x.ref(r)
	if !ok {
		r.Skip("nothing was granted yet")
	}
	ttl := seconds(r, 1, 60, "ttl")
	err := x.Extend(x.ctx, []frontier.GrantRef{ref}, ttl)
	if !x.isLive(ref) {
		if !errors.Is(err, frontier.ErrStale) {
			r.Fatalf("extending a grant that is over: %v", err)
		}
		return
	}
	check(r, err)
	x.m.hosts[ref.Host].grant.deadline = x.m.now.Add(ttl)
}

func (x *machine) releaseSome(r *rapid.T) {
	ref, ok := x.ref(r)
	if !ok {
		r.Skip("nothing was granted yet")
	}
	err := x.Release(x.ctx, []frontier.GrantRef{ref})
	if x.isLive(ref) {
		check(r, err)
		x.m.end(x.m.hosts[ref.Host])
	}
}

func (x *machine) wait(r *rapid.T) {
	x.pass(seconds(r, 1, 70, "wait"))
	x.m.advance(x.clock.now())
}

func (x *machine) updateHost(r *rapid.T) {
	name := anyHost.Draw(r, "host")
	h := x.m.hosts[name]
	version := uint64(0)
	if got, err := x.Host(x.ctx, name); err == nil {
		version = got.Version
	} else if !errors.Is(err, frontier.ErrUnknown) || h != nil {
		r.Fatalf("host %s: %v, and the model has %+v", name, err, h)
	}
	var patch frontier.HostPatch
	paused := rapid.IntRange(0, 2).Draw(r, "paused") == 0
	patch.Paused = &paused
	if rapid.Bool().Draw(r, "has next") {
		next := x.clock.now().Add(seconds(r, 0, 60, "next"))
		patch.Next = &next
	}
	if rapid.IntRange(0, 3).Draw(r, "wrong version") == 0 {
		if err := x.UpdateHost(x.ctx, name, version+1, patch); !errors.Is(err, frontier.ErrStale) {
			r.Fatalf("update with another version: %v", err)
		}
		return
	}
	check(r, x.UpdateHost(x.ctx, name, version, patch))
	h = x.m.host(name)
	h.paused = paused
	if patch.Next != nil {
		h.next = *patch.Next
	}
}

func (x *machine) renewSome(r *rapid.T) {
	pass := x.m.pass + uint64(rapid.IntRange(0, 1).Draw(r, "new pass"))
	refresh := rapid.Bool().Draw(r, "refresh")
	if pass == 0 {
		r.Skip("there was no pass yet")
	}
	queued, err := x.Renew(x.ctx, pass, x.clock.now(), refresh)
	check(r, err)
	if want := x.m.renew(pass, refresh); queued != want {
		r.Fatalf("renew queued %d, want %d", queued, want)
	}
}

func (x *machine) reopenClean(r *rapid.T) {
	check(r, x.Engine.Close())
	x.Engine = x.open(x.T, x.dir, x.clock.now)
	x.m.restart(false)
}

func (x *machine) crashAndOpen(r *rapid.T) {
	check(r, x.Engine.(Crasher).Crash())
	x.Engine = x.open(x.T, x.dir, x.clock.now)
	x.m.restart(true)
}
