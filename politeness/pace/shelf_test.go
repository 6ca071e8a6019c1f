package pace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// memoryShelf keeps records as a store would, over any number of Pacers.
type memoryShelf struct {
	mu      sync.Mutex
	states  map[string][]byte
	saves   int
	failing error
	onSave  func()
}

func newMemoryShelf() *memoryShelf { return &memoryShelf{states: make(map[string][]byte)} }

func (m *memoryShelf) LoadPace(host string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, ok := m.states[host]
	return slices.Clone(state), ok, m.failing
}

func (m *memoryShelf) SavePace(host string, _ time.Time, state []byte) error {
	if m.onSave != nil {
		m.onSave()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing != nil {
		return m.failing
	}
	m.saves++
	m.states[host] = slices.Clone(state)
	return nil
}

func TestAfterACrashEveryHostWaitsOneDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		o := Defaults()
		o.Shelf = shelf
		first := New(o)
		first.SetCrawlDelay("slow.test", 5*time.Second)
		finish(t, first, "slow.test", Result{Status: 200}) // the Crawl-delay is new: saved
		finish(t, first, "known.test", Result{Status: 200})
		finish(t, first, "held.test", Result{Status: 429, RetryAfter: time.Now().Add(time.Hour)})
		held := time.Now().Add(time.Hour)
		if shelf.saves != 2 {
			t.Errorf("%d saves, want those of slow.test and held.test", shelf.saves)
		}

		time.Sleep(10 * time.Second)
		o.Restarted = true
		start := time.Now()
		second := New(o)
		time.Sleep(300 * time.Millisecond)
		for host, want := range map[string]Wait{
			"slow.test":    {Until: start.Add(5 * time.Second), Reason: ReasonNotYet},
			"known.test":   {Until: start.Add(time.Second), Reason: ReasonNotYet},
			"unknown.test": {Until: start.Add(time.Second), Reason: ReasonNotYet},
			"held.test":    {Until: held, Reason: ReasonRetryAfter},
		} {
			wantWait(t, second, host, want)
		}
	})
}

// A process that is killed while the body of an answer is still coming has heard
// its head all the same.
func TestAWaitIsDurableWithTheHeadOfTheAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		head Result
		want func(now time.Time) Wait
	}{
		"429 with a time":        {Result{Status: 429}, func(now time.Time) Wait { return Wait{now.Add(time.Hour), ReasonRetryAfter, nil} }},
		"a redirect with a time": {Result{Status: 302}, func(now time.Time) Wait { return Wait{now.Add(time.Hour), ReasonRetryAfter, nil} }},
		"503 without":            {Result{Status: 503}, func(now time.Time) Wait { return Wait{now.Add(30 * time.Second), ReasonBackOff, nil} }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shelf := newMemoryShelf()
				o := Defaults()
				o.Shelf, o.Rand = shelf, func() float64 { return 1 - 1e-12 }
				first := New(o)
				slot := admit(t, first, "a.test", "")
				want := tc.want(time.Now())
				if want.Reason == ReasonRetryAfter {
					tc.head.RetryAfter = want.Until
				}
				for range 2 { // the second time changes nothing
					if err := first.Hear(slot, tc.head); err != nil || shelf.saves != 1 {
						t.Fatalf("%d saves, %v", shelf.saves, err)
					}
				}
				restarted := o
				restarted.Restarted = true
				got := New(restarted).Next("a.test")
				if got.Reason != want.Reason || got.Until.Sub(want.Until).Abs() > time.Millisecond {
					t.Errorf("after a kill it waits %+v, want %+v", got, want)
				}

				time.Sleep(5 * time.Second) // the body
				next := first.Observe(slot, tc.head)
				if next.Held || next.Err != nil || next.At.Sub(want.Until).Abs() > time.Millisecond || shelf.saves != 1 {
					t.Errorf("in the end %+v after %d saves, want %v", next, shelf.saves, want.Until)
				}
				if h := first.hostFor("a.test"); h.throttles > 1 {
					t.Errorf("one answer counted %d times", h.throttles)
				}
			})
		})
	}
}

