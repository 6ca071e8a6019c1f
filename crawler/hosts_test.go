package crawler_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
	"heed/politeness/pace"
)

// list gives the hosts of a job by name.
func (j *job) list(t *testing.T, q crawler.HostQuery) (crawler.HostList, map[string]crawler.HostLine) {
	t.Helper()
	l, err := j.HostList(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]crawler.HostLine{}
	for _, h := range l.Hosts {
		lines[h.Host] = h
	}
	return l, lines
}

func TestTheListOfHostsSaysWhatEachWaitsFor(t *testing.T) {
	w := newWorld(t)
	for _, host := range []string{"retry", "down", "closed", "done"} {
		w.on("http://"+host+".test/robots.txt", status(404)).on("http://"+host+".test *", html("page"))
	}
	w.on("http://retry.test *", status(503, "Retry-After: 7200"))
	w.on("http://down.test *", dead)
	w.on("http://closed.test/robots.txt", status(500))
	j := w.open(func(s *setup) {
		s.seeds = []string{"http://retry.test/a", "http://retry.test/b", "http://closed.test/", "http://done.test/"}
		for i := range 5 {
			s.seeds = append(s.seeds, fmt.Sprintf("http://down.test/%d", i))
		}
		s.Retries = 8
	})
	j.run()
	fresh := frontier.Candidate{URL: "http://fresh.test/", Host: "fresh.test"}
	held := frontier.Candidate{URL: "http://held.test/", Host: "held.test"}
	if _, err := j.engine.Discover(t.Context(), []frontier.Candidate{fresh, held}); err != nil {
		t.Fatal(err)
	}
	yes := true
	if err := j.engine.UpdateHost(t.Context(), "held.test", 0, frontier.HostPatch{Paused: &yes}); err != nil {
		t.Fatal(err)
	}
	l, lines := j.list(t, crawler.HostQuery{})
	if h := lines["retry.test"]; h.State != "blocked" || h.Reason != pace.ReasonRetryAfter || h.Failures != 1 || h.Queued != 2 || h.Next.Sub(w.time.now()) < time.Hour {
		t.Errorf("retry: %+v", h)
	}
	if h := lines["down.test"]; h.State != "blocked" || h.Reason != pace.ReasonBackOff || h.Failures < 5 || h.DelayMS != 1000 {
		t.Errorf("down: %+v", h)
	}
	if h := lines["closed.test"]; h.State != "later" || h.Reason != "robots.unreachable" || h.Next == nil {
		t.Errorf("closed: %+v", h)
	}
	if h := lines["fresh.test"]; h.State != "ready" || h.Reason != "" || h.Next != nil {
		t.Errorf("fresh: %+v", h)
	}
	if h := lines["held.test"]; h.State != "blocked" || !h.Paused {
		t.Errorf("held: %+v", h)
	}
	if _, there := lines["done.test"]; there {
		t.Error("a host with nothing to do is listed")
	}
	if l.Ready != 1 || l.Blocked != 3 || l.Later != 1 || l.Waiting+l.More != 0 || len(l.Hosts) != 5 {
		t.Errorf("%+v", l)
	}
}

func TestTheListOfHostsIsCutAndSorted(t *testing.T) {
	w := newWorld(t)
	j := w.open(func(s *setup) {
		for i := range 30 {
			for n := range i%7 + 1 {
				s.seeds = append(s.seeds, fmt.Sprintf("http://h%02d.test/%d", i, n))
			}
		}
	})
	for order, want := range map[string][]string{
		"":       {"h00.test", "h01.test", "h02.test"},
		"name":   {"h00.test", "h01.test", "h02.test"},
		"queued": {"h06.test", "h13.test", "h20.test"},
	} {
		l, _ := j.list(t, crawler.HostQuery{Limit: 3, Sort: order})
		var got []string
		for _, h := range l.Hosts {
			got = append(got, h.Host)
		}
		if !slices.Equal(got, want) || l.More != 27 || l.Ready != 30 {
			t.Errorf("by %q: %v, %d more, %d ready", order, got, l.More, l.Ready)
		}
	}
	if _, err := j.HostList(t.Context(), crawler.HostQuery{Sort: "age"}); !errors.Is(err, crawler.ErrHostOrder) {
		t.Errorf("an order that is none: %v", err)
	}
}

// BenchmarkHostList lists the first hosts of 100,000.
func BenchmarkHostList(b *testing.B) {
	w := newWorld(b)
	j := w.open(nil)
	var all []frontier.Candidate
	for i := range 100_000 {
		host := fmt.Sprintf("h%d.test", i)
		all = append(all, frontier.Candidate{URL: "http://" + host + "/", Host: host})
	}
	for part := range slices.Chunk(all, 50_000) {
		if _, err := j.engine.Discover(b.Context(), part); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		l, err := j.HostList(b.Context(), crawler.HostQuery{Limit: 50})
		if err != nil || l.Ready != len(all) || len(l.Hosts) != 50 {
			b.Fatal(l.Ready, len(l.Hosts), err)
		}
	}
}
