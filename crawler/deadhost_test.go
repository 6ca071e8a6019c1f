package crawler_test

import (
	"fmt"
	"net"
	"slices"
	"testing"

	"heed/frontier"
)

// dead reads a request and hangs up.
func dead(c net.Conn, _ *seen) bool {
	_ = c.Close()
	return false
}

// A host that is dead costs an attempt now and then and never a worker: with one
// worker the other host is done in its own time, and what waits is still queued.
func TestADeadHostCostsNoWorker(t *testing.T) {
	w := newWorld(t)
	var pages []string
	for i := range 20 {
		pages = append(pages, fmt.Sprintf("/p%d", i))
	}
	w.on(shop+"/", links(pages...)).on(shop+" *", html("page")).on(shop+"/robots.txt", status(404))
	w.on("http://dead.test/robots.txt", status(404)).on("http://dead.test *", dead)
	began := w.time.now()
	j := w.open(func(s *setup) {
		s.seeds = []string{shop + "/"}
		for i := range 200 {
			s.seeds = append(s.seeds, fmt.Sprintf("http://dead.test/%d", i))
		}
	})
	j.run()
	if n := len(w.targets(shop)); n != 21 {
		t.Errorf("%d pages of the living host", n)
	}
	var last, attempts int
	for _, r := range w.requests(true) {
		switch since := int(r.at.Sub(began).Seconds()); {
		case r.host == "shop.test":
			last = since
		case r.target != "/robots.txt":
			attempts++
		}
	}
	if last > 60 { // 22 requests, a second apart
		t.Errorf("the living host was done after %d s", last)
	}
	if attempts > 20 {
		t.Errorf("the dead host was asked %d times", attempts)
	}
	reasons := map[string]int{}
	for i := range 200 {
		r, err := j.engine.Why(t.Context(), fmt.Sprintf("http://dead.test/%d", i))
		if err != nil || !slices.Contains([]frontier.State{frontier.Ready, frontier.Future, frontier.Failed}, r.State) {
			t.Fatalf("%d: %+v, %v", i, r, err)
		}
		reasons[r.Reason]++
	}
	if reasons["reset"] == 0 {
		t.Errorf("reasons %v", reasons)
	}
}
