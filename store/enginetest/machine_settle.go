package enginetest

import (
	"errors"
	"fmt"

	"pgregory.net/rapid"

	"heed/frontier"
)

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
