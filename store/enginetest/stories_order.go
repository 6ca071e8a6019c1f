package enginetest

import (
	"fmt"
	"time"

	"heed/frontier"
)

// orderStories are about (8), the order.
func orderStories() []story {
	return []story{
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
		{"(8) an old URL is overtaken for no longer than MaxWait", func(s *stage) {
			for _, where := range []string{"one host", "other hosts"} {
				last := page("last.test", "/"+where, 0)
				last.Depth = 1000
				s.discover(last)
				known := s.clock.now()
				for i := 0; ; i++ {
					s.pass(time.Hour)
					best := page("last.test", fmt.Sprintf("/%s/%d", where, i), 100)
					if where == "other hosts" {
						best.Host = fmt.Sprintf("h%d.test", i)
						best.URL = "https://" + best.Host + "/"
					}
					s.discover(best)
					want := best
					waited := s.clock.now().Sub(known)
					if waited > frontier.MaxWait {
						want = last
					}
					g := s.one()
					if g.URLs[0].URL != want.URL {
						s.Fatalf("%s: after %v it is the turn of %s, want %s", where, waited, g.URLs[0].URL, want.URL)
					}
					s.settle(done(g))
					if waited > frontier.MaxWait {
						s.settle(done(s.one())) // the best one, before the next round
						break
					}
				}
			}
		}},
		{"(8) of heads that are equal the host goes first that has waited the longest", func(s *stage) {
			const hosts, pages, workers = 30, 6, 4
			var all []frontier.Candidate
			since, left := map[string]time.Time{}, map[string]int{}
			for i := range hosts {
				host := fmt.Sprintf("h%d.test", i)
				since[host], left[host] = s.clock.now(), pages
				for j := range pages {
					all = append(all, page(host, fmt.Sprint("/", j), 50))
				}
			}
			s.discover(all...)
			for range hosts * pages / workers {
				s.pass(time.Second)
				var latest time.Time
				for _, g := range s.claim(workers, 1) {
					latest = later(latest, since[g.Host])
					since[g.Host] = s.clock.now().Add(time.Duration(len(g.Host)) * 100 * time.Millisecond)
					left[g.Host]--
					x := done(g)
					x.HostNext = since[g.Host]
					s.settle(x)
				}
				for host, from := range since {
					if left[host] > 0 && from.Before(latest) {
						s.Fatalf("%s could have been asked since %v, and one since %v was", host, from, latest)
					}
				}
			}
			s.none("all were asked")
		}},
	}
}
