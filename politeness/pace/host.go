package pace

import (
	"sync"
	"time"
)

// clockMargin is how far beyond RetryAfterMax a hold may lie before it is taken
// for the work of a clock that has jumped back.
const clockMargin = time.Hour

// host is the pace of one host name. Its shard's mutex guards everything but
// saving.
type host struct {
	name      string
	lastStart time.Time // of the last admitted request; zero: never asked
	until     time.Time // a hold beyond the delay
	hold      hold      // why until was set

	crawlDelay time.Duration // as the site asked, already cut
	latency    time.Duration // smoothed, 0: none seen

	failures  uint16 // network errors and 5xx in a row, 429 and 503 left out
	throttles uint16 // 429 and 503 in a row

	contradictions uint16 // 403 in a row in spite of the site's own permission (AP-142)

	inFlight int32
	admitted uint32 // how many slots were ever taken, modulo 2^32

	// What has changed since the state was last handed to a store. asked: the
	// last start. unsaved: anything else. urgent: a hold or a Crawl-delay among
	// it, which a crash must not lose.
	asked, unsaved, urgent bool

	// saving puts snapshots on the shelf in the order they were taken. Taken
	// before the shard's mutex, never after.
	saving sync.Mutex
}

// floor is the operator's delay and slot count for a host.
func (o *Options) floor(name string) (delay time.Duration, perHost int) {
	delay, perHost = o.Delay, o.PerHost
	if o.Floor != nil {
		d, n := o.Floor(name)
		if d >= 0 {
			delay = d
		}
		if n >= 1 {
			perHost = n
		}
	}
	return delay, perHost
}

// delay is the time from one request start to the next.
func (h *host) delay(o *Options, floor time.Duration) time.Duration {
	d := max(floor, h.crawlDelay)
	if floor > 0 && h.latency > 0 && o.AdaptiveFactor > 0 {
		adaptive := o.AdaptiveFactor * float64(h.latency)
		d = max(d, time.Duration(min(adaptive, float64(o.MaxAdaptive))))
	}
	return d
}

// next is the earliest start by times alone, without regard to slots. The zero
// time: it was never asked.
func (h *host) next(o *Options, floor time.Duration) (time.Time, string) {
	var at time.Time
	if !h.lastStart.IsZero() {
		at = h.lastStart.Add(h.delay(o, floor))
	}
	if h.until.After(at) {
		return h.until, h.hold.reason()
	}
	return at, ReasonNotYet
}

// quiet reports whether the last start has no bearing any more: the next time has
// passed, and would have passed under any Crawl-delay the site may yet ask for.
func (h *host) quiet(o *Options, now time.Time) bool {
	floor, _ := o.floor(h.name)
	next, _ := h.next(o, floor)
	return !next.After(now) && now.Sub(h.lastStart) >= o.MaxCrawlDelay
}

// handOver returns the record for a store and notes that it has it.
func (h *host) handOver(o *Options) record {
	h.asked, h.unsaved, h.urgent = false, false, false
	return h.record(o)
}

// settleClock repairs times that a clock which jumped back has left ahead of
// now: never earlier than a full delay from here, never stuck.
func (h *host) settleClock(o *Options, now time.Time) {
	if h.lastStart.After(now) {
		h.lastStart = now
	}
	if h.until.Sub(now) > o.RetryAfterMax+clockMargin {
		h.until = now.Add(o.RetryAfterMax)
	}
}

// holdUntil only ever moves a hold later.
func (h *host) holdUntil(at time.Time, why hold) {
	if at.After(h.until) {
		h.until, h.hold = at, why
		h.unsaved, h.urgent = true, true
	}
}

func (h *host) record(o *Options) record {
	floor, _ := o.floor(h.name)
	next, _ := h.next(o, floor)
	return record{
		next: next, until: h.until, hold: h.hold, lastStart: h.lastStart,
		crawlDelay: h.crawlDelay, latency: h.latency,
		failures: h.failures, throttles: h.throttles, contradictions: h.contradictions,
	}
}

// restore takes over a persisted record. A saved next time binds even where
// the delay has been configured shorter since.
func (h *host) restore(o *Options, r record, now time.Time) {
	h.lastStart, h.until, h.hold = r.lastStart, r.until, r.hold
	h.crawlDelay = min(r.crawlDelay, o.MaxCrawlDelay)
	h.latency = min(r.latency, o.MaxAdaptive)
	h.failures, h.throttles, h.contradictions = r.failures, r.throttles, r.contradictions
	if r.next.After(h.until) {
		h.until, h.hold = r.next, holdNone
	}
	h.settleClock(o, now)
}
