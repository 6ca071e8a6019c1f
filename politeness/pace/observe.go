package pace

import (
	"math"
	"net/http"
	"time"
)

const (
	// failuresBeforeBackOff is how many failures in a row a host may have
	// before it is left to cool down.
	failuresBeforeBackOff = 5
	// latencyWeight is the share of the newest latency in the smoothed one:
	// about the last seven answers count.
	latencyWeight = 0.25
	// contradictionsBeforePause is how many answers in a row may refuse what the
	// site's own preferences allow before the host is left alone for
	// contradictionPause (AP-142).
	contradictionsBeforePause = 3
	contradictionPause        = time.Hour
)

// Access compares an answer with what the site's own preferences say about the
// request.
type Access uint8

const (
	// AccessUnsaid: there is nothing to compare. A policy document is exempt from
	// preferences, and other failures tell nothing about them.
	AccessUnsaid Access = iota
	// AccessGiven ends a row of contradictions.
	AccessGiven
	// AccessContradicted is a 403 in spite of an explicit permission.
	AccessContradicted
)

// Result is what came of a request.
type Result struct {
	// Status of the answer, 0 if there was none.
	Status int
	// Access compares the answer with the site's own permission.
	Access Access
	// Err says that the exchange broke: no answer, or one cut short.
	Err bool
	// RetryAfter is the time that the answer's Retry-After names, counted from its
	// head; zero if it has none or an invalid one. It counts for statuses from
	// 300. A time in the past means: no back-off, only the delay.
	RetryAfter time.Time
	// Latency from sending the request to the first octet of the answer.
	Latency time.Duration
	// Start is when the request went out, if later than the admission (name
	// look-up and connection came first): the delay counts from it.
	Start time.Time
	// At is when the exchange ended. Zero: now.
	At time.Time
}

// Next is when the host may be asked again.
type Next struct {
	// At is the earliest next start; it may be in the past.
	At time.Time
	// Held says that the state must outlive a crash: the host is put off for
	// longer than its delay, or its Crawl-delay is new. With a Shelf
	// it is durable already, before the slot was freed. Without one the caller
	// stores State before it lets another request go.
	Held bool
	// Err is why it could not be made durable. The hold stands in memory.
	Err error
}

// Hear takes note of the head of an answer whose body is still to come. A wait that
// the head asks for is durable on return, however long the body takes: a process
// killed meanwhile has heard it. Only then may Hear block, on the Shelf; the error
// is why it could not be made durable. Observe does not count the head again.
func (p *Pacer) Hear(slot *Slot, r Result) error {
	if slot == nil {
		return nil
	}
	s, h := slot.shard, slot.host

	s.mu.Lock()
	if slot.returned || slot.heard {
		s.mu.Unlock()
		return nil
	}
	slot.heard = true
	now := p.opts.Clock()
	at := clamp(r.At, slot.start, now)
	if r.At.IsZero() {
		at = now
	}
	floor, _ := p.opts.floor(h.name)
	p.putOff(s, h, r, at, floor)
	held := h.urgent
	s.mu.Unlock()
	if !held {
		return nil
	}
	return p.save(s, h)
}

// Observe gives a slot back with what came of the request, and returns when the
// host may be asked again. A wait beyond the delay is saved while the slot is
// still taken; only then may Observe block, on the Shelf.
func (p *Pacer) Observe(slot *Slot, r Result) Next {
	if slot == nil {
		return Next{}
	}
	s, h := slot.shard, slot.host

	s.mu.Lock()
	now := p.opts.Clock()
	floor, _ := p.opts.floor(h.name)
	if slot.returned {
		at, _ := h.next(&p.opts, floor)
		s.mu.Unlock()
		return Next{At: at}
	}
	slot.returned = true
	at := clamp(r.At, slot.start, now)
	if r.At.IsZero() {
		at = now
	}
	if start := clamp(r.Start, slot.start, now); start.After(h.lastStart) {
		h.lastStart, h.asked = start, true
	}
	if !slot.heard {
		p.putOff(s, h, r, at, floor)
	}
	p.learn(s, h, r, at, floor)
	next, _ := h.next(&p.opts, floor)
	held := h.urgent
	if !held || p.opts.Shelf == nil {
		p.free(slot)
		s.mu.Unlock()
		return Next{At: next, Held: held}
	}
	s.mu.Unlock()

	err := p.save(s, h)

	s.mu.Lock()
	p.free(slot)
	s.mu.Unlock()
	return Next{At: next, Held: true, Err: err}
}

