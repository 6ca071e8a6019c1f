package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heed/frontier"
)

// inBubble runs a test with an engine under the fake time of a bubble.
func inBubble(t *testing.T, o Options, run func(t *testing.T, e *Engine)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	synctest.Test(t, func(t *testing.T) {
		e, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		run(t, e)
		if err := e.Close(); err != nil && e.failed == nil {
			t.Fatal(err)
		}
	})
}

// claimWait claims one grant with patience.
func claimWait(t *testing.T, e *Engine, wait time.Duration) []frontier.Grant {
	g, _, err := e.Claim(context.Background(), frontier.ClaimRequest{TTL: time.Minute, MaxWait: wait})
	if err != nil {
		t.Error(err)
	}
	return g
}

func TestAnAsyncSettlementRidesTheCommitWindow(t *testing.T) {
	inBubble(t, Options{Delay: noDelay}, func(t *testing.T, e *Engine) {
		discover(t, e, candidate("a.test", "/"))
		start := time.Now()
		done := make(chan time.Duration, 1)
		err := e.SettleAsync(context.Background(), fetched(claimOne(t, e)), func(frontier.Verdict, error) { done <- time.Since(start) })
		if err != nil {
			t.Fatal(err)
		}
		if took := <-done; took != defaultWindow {
			t.Errorf("committed after %v, want %v", took, defaultWindow)
		}
	})
}

