package pace

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// addresses bounds what all host names behind one address get together: slots
// in flight and starts a second. It is only entered under a shard's mutex, so
// its own mutex is always the inner one.
type addresses struct {
	slots  int
	perSec rate.Limit
	burst  int

	mu     sync.Mutex
	groups map[string]*address
	sweep  int // size at which idle groups are dropped next
}

type address struct {
	inFlight int
	starts   *rate.Limiter // nil: unbounded
}

// minAddressSweep keeps small crawls from sweeping at all.
const minAddressSweep = 1024

func newAddresses(o *Options) *addresses {
	return &addresses{
		slots:  o.PerAddress,
		perSec: rate.Limit(o.AddressRate),
		burst:  max(1, int(min(o.AddressRate, 1<<20))),
		groups: make(map[string]*address),
		sweep:  minAddressSweep,
	}
}

// take takes a slot of an address. If it cannot, it says when to ask again.
func (a *addresses) take(key string, now time.Time) (ok bool, until time.Time, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.groups[key]
	if g == nil {
		g = a.add(key, now)
	}
	if g.inFlight >= a.slots {
		return false, now.Add(inFlightRetry), ReasonInFlight
	}
	if g.starts != nil && !g.starts.AllowN(now, 1) {
		missing := 1 - g.starts.TokensAt(now)
		wait := time.Duration(missing / float64(a.perSec) * float64(time.Second))
		return false, now.Add(max(wait, time.Millisecond)), ReasonNotYet
	}
	g.inFlight++
	return true, time.Time{}, ""
}

func (a *addresses) give(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if g := a.groups[key]; g != nil {
		g.inFlight--
	}
}

func (a *addresses) add(key string, now time.Time) *address {
	if len(a.groups) >= a.sweep {
		a.dropIdle(now)
	}
	g := &address{}
	if a.perSec > 0 {
		g.starts = rate.NewLimiter(a.perSec, a.burst)
	}
	a.groups[key] = g
	return g
}

// dropIdle forgets addresses without a slot out and with a full bucket: nothing
// distinguishes them from new ones.
func (a *addresses) dropIdle(now time.Time) {
	for key, g := range a.groups {
		if g.inFlight == 0 && (g.starts == nil || g.starts.TokensAt(now) >= float64(a.burst)) {
			delete(a.groups, key)
		}
	}
	a.sweep = max(minAddressSweep, 2*len(a.groups))
}
