package pace

import (
	"hash/maphash"
	"time"
)

// Reasons why a host may not be asked now.
const (
	ReasonNotYet     = "pace.not-yet"     // the delay since the last start runs
	ReasonRetryAfter = "pace.retry-after" // the site named a time
	ReasonBackOff    = "pace.back-off"    // the site throttles or fails
	ReasonDead       = "pace.dead"        // the host has not answered for hours
	ReasonInFlight   = "pace.in-flight"   // all slots are taken
)

// inFlightRetry is when to ask again for a slot that another request holds: its
// end is not known, and a fetch seldom takes less.
const inFlightRetry = 100 * time.Millisecond

// shelfRetry is when to ask again for a host that the shelf cannot read.
const shelfRetry = 5 * time.Second

// Pacer is the single authority on when a host may be asked. It is safe for
// concurrent use and never blocks on anything but its Shelf.
type Pacer struct {
	opts      Options
	seed      maphash.Seed
	shards    [shardCount]shard
	addresses *addresses // nil: addresses are not counted
}

// New returns a Pacer. It reads nothing yet and starts nothing.
func New(o Options) *Pacer {
	p := &Pacer{opts: o.withDefaults(), seed: maphash.MakeSeed()}
	if p.opts.PerAddress > 0 {
		p.addresses = newAddresses(&p.opts)
	}
	for i := range p.shards {
		p.shards[i].hosts = make(map[string]*host)
		p.shards[i].sweep = max(1, p.opts.MaxHosts/shardCount)
	}
	return p
}

// Wait says until when a host must be left alone, and why. The zero Wait means
// that it may be asked now.
type Wait struct {
	Until  time.Time
	Reason string // one of the Reason constants
	// Err is why the state of the host could not be read. The host then stays
	// unasked (back-off) until it can.
	Err error
}

// Slot is the right to send one request. It ends with one call of Observe or
// Release; further calls do nothing.
type Slot struct {
	shard    *shard
	host     *host
	address  string
	number   uint32    // among the slots of the host
	start    time.Time // the time of admission
	previous time.Time // the last start before this one
	heard    bool      // the head of the answer has been counted
	returned bool      // guarded, like heard, by the shard's mutex
}

// Start is the moment of admission.
func (s *Slot) Start() time.Time { return s.start }

// Admit takes a slot of a host, and of an address, if the host may be asked now;
// else the slot is nil and Wait says until when. host is the host name without
// port (A-labels, lower case); address is any key of the machine behind it, ""
// counts none. Admit never blocks.
func (p *Pacer) Admit(host, address string) (*Slot, Wait) {
	s := p.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := p.opts.Clock() // under the lock: times of a host never run backwards

	h, wait := p.look(s, host, now)
	if wait.Reason == "" && address != "" && p.addresses != nil {
		if ok, until, reason := p.addresses.take(address, now); !ok {
			wait = Wait{Until: until, Reason: reason}
		}
	}
	if wait.Reason != "" {
		s.stats.refuse(wait.Reason)
		return nil, wait
	}
	h.admitted++
	h.inFlight++
	slot := &Slot{
		shard: s, host: h, address: address,
		number: h.admitted, start: now, previous: h.lastStart,
	}
	h.lastStart, h.asked = now, true
	s.stats.InFlight++
	s.stats.Admitted++
	return slot, Wait{}
}

// Next says what Admit would say of the host, without taking anything and
// without regard to addresses.
func (p *Pacer) Next(host string) Wait {
	s := p.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, wait := p.look(s, host, p.opts.Clock())
	return wait
}

// look judges a host by its times and slots. The shard's mutex is held.
func (p *Pacer) look(s *shard, name string, now time.Time) (*host, Wait) {
	h, err := p.touch(s, name, now)
	if err != nil {
		return nil, Wait{Until: now.Add(shelfRetry), Reason: ReasonBackOff, Err: err}
	}
	floor, perHost := p.opts.floor(name)
	next, reason := h.next(&p.opts, floor)
	busy := int(h.inFlight) >= perHost
	switch {
	case next.After(now) && (!busy || reason != ReasonNotYet):
		return h, Wait{Until: next, Reason: reason}
	case busy:
		soon := now.Add(inFlightRetry)
		if next.After(soon) {
			soon = next
		}
		return h, Wait{Until: soon, Reason: ReasonInFlight}
	}
	return h, Wait{}
}

// Release gives a slot back when nothing was sent. If no other request of the
// host has started since, the host is as if it had not been admitted.
func (p *Pacer) Release(slot *Slot) {
	if slot == nil {
		return
	}
	slot.shard.mu.Lock()
	defer slot.shard.mu.Unlock()
	if slot.returned {
		return
	}
	slot.returned = true
	if slot.host.admitted == slot.number {
		slot.host.lastStart = slot.previous
	}
	p.free(slot)
}

// free gives the slot back to host and address. The shard's mutex is held.
func (p *Pacer) free(slot *Slot) {
	slot.host.inFlight--
	slot.shard.stats.InFlight--
	if slot.address != "" && p.addresses != nil {
		p.addresses.give(slot.address)
	}
}

// SetCrawlDelay takes over the Crawl-delay a site has asked for. It is cut at
// Options.MaxCrawlDelay and only counts above the floor; zero or less takes an
// earlier one back. It also counts from a start that has already been made.
func (p *Pacer) SetCrawlDelay(host string, d time.Duration) {
	d = min(max(d, 0), p.opts.MaxCrawlDelay)
	s := p.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := p.touch(s, host, p.opts.Clock())
	if err != nil || h.crawlDelay == d {
		return
	}
	h.crawlDelay = d
	h.unsaved, h.urgent = true, true
}

// Delay is the time from one request start of a host to the next, holds left
// out. For a host that the shelf cannot read it is the floor.
func (p *Pacer) Delay(host string) time.Duration {
	s := p.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	floor, _ := p.opts.floor(host)
	h, err := p.touch(s, host, p.opts.Clock())
	if err != nil {
		return floor
	}
	return h.delay(&p.opts, floor)
}