func TestAHeadThatAsksForNothingSavesNothing(t *testing.T) {
	shelf := newMemoryShelf()
	o := Defaults()
	o.Shelf = shelf
	p := New(o)
	slot := admit(t, p, "a.test", "")
	if err := p.Hear(slot, Result{Status: 200}); err != nil || shelf.saves != 0 {
		t.Errorf("%d saves, %v", shelf.saves, err)
	}
	if err := p.Hear(nil, Result{Status: 429}); err != nil {
		t.Error(err)
	}
	late := admit(t, p, "b.test", "")
	p.Observe(late, Result{Status: 200})
	if err := p.Hear(late, Result{Status: 429}); err != nil || p.hostFor("b.test").throttles != 0 {
		t.Errorf("a slot that was given back heard something: %v", err)
	}
}

func TestAWaitThatCannotBeStoredIsAnErrorAndHolds(t *testing.T) {
	shelf := newMemoryShelf()
	o := Defaults()
	o.Shelf = shelf
	p := New(o)
	slot := admit(t, p, "a.test", "")
	shelf.failing = errors.New("no space")
	until := time.Now().Add(time.Hour)
	if err := p.Hear(slot, Result{Status: 429, RetryAfter: until}); !errors.Is(err, shelf.failing) {
		t.Errorf("error is %v", err)
	}
	if w := p.Next("a.test"); !w.Until.Equal(until) {
		t.Errorf("it waits until %v, want %v", w.Until, until)
	}
	shelf.failing = nil
	if next := p.Observe(slot, Result{Status: 429}); !next.Held || next.Err != nil || shelf.saves != 1 {
		t.Errorf("%+v after %d saves: the end of the answer makes up for it", next, shelf.saves)
	}
}

func TestAfterACleanStopTheSavedTimeHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		o := Defaults()
		o.Shelf = shelf
		first := New(o)
		finish(t, first, "a.test", Result{Status: 200})
		next := time.Now().Add(time.Second)
		if clean, err := first.Flush(context.Background()); err != nil || !clean {
			t.Fatalf("clean: %t, %v", clean, err)
		}
		time.Sleep(300 * time.Millisecond)
		o.Delay = 10 * time.Millisecond // also where the delay is shorter now
		second := New(o)
		wantWait(t, second, "a.test", Wait{Until: next, Reason: ReasonNotYet})
		wantWait(t, second, "unknown.test", Wait{})
	})
}

// A host asked just before a crash may still owe its wait when the process after
// the crash stops at once, without having touched it.
func TestAStopSoonAfterARestartIsNotClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Shelf, o.Restarted = newMemoryShelf(), true
		p := New(o)
		if clean, err := p.Flush(context.Background()); clean || err != nil {
			t.Errorf("at once: clean: %t, %v", clean, err)
		}
		time.Sleep(restartMemory + 1)
		if clean, err := p.Flush(context.Background()); !clean || err != nil {
			t.Errorf("later: clean: %t, %v", clean, err)
		}
	})
}

func TestStateIsWhatTheShelfGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		o := Defaults()
		o.Rand = func() float64 { return 0 }
		first := New(o) // no shelf: the caller stores
		for range failuresBeforeBackOff - 1 {
			finish(t, first, "a.test", Result{Err: true})
			time.Sleep(time.Second)
		}
		shelf.states["a.test"] = first.State("a.test")
		o.Shelf = shelf
		second := New(o)
		finish(t, second, "a.test", Result{Err: true})
		if w := second.Next("a.test"); w.Reason != ReasonNotYet && w.Reason != ReasonBackOff {
			t.Errorf("got %+v", w)
		}
		if n := second.hostFor("a.test").failures; n != failuresBeforeBackOff {
			t.Errorf("%d failures, want %d", n, failuresBeforeBackOff)
		}
	})
}

