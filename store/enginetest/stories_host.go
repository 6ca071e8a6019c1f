package enginetest

import (
	"fmt"
	"time"

	"heed/frontier"
)

// hostStories are about hosts, passes and reports.
func hostStories() []story {
	return []story{
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
}
