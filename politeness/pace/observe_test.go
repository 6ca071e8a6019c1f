package pace

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// The fault "33 retry after values": what the field said is parsed elsewhere and
// comes in as a time, or as none where it was invalid.
func TestRetryAfter(t *testing.T) {
	const delay = time.Second
	for _, tc := range []struct {
		name       string
		status     int
		retryAfter time.Duration // from the answer; 0: none
		want       time.Duration // from the start
		reason     string
		held       bool
	}{
		{"-5 and soon: none, own back-off", 429, 0, delay + (30*time.Second-delay)/2, ReasonBackOff, true},
		{"9999999999: cut to a day", 429, math.MaxInt64, 24 * time.Hour, ReasonRetryAfter, true},
		{"a date 4 s ahead", 429, 4 * time.Second, 4 * time.Second, ReasonRetryAfter, true},
		{"a date in the past: own delay", 429, -10 * time.Hour, delay, ReasonNotYet, false},
		{"503 has the same rules", 503, time.Minute, time.Minute, ReasonRetryAfter, true},
		{"503 without it", 503, 0, delay + (30*time.Second-delay)/2, ReasonBackOff, true},
		{"below the delay", 429, 10 * time.Millisecond, delay, ReasonNotYet, true},
		{"a redirect may name a time", 301, time.Minute, time.Minute, ReasonRetryAfter, true},
		{"another server error may", 500, time.Minute, time.Minute, ReasonRetryAfter, true},
		{"a success does not", 200, time.Minute, delay, ReasonNotYet, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Defaults()
				o.Rand = func() float64 { return 0.5 }
				p := New(o)
				now := time.Now()
				r := Result{Status: tc.status}
				if tc.retryAfter != 0 {
					r.RetryAfter = now.Add(tc.retryAfter)
				}
				next := finish(t, p, "a.test", r)
				if got := next.At.Sub(now); got != tc.want || next.Held != tc.held {
					t.Errorf("next after %v, held %t; want %v, %t", got, next.Held, tc.want, tc.held)
				}
				wantWait(t, p, "a.test", Wait{Until: now.Add(tc.want), Reason: tc.reason})
				wantWait(t, p, "other.test", Wait{}) // the others are unaffected
			})
		})
	}
}

func TestBackOffDoublesUpToItsMaximum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Rand = func() float64 { return math.Nextafter(1, 0) }
		p := New(o)
		waits := func(r Result) time.Duration {
			start := time.Now()
			next := finish(t, p, "a.test", r)
			time.Sleep(time.Until(next.At))
			return next.At.Sub(start).Round(time.Millisecond)
		}
		for i, want := range []time.Duration{30, 60, 120, 240, 480, 960, 1920, 3600, 3600} {
			if got := waits(Result{Status: 429}); got != want*time.Second {
				t.Fatalf("back-off %d is %v, want %v", i+1, got, want*time.Second)
			}
		}
		waits(Result{Status: 404}) // it works again
		if got := waits(Result{Status: 503}); got != 30*time.Second {
			t.Errorf("after a success the first back-off is %v", got)
		}
	})
}

func TestBackOffIsNeverBelowTheDelay(t *testing.T) {
	for _, u := range []float64{0, -1, 1, 7, math.NaN(), math.Inf(1)} {
		o := Defaults()
		o.Rand = func() float64 { return u }
		p := New(o)
		p.SetCrawlDelay("a.test", 40*time.Second) // above the first bound
		now := time.Now()
		for host, least := range map[string]time.Duration{"a.test": 40 * time.Second, "b.test": time.Second} {
			at := finish(t, p, host, Result{Status: 429}).At
			if d := at.Sub(now); d < least || d > 41*time.Second {
				t.Errorf("rand %v: %s waits %v", u, host, d)
			}
		}
	}
}