func TestAHoldIsDurableBeforeTheSlotIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		o := Defaults()
		o.Shelf = shelf
		p := New(o)
		slot := admit(t, p, "a.test", "192.0.2.1")
		shelf.onSave = func() {
			if got := p.Stats().InFlight; got != 1 {
				t.Errorf("%d slots out while saving, want 1", got)
			}
		}
		next := p.Observe(slot, Result{Status: 503, RetryAfter: time.Now().Add(time.Minute)})
		if !next.Held || next.Err != nil || shelf.saves != 1 {
			t.Errorf("got %+v after %d saves", next, shelf.saves)
		}
		if got := p.Stats().InFlight; got != 0 {
			t.Errorf("%d slots out", got)
		}
	})
}

func TestAShelfThatFailsStopsNobodyButIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		shelf := newMemoryShelf()
		o := Defaults()
		o.Shelf = shelf
		p := New(o)
		slot := admit(t, p, "a.test", "")
		shelf.failing = broken
		next := p.Observe(slot, Result{Status: 429, RetryAfter: time.Now().Add(time.Minute)})
		if !errors.Is(next.Err, broken) || !next.Held {
			t.Errorf("Observe: %+v", next)
		}
		wantWait(t, p, "a.test", Wait{Until: time.Now().Add(time.Minute), Reason: ReasonRetryAfter})

		// A host that cannot be read is not asked.
		slot, w := p.Admit("b.test", "")
		if slot != nil || w.Reason != ReasonBackOff || !errors.Is(w.Err, broken) || !w.Until.After(time.Now()) {
			t.Errorf("Admit: %v, %+v", slot, w)
		}
		p.SetCrawlDelay("b.test", time.Minute)
		if d, state := p.Delay("b.test"), p.State("b.test"); d != time.Second || state != nil {
			t.Errorf("Delay %v, State %x", d, state)
		}
		if clean, err := p.Flush(context.Background()); clean || !errors.Is(err, broken) {
			t.Errorf("Flush: clean: %t, %v", clean, err)
		}
		shelf.failing = nil
		if _, err := p.Flush(context.Background()); err != nil || shelf.saves != 1 {
			t.Errorf("Flush: %v after %d saves", err, shelf.saves)
		}
		admit(t, p, "b.test", "")
		if got := p.Stats().ShelfErrors; got < 4 {
			t.Errorf("%d shelf errors counted", got)
		}
	})
}

func TestAnUnreadableRecordCountsAsAskedNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		shelf.states["a.test"] = []byte("?")
		o := Defaults()
		o.Shelf = shelf
		p := New(o)
		wantWait(t, p, "a.test", Wait{Until: time.Now().Add(time.Second), Reason: ReasonNotYet})
		if got := p.Stats().ShelfErrors; got != 1 {
			t.Errorf("%d shelf errors counted", got)
		}
	})
}

func TestFlushEndsWithItsContext(t *testing.T) {
	o := Defaults()
	o.Shelf = newMemoryShelf()
	p := New(o)
	finish(t, p, "a.test", Result{Status: 200})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if clean, err := p.Flush(ctx); clean || !errors.Is(err, context.Canceled) {
		t.Errorf("clean: %t, %v", clean, err)
	}
	if clean, err := New(Defaults()).Flush(ctx); !clean || err != nil {
		t.Errorf("without a shelf: clean: %t, %v", clean, err)
	}
}

func TestIdleHostsAreForgottenAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		o := Defaults()
		o.Shelf, o.MaxHosts = shelf, shardCount
		p := New(o)
		const many = 200 * shardCount
		name := func(i int) string { return "h" + string(rune('a'+i%26)) + time.Duration(i).String() + ".test" }
		for i := range many {
			slot := admit(t, p, name(i), "")
			if i%7 == 0 {
				p.SetCrawlDelay(name(i), 3*time.Second)
			}
			p.Observe(slot, Result{Status: 200})
			time.Sleep(20 * time.Millisecond)
		}
		// A host lives for a minute after its start: half of them do, and again as
		// many may wait for the next sweep.
		if got := p.Stats().Hosts; got < 3000 || got > 6500 {
			t.Errorf("%d of %d hosts held", got, many)
		}
		if d := p.Delay(name(0)); d != 3*time.Second {
			t.Errorf("the Crawl-delay came back as %v", d)
		}
	})
}
