package main_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killPlan is one form of the test.
type killPlan struct {
	kills, hosts, pages int           // pages of each host, its home page included
	delay               time.Duration // between requests to a host
	retryAfter          time.Duration // that busy.test asks for, once, before the first kill
	early               bool          // it asks at the first document after robots.txt, else at its page
}

// TestKill9 kills the real binary again and again at random moments of one
// crawl. Whatever the moment: what was settled stays, nothing settled is fetched
// again, and no host is asked before its time.
func TestKill9(t *testing.T) {
	plan := killPlan{kills: 3, hosts: 6, pages: 50, delay: 20 * time.Millisecond, retryAfter: 4 * time.Second}
	if slow() {
		plan = killPlan{kills: 25, hosts: 12, pages: 250, delay: 20 * time.Millisecond, retryAfter: 10 * time.Second, early: true}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d kills during %d pages, random seed %d", plan.kills, plan.hosts*plan.pages, seed)
	random := rand.New(rand.NewPCG(seed, 0))

	f := newFarm(t, nil)
	data := t.TempDir()
	want := map[string]string{} // digest of every page, by URL
	for h := range plan.hosts {
		for p := range plan.pages {
			want["https://"+farmHost(h)+farmPath(p)] = digestOf(farmPage(farmHost(h), p, plan.pages))
		}
	}
	want["https://busy.test/"] = digestOf("busy")
	f.become(&killSites{plan: plan})

	args := []string{"crawl", "https://busy.test/"}
	for h := range plan.hosts {
		args = append(args, "https://"+farmHost(h)+"/")
	}
	args = append(args, "--json", "--commit-window", "50ms", "--delay", plan.delay.String(), "--context", "off")
	var kills []time.Time
	for k := range plan.kills {
		before := len(f.log())
		p := start(t, f.environ(data), args...)
		if k == 0 {
			f.await(t, 1, func(r request) bool { return r.Host == "busy.test" && r.Status == http.StatusTooManyRequests })
			awaitHeld(t, f.environ(data), "https://busy.test/")
		} else if k%5 != 4 { // else: while it starts and recovers
			more := 1 + random.IntN(plan.hosts*plan.pages*3/5/plan.kills)
			f.await(t, before+more, func(request) bool { return true })
		}
		select {
		case <-time.After(time.Duration(random.Int64N(int64(60 * time.Millisecond)))): // the random moment
		case <-p.ended:
			t.Fatalf("the crawl ended before kill %d: %s", k+1, p.err.String())
		}
		p.kill()
		kills = append(kills, time.Now())
		start(t, f.environ(data), "verify", "--json").expect(t, 0)
	}
	var sum summary
	start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
	start(t, f.environ(data), "verify", "--json").expect(t, 0)

	if sum.Total.Pages != len(want) || sum.Total.Failed != 0 {
		t.Errorf("the job counts %d pages and %d failures, want %d and 0", sum.Total.Pages, sum.Total.Failed, len(want))
	}
	got := archived(t, data, "default", isFarmPage)
	comparePages(t, "with kills", got, want)
	checkRepeats(t, f.log(), kills)
	checkPace(t, f.log(), plan.delay, kills)
	checkRetryAfter(t, f.log(), "busy.test", plan.retryAfter)

	clean := t.TempDir()
	start(t, f.environ(clean), args...).expect(t, 0)
	comparePages(t, "without kills", archived(t, clean, "default", isFarmPage), got)
}

// awaitHeld waits until the running crawl has stored that the host of url is to
// be left alone. A kill between the octet that ends the head of the answer and the
// end of that write is like one before the answer.
func awaitHeld(t *testing.T, environ []string, url string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		var e struct{ Host struct{ Next time.Time } }
		start(t, environ, "explain", url, "--json").expect(t, 0).json(t, &e)
		if time.Until(e.Host.Next) > time.Second {
			return
		}
	}
	t.Fatalf("%s was not held within %s", url, patience)
}

// comparePages wants the same pages with the same digests.
func comparePages(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for url := range want {
		if got[url] != want[url] {
			t.Errorf("%s: %s is stored with digest %q, want %q", what, url, got[url], want[url])
		}
	}
	for url := range got {
		if _, ok := want[url]; !ok {
			t.Errorf("%s: %s is stored and should not be", what, url)
		}
	}
}

