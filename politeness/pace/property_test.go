package pace

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// world plays a crawler against one shelf and remembers what a site would have
// seen, independent of what the Pacer believes.
type world struct {
	now     time.Time
	opts    Options
	shelf   *memoryShelf
	pacer   *Pacer
	sites   map[string]*site
	running map[*Slot]string
	heard   map[*Slot]Result // heads of answers whose body is still to come
	byAddr  map[string]int
}

type site struct {
	address    string
	crawlDelay time.Duration
	lastStart  time.Time // of a request that was sent
	askedUntil time.Time // by Retry-After
	inFlight   int
}

func newWorld(t *rapid.T) *world {
	w := &world{now: time.Unix(1_800_000_000, 0), shelf: newMemoryShelf()}
	w.opts = Defaults()
	w.opts.Shelf = w.shelf
	w.opts.Delay = rapid.SampledFrom([]time.Duration{0, 300 * time.Millisecond, time.Second}).Draw(t, "delay")
	w.opts.PerHost = rapid.IntRange(1, 2).Draw(t, "perHost")
	w.opts.PerAddress = rapid.IntRange(1, 3).Draw(t, "perAddress")
	w.opts.MaxHosts = 1 // hosts are forgotten whenever they may be
	w.opts.Clock = func() time.Time { return w.now }
	w.opts.Rand = func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "rand") }
	w.sites = map[string]*site{
		"a.test": {address: "192.0.2.1"}, "b.test": {address: "192.0.2.1"},
		"c.test": {address: "192.0.2.1"}, "d.test": {address: "192.0.2.2"},
	}
	w.start()
	return w
}

func (w *world) start() {
	w.opts.StartedAt = w.now
	w.pacer = New(w.opts)
	w.running = make(map[*Slot]string)
	w.heard = make(map[*Slot]Result)
	w.byAddr = make(map[string]int)
	for _, s := range w.sites {
		s.inFlight = 0
	}
}

func (w *world) name(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a.test", "b.test", "c.test", "d.test"}).Draw(t, "host")
}

// ask is a visit: the robots.txt at hand is applied, then the host is asked.
func (w *world) ask(t *rapid.T) {
	host := w.name(t)
	s := w.sites[host]
	w.pacer.SetCrawlDelay(host, s.crawlDelay)
	next := w.pacer.Next(host)
	slot, wait := w.pacer.Admit(host, s.address)
	if slot == nil {
		if wait.Reason == "" || !wait.Until.After(w.now) {
			t.Fatalf("%s: refused with %+v at %v", host, wait, w.now)
		}
		return
	}
	if next.Reason != "" {
		t.Fatalf("%s: admitted although Next says %+v", host, next)
	}
	if gap, delay := w.now.Sub(s.lastStart), max(w.opts.Delay, min(s.crawlDelay, w.opts.MaxCrawlDelay)); gap < delay {
		t.Fatalf("%s: starts %v after the last, the delay is %v", host, gap, delay)
	}
	if w.now.Before(s.askedUntil) {
		t.Fatalf("%s: starts %v before the time the site named", host, s.askedUntil.Sub(w.now))
	}
	if s.inFlight++; s.inFlight > w.opts.PerHost {
		t.Fatalf("%s: %d in flight", host, s.inFlight)
	}
	if w.byAddr[s.address]++; w.byAddr[s.address] > w.opts.PerAddress {
		t.Fatalf("%s: %d in flight", s.address, w.byAddr[s.address])
	}
	w.running[slot] = host
	if rapid.IntRange(0, 9).Draw(t, "sent") == 0 {
		w.end(slot)
		w.pacer.Release(slot)
		return
	}
	s.lastStart = w.now
}

func (w *world) end(slot *Slot) *site {
	s := w.sites[w.running[slot]]
	delete(w.running, slot)
	s.inFlight--
	w.byAddr[s.address]--
	return s
}

// oldest is the request that has run the longest, of those that are such.
func (w *world) oldest(t *rapid.T, such func(*Slot) bool) *Slot {
	var oldest *Slot
	for slot, host := range w.running {
		if such(slot) && (oldest == nil || slot.start.Before(oldest.start) ||
			slot.start.Equal(oldest.start) && host < w.running[oldest]) {
			oldest = slot
		}
	}
	if oldest == nil {
		t.Skip("nothing runs")
	}
	return oldest
}

