package crawler_test

import (
	"fmt"
	"testing"

	"heed/crawler"
	"heed/frontier"
)

// found is how many URLs below the origins are known.
func (j *job) found(t *testing.T, hosts ...string) (n int) {
	t.Helper()
	for _, host := range hosts {
		if h, err := j.engine.Host(t.Context(), host); err == nil {
			n += h.Known
		}
	}
	return n
}

// Known URLs need no room: a page that links to everything finds what is new, and
// what a budget leaves is used up by that alone.
func TestBudgetsOfKnownURLsHoldToTheURL(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*setup)
		hosts  []string
		want   int
	}{
		"of a host":   {func(s *setup) { s.MaxHostURLs = 7 }, []string{"a.shop.test"}, 7},
		"of a domain": {func(s *setup) { s.MaxDomainURLs = 9 }, []string{"a.shop.test", "b.shop.test"}, 9},
		"of the job":  {func(s *setup) { s.MaxJobURLs = 12 }, []string{"a.shop.test", "b.shop.test", "other.test"}, 12},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var all []string
			for i := range 10 {
				for _, host := range []string{"a.shop.test", "b.shop.test", "other.test"} {
					all = append(all, fmt.Sprintf("http://%s/%d", host, i))
				}
			}
			for _, host := range []string{"a.shop.test", "b.shop.test", "other.test"} {
				w.on("http://"+host+"/robots.txt", status(404)).on("http://"+host+" *", links(all...))
			}
			change := func(s *setup) { brisk(s); s.Workers = 1; row.change(s) }
			j := w.open(func(s *setup) { change(s); s.seeds = []string{"http://a.shop.test/0"} })
			if end := j.run(); end.Code != crawler.EndDone {
				t.Errorf("ended with %d", end.Code)
			}
			if n := j.found(t, row.hosts...); n != row.want {
				t.Errorf("%d URLs are known, want %d", n, row.want)
			}
			if j.Decisions()["scope.budget"] == 0 {
				t.Error("no link was refused for the budget")
			}
			j.close()
			// A process that comes later knows what is there.
			again := w.open(change)
			if _, err := again.AddSeeds(t.Context(), []crawler.Seed{{URL: "http://b.shop.test/again", Score: -1}}); err != nil {
				t.Fatal(err)
			}
			again.run()
			grown := again.found(t, row.hosts...)
			for _, host := range row.hosts {
				if host == "b.shop.test" {
					grown-- // a seed is the operator's own
				}
			}
			if grown != row.want {
				t.Errorf("%d URLs are known after another run, want %d", grown, row.want)
			}
			if r, err := again.engine.Why(t.Context(), "http://b.shop.test/again"); err != nil || r.State != frontier.Fetched {
				t.Errorf("the seed is %+v, %v", r.State, err)
			}
		})
	}
}
