package bolt

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"time"

	"heed/frontier"
)

// lease is a live grant. Guarded by Engine.mu.
type lease struct {
	host     *host
	slot     int
	token    uint64
	deadline int64 // ms
	urls     []leased
	at       int // index in the heap
}

type leased struct {
	hash uint64
	url  string
}

// leaseHeap is a heap of leases by deadline.
type leaseHeap []*lease

func (q leaseHeap) Len() int           { return len(q) }
func (q leaseHeap) Less(i, j int) bool { return q[i].deadline < q[j].deadline }
func (q leaseHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

func (q *leaseHeap) Push(x any) {
	l := x.(*lease)
	l.at = len(*q)
	*q = append(*q, l)
}

func (q *leaseHeap) Pop() any {
	old := *q
	last := len(old) - 1
	l := old[last]
	old[last] = nil
	*q = old[:last]
	return l
}

func (q leaseHeap) first() int64 {
	if len(q) == 0 {
		return math.MaxInt64
	}
	return q[0].deadline
}

// find returns the live lease that has this name, nil if its token is no
// longer current.
func (e *Engine) find(name string, slot int, token uint64) *lease {
	h := e.byName[name]
	if h == nil || slot < 0 || slot >= len(h.slots) {
		return nil
	}
	if l := h.slots[slot]; l != nil && l.token == token {
		return l
	}
	return nil
}

// end frees the slot of a lease. Its URLs stay in flight.
func (e *Engine) end(l *lease) {
	heap.Remove(&e.leases, l.at)
	l.host.slots[l.slot] = nil
	l.host.leased--
}

// giveBack makes a URL of an ended lease ready again, unchanged.
func (e *Engine) giveBack(h *host, hash uint64) {
	f, ok := h.land(hash)
	if !ok {
		return
	}
	e.flying--
	h.offer(f.entry)
	if f.future {
		h.found++
		e.found[urlKeyOf(h.id, hash)] = f.rank
	}
}

// lapse ends the leases whose deadline has passed. The holder may have asked
// the host just before, so the host waits one delay more.
func (e *Engine) lapse(now int64) {
	for e.leases.first() <= now {
		l := e.leases[0]
		h := l.host
		e.end(l)
		for _, u := range l.urls {
			e.giveBack(h, u.hash)
		}
		h.next = max(h.next, l.deadline+e.delay(h.name, e.pace(h.id)))
		e.place(h, now)
	}
}

// Extend moves the deadline of grants to now+ttl. If one of them is no longer
// current the answer is [frontier.ErrStale]; the others are extended.
func (e *Engine) Extend(ctx context.Context, grants []frontier.GrantRef, ttl time.Duration) error {
	return e.eachLease(ctx, "extend", grants, func(l *lease, now int64) {
		l.deadline = now + ttl.Milliseconds()
		heap.Fix(&e.leases, l.at)
	})
}

// Release gives grants back unused. If one of them is no longer current the
// answer is [frontier.ErrStale]; the others are released.
func (e *Engine) Release(ctx context.Context, grants []frontier.GrantRef) error {
	return e.eachLease(ctx, "release", grants, func(l *lease, now int64) {
		e.end(l)
		for _, u := range l.urls {
			e.giveBack(l.host, u.hash)
		}
		e.place(l.host, now)
		e.wake()
	})
}

func (e *Engine) eachLease(ctx context.Context, verb string, grants []frontier.GrantRef, do func(l *lease, now int64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(); err != nil {
		return fmt.Errorf("bolt: %s: %w", verb, err)
	}
	now := e.now()
	if err := e.advance(now); err != nil {
		return fmt.Errorf("bolt: %s: %w", verb, err)
	}
	var err error
	for _, g := range grants {
		if l := e.find(g.Host, g.Slot, g.Token); l != nil {
			do(l, now)
		} else if err == nil {
			err = fmt.Errorf("bolt: %s grant %d of %s: %w", verb, g.Token, g.Host, frontier.ErrStale)
		}
	}
	return err
}