// draw makes up an answer, and remembers the time that it names.
func (w *world) draw(t *rapid.T, s *site) Result {
	r := Result{
		Status:  rapid.SampledFrom([]int{200, 200, 200, 304, 404, 429, 500, 503}).Draw(t, "status"),
		Latency: time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "latency")),
	}
	if r.Status >= 400 && rapid.Bool().Draw(t, "names a time") {
		r.RetryAfter = w.now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(48*time.Hour)).Draw(t, "after")))
		if limit := w.now.Add(w.opts.RetryAfterMax); r.RetryAfter.After(limit) {
			s.askedUntil = maxTime(s.askedUntil, limit)
		} else {
			s.askedUntil = maxTime(s.askedUntil, r.RetryAfter)
		}
	}
	return r
}

// head lets the head of an answer come, and no more.
func (w *world) head(t *rapid.T) {
	slot := w.oldest(t, func(slot *Slot) bool { _, heard := w.heard[slot]; return !heard })
	r := w.draw(t, w.sites[w.running[slot]])
	w.heard[slot] = r
	if err := w.pacer.Hear(slot, r); err != nil {
		t.Fatal(err)
	}
}

// answer ends the oldest request.
func (w *world) answer(t *rapid.T) {
	oldest := w.oldest(t, func(*Slot) bool { return true })
	host := w.running[oldest]
	s := w.end(oldest)
	r, heard := w.heard[oldest]
	if delete(w.heard, oldest); !heard {
		r = w.draw(t, s)
	}
	r.Err = rapid.IntRange(0, 9).Draw(t, "err") == 0
	next := w.pacer.Observe(oldest, r)
	if next.Err != nil {
		t.Fatal(next.Err)
	}
	if delay := w.pacer.Delay(host); next.At.Before(oldest.start.Add(delay)) {
		t.Fatalf("%s: next %v after the start, the delay is %v", host, next.At.Sub(oldest.start), delay)
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func TestNoHostIsEverAskedTooEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(map[string]func(*rapid.T){
			"ask":       w.ask,
			"ask again": w.ask,
			"head":      w.head,
			"answer":    w.answer,
			"wait": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.Int64Range(1, int64(2*time.Second)).Draw(t, "for")))
			},
			"wait long": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.Int64Range(1, int64(26*time.Hour)).Draw(t, "for")))
			},
			"robots": func(t *rapid.T) {
				w.sites[w.name(t)].crawlDelay = time.Duration(rapid.Int64Range(0, int64(2*time.Minute)).Draw(t, "crawl delay"))
			},
			"store": func(t *rapid.T) {
				host := w.name(t)
				if err := w.shelf.SavePace(host, time.Time{}, w.pacer.State(host)); err != nil {
					t.Fatal(err)
				}
			},
			"crash": func(t *rapid.T) {
				w.opts.Restarted = true
				w.start()
			},
			"stop": func(t *rapid.T) {
				for slot := range w.running {
					w.end(slot)
					w.pacer.Observe(slot, Result{Status: 200})
				}
				clean, err := w.pacer.Flush(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				w.opts.Restarted = !clean
				w.start()
			},
			"": func(t *rapid.T) {
				if got := w.pacer.Stats().InFlight; got != len(w.running) {
					t.Fatalf("%d slots out, %d requests run", got, len(w.running))
				}
			},
		})
	})
}

// TestEveryHostIsAskedAgain: whatever happened, who waits as told gets on.
func TestEveryHostIsAskedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 30).Draw(t, "visits") {
			w.ask(t)
			if len(w.running) > 0 {
				w.answer(t)
			}
		}
		for host := range w.sites {
			for tries := 0; ; tries++ {
				wait := w.pacer.Next(host)
				if wait.Reason == "" {
					break
				}
				if tries == 4 {
					t.Fatalf("%s: still waits: %+v", host, wait)
				}
				w.now = wait.Until
			}
		}
	})
}
