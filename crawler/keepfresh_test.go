package crawler_test

import (
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
)

const aDay = 24 * time.Hour

// fresh is a running job that keeps its pages fresh.
type fresh struct {
	*job
	ended chan crawler.Ending
}

func (w *world) fresh(t *testing.T, change func(*setup)) *fresh {
	t.Helper()
	j := w.open(func(s *setup) {
		s.seeds, s.Workers = []string{shop + "/"}, 2
		s.KeepFresh = &frontier.Schedule{First: aDay, Min: time.Hour, Max: 30 * aDay, Gone: 60 * aDay}
		brisk(s)
		if change != nil {
			change(s)
		}
	})
	f := &fresh{j, make(chan crawler.Ending, 1)}
	go func() {
		end, _ := j.Run(t.Context())
		f.ended <- end
	}()
	return f
}

// until waits for a condition that a running job brings about.
func (f *fresh) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// settled waits until a URL was answered n times in all and is settled.
func (f *fresh) settled(t *testing.T, url string, n int) {
	t.Helper()
	f.until(t, url, func() bool {
		r, err := f.engine.Why(t.Context(), url)
		return err == nil && r.State.Settled() && f.world.hits(url) == n
	})
}

func (f *fresh) stop(t *testing.T) {
	t.Helper()
	f.Stop(crawler.EndSignal, nil)
	if end := <-f.ended; end.Code != crawler.EndSignal || end.Err != nil {
		t.Errorf("ended with %+v", end)
	}
	f.close()
}

func TestAKeptFreshJobAsksAgainWhenItIsDue(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", answer(404, "", "Cache-Control: max-age=86400")).
		on(shop+"/", tagged(`"h1"`, html(`<a href=/long>x</a><a href=/gone>x</a><a href=/moved>x</a>`, `ETag: "h1"`))).
		on(shop+"/long", html("long", "Cache-Control: max-age=864000")).
		on(shop+"/gone", status(404)).
		on(shop+"/moved", redirect(301, "/target")).on(shop+"/target", html("target"))
	f := w.fresh(t, nil)
	for _, path := range []string{"/", "/long", "/gone", "/moved", "/target"} {
		f.settled(t, shop+path, 1)
	}
	w.time.advance(aDay + time.Minute)
	for _, path := range []string{"/", "/gone", "/target"} {
		f.settled(t, shop+path, 2)
	}
	// The page was confirmed and waits longer; the second 404 settles it for long;
	// what moved for good is left alone.
	w.time.advance(aDay + time.Minute)
	w.time.advance(2 * aDay)
	f.settled(t, shop+"/", 3)
	w.time.advance(7 * aDay)
	f.settled(t, shop+"/long", 2)
	for path, want := range map[string]int{"/gone": 2, "/moved": 1} {
		if n := w.hits(shop + path); n != want {
			t.Errorf("%s was asked for %d times, want %d", path, n, want)
		}
	}
	w.time.advance(60 * aDay)
	f.settled(t, shop+"/gone", 3)
	f.settled(t, shop+"/moved", 2)
	f.ends(shop+"/gone", "gone status-404")
	f.stop(t)
}

func TestAKeptFreshJobHearsOfChangesFromASitemap(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", naming("/s.xml")).on(shop+"/", html("home", "Cache-Control: max-age=8640000")).
		on(shop+"/a", html("a", "Cache-Control: max-age=8640000")).on(shop+"/b", html("b", "Cache-Control: max-age=8640000")).
		on(shop+"/s.xml", xml(urlset(shop+"/a", shop+"/b")))
	f := w.fresh(t, func(s *setup) {
		l := setup{}
		listing()(&l)
		s.Lists = l.Lists
	})
	f.settled(t, shop+"/a", 1)
	f.settled(t, shop+"/b", 1)
	later := w.time.now().Add(aDay + time.Hour).UTC().Format(time.RFC3339)
	w.on(shop+"/s.xml", xml(urlset(shop+"/a "+later, shop+"/b "+w.time.now().Add(-aDay).UTC().Format(time.RFC3339))))
	w.time.advance(aDay + 2*time.Hour)
	f.settled(t, shop+"/a", 2)
	if n := w.hits(shop + "/b"); n != 1 {
		t.Errorf("/b, which has not changed, was asked for %d times", n)
	}
	f.stop(t)
}