// commitTime is the commit window of the test, and what a busy machine may need
// to write on top of it.
const commitTime = 50*time.Millisecond + time.Second

// checkRepeats wants a target asked for twice only if a kill came while it was
// answered, or before its result can have been committed.
func checkRepeats(t *testing.T, log []request, kills []time.Time) {
	t.Helper()
	last := map[string]request{}
	for _, r := range log {
		key := r.Host + r.Target
		old, again := last[key]
		last[key] = r
		if !again || old.Status == http.StatusTooManyRequests {
			continue
		}
		if !slices.ContainsFunc(kills, func(k time.Time) bool {
			return k.After(old.Start) && k.Before(r.Start) && (old.End.IsZero() || k.Sub(old.End) < commitTime)
		}) {
			t.Errorf("%s was asked for again %s after its answer, and no kill explains it", key, r.Start.Sub(old.End))
		}
	}
}

// checkPace wants one request in flight per host and the delay between two
// starts, robots.txt included, across restarts too. What a kill left open at the
// server is not in flight.
func checkPace(t *testing.T, log []request, delay time.Duration, kills []time.Time) {
	t.Helper()
	last := map[string]request{}
	for _, r := range log {
		old, again := last[r.Host]
		last[r.Host] = r
		if !again {
			continue
		}
		if gap := r.Start.Sub(old.Start); gap < delay {
			t.Errorf("%s: %s came %s after %s, the delay is %s", r.Host, r.Target, gap, old.Target, delay)
		}
		killed := slices.ContainsFunc(kills, func(k time.Time) bool { return k.After(old.Start) && k.Before(r.Start) })
		if !killed && (old.End.IsZero() || old.End.After(r.Start)) {
			t.Errorf("%s: %s came while %s was in flight", r.Host, r.Target, old.Target)
		}
	}
}

// checkRetryAfter wants silence after a 429, for as long as it asked for.
func checkRetryAfter(t *testing.T, log []request, host string, wait time.Duration) {
	t.Helper()
	var until time.Time
	for _, r := range log {
		if r.Host != host {
			continue
		}
		if r.Start.Before(until) {
			t.Errorf("%s: %s came %s before the end of a Retry-After", host, r.Target, until.Sub(r.Start))
		}
		if r.Status == http.StatusTooManyRequests {
			until = r.End.Add(wait)
		}
	}
	if until.IsZero() {
		t.Errorf("%s never sent its 429", host)
	}
}

// killSites are hosts of many pages, and busy.test, which asks for a pause once.
type killSites struct {
	plan killPlan
	once chance
}

func (s *killSites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /never/\n")
		return
	case host == "busy.test" && (s.plan.early || r.URL.Path == "/") && s.once.take():
		w.Header().Set("Retry-After", strconv.Itoa(int(s.plan.retryAfter.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case host == "busy.test" && r.URL.Path == "/":
		fmt.Fprint(w, "busy")
		return
	}
	p, ok := pageNumber(r.URL.Path)
	if !ok || p >= s.plan.pages {
		http.NotFound(w, r)
		return
	}
	select { // latency, so that there is something in flight
	case <-time.After(5 * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, p))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Header.Get("If-None-Match") == fmt.Sprintf(`"%d"`, p) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprint(w, farmPage(host, p, s.plan.pages))
}

func farmHost(h int) string { return fmt.Sprintf("h%02d.test", h) }

func farmPath(p int) string {
	if p == 0 {
		return "/"
	}
	return fmt.Sprintf("/p/%d", p)
}

func pageNumber(path string) (int, bool) {
	if path == "/" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/p/"))
	return n, err == nil && n > 0
}

// farmPage links to four pages of its host, from which all are reached, and to
// one that robots.txt forbids.
func farmPage(host string, p, pages int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s %d</title>", host, p)
	for i := 1; i <= 4; i++ {
		if next := 4*p + i; next < pages {
			fmt.Fprintf(&b, "<a href=%s>%d</a>\n", farmPath(next), next)
		}
	}
	fmt.Fprintf(&b, "<a href=/never/%d>no</a><p>%s", p, strings.Repeat(host+" ", 200))
	return b.String()
}

// isFarmPage tells pages from policy documents and the like.
func isFarmPage(page string) bool {
	u, err := url.Parse(page)
	if err != nil {
		return false
	}
	_, ok := pageNumber(u.Path)
	return ok
}

func digestOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}
