package enginetest

import (
	"fmt"
	"time"

	"heed/frontier"
)

// urlStories are about one URL: (1) its states, (2) its record.
func urlStories() []story {
	return []story{
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
	}
}
