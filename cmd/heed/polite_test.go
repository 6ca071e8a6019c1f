package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPolitenessSeenFromTheServers crawls fifty hosts that take their time, ends
// it twice, cleanly and by kill -9, and looks at what the servers saw: never two
// requests in flight on a host, never two starts closer than the delay, nothing
// that robots.txt forbids. Policy documents count like pages, also those that are
// read on another host after a redirect.
func TestPolitenessSeenFromTheServers(t *testing.T) {
	t.Parallel()
	const hosts, pages, delay = 50, 12, 60 * time.Millisecond
	sites := &politeSites{hosts: hosts, pages: pages}
	f := newFarm(t, sites)
	data := t.TempDir()
	args := []string{"crawl", "--json", "--delay", delay.String(), "--commit-window", "50ms"}
	for h := range hosts {
		args = append(args, "https://"+farmHost(h)+"/")
	}

	p := start(t, f.environ(data), args...)
	f.await(t, hosts*3, func(r request) bool { return r.Status != 0 })
	p.signal(t, syscall.SIGTERM)
	p.expect(t, 11)
	stopped := len(f.log())

	p = start(t, f.environ(data), args...)
	f.await(t, stopped+hosts*3, func(r request) bool { return true })
	p.kill()
	kills := []time.Time{time.Now()}

	var sum summary
	start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
	log := f.log()
	checkPace(t, log, delay, kills)
	checkRepeats(t, slices.DeleteFunc(slices.Clone(log), isRobots), kills) // robots.txt of a neighbour is read for both
	for _, r := range log {
		if strings.HasPrefix(r.Target, "/private/") {
			t.Errorf("%s%s was asked for, robots.txt forbids it", r.Host, r.Target)
		}
	}
	if want := hosts * pages; sum.Total.Pages != want {
		t.Errorf("the job counts %d pages, want %d", sum.Total.Pages, want)
	}
	checkDelayOf(t, log, slowHost, time.Second)
}

func isRobots(r request) bool { return r.Target == "/robots.txt" }

// slowHost asks for a delay of its own, which is nobody else's.
const slowHost = "h03.test"

// checkDelayOf wants the delay that one host asked for between its starts, and a
// crawl of the others that did not wait for it.
func checkDelayOf(t *testing.T, log []request, host string, delay time.Duration) {
	t.Helper()
	var last time.Time
	var mine, others time.Time
	for _, r := range log {
		if r.Host != host {
			others = r.Start
			continue
		}
		if gap := r.Start.Sub(last); !last.IsZero() && gap < delay && r.Target != "/robots.txt" {
			t.Errorf("%s: %s came after %s, it asked for %s", host, r.Target, gap, delay)
		}
		last, mine = r.Start, r.Start
	}
	if !others.Before(mine) {
		t.Errorf("the last request elsewhere came %s after the last one to %s: the delay of one host held up others", others.Sub(mine), host)
	}
}

// politeSites are hosts of many pages with latency. The robots.txt of every fifth
// lies on its neighbour.
type politeSites struct{ hosts, pages int }

func (s *politeSites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.Host, "h"), ".test"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	p, isPage := pageNumber(r.URL.Path)
	select { // latency, other for every host and page
	case <-time.After(time.Duration((h*7+p*13)%40) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	switch {
	case r.URL.Path == "/robots.txt" && h%5 == 0:
		http.Redirect(w, r, "https://"+farmHost(h+1)+"/robots.txt", http.StatusFound)
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		if r.Host == slowHost {
			fmt.Fprint(w, "Crawl-delay: 1\n")
		}
	case isPage && p < s.pages:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>%s %d</title><a href=/private/%d>no</a>", r.Host, p, p)
		for i := 4*p + 1; i <= 4*p+4 && i < s.pages; i++ { // all are reached, and one of another host
			fmt.Fprintf(w, "<a href=%s>%d</a>", farmPath(i), i)
		}
		fmt.Fprintf(w, "<a href=https://%s%s>other</a>", farmHost((h+p)%s.hosts), farmPath(p))
	default:
		http.NotFound(w, r)
	}
}
