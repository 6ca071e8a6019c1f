package main_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// stalling answers the first request for a target with 429 and a Retry-After, and
// never ends the body of that answer.
type stalling struct {
	target string
	wait   time.Duration

	mu    sync.Mutex
	until time.Time // end of the wait, as the server counts it
}

func (s *stalling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	first := r.URL.Path == s.target && s.until.IsZero()
	if first {
		s.until = time.Now().Add(s.wait)
	}
	s.mu.Unlock()
	switch {
	case first:
		w.Header().Set("Retry-After", strconv.Itoa(int(s.wait.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case r.URL.Path == "/":
		fmt.Fprint(w, "home")
	default:
		http.NotFound(w, r)
	}
}

// TestARetryAfterSurvivesAKillWithinItsAnswer kills a crawl that has the head of a
// 429 and is still waiting for its body. The next run asks the host no earlier than
// the head said, though nothing else makes it wait.
func TestARetryAfterSurvivesAKillWithinItsAnswer(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"of a page": "/", "of robots.txt": "/robots.txt"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := &stalling{target: target, wait: 5 * time.Second}
			f := newFarm(t, sites)
			data := t.TempDir()
			args := []string{"crawl", "https://shop.test/", "--json", "--context", "off"}
			p := start(t, f.environ(data), args...)
			f.await(t, 1, asked("shop.test", target))
			awaitHeld(t, f.environ(data), "https://shop.test/")
			p.kill()
			before := len(f.log())
			var sum summary
			start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
			if sum.Total.Pages != 1 {
				t.Errorf("the job counts %+v, want 1 page", sum.Total)
			}
			for _, r := range f.log()[before:] {
				if r.Start.Before(sites.until) {
					t.Errorf("%s came %s before the end of the Retry-After", r.Target, sites.until.Sub(r.Start))
				}
			}
		})
	}
}