// putOff draws the conclusions from status and Retry-After alone, once an answer.
// The shard's mutex is held.
func (p *Pacer) putOff(s *shard, h *host, r Result, at time.Time, floor time.Duration) {
	asked := !r.RetryAfter.IsZero() && r.Status >= 300
	if asked {
		limit := at.Add(p.opts.RetryAfterMax)
		if r.RetryAfter.After(limit) {
			h.holdUntil(limit, holdRetryAfter)
		} else if r.RetryAfter.After(at) {
			h.holdUntil(r.RetryAfter, holdRetryAfter)
		}
	}
	if throttles(r.Status) {
		s.stats.Throttled++
		h.count(&h.throttles)
		if !asked {
			h.holdUntil(at.Add(p.backOff(h, floor, int(h.throttles))), holdBackOff)
		}
	}
}

// throttles tells the statuses that put a host off by themselves.
func throttles(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// learn draws the other conclusions, from the whole exchange. The shard's mutex is
// held.
func (p *Pacer) learn(s *shard, h *host, r Result, at time.Time, floor time.Duration) {
	if !r.Err && r.Latency > 0 {
		h.latency = smooth(h.latency, min(r.Latency, p.opts.MaxAdaptive))
	}
	p.compare(h, r.Access, at)
	switch {
	case throttles(r.Status):
	case r.Err || r.Status >= 500 || r.Status == 0:
		s.stats.Failed++
		h.count(&h.failures)
		n := int(h.failures) - failuresBeforeBackOff
		switch {
		case n < 0:
		case r.Status == 0 && int(h.failures) >= p.opts.DeadAfter:
			h.holdUntil(at.Add(p.opts.DeadWait/2+time.Duration(p.opts.random()*float64(p.opts.DeadWait/2))), holdDead)
		default:
			h.holdUntil(at.Add(p.backOff(h, floor, n+1)), holdBackOff)
		}
	case h.failures > 0 || h.throttles > 0:
		// The host works again. A hold that stands is not lifted: another
		// request of the host may have been told to wait meanwhile.
		h.failures, h.throttles, h.unsaved = 0, 0, true
	}
}

// compare counts the contradictions in a row. The row that has led to a pause is
// over: the next pause needs as many again.
func (p *Pacer) compare(h *host, a Access, at time.Time) {
	switch {
	case a == AccessGiven && h.contradictions > 0:
		h.contradictions, h.unsaved = 0, true
	case a == AccessContradicted:
		h.count(&h.contradictions)
		if h.contradictions >= contradictionsBeforePause {
			h.contradictions = 0
			h.holdUntil(at.Add(contradictionPause), holdBackOff)
		}
	}
}

// count raises a counter and notes that the state has changed.
func (h *host) count(n *uint16) {
	if *n < math.MaxUint16 {
		*n++
	}
	h.unsaved = true
}

// backOff is the wait of the n-th back-off in a row, n from 1: full jitter below
// a bound that doubles, but never less than the delay.
func (p *Pacer) backOff(h *host, floor time.Duration, n int) time.Duration {
	bound := p.opts.BackOffBase
	for i := 1; i < n && bound < p.opts.BackOffMax; i++ {
		bound *= 2
	}
	bound = min(bound, p.opts.BackOffMax)
	least := h.delay(&p.opts, floor)
	if bound <= least {
		return least
	}
	return least + time.Duration(p.opts.random()*float64(bound-least))
}

// random is a number in [0,1), whatever Rand says.
func (o *Options) random() float64 {
	u := o.Rand()
	if !(u >= 0 && u < 1) { // also not a number
		return 0.5
	}
	return u
}

func smooth(old, sample time.Duration) time.Duration {
	if old == 0 {
		return sample
	}
	return old + time.Duration(latencyWeight*float64(sample-old))
}

// clamp moves t into [lo, hi].
func clamp(t, lo, hi time.Time) time.Time {
	switch {
	case t.Before(lo):
		return lo
	case t.After(hi):
		return hi
	}
	return t
}
