package enginetest

import (
	"fmt"
	"time"

	"heed/frontier"
)

// grantStories are about grants: (3) one a slot, (6) lapsed, (7) stale.
func grantStories() []story {
	return []story{
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
	}
}
