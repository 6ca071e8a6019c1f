package enginetest

import (
	"fmt"
	"time"

	"heed/frontier"
)

type story struct {
	name string
	run  func(s *stage)
}

var stories = []story{
	{"(1) a URL walks from ready through leased and future to settled", func(s *stage) {
		a := page("a.test", "/1", 50)
		s.state(a.URL, frontier.Unknown)
		s.discover(a)
		s.state(a.URL, frontier.Ready)
		g := s.one()
		r := s.state(a.URL, frontier.Leased)
		if !r.Until.Equal(g.Deadline) {
			s.Fatalf("leased until %v, want %v", r.Until, g.Deadline)
		}
		due := s.clock.now().Add(time.Hour)
		s.settle(frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{
			{URL: a.URL, State: frontier.Future, Due: due, Attempts: 2, Reason: "timeout"}}})
		if r = s.state(a.URL, frontier.Future); !r.Due.Equal(due) || r.Attempts != 2 || r.Reason != "timeout" {
			s.Fatalf("future report is %+v", r)
		}
		s.none("it is not due")
		s.pass(time.Hour)
		s.state(a.URL, frontier.Ready)
		s.settle(done(s.one()))
		s.state(a.URL, frontier.Fetched)
		s.none("it is settled")
	}},
	{"(1) a URL of a grant without an outcome is ready again", func(s *stage) {
		a := page("a.test", "/1", 50)
		s.discover(a)
		s.settle(frontier.Settlement{Grant: s.one().GrantRef})
		s.state(a.URL, frontier.Ready)
	}},
	{"(1) every settled state is kept and ends the queueing", func(s *stage) {
		states := []frontier.State{frontier.Fetched, frontier.NotModified, frontier.Redirected, frontier.Gone, frontier.Refused, frontier.Failed}
		for i, state := range states {
			u := page(fmt.Sprintf("h%d.test", i), "/", 50)
			s.discover(u)
			g := s.one()
			s.settle(frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{{URL: u.URL, State: state, Reason: "why"}}})
			s.state(u.URL, state)
		}
		s.none("all are settled")
		stats, err := s.Stats(s.ctx)
		s.must(err)
		for _, state := range states {
			if stats.States[state] != 1 {
				s.Errorf("%d URLs are %s, want 1", stats.States[state], state)
			}
		}
	}},
	{"(1) NotBefore holds a URL back", func(s *stage) {
		a := page("a.test", "/1", 50)
		a.NotBefore = s.clock.now().Add(time.Minute)
		s.discover(a)
		s.state(a.URL, frontier.Future)
		s.none("it is held back")
		s.pass(time.Minute)
		s.one()
	}},
	{"(2) a URL is known once, with its best score and smallest depth", func(s *stage) {
		a, b := page("a.test", "/1", 20), page("a.test", "/1", 70)
		a.Depth, b.Depth = 2, 5
		if n := s.discover(a, a, b); n != 1 {
			s.Fatalf("%d were new, want 1", n)
		}
		if n := s.discover(b); n != 0 {
			s.Fatalf("%d were new, want 0", n)
		}
		if r := s.state(a.URL, frontier.Ready); r.Score != 70 || r.Depth != 2 {
			s.Fatalf("score %d depth %d, want 70 and 2", r.Score, r.Depth)
		}
	}},
	{"(2) scheme and port tell URLs apart, the host is paced as one", func(s *stage) {
		n := s.discover(
			frontier.Candidate{URL: "https://a.test/", Host: "a.test"},
			frontier.Candidate{URL: "http://a.test/", Host: "a.test"},
			frontier.Candidate{URL: "https://a.test:8443/", Host: "a.test"})
		if n != 3 {
			s.Fatalf("%d were new, want 3", n)
		}
		s.one()
		s.none("the slot of the host is taken")
		for _, u := range []string{"https://a.test/", "http://a.test/", "https://a.test:8443/"} {
			if r, err := s.Why(s.ctx, u); err != nil || r.URL != u {
				s.Errorf("%s: %q, %v", u, r.URL, err)
			}
		}
	}},
	{"(2) a settled URL that is found again stays settled", func(s *stage) {
		a := page("a.test", "/1", 20)
		s.discover(a)
		s.settle(done(s.one()))
		a.Score = 90
		s.discover(a)
		if r := s.state(a.URL, frontier.Fetched); r.Score != 90 {
			s.Fatalf("score %d, want 90", r.Score)
		}
		s.none("it is settled")
	}},
	{"(3) a host has one live grant a slot", func(s *stage) {
		s.discover(page("a.test", "/1", 50), page("a.test", "/2", 50))
		g := s.one()
		s.none("the slot is taken")
		s.settle(done(g))
		s.one()
	}},
	{"(3) tokens rise, also across reopening", func(s *stage) {
		var last uint64
		for range 3 {
			s.discover(page("a.test", fmt.Sprint("/", last), 50))
			g := s.one()
			if g.Token <= last {
				s.Fatalf("token %d after %d", g.Token, last)
			}
			last = g.Token
			s.must(s.Release(s.ctx, []frontier.GrantRef{g.GrantRef}))
			s.reopen()
		}
	}},
	{"(4) a host is not granted before its next time", func(s *stage) {
		s.discover(page("a.test", "/1", 50), page("a.test", "/2", 50))
		x := done(s.one())
		x.HostNext = s.clock.now().Add(30 * time.Second)
		s.settle(x)
		s.none("the host waits")
		s.pass(30*time.Second - time.Millisecond)
		s.none("the host waits for another millisecond")
		s.pass(time.Millisecond)
		s.one()
	}},
	{"(4) a next time survives a clean stop", func(s *stage) {
		s.discover(page("a.test", "/1", 50), page("a.test", "/2", 50))
		x := done(s.one())
		x.HostNext = s.clock.now().Add(time.Hour)
		s.settle(x)
		s.reopen()
		s.pass(time.Hour - time.Second)
		s.none("the host waits")
		s.pass(time.Second)
		s.one()
	}},
	{"(4) after an unclean stop every host waits one delay", func(s *stage) {
		s.discover(page("a.test", "/1", 50), page("b.test", "/1", 50))
		s.one()
		s.crash()
		s.none("both hosts may have been asked just now")
		s.reopen()
		s.pass(Delay - time.Second)
		s.none("a clean stop in between changes nothing")
		s.pass(time.Second)
		if g := s.claim(5, 1); len(g) != 2 {
			s.Fatalf("%d grants, want 2", len(g))
		}
	}},
	{"(5) what was acknowledged is there after a crash", func(s *stage) {
		a, b := page("a.test", "/1", 50), page("b.test", "/1", 50)
		s.discover(a)
		x := done(s.one(), b)
		x.Pace = []byte("state")
		x.Tally[3] = 7
		s.settle(x)
		s.crash()
		s.state(a.URL, frontier.Fetched)
		s.state(b.URL, frontier.Ready)
		h, err := s.Host(s.ctx, "a.test")
		s.must(err)
		stats, err := s.Stats(s.ctx)
		s.must(err)
		if string(h.Pace) != "state" || stats.Totals[3] != 7 {
			s.Fatalf("pace %q, tally %d", h.Pace, stats.Totals[3])
		}
	}},
	{"(5) a page is kept word for word", func(s *stage) {
		a := page("a.test", "/1", 50)
		s.discover(a)
		want := frontier.Page{Status: 200, FetchedAt: s.clock.now(), FreshUntil: s.clock.now().Add(time.Hour), ETag: `W/"a b"`,
			LastModified: "tuesday, sort of", Digest: [32]byte{1, 31: 2}, Location: "x.warc.gz:1:2", Changes: 3, Checks: 4}
		g := s.one()
		s.settle(frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{{URL: a.URL, State: frontier.Fetched, Page: &want}}})
		s.reopen()
		if r := s.state(a.URL, frontier.Fetched); r.Page != want {
			s.Fatalf("page is %+v, want %+v", r.Page, want)
		}
	}},
	{"(6) a lapsed grant returns with its URLs unchanged", func(s *stage) {
		a := page("a.test", "/1", 50)
		s.discover(a)
		before := s.state(a.URL, frontier.Ready)
		g := s.one()
		s.pass(time.Minute)
		s.none("one delay after the lapse")
		s.pass(Delay)
		after := s.state(a.URL, frontier.Ready)
		if after.Item != before.Item {
			s.Fatalf("was %+v, is %+v", before.Item, after.Item)
		}
		if again := s.one(); again.URLs[0] != g.URLs[0] || again.Token <= g.Token {
			s.Fatalf("was %+v, is %+v", g, again)
		}
	}},
	{"(6) an extended grant does not lapse, a lapsed one cannot be extended", func(s *stage) {
		s.discover(page("a.test", "/1", 50))
		g := s.one()
		s.pass(50 * time.Second)
		s.must(s.Extend(s.ctx, []frontier.GrantRef{g.GrantRef}, time.Minute))
		s.pass(50 * time.Second)
		s.none("the grant is live")
		s.pass(10 * time.Second)
		s.wantErr(s.Extend(s.ctx, []frontier.GrantRef{g.GrantRef}, time.Minute), frontier.ErrStale)
	}},
	{"(6) a released grant is ready at once and does not move the next time", func(s *stage) {
		s.discover(page("a.test", "/1", 50))
		g := s.one()
		s.must(s.Release(s.ctx, []frontier.GrantRef{g.GrantRef}))
		if again := s.one(); again.URLs[0] != g.URLs[0] {
			s.Fatalf("was %+v, is %+v", g.URLs[0], again.URLs[0])
		}
	}},
	{"(7) a stalled worker changes nothing but discovery", func(s *stage) {
		a, b := page("a.test", "/1", 50), page("b.test", "/1", 90)
		s.discover(a)
		stalled := s.one()
		s.pass(time.Minute + Delay)
		current := s.one()
		x := done(stalled, b)
		x.HostNext = s.clock.now().Add(time.Hour)
		x.Pace = []byte("old")
		x.Tally[0] = 5
		if v := s.settle(x); !v.Stale || v.Added != 1 {
			s.Fatalf("verdict %+v, want stale with 1 added", v)
		}
		s.state(a.URL, frontier.Leased)
		s.state(b.URL, frontier.Ready)
		h, err := s.Host(s.ctx, "a.test")
		s.must(err)
		stats, err := s.Stats(s.ctx)
		s.must(err)
		if h.Next.After(s.clock.now()) || len(h.Pace) > 0 || stats.Totals[0] != 0 {
			s.Fatalf("host %+v, tally %d", h, stats.Totals[0])
		}
		if v := s.settle(done(current)); v.Stale {
			s.Fatal("the current grant is stale")
		}
		s.state(a.URL, frontier.Fetched)
	}},
	{"(7) a token of an earlier process is stale", func(s *stage) {
		a := page("a.test", "/1", 50)
		s.discover(a)
		old := s.one()
		s.reopen()
		s.one()
		if v := s.settle(done(old)); !v.Stale {
			s.Fatal("an old token was taken for a current one")
		}
		s.state(a.URL, frontier.Leased)
	}},
	{"(7) a grant is settled once", func(s *stage) {
		s.discover(page("a.test", "/1", 50))
		g := s.one()
		s.settle(done(g))
		if v := s.settle(done(g)); !v.Stale {
			s.Fatal("settled twice")
		}
	}},
	{"(8) within a host the best score goes first, then the smallest depth, then age", func(s *stage) {
		old := page("a.test", "/old", 50)
		s.discover(old)
		s.pass(time.Second)
		deep, best, young := page("a.test", "/deep", 50), page("a.test", "/best", 60), page("a.test", "/young", 50)
		deep.Depth = 3
		s.discover(deep, young, best)
		for i, want := range []frontier.Candidate{best, old, young, deep} {
			g := s.one()
			if g.URLs[0].URL != want.URL {
				s.Fatalf("%d. is %s, want %s", i+1, g.URLs[0].URL, want.URL)
			}
			s.settle(done(g))
		}
	}},
	{"(8) a raised score moves a waiting URL to the front", func(s *stage) {
		a, b := page("a.test", "/a", 50), page("a.test", "/b", 40)
		s.discover(a, b)
		s.must(s.Release(s.ctx, []frontier.GrantRef{s.one().GrantRef})) // the queue of the host has been looked at
		b.Score = 80
		s.discover(b)
		if g := s.one(); g.URLs[0].URL != b.URL {
			s.Fatalf("first is %s, want %s", g.URLs[0].URL, b.URL)
		}
	}},
	{"(8) between hosts the best head goes first", func(s *stage) {
		for i := range 20 {
			s.discover(page(fmt.Sprintf("h%d.test", i), "/", (i*7)%20))
		}
		last := 100
		for _, g := range s.claim(20, 1) {
			if g.URLs[0].Score > last {
				s.Fatalf("score %d after %d", g.URLs[0].Score, last)
			}
			last = g.URLs[0].Score
		}
	}},
	{"(8) a long queue comes out in order", func(s *stage) {
		const n = 300
		var all []frontier.Candidate
		for i := range n {
			all = append(all, page("a.test", fmt.Sprint("/", i), (i*37)%101))
		}
		s.discover(all...)
		last, got := 100, 0
		for {
			g := s.claim(1, 7)
			if len(g) == 0 {
				break
			}
			for _, u := range g[0].URLs {
				if u.Score > last {
					s.Fatalf("score %d after %d", u.Score, last)
				}
				last = u.Score
				got++
			}
			s.settle(done(g[0]))
		}
		if got != n {
			s.Fatalf("%d URLs came out, want %d", got, n)
		}
	}},
	{"a paused host is not granted until it is resumed", func(s *stage) {
		s.discover(page("a.test", "/1", 50))
		h, err := s.Host(s.ctx, "a.test")
		s.must(err)
		yes, no := true, false
		s.must(s.UpdateHost(s.ctx, "a.test", h.Version, frontier.HostPatch{Paused: &yes}))
		s.none("the host is paused")
		s.wantErr(s.UpdateHost(s.ctx, "a.test", h.Version, frontier.HostPatch{Paused: &no}), frontier.ErrStale)
		s.reopen()
		s.none("the host is paused")
		h, err = s.Host(s.ctx, "a.test")
		s.must(err)
		s.must(s.UpdateHost(s.ctx, "a.test", h.Version, frontier.HostPatch{Paused: &no}))
		s.one()
	}},
	{"an unknown host has version 0", func(s *stage) {
		_, err := s.Host(s.ctx, "a.test")
		s.wantErr(err, frontier.ErrUnknown)
		next := s.clock.now().Add(time.Minute)
		s.wantErr(s.UpdateHost(s.ctx, "a.test", 3, frontier.HostPatch{Next: &next}), frontier.ErrStale)
		s.must(s.UpdateHost(s.ctx, "a.test", 0, frontier.HostPatch{Next: &next}))
		s.discover(page("a.test", "/1", 50))
		s.none("the host waits")
		s.pass(time.Minute)
		s.one()
	}},
	{"a new pass asks again for what is not fresh, once", func(s *stage) {
		fresh, stale := page("a.test", "/fresh", 50), page("b.test", "/stale", 50)
		s.discover(fresh, stale)
		for _, g := range s.claim(2, 1) {
			x := done(g)
			if g.Host == "a.test" {
				x.Outcomes[0].Page.FreshUntil = s.clock.now().Add(time.Hour)
			}
			s.settle(x)
		}
		for i, want := range []int{1, 0} {
			n, err := s.Renew(s.ctx, 1, s.clock.now(), false)
			s.must(err)
			if n != want {
				s.Fatalf("%d. call queued %d, want %d", i+1, n, want)
			}
		}
		if g := s.one(); g.URLs[0].URL != stale.URL || g.URLs[0].Pass != 1 || g.URLs[0].Page.Status != 200 {
			s.Fatalf("granted %+v", g)
		}
		n, err := s.Renew(s.ctx, 2, s.clock.now(), true)
		s.must(err)
		if n != 1 {
			s.Fatalf("refresh queued %d, want 1: the other one is leased", n)
		}
	}},
	{"what a day has cost is added up, survives a crash and begins anew with the next day", func(s *stage) {
		s.discover(page("a.test", "/1", 50), page("b.test", "/1", 50))
		today := frontier.Day(s.clock.now())
		check := func(host string, want, job frontier.Spent) {
			s.Helper()
			h, err := s.Host(s.ctx, host)
			s.must(err)
			stats, err := s.Stats(s.ctx)
			s.must(err)
			if h.Spent != want || stats.Spent != job {
				s.Fatalf("%s has cost %+v, want %+v; the job %+v, want %+v", host, h.Spent, want, stats.Spent, job)
			}
		}
		x := done(s.one())
		first := x.Grant.Host
		x.Spent = frontier.Spent{Day: today, Pages: 1, Bytes: 100}
		s.settle(x)
		if v := s.settle(x); !v.Stale { // a settlement that changes nothing costs nothing
			s.Fatal("settled twice")
		}
		s.settle(frontier.Settlement{Grant: frontier.GrantRef{Host: first}, Spent: frontier.Spent{Day: today, Pages: 1, Bytes: 11}})
		other := "a.test"
		if first == other {
			other = "b.test"
		}
		s.settle(frontier.Settlement{Grant: frontier.GrantRef{Host: other}, Spent: frontier.Spent{Day: today, Pages: 2, Bytes: 20}})
		s.crash()
		check(first, frontier.Spent{Day: today, Pages: 2, Bytes: 111}, frontier.Spent{Day: today, Pages: 4, Bytes: 131})
		check(other, frontier.Spent{Day: today, Pages: 2, Bytes: 20}, frontier.Spent{Day: today, Pages: 4, Bytes: 131})
		s.settle(frontier.Settlement{Grant: frontier.GrantRef{Host: other}, Spent: frontier.Spent{Day: today + 1, Pages: 1, Bytes: 1}})
		s.reopen()
		check(other, frontier.Spent{Day: today + 1, Pages: 1, Bytes: 1}, frontier.Spent{Day: today + 1, Pages: 1, Bytes: 1})
		check(first, frontier.Spent{Day: today, Pages: 2, Bytes: 111}, frontier.Spent{Day: today + 1, Pages: 1, Bytes: 1})
	}},
	{"listings go through everything once", func(s *stage) {
		var all []frontier.Candidate
		for i := range 25 {
			all = append(all, page("a.test", fmt.Sprint("/", i), 50), page(fmt.Sprintf("h%02d.test", i), "/", 50))
		}
		s.discover(all...)
		urls, hosts := map[string]bool{}, []string{}
		for cursor := ""; ; {
			page, next, err := s.ListHost(s.ctx, "a.test", cursor, 4)
			s.must(err)
			for _, r := range page {
				if urls[r.URL] {
					s.Fatalf("%s is listed twice", r.URL)
				}
				urls[r.URL] = true
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		for cursor := ""; ; {
			page, next, err := s.ListHosts(s.ctx, cursor, 4)
			s.must(err)
			for _, h := range page {
				if len(hosts) > 0 && h.Name <= hosts[len(hosts)-1] {
					s.Fatalf("%s after %s", h.Name, hosts[len(hosts)-1])
				}
				hosts = append(hosts, h.Name)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if len(urls) != 25 || len(hosts) != 26 {
			s.Fatalf("%d URLs and %d hosts, want 25 and 26", len(urls), len(hosts))
		}
	}},
	{"a closed engine says so", func(s *stage) {
		s.must(s.Close())
		_, err := s.Discover(s.ctx, []frontier.Candidate{page("a.test", "/", 1)})
		s.wantErr(err, frontier.ErrClosed)
		_, _, err = s.Claim(s.ctx, frontier.ClaimRequest{TTL: time.Minute, MaxWait: time.Hour})
		s.wantErr(err, frontier.ErrClosed)
		_, err = s.Why(s.ctx, "https://a.test/")
		s.wantErr(err, frontier.ErrClosed)
		_, err = s.Stats(s.ctx)
		s.wantErr(err, frontier.ErrClosed)
	}},
}
