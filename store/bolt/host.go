package bolt

import (
	"container/heap"
	"math"
)

// host is what is kept in RAM of a host that has something to do: URLs that
// are ready, URLs in flight, or a queued operation. About 350 octets with its
// places in the maps, plus its buffer once it has been claimed. Guarded by
// Engine.mu.
type host struct {
	id     uint32
	name   string
	paused bool
	next   int64  // ms; not claimed before
	nextBy uint64 // number of the operation that set next
	head   uint64 // no claimable URL has a lower rank
	avail  int    // ready URLs, and future ones found due, that are not in flight
	found  int    // of the future ones found due, those whose move is not committed
	pins   int    // queued operations that name the host
	buf    buffer
	flying []flight
	slots  []*lease // by slot; nil where it is free
	leased int      // slots taken

	class class     // as counted in schedule.classes
	heap  *hostHeap // the one it is in
	at    int       // its index there
}

// flight is a URL that has been handed out and whose settlement is not
// committed yet.
type flight struct {
	entry
	future  bool // its record is in state Future
	pending bool // settled, waiting for the commit
}

func (h *host) flight(hash uint64) *flight {
	for i := range h.flying {
		if h.flying[i].hash == hash {
			return &h.flying[i]
		}
	}
	return nil
}

// land takes a URL out of flight.
func (h *host) land(hash uint64) (f flight, ok bool) {
	for i := range h.flying {
		if h.flying[i].hash == hash {
			f = h.flying[i]
			last := len(h.flying) - 1
			h.flying[i] = h.flying[last]
			h.flying = h.flying[:last]
			if last == 0 {
				h.flying = nil
			}
			return f, true
		}
	}
	return flight{}, false
}

// offer makes a URL claimable.
func (h *host) offer(n entry) {
	h.avail++
	h.head = min(h.head, n.rank)
	h.buf.insert(n)
}

// idle tells whether nothing in RAM is needed for the host.
func (h *host) idle() bool {
	return h.avail <= 0 && h.found == 0 && h.pins == 0 && h.leased == 0 && len(h.flying) == 0
}

// hostHeap is a heap of hosts by next time or by head. Of equal heads the one goes
// first that could have been asked the longest: else, with more hosts ready than
// workers can ask, the first hosts would come round again before the last are asked
// at all.
type hostHeap struct {
	hosts  []*host
	byHead bool
}

func (q *hostHeap) Len() int { return len(q.hosts) }

func (q *hostHeap) Less(i, j int) bool {
	a, b := q.hosts[i], q.hosts[j]
	if q.byHead && a.head != b.head {
		return a.head < b.head
	}
	return a.next < b.next || a.next == b.next && a.id < b.id
}

func (q *hostHeap) Swap(i, j int) {
	q.hosts[i], q.hosts[j] = q.hosts[j], q.hosts[i]
	q.hosts[i].at, q.hosts[j].at = i, j
}

func (q *hostHeap) Push(x any) {
	h := x.(*host)
	h.at, h.heap = len(q.hosts), q
	q.hosts = append(q.hosts, h)
}

func (q *hostHeap) Pop() any {
	last := len(q.hosts) - 1
	h := q.hosts[last]
	q.hosts[last] = nil
	q.hosts = q.hosts[:last]
	h.heap = nil
	return h
}

// first is the time of the first host, or the end of time.
func (q *hostHeap) first() int64 {
	if len(q.hosts) == 0 {
		return math.MaxInt64
	}
	return q.hosts[0].next
}

// put moves a host into the heap q, nil for none, or to its new place in it.
func (h *host) put(q *hostHeap) {
	switch {
	case h.heap == q && q != nil:
		heap.Fix(q, h.at)
	default:
		if h.heap != nil {
			heap.Remove(h.heap, h.at)
		}
		if q != nil {
			heap.Push(q, h)
		}
	}
}
