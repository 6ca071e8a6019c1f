package enginetest

import (
	"time"

	"heed/frontier"
)

// durableStories are about stops: (4) no host is asked early, (5) what was acknowledged
// is there.
func durableStories() []story {
	return []story{
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
	}
}