func TestAWaitingCallerMakesTheCommitImmediate(t *testing.T) {
	inBubble(t, Options{Delay: noDelay}, func(t *testing.T, e *Engine) {
		discover(t, e, candidate("a.test", "/1"), candidate("b.test", "/1"))
		start := time.Now()
		done := make(chan struct{})
		err := e.SettleAsync(context.Background(), fetched(claimOne(t, e)), func(frontier.Verdict, error) { close(done) })
		if err != nil {
			t.Fatal(err)
		}
		settle(t, e, fetched(claimOne(t, e)))
		<-done
		if took := time.Since(start); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestACrawlOfOneHostVisitsEachPageOnce(t *testing.T) {
	inBubble(t, Options{Delay: noDelay, PerHost: 32}, func(t *testing.T, e *Engine) {
		discover(t, e, candidate("a.test", "/0"))
		seen := map[string]bool{}
		for next := 1; ; {
			g, o, err := e.Claim(context.Background(), frontier.ClaimRequest{MaxHosts: 8, PerGrant: 2, TTL: time.Minute, MaxWait: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if len(g) == 0 {
				if o.Queued+o.Leased > 0 {
					t.Fatalf("nothing granted though %+v", o)
				}
				break
			}
			for _, g := range g {
				s := frontier.Settlement{Grant: g.GrantRef}
				for _, u := range g.URLs {
					if seen[u.URL] {
						t.Fatalf("%s was handed out twice", u.URL)
					}
					seen[u.URL] = true
					s.Outcomes = append(s.Outcomes, frontier.Outcome{URL: u.URL, State: frontier.Fetched})
					for range 3 {
						if next < 500 {
							s.Links = append(s.Links, candidate("a.test", fmt.Sprint("/", next)), candidate("a.test", fmt.Sprint("/", next/2)))
							next++
						}
					}
				}
				if err := e.SettleAsync(context.Background(), s, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(seen) != 500 {
			t.Fatalf("visited %d of 500", len(seen))
		}
	})
}

// A chain of pages, each known only by the one before, must not wait for the
// commit window at every step: the worker is idle.
func TestAnIdleWorkerDoesNotWaitForTheWindow(t *testing.T) {
	for _, hosts := range []int{1, 50} {
		t.Run(fmt.Sprint(hosts, " hosts"), func(t *testing.T) {
			inBubble(t, Options{Delay: noDelay, PerHost: 32}, func(t *testing.T, e *Engine) {
				page := func(i int) frontier.Candidate { return candidate(fmt.Sprintf("h%d.test", i%hosts), fmt.Sprint("/", i)) }
				discover(t, e, page(0))
				start := time.Now()
				for i := range 100 {
					g := claimWait(t, e, time.Minute)
					if len(g) == 0 {
						t.Fatalf("starved at page %d", i)
					}
					if err := e.SettleAsync(context.Background(), fetched(g[0], page(i+1)), nil); err != nil {
						t.Fatal(err)
					}
				}
				if took := time.Since(start); took != 0 {
					t.Errorf("100 pages took %v", took)
				}
			})
		})
	}
}

// Where some host always comes due soon, idle workers leave the window alone.
func TestAPoliteCrawlKeepsItsLargeCommits(t *testing.T) {
	inBubble(t, Options{Delay: noDelay}, func(t *testing.T, e *Engine) {
		const hosts = 20
		for i := range hosts {
			for j := range 10 {
				discover(t, e, candidate(fmt.Sprintf("h%d.test", i), fmt.Sprint("/", j)))
			}
		}
		before := e.published
		for range 5 * hosts {
			g := claimWait(t, e, time.Minute)
			s := fetched(g[0])
			s.HostNext = time.Now().Add(time.Second)
			if err := e.SettleAsync(context.Background(), s, nil); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second / hosts) // the fetch
		}
		if commits := e.published - before; commits > 15 {
			t.Errorf("%d commits in 5 s", commits)
		}
	})
}

func TestAClaimIsWokenByDiscovery(t *testing.T) {
	inBubble(t, Options{Delay: noDelay}, func(t *testing.T, e *Engine) {
		start := time.Now()
		go func() {
			<-time.After(3 * time.Second)
			e.Discover(context.Background(), []frontier.Candidate{candidate("a.test", "/")})
		}()
		if g := claimWait(t, e, time.Hour); len(g) != 1 || time.Since(start) != 3*time.Second {
			t.Errorf("%d grants after %v", len(g), time.Since(start))
		}
	})
}

func TestAClaimIsWokenWhenAHostMayBeAsked(t *testing.T) {
	inBubble(t, Options{Delay: noDelay}, func(t *testing.T, e *Engine) {
		discover(t, e, candidate("a.test", "/1"), candidate("a.test", "/2"))
		s := fetched(claimOne(t, e))
		s.HostNext = time.Now().Add(7 * time.Second)
		settle(t, e, s)
		start := time.Now()
		if g := claimWait(t, e, 6*time.Second); len(g) != 0 || time.Since(start) != 6*time.Second {
			t.Errorf("%d grants after %v", len(g), time.Since(start))
		}
		if g := claimWait(t, e, time.Minute); len(g) != 1 || time.Since(start) != 7*time.Second {
			t.Errorf("%d grants after %v", len(g), time.Since(start))
		}
	})
}

func TestAWaiterThatLeavesWakesTheNextOne(t *testing.T) {
	inBubble(t, Options{Delay: noDelay}, func(t *testing.T, e *Engine) {
		var wg sync.WaitGroup
		var granted atomic.Int64
		start := time.Now()
		for i := range 20 {
			wg.Go(func() {
				if g := claimWait(t, e, time.Duration(i+1)*time.Second); len(g) > 0 {
					granted.Add(1)
					if took := time.Since(start); took != 10*time.Second {
						t.Errorf("granted after %v", took)
					}
				}
			})
		}
		synctest.Wait()
		var later []frontier.Candidate
		for i := range 5 {
			c := candidate(fmt.Sprintf("h%d.test", i), "/")
			c.NotBefore = start.Add(10 * time.Second)
			later = append(later, c)
		}
		discover(t, e, later...)
		wg.Wait()
		if granted.Load() != 5 {
			t.Errorf("%d grants, want 5", granted.Load())
		}
	})
}

func TestALapsedGrantWakesAClaim(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *Engine) {
		discover(t, e, candidate("a.test", "/"))
		start := time.Now()
		claimOne(t, e)
		if g := claimWait(t, e, time.Hour); len(g) != 1 || time.Since(start) != time.Minute+time.Second {
			t.Errorf("%d grants after %v, want one after the minute of the grant and the second of the host", len(g), time.Since(start))
		}
	})
}

func TestCloseEndsWaitingClaims(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *Engine) {
		result := make(chan error, 1)
		go func() {
			_, _, err := e.Claim(context.Background(), frontier.ClaimRequest{TTL: time.Minute, MaxWait: time.Hour})
			result <- err
		}()
		synctest.Wait()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := <-result; !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("error is %v", err)
		}
	})
}

// While the disk stands still no more than two groups are queued, and a caller
// that is held back can leave.
func TestAFullQueueHoldsCallersBack(t *testing.T) {
	release := make(chan struct{})
	o := Options{Delay: noDelay, GroupSettlements: 4, PerHost: 100, Before: func([]frontier.Attachment) (frontier.Marks, error) {
		<-release
		return nil, nil
	}}
	path := filepath.Join(t.TempDir(), "state.db")
	e := openAt(t, path, o)
	var all []frontier.Candidate
	for i := range 40 {
		all = append(all, candidate("a.test", fmt.Sprint("/", i)))
	}
	discover(t, e, all...)
	queued := 0
	for {
		s := fetched(claimOne(t, e))
		s.Attach = []frontier.Attachment{&line{url: "x"}}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		err := e.SettleAsync(ctx, s, nil)
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			break
		}
		queued++
	}
	if queued < 8 || queued > 14 {
		t.Errorf("%d settlements were queued with groups of 4", queued)
	}
	close(release)
	if err := e.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Many workers on few hosts: the slots of a host are never exceeded, no URL is
// fetched twice, and everything is fetched in the end.
func TestManyWorkersKeepTheSlots(t *testing.T) {
	const pages, hosts, slots = 3000, 7, 3
	path := filepath.Join(t.TempDir(), "state.db")
	e := openAt(t, path, Options{Delay: noDelay, PerHost: slots, Seen: 1, GroupSettlements: 50})
	page := func(i int) frontier.Candidate { return candidate(fmt.Sprintf("h%d.test", i%hosts), fmt.Sprint("/", i)) }
	discover(t, e, page(0))
	var busy [hosts]atomic.Int64
	var fetches [pages]atomic.Int64
	var left atomic.Int64
	left.Store(pages)
	var wg sync.WaitGroup
	ctx := context.Background()
	for range 12 {
		wg.Go(func() {
			for left.Load() > 0 {
				grants, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 2, PerGrant: 2, TTL: time.Minute, MaxWait: 50 * time.Millisecond})
				if err != nil {
					t.Error(err)
					return
				}
				for _, g := range grants {
					var h int
					fmt.Sscanf(g.Host, "h%d.test", &h)
					if n := busy[h].Add(1); n > slots {
						t.Errorf("%d grants of %s", n, g.Host)
					}
					if rand.IntN(10) == 0 {
						busy[h].Add(-1)
						if err := e.Release(ctx, []frontier.GrantRef{g.GrantRef}); err != nil {
							t.Error(err)
						}
						continue
					}
					s := frontier.Settlement{Grant: g.GrantRef}
					for _, u := range g.URLs {
						var i int
						fmt.Sscanf(u.URL[len("https://h0.test/"):], "%d", &i)
						if fetches[i].Add(1) != 1 {
							t.Errorf("%s was fetched twice", u.URL)
						}
						left.Add(-1)
						s.Outcomes = append(s.Outcomes, frontier.Outcome{URL: u.URL, State: frontier.Fetched})
						for _, j := range []int{i + 1, 2*i + 1, 2*i + 2, i / 2} {
							if j < pages {
								c := page(j)
								c.Score = j % 100
								s.Links = append(s.Links, c)
							}
						}
					}
					busy[h].Add(-1)
					if err := e.SettleAsync(ctx, s, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if c := verify(t, path); c.URLs != pages || c.Ready+c.Future != 0 {
		t.Errorf("%+v", c)
	}
}
