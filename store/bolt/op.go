package bolt

import (
	"context"

	"heed/frontier"
)

type opKind uint8

const (
	opFlush   opKind = iota // nothing but the commit
	opSettle                // outcomes, links, host: also Discover and SavePace
	opUpdate                // UpdateHost
	opPut                   // a document or a note
	opPromote               // future entries that came due become ready
	opRenew                 // one step of Renew
)

// op is an operation that waits for its commit.
type op struct {
	kind opKind
	seq  uint64 // place in the queue
	done func(*op, error)

	// Of a host, for opSettle and opUpdate.
	name string // "" if no host is concerned
	host *host  // pinned, nil if it was not in RAM
	next int64  // ms, 0 leaves it
	pace []byte // nil leaves it

	// opSettle
	live     bool // outcomes are of a grant that was current
	stale    bool
	outcomes []outcome
	links    []link
	attach   []frontier.Attachment
	tally    frontier.Tally
	spent    frontier.Spent
	added    int // result

	// opUpdate
	version uint64
	paused  *bool
	refused bool // result: the version was another one

	// opPut; a nil value deletes
	bucket, key, value []byte

	// opPromote
	due []futureKey

	// opRenew
	pass     uint64
	renewNow int64 // ms
	refresh  bool
	renewed  int  // result
	complete bool // result
}

type outcome struct {
	hash uint64
	frontier.Outcome
}

type link struct {
	hash uint64
	frontier.Candidate
}

// weight is the number of operations, for the size of a group.
func (o *op) weight() int { return 1 + len(o.links) + len(o.outcomes) + len(o.due) }

// do queues an operation and waits for its commit. When ctx ends first the
// operation may still be committed.
func (e *Engine) do(ctx context.Context, o *op) error {
	result := make(chan error, 1)
	o.done = func(_ *op, err error) { result <- err }
	if err := e.enqueue(ctx, o, true, nil); err != nil {
		return err
	}
	return await(ctx, result)
}

func await(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue takes an operation into the queue, waiting while that is full. Under
// the same lock, just before, admit may change the schedule or refuse. A
// caller that is going to wait for the commit sets urgent.
func (e *Engine) enqueue(ctx context.Context, o *op, urgent bool, admit func() error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.mu.Lock()
		if err := e.usable(); err != nil {
			e.mu.Unlock()
			return err
		}
		if e.queue.full(&e.o) {
			space := e.queue.space
			e.queue.hurry()
			e.mu.Unlock()
			select {
			case <-space:
			case <-ctx.Done():
			}
			continue
		}
		if admit != nil {
			if err := admit(); err != nil {
				e.mu.Unlock()
				return err
			}
		}
		e.push(o, urgent)
		e.mu.Unlock()
		return nil
	}
}

// push queues an operation and pins its host. The caller holds mu.
func (e *Engine) push(o *op, urgent bool) {
	o.seq = e.queue.push(o, urgent)
	if o.name == "" {
		return
	}
	o.host = e.byName[o.name]
	now := o.next != 0 && o.kind != opUpdate // an update may yet be refused
	if o.host == nil {
		if now {
			p := e.pinned[o.name]
			e.pinned[o.name] = pin{next: o.next, by: o.seq, count: p.count + 1}
		}
		return
	}
	o.host.pins++
	if now {
		o.host.next, o.host.nextBy = o.next, o.seq
	}
	e.place(o.host, e.now())
}
