package bolt

import "time"

// queue holds the operations for the writer. Guarded by Engine.mu.
type queue struct {
	ops         []*op
	settlements int
	weight      int
	first       time.Time // when the oldest one came; monotonic
	urgent      bool      // somebody waits: commit as soon as the writer is free
	seq         uint64
	space       chan struct{} // closed when the writer takes a group
	bell        chan struct{} // tells the writer to look
}

func newQueue() queue {
	return queue{space: make(chan struct{}), bell: make(chan struct{}, 1)}
}

// full tells whether more is queued than two groups hold.
func (q *queue) full(o *Options) bool {
	return q.settlements > 2*o.GroupSettlements || q.weight > 2*o.GroupOps
}

func (q *queue) push(o *op, urgent bool) uint64 {
	if len(q.ops) == 0 {
		q.first = time.Now()
	}
	q.ops = append(q.ops, o)
	q.settlements++
	q.weight += o.weight()
	q.seq++
	if urgent {
		q.urgent = true
	}
	if urgent || len(q.ops) == 1 || q.settlements%64 == 0 {
		q.kick()
	}
	return q.seq
}

// hurry asks for a commit as soon as the writer is free.
func (q *queue) hurry() {
	if len(q.ops) > 0 && !q.urgent {
		q.urgent = true
		q.kick()
	}
}

func (q *queue) kick() {
	select {
	case q.bell <- struct{}{}:
	default:
	}
}

// wait is how long the group may still grow; 0 or less means commit now.
func (q *queue) wait(o *Options) time.Duration {
	if q.urgent || q.settlements >= o.GroupSettlements || q.weight >= o.GroupOps {
		return 0
	}
	return o.CommitWindow - time.Since(q.first)
}

// take removes one group: at least one operation, and no more than the limits.
// What stays behind keeps its urgency.
func (q *queue) take(o *Options) []*op {
	n, weight := 0, 0
	for n < len(q.ops) && n < o.GroupSettlements {
		w := q.ops[n].weight()
		if n > 0 && weight+w > o.GroupOps {
			break
		}
		weight += w
		n++
	}
	group := q.ops[:n:n]
	if n == len(q.ops) {
		q.ops, q.urgent = nil, false
	} else {
		q.ops = q.ops[n:]
	}
	q.settlements -= n
	q.weight -= weight
	close(q.space)
	q.space = make(chan struct{})
	return group
}