func TestFiveFailuresInARowMakeAHostCoolDown(t *testing.T) {
	for _, tc := range []struct {
		name    string
		results []Result
		cools   bool
	}{
		{"five network errors", repeat(Result{Err: true}, 5), true},
		{"four network errors", repeat(Result{Err: true}, 4), false},
		{"five server errors", repeat(Result{Status: 500}, 5), true},
		{"five answers cut short", repeat(Result{Status: 200, Err: true}, 5), true},
		{"no status and no error", repeat(Result{}, 5), true},
		{"mixed", []Result{{Err: true}, {Status: 502}, {Err: true}, {Status: 500}, {Err: true}}, true},
		{"a success between", []Result{{Err: true}, {Err: true}, {Err: true}, {Err: true}, {Status: 200}, {Err: true}}, false},
		{"client errors are no failures", repeat(Result{Status: 404}, 9), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Defaults()
				o.Rand = func() float64 { return 0.9 }
				p := New(o)
				var next Next
				for _, r := range tc.results {
					time.Sleep(time.Second)
					next = finish(t, p, "a.test", r)
				}
				if cools := p.Next("a.test").Reason == ReasonBackOff; cools != tc.cools || next.Held != tc.cools {
					t.Errorf("cools down: %t, held: %t, want %t", cools, next.Held, tc.cools)
				}
			})
		})
	}
}

func TestASuccessDoesNotLiftAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Delay, o.PerHost = 0, 2
		p := New(o)
		first, second := admit(t, p, "a.test", ""), admit(t, p, "a.test", "")
		until := time.Now().Add(time.Hour)
		p.Observe(first, Result{Status: 429, RetryAfter: until})
		p.Observe(second, Result{Status: 200})
		wantWait(t, p, "a.test", Wait{Until: until, Reason: ReasonRetryAfter})
	})
}

func TestAHoldCountsFromTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Rand = func() float64 { return 0 }
		p := New(o)
		slot := admit(t, p, "a.test", "")
		time.Sleep(5 * time.Second)
		answered := time.Now()
		time.Sleep(3 * time.Second)
		next := p.Observe(slot, Result{Status: 429, At: answered})
		if got := next.At.Sub(answered); got != time.Second {
			t.Errorf("next %v after the answer", got)
		}
	})
}

func repeat(r Result, n int) []Result {
	all := make([]Result, n)
	for i := range all {
		all[i] = r
	}
	return all
}

func TestAHostThatNeverAnswersIsDeadAndRevivesByOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Defaults()
		o.Rand, o.Shelf = func() float64 { return 0.5 }, newMemoryShelf()
		p := New(o)
		began := time.Now()
		for n := 1; n < o.DeadAfter; n++ {
			next := finish(t, p, "a.test", Result{Err: true})
			if w := p.Next("a.test"); w.Reason == ReasonDead {
				t.Fatalf("dead after %d failures", n)
			}
			time.Sleep(time.Until(next.At))
		}
		if silent := time.Since(began); silent < 2*time.Hour {
			t.Errorf("a host is given up after %v", silent)
		}
		// An answer, be it an error, is a sign of life.
		now := time.Now()
		finish(t, p, "a.test", Result{Status: 500})
		if w := p.Next("a.test"); w.Reason != ReasonBackOff || w.Until.Sub(now) > time.Hour {
			t.Errorf("after an answer: %+v", w)
		}
		time.Sleep(time.Hour)
		now = time.Now()
		next := finish(t, p, "a.test", Result{Err: true})
		wantWait(t, p, "a.test", Wait{Until: now.Add(18 * time.Hour), Reason: ReasonDead})
		if !next.Held {
			t.Error("the death is not durable")
		}
		second := New(o)
		wantWait(t, second, "a.test", Wait{Until: now.Add(18 * time.Hour), Reason: ReasonDead})
		time.Sleep(18 * time.Hour)
		wantWait(t, second, "a.test", Wait{})
		finish(t, second, "a.test", Result{Status: 200})
		wantWait(t, second, "a.test", Wait{Until: time.Now().Add(o.Delay), Reason: ReasonNotYet})
		time.Sleep(o.Delay)
		finish(t, second, "a.test", Result{Err: true})
		wantWait(t, second, "a.test", Wait{Until: time.Now().Add(o.Delay), Reason: ReasonNotYet})
	})
}
