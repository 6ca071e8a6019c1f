package bolt

import (
	"math"
	"time"

	"go.etcd.io/bbolt"
)

// blockedAfter is the wait from which a host counts as blocked, not waiting.
const blockedAfter = time.Minute

// jumpBack is how far the clock may run backwards before next times are moved
// with it.
const jumpBack = time.Minute

// schedule is what Claim decides by. It is derived from the file and lost with
// the process. Guarded by Engine.mu.
type schedule struct {
	loaded bool // the hosts with ready URLs are in byID
	loadTx int  // the transaction they were read in
	byName map[string]*host
	byID   map[uint32]*host
	pinned map[string]pin // next times, not committed yet, of hosts not in RAM

	ready    hostHeap // may be asked now, best head first
	waiting  hostHeap // have a URL and a free slot, by next time
	starving hostHeap // have a free slot and queued settlements, but no URL, by next time
	classes  [classes]int64

	leases  leaseHeap
	flying  int // URLs in flight
	pending int // of them, those whose grant is over
	token   uint64

	found  map[urlKey]uint64 // future URLs that came due, to their rank, until their move is committed
	peeked futureKey         // everything up to here has been found
	due    int64             // ms; no future entry beyond peeked is due before

	waiters []chan struct{}
	latest  int64 // ms; highest reading of the clock
}

type pin struct {
	next  int64
	by    uint64
	count int
}

type class uint8

const (
	classIdle class = iota
	classReady
	classWaiting
	classBlocked
	classes
)

func newSchedule() schedule {
	return schedule{
		byName: map[string]*host{}, byID: map[uint32]*host{}, pinned: map[string]pin{},
		ready: hostHeap{byHead: true}, found: map[urlKey]uint64{}, latest: math.MinInt64,
	}
}

// loadHosts reads, once, the hosts that have ready URLs. It scans hosts, not
// URLs: about 0.4 µs each.
func (e *Engine) loadHosts(now int64) error {
	if e.loaded {
		return nil
	}
	return e.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketHosts).Cursor()
		var row hostRow
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if !row.decode(v) {
				return damagedHost(k)
			}
			if row.ready > 0 {
				id := reader{b: k}
				h := e.addHost(id.u32(), &row, now)
				h.avail = int(row.ready)
				h.head = row.head
				e.place(h, now)
			}
		}
		e.loaded, e.loadTx = true, tx.ID()
		return nil
	})
}

// addHost puts a host in RAM, with nothing to do yet.
func (e *Engine) addHost(id uint32, row *hostRow, now int64) *host {
	h := &host{id: id, name: string(row.name), paused: row.paused, next: e.earliest(row, now), head: maxU48}
	if p, ok := e.pinned[h.name]; ok {
		h.next, h.nextBy = p.next, p.by
	}
	e.byID[id], e.byName[h.name] = h, h
	return h
}

// place puts a host where it belongs after anything about it has changed, and
// drops it from RAM when nothing is left to do.
func (e *Engine) place(h *host, now int64) {
	free := !h.paused && h.leased < e.o.slots(h.name)
	var q *hostHeap
	c := classIdle
	switch {
	case h.avail > 0 && free && h.next <= now:
		q, c = &e.ready, classReady
	case h.avail > 0 && free:
		q, c = &e.waiting, classWaiting
	case free && h.pins > 0:
		q = &e.starving
	}
	switch {
	case h.avail <= 0 || c == classReady:
	case h.paused, h.next-now > blockedAfter.Milliseconds():
		c = classBlocked
	default:
		c = classWaiting
	}
	h.put(q)
	e.classes[h.class]--
	e.classes[c]++
	h.class = c
	if h.idle() && e.byID[h.id] == h {
		e.classes[c]--
		delete(e.byID, h.id)
		delete(e.byName, h.name)
	}
}

// advance brings the schedule up to now: lapsed grants return, hosts whose
// time has come get ready, future URLs that came due are found.
func (e *Engine) advance(now int64) error {
	if now < e.latest-jumpBack.Milliseconds() {
		e.rewind(e.latest - now)
		e.latest = now
	}
	e.latest = max(e.latest, now)
	if err := e.loadHosts(now); err != nil {
		return err
	}
	e.lapse(now)
	if err := e.findDue(now); err != nil {
		return err
	}
	for e.waiting.first() <= now {
		e.place(e.waiting.hosts[0], now)
	}
	return nil
}

// rewind moves next times and deadlines with a clock that was set back: they
// were meant as spans of waiting.
func (e *Engine) rewind(by int64) {
	for _, h := range e.byID {
		h.next -= by
	}
	for _, l := range e.leases {
		l.deadline -= by
	}
	// All values moved by the same amount, so the heaps are still in order.
}

// wake tells the waiter that came first to look again.
func (e *Engine) wake() {
	if len(e.waiters) > 0 {
		w := e.waiters[0]
		e.waiters = e.waiters[1:]
		close(w)
	}
}

func (e *Engine) wakeAll() {
	for len(e.waiters) > 0 {
		e.wake()
	}
}
