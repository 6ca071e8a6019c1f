package pace

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func admit(t testing.TB, p *Pacer, host, address string) *Slot {
	t.Helper()
	slot, wait := p.Admit(host, address)
	if slot == nil {
		t.Fatalf("%s is not admitted: %+v, now %v", host, wait, p.opts.Clock())
	}
	return slot
}

// finish makes one request that takes no time.
func finish(t testing.TB, p *Pacer, host string, r Result) Next {
	t.Helper()
	return p.Observe(admit(t, p, host, ""), r)
}

func wantWait(t testing.TB, p *Pacer, host string, want Wait) {
	t.Helper()
	got := p.Next(host)
	if !got.Until.Equal(want.Until) || got.Reason != want.Reason || got.Err != nil {
		t.Errorf("Next(%q) = %v %q %v, want %v %q", host, got.Until, got.Reason, got.Err, want.Until, want.Reason)
	}
	slot, admitted := p.Admit(host, "")
	if (slot != nil) != (want.Reason == "") || admitted.Reason != want.Reason || !admitted.Until.Equal(want.Until) {
		t.Errorf("Admit(%q) = %v, %+v; want %+v", host, slot, admitted, want)
	}
	p.Release(slot)
}

func (p *Pacer) hostFor(name string) *host { return p.shard(name).hosts[name] }

func TestTheDelayCountsFromStartToStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		start := time.Now()
		slot := admit(t, p, "a.test", "")
		time.Sleep(400 * time.Millisecond)
		next := p.Observe(slot, Result{Status: 200, Latency: 50 * time.Millisecond})
		if want := start.Add(time.Second); !next.At.Equal(want) || next.Held {
			t.Errorf("got %+v, want %v", next, want)
		}
		wantWait(t, p, "a.test", Wait{Until: start.Add(time.Second), Reason: ReasonNotYet})
		time.Sleep(600*time.Millisecond - 1)
		wantWait(t, p, "a.test", Wait{Until: start.Add(time.Second), Reason: ReasonNotYet})
		time.Sleep(time.Nanosecond)
		wantWait(t, p, "a.test", Wait{})
	})
}

func TestTheDelayCountsFromWhenTheRequestWentOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		slot := admit(t, p, "a.test", "")
		time.Sleep(700 * time.Millisecond) // look-up and connection
		sent := time.Now()
		time.Sleep(100 * time.Millisecond)
		if next := p.Observe(slot, Result{Status: 200, Start: sent}); !next.At.Equal(sent.Add(time.Second)) {
			t.Errorf("next after %v", next.At.Sub(sent))
		}
		// A start that lies outside the request is brought into it.
		time.Sleep(time.Second)
		slot = admit(t, p, "a.test", "")
		now := time.Now()
		if next := p.Observe(slot, Result{Status: 200, Start: now.Add(time.Hour)}); !next.At.Equal(now.Add(time.Second)) {
			t.Errorf("next after %v", next.At.Sub(now))
		}
	})
}

func TestASlowRequestKeepsItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		slot := admit(t, p, "a.test", "")
		time.Sleep(3 * time.Second)
		wantWait(t, p, "a.test", Wait{Until: time.Now().Add(inFlightRetry), Reason: ReasonInFlight})
		p.Observe(slot, Result{Status: 200, Latency: 10 * time.Millisecond})
		wantWait(t, p, "a.test", Wait{})
	})
}

// The fault "59 delay belongs to its host": a Crawl-delay of one host neither
// slows others nor is multiplied by workers.
func TestADelayBelongsToItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Delay = 300 * time.Millisecond
		p := New(o)
		p.SetCrawlDelay("b.test", 2*time.Second)
		begin := time.Now()
		starts := map[string][]time.Duration{}
		var running []*Slot
		for range 100 {
			// Eight workers ask at once; requests take 100 ms.
			for _, s := range running {
				p.Observe(s, Result{Status: 200, Latency: 100 * time.Millisecond})
			}
			running = running[:0]
			for range 8 {
				for _, host := range []string{"a.test", "b.test"} {
					if slot, _ := p.Admit(host, ""); slot != nil {
						starts[host] = append(starts[host], time.Since(begin))
						running = append(running, slot)
					}
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
		for host, gap := range map[string]time.Duration{"a.test": 300 * time.Millisecond, "b.test": 2 * time.Second} {
			for i := 1; i < len(starts[host]); i++ {
				if got := starts[host][i] - starts[host][i-1]; got != gap {
					t.Fatalf("%s: start %d comes %v after the one before, want %v", host, i, got, gap)
				}
			}
			if want := int(10*time.Second/gap) + 1; len(starts[host]) > want || len(starts[host]) < want-1 {
				t.Errorf("%s: %d starts in 10 s, want %d", host, len(starts[host]), want)
			}
		}
	})
}

