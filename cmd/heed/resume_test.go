package main_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// awaitState waits until the job knows a URL in a state, whether it is being crawled
// or not.
func awaitState(t *testing.T, environ []string, url, state string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		var e struct{ State string }
		start(t, environ, "explain", url, "--json").expect(t, 0).json(t, &e)
		if e.State == state {
			return
		}
	}
	t.Fatalf("%s was not %s within %s", url, state, patience)
}

// dripping is a chain of pages, of which the last comes an octet at a time and stops
// half-way until it may go on.
type dripping struct {
	goOn chan struct{}
	half chan struct{}
}

const slowBody = 4057

func (d *dripping) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/", "/a", "/b":
		next := map[string]string{"/": "/a", "/a": "/b", "/b": "/slow"}[r.URL.Path]
		_, _ = io.WriteString(w, "<p><a href="+next+">x</a>"+strings.Repeat(next[1:2], 2000))
	case "/slow":
		flush := http.NewResponseController(w)
		for i := range slowBody {
			if i == slowBody/2 {
				d.half <- struct{}{}
				select {
				case <-d.goOn:
				case <-r.Context().Done():
					return
				}
			}
			_, _ = io.WriteString(w, "s")
			_ = flush.Flush()
		}
	default:
		http.NotFound(w, r)
	}
}

// Case 53-kill-while-writing: killed while a page arrives, and again right after its
// body has ended, the archive is whole, what was written stays, and the page is there
// in the end.
func TestCase53KillWhileWriting(t *testing.T) {
	t.Parallel()
	sites := &dripping{goOn: make(chan struct{}), half: make(chan struct{}, 8)}
	f := newFarm(t, sites)
	data := t.TempDir()
	args := []string{"crawl", "https://shop.test/", "--json", "--commit-window", "50ms", "--context", "off"}
	whole := func(when string, pages int) {
		t.Helper()
		start(t, f.environ(data), "verify", "--json").expect(t, 0)
		if got := archived(t, data, "default", isShopPage); len(got) < pages {
			t.Errorf("%s the archive holds %d pages, want %d: %v", when, len(got), pages, got)
		}
	}

	p := start(t, f.environ(data), args...)
	<-sites.half
	for _, path := range []string{"/", "/a", "/b"} {
		awaitState(t, f.environ(data), "https://shop.test"+path, "fetched")
	}
	p.kill()
	whole("after a kill while a page arrived", 3)

	p = start(t, f.environ(data), args...)
	<-sites.half
	sites.goOn <- struct{}{}
	f.await(t, 2, func(r request) bool { return r.Target == "/slow" && !r.End.IsZero() }) // the first ended with the kill
	p.kill()
	whole("after a kill while a page was written", 3)

	close(sites.goOn)
	var sum summary
	start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
	whole("in the end", 4)
	if sum.Total.Pages != 4 {
		t.Errorf("the job counts %d pages, want 4", sum.Total.Pages)
	}
	for _, path := range []string{"/", "/a", "/b"} {
		if n := f.count("shop.test", path); n != 1 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
}

func isShopPage(url string) bool {
	return slices.Contains([]string{"https://shop.test/", "https://shop.test/a", "https://shop.test/b", "https://shop.test/slow"}, url)
}

// late are six pages that are answered only when they may be.
type late struct{ free chan struct{} }

func (l *late) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case r.URL.Path == "/":
		for i := range 6 {
			fmt.Fprintf(w, "<p><a href=/p%d>x</a>", i+1)
		}
	case strings.HasPrefix(r.URL.Path, "/p"):
		select {
		case <-l.free:
			fmt.Fprint(w, "late")
		case <-r.Context().Done():
		}
	default:
		http.NotFound(w, r)
	}
}

// Case 55-kill-keeps-in-flight: what three workers were fetching when they were killed
// is fetched by the next run, and what was acknowledged is not.
func TestCase55KillKeepsInFlight(t *testing.T) {
	t.Parallel()
	sites := &late{free: make(chan struct{})}
	f := newFarm(t, sites)
	data := t.TempDir()
	args := []string{"crawl", "https://shop.test/", "--json", "--commit-window", "50ms", "--context", "off", "--per-host", "3", "--workers", "4"}
	p := start(t, f.environ(data), args...)
	f.await(t, 3, func(r request) bool { return strings.HasPrefix(r.Target, "/p") })
	p.kill()
	close(sites.free)
	var sum summary
	start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
	if sum.Total.Pages != 7 || sum.Total.Failed != 0 {
		t.Errorf("the job counts %+v, want 7 pages", sum.Total)
	}
	if n := f.count("shop.test", "/"); n != 1 {
		t.Errorf("the home page, acknowledged before the kill, was asked for %d times", n)
	}
	if got := archived(t, data, "default", func(url string) bool { return !strings.Contains(url, ".txt") && !strings.Contains(url, ".json") }); len(got) != 7 {
		t.Errorf("the archive holds %v", got)
	}
}

// TestResume kills a crawl of 3,301 URLs (a tenth of them in the short form) at a
// third and looks at what the next run has lost and what it fetches again: no more
// than what was in flight or inside the commit window.
func TestResume(t *testing.T) {
	pages := 331
	if slow() {
		pages = 3301
	}
	f := newFarm(t, &killSites{plan: killPlan{pages: pages}})
	data := t.TempDir()
	args := []string{"crawl", "https://h00.test/", "--json", "--context", "off", "--per-host", "4", "--workers", "8"}
	p := start(t, f.environ(data), args...)
	isPage := func(r request) bool { _, ok := pageNumber(r.Target); return ok }
	f.await(t, pages/3, func(r request) bool { return isPage(r) && r.Status == http.StatusOK })
	p.kill()
	killed := time.Now()
	before := f.log()
	var sum summary
	start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
	start(t, f.environ(data), "verify", "--json").expect(t, 0)

	if sum.Total.Pages != pages || sum.Total.Failed != 0 || sum.URLsQueued != 0 {
		t.Errorf("the job counts %+v, want %d pages", sum, pages)
	}
	window, again := 0, 0
	for _, r := range before {
		if isPage(r) && (r.Status == 0 || killed.Sub(r.End) < resumeWindow+time.Second) {
			window++
		}
	}
	seen := map[string]bool{}
	for _, r := range f.log() {
		if !isPage(r) {
			continue
		}
		if seen[r.Target] {
			again++
		}
		seen[r.Target] = true
	}
	t.Logf("%d URLs, killed after %d answers: lost %d, fetched again %d of the %d in flight or answered within a second of the commit window", pages, len(before), pages-len(seen), again, window)
	if len(seen) != pages || again > window {
		t.Errorf("%d of %d URLs were fetched, %d of them again, at most %d were open", len(seen), pages, again, window)
	}
	checkRepeats(t, slices.DeleteFunc(f.log(), isRobots), []time.Time{killed})
}

// resumeWindow is the commit window of a crawl that says nothing about it.
const resumeWindow = 500 * time.Millisecond
