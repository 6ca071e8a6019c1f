package crawler_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
)

// growing answers every page of an origin with one link that is made of its own
// target.
func growing(next func(r *seen) string) reply {
	return func(c net.Conn, r *seen) bool {
		return html(fmt.Sprintf(`<p>%s<p><a href="%s">next</a>`, r.url(), next(r)))(c, r)
	}
}

// refusals counts recorded refusals with a reason.
func (j *job) refusals(reason string) int {
	n := 0
	for _, v := range j.book.all() {
		if v.state == frontier.Refused && v.reason == reason && v.verdict == "deny" {
			n++
		}
	}
	return n
}

func TestTrapsEndWithAReason(t *testing.T) {
	for name, row := range map[string]struct {
		reason string
		next   func(r *seen) string
		change func(*setup)
		most   int
	}{
		"endless queries": {"scope.trap", func(r *seen) string {
			return fmt.Sprintf("/find?q=%d", len(r.target)) + strings.Repeat("x", len(r.target))
		},
			func(s *setup) { s.Traps.Queries = 10 }, 12},
		"a calendar that turns its own pages": {"scope.trap", func(r *seen) string {
			year := 2027
			fmt.Sscanf(r.target, "/%d/", &year)
			return fmt.Sprintf("/%d/01", year+1)
		}, func(s *setup) { s.Traps.Dates = 1000 }, 4},
		"a subdomain for each link": {"scope.budget", func(*seen) string { return "http://n0.farm.test/" },
			func(s *setup) { s.Traps.Hosts = 5 }, 7},
		"one body under many names": {"scope.trap", nil, func(s *setup) { s.Traps.Bodies = 10; s.TrapRepeat = 1000 }, 12},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if row.next == nil {
				w.on(shop+" *", html(`not found, <a href="x/">try this</a>`))
			} else {
				w.on(shop+" *", growing(row.next))
				for i := range 300 {
					w.on(fmt.Sprintf("http://n%d.farm.test *", i), growing(func(*seen) string { return fmt.Sprintf("http://n%d.farm.test/", i+1) }))
				}
			}
			for i := range 300 {
				w.on(fmt.Sprintf("http://n%d.farm.test/robots.txt", i), status(404))
			}
			w.on(shop+"/robots.txt", status(404))
			j := w.open(func(s *setup) {
				s.seeds, s.MaxPages = []string{shop + "/"}, 100
				brisk(s)
				row.change(s)
			})
			if end := j.run(); end.Code != crawler.EndDone {
				t.Errorf("ended with %d after %d pages", end.Code, j.pages())
			}
			if n := j.pages(); n > row.most || n < 2 {
				t.Errorf("%d pages, want 2 to %d", n, row.most)
			}
			if j.refusals(row.reason) == 0 {
				t.Errorf("nothing was refused with %s", row.reason)
			}
		})
	}
}

func TestADaysBudgetHoldsUntilMidnight(t *testing.T) {
	for name, change := range map[string]func(*setup){
		"pages of a host":  func(s *setup) { s.Budget.HostPages = 5 },
		"pages of the job": func(s *setup) { s.Budget.JobPages = 5 },
		"octets of a host": func(s *setup) { s.Budget.HostBytes = 4500 },
		"octets of a job":  func(s *setup) { s.Budget.JobBytes = 4500 },

		"pages of a domain":  func(s *setup) { s.Budget.DomainPages = 5 },
		"octets of a domain": func(s *setup) { s.Budget.DomainBytes = 4500 },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var pages []string
			for i := range 12 {
				pages = append(pages, fmt.Sprintf("/p%d", i))
			}
			body := links(pages...)
			w.on(shop+"/", body).on(shop+" *", html(strings.Repeat("x", 1000))).on(shop+"/robots.txt", status(404))
			j := w.open(func(s *setup) { s.seeds = []string{shop + "/"}; change(s) })
			if end := j.run(); end.Code != crawler.EndUndecided {
				t.Errorf("ended with %d", end.Code)
			}
			if n := j.pages(); n < 4 || n > 6 {
				t.Errorf("%d pages on the first day", n)
			}
			waits := 0
			for _, p := range pages {
				r, err := j.engine.Why(t.Context(), shop+p)
				if err == nil && r.Reason == "scope.budget" && r.Due.Equal(w.time.now().UTC().Truncate(24*time.Hour).Add(24*time.Hour)) {
					waits++
				}
			}
			if waits == 0 {
				t.Error("no URL says that it waits for the budget")
			}
			j.close()
			restarted := w.open(change)
			if end := restarted.run(); end.Code != crawler.EndUndecided || restarted.pages() != 0 {
				t.Errorf("a restart has a budget of its own: %d pages, ended with %d", restarted.pages(), end.Code)
			}
			restarted.close()
			w.time.advance(24 * time.Hour)
			again := w.open(change)
			again.run()
			if n := again.pages(); n < 4 || n > 6 {
				t.Errorf("%d pages on the second day", n)
			}
		})
	}
}