// Many workers at one host, as when a crawl and an on-demand fetch want the same:
// each slot goes to one of them, and the delay is kept between all.
func TestWorkersMeetAtOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Shelf = newMemoryShelf()
		p := New(o)
		var (
			wg     sync.WaitGroup
			mu     sync.Mutex
			starts []time.Time
		)
		for range 8 {
			wg.Go(func() {
				for done := 0; done < 5; {
					slot, wait := p.Admit("a.test", "192.0.2.1")
					if slot == nil {
						time.Sleep(time.Until(wait.Until))
						continue
					}
					done++
					mu.Lock()
					starts = append(starts, slot.Start())
					mu.Unlock()
					time.Sleep(300 * time.Millisecond)
					p.Observe(slot, Result{Status: 200, Latency: 200 * time.Millisecond})
					p.State("a.test")
				}
			})
		}
		wg.Wait()
		if len(starts) != 40 {
			t.Fatalf("%d starts", len(starts))
		}
		for i := 1; i < len(starts); i++ {
			if gap := starts[i].Sub(starts[i-1]); gap != time.Second {
				t.Errorf("start %d comes %v after the one before", i, gap)
			}
		}
	})
}

// The fault "07 crawl delay infinite": whoever parses the seconds turns them into
// a duration. What an infinite number or none becomes depends on the machine: the
// smallest duration, the largest, or zero.
func TestCrawlDelayIsCut(t *testing.T) {
	for _, tc := range []struct {
		name    string
		d, want time.Duration
	}{
		{"the largest duration", math.MaxInt64, time.Minute},
		{"the smallest duration", math.MinInt64, time.Second},
		{"a day", 24 * time.Hour, time.Minute},
		{"below the floor", time.Millisecond, time.Second},
		{"above the floor", 5 * time.Second, 5 * time.Second},
		{"none", 0, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := New(Defaults())
			p.SetCrawlDelay("a.test", tc.d)
			if got := p.Delay("a.test"); got != tc.want {
				t.Errorf("Delay = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestCrawlDelayCountsFromTheLastStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		start := time.Now()
		finish(t, p, "a.test", Result{Status: 200})
		p.SetCrawlDelay("a.test", 5*time.Second)
		wantWait(t, p, "a.test", Wait{Until: start.Add(5 * time.Second), Reason: ReasonNotYet})
		p.SetCrawlDelay("a.test", 0) // the site has taken it back
		wantWait(t, p, "a.test", Wait{Until: start.Add(time.Second), Reason: ReasonNotYet})
	})
}

func TestReleaseLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		start := time.Now()
		finish(t, p, "a.test", Result{Status: 200})
		time.Sleep(2 * time.Second)
		slot := admit(t, p, "a.test", "192.0.2.1")
		p.Release(slot)
		p.Release(slot)
		p.Release(nil)
		if next := p.Observe(slot, Result{Status: 429}); !next.At.Equal(start.Add(time.Second)) {
			t.Errorf("a returned slot was observed: %+v", next)
		}
		if next := p.Observe(nil, Result{}); next != (Next{}) {
			t.Errorf("no slot: %+v", next)
		}
		wantWait(t, p, "a.test", Wait{})
		if s := p.Stats(); s.InFlight != 0 || s.Throttled != 0 {
			t.Errorf("got %+v", s)
		}
	})
}

func TestReleaseKeepsALaterStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Delay, o.PerHost = 0, 2
		p := New(o)
		first, _ := admit(t, p, "a.test", ""), admit(t, p, "a.test", "")
		p.SetCrawlDelay("a.test", 5*time.Second)
		p.Release(first)
		wantWait(t, p, "a.test", Wait{Until: time.Now().Add(5 * time.Second), Reason: ReasonNotYet})
	})
}

func TestAddressesAreSharedByNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		var slots []*Slot
		for _, host := range []string{"a.test", "b.test", "c.test", "d.test"} {
			slots = append(slots, admit(t, p, host, "192.0.2.1"))
		}
		if slot, w := p.Admit("e.test", "192.0.2.1"); slot != nil || w.Reason != ReasonInFlight || !w.Until.After(time.Now()) {
			t.Fatalf("a fifth request to the address: %v %+v", slot, w)
		}
		admit(t, p, "e.test", "192.0.2.2")
		admit(t, p, "f.test", "")
		p.Observe(slots[0], Result{Status: 200})
		admit(t, p, "g.test", "192.0.2.1")
		p.Release(slots[1])
		admit(t, p, "h.test", "192.0.2.1")
		if slot, _ := p.Admit("i.test", "192.0.2.1"); slot != nil {
			t.Fatal("five requests to the address")
		}
	})
}

func TestStartsToAnAddressAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.AddressRate = 10
		p := New(o)
		name := func(i int) string { return time.Duration(i).String() + ".test" }
		begin, starts := time.Now(), 0
		for i := 0; time.Since(begin) < 5*time.Second; i++ {
			slot, w := p.Admit(name(i), "192.0.2.1")
			if slot == nil {
				if w.Reason != ReasonNotYet || !w.Until.After(time.Now()) {
					t.Fatalf("got %+v", w)
				}
				time.Sleep(time.Until(w.Until))
				continue
			}
			starts++
			p.Observe(slot, Result{Status: 200})
		}
		if starts < 58 || starts > 61 { // a burst of 10, then 10 a second
			t.Errorf("%d starts in 5 s", starts)
		}
	})
}

func TestIdleAddressesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		for i := range 3 * minAddressSweep {
			d := time.Duration(i).String()
			p.Observe(admit(t, p, d+".test", d), Result{Status: 200})
			time.Sleep(time.Millisecond)
		}
		if n := len(p.addresses.groups); n > minAddressSweep+1 {
			t.Errorf("%d addresses held", n)
		}
	})
}

func TestNothingLimitsWhatTheOperatorOpened(t *testing.T) {
	o := Defaults()
	o.Delay, o.PerHost, o.PerAddress = 0, 8, 0
	now := time.Unix(1_800_000_000, 0)
	o.Clock = func() time.Time { return now } // no time passes at all
	p := New(o)
	for range 100 {
		var slots []*Slot
		for range 8 {
			slots = append(slots, admit(t, p, "a.test", "127.0.0.1"))
		}
		if slot, w := p.Admit("a.test", "127.0.0.1"); slot != nil || w.Reason != ReasonInFlight {
			t.Fatalf("a ninth request: %+v", w)
		}
		for _, s := range slots {
			p.Observe(s, Result{Status: 200, Latency: 5 * time.Second})
		}
	}
	if d := p.Delay("a.test"); d != 0 {
		t.Errorf("Delay = %v", d)
	}
}

func TestFloorReplacesDelayAndSlotsOfAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Floor = func(host string) (time.Duration, int) {
			switch host {
			case "slow.test":
				return 7 * time.Second, 0
			case "open.test":
				return 0, 3
			}
			return -1, 0
		}
		p := New(o)
		for host, want := range map[string]time.Duration{"slow.test": 7 * time.Second, "open.test": 0, "a.test": time.Second} {
			if got := p.Delay(host); got != want {
				t.Errorf("Delay(%q) = %v, want %v", host, got, want)
			}
		}
		for range 3 {
			admit(t, p, "open.test", "")
		}
		wantWait(t, p, "open.test", Wait{Until: time.Now().Add(inFlightRetry), Reason: ReasonInFlight})
		p.SetCrawlDelay("open.test", 2*time.Second) // what a site asks for wins upwards
		if got := p.Delay("open.test"); got != 2*time.Second {
			t.Errorf("Delay = %v", got)
		}
	})
}

func TestTheDelayGrowsWithLatency(t *testing.T) {
	for _, tc := range []struct {
		name      string
		factor    float64
		latencies []time.Duration
		want      time.Duration
	}{
		{"a fast server", 2, []time.Duration{100 * time.Millisecond}, time.Second},
		{"a slow server", 2, []time.Duration{2 * time.Second}, 4 * time.Second},
		{"it follows slowly", 2, []time.Duration{time.Second, 3 * time.Second}, 3 * time.Second},
		{"it recovers slowly", 2, []time.Duration{4 * time.Second, 0, 2 * time.Second}, 7 * time.Second},
		{"it has a bound", 2, []time.Duration{time.Hour}, 10 * time.Second},
		{"switched off", 0, []time.Duration{5 * time.Second}, time.Second},
		{"a factor that is not a number", math.NaN(), []time.Duration{5 * time.Second}, time.Second},
		{"an endless factor", math.Inf(1), []time.Duration{time.Millisecond}, 10 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Defaults()
				o.AdaptiveFactor = tc.factor
				p := New(o)
				for _, l := range tc.latencies {
					finish(t, p, "a.test", Result{Status: 200, Latency: l})
					time.Sleep(time.Minute)
				}
				if got := p.Delay("a.test"); got != tc.want {
					t.Errorf("Delay = %v, want %v", got, tc.want)
				}
			})
		})
	}
}

func TestAClockThatJumpsBack(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	o := Defaults()
	o.Clock = func() time.Time { return now }
	p := New(o)
	finish(t, p, "a.test", Result{Status: 200})
	finish(t, p, "held.test", Result{Status: 429, RetryAfter: now.Add(time.Hour)})
	now = now.AddDate(-1, 0, 0)
	wantWait(t, p, "a.test", Wait{Until: now.Add(time.Second), Reason: ReasonNotYet})
	wantWait(t, p, "held.test", Wait{Until: now.Add(24 * time.Hour), Reason: ReasonRetryAfter})
	now = now.Add(time.Second)
	wantWait(t, p, "a.test", Wait{})
}

func TestStatsCountByReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Defaults())
		slot := admit(t, p, "a.test", "")
		time.Sleep(time.Second)
		p.Admit("a.test", "")
		p.Observe(slot, Result{Status: 429, RetryAfter: time.Now().Add(time.Minute)})
		p.Admit("a.test", "")
		finish(t, p, "b.test", Result{Err: true})
		p.Admit("b.test", "")
		slot = admit(t, p, "c.test", "")
		time.Sleep(time.Minute)
		p.Observe(slot, Result{Status: 503})
		p.Admit("c.test", "")
		got := p.Stats()
		want := Stats{Hosts: 3, Admitted: 3, NotYet: 1, RetryAfter: 1, BackOff: 1, Busy: 1, Throttled: 2, Failed: 1}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
