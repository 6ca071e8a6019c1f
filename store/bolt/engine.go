package bolt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"heed/frontier"
	"heed/politeness"
)

var (
	_ frontier.Engine  = (*Engine)(nil)
	_ politeness.Cache = (*Engine)(nil)
)

// epochShift splits a token: above, how often the file was opened; below, the
// grants since. So a token of an earlier process is never current again.
const epochShift = 32

// Engine is the frontier of one job in one bbolt file. It is safe for
// concurrent use.
type Engine struct {
	db        *bbolt.DB
	o         Options
	key       hashKey
	clean     bool
	uncleanAt int64 // ms
	seen      *seenSet
	stopped   chan struct{} // closed when the writer has ended

	// Owned by the writer; Open fills them before it starts.
	meta  meta
	ids   nameCache
	arena []byte

	mu     sync.Mutex // guards everything below
	closed bool
	failed error // every write answers it
	totals meta  // as of the last commit
	marks  frontier.Marks
	queue  queue
	schedule

	published  int       // last transaction that the schedule knows of
	publishing sync.Cond // published or failed has changed
}

func newEngine(db *bbolt.DB, o Options) *Engine {
	e := &Engine{
		db: db, o: o, seen: newSeenSet(o.Seen), stopped: make(chan struct{}),
		ids: newNameCache(), queue: newQueue(), schedule: newSchedule(),
	}
	e.publishing.L = &e.mu
	return e
}

// now is the engine's clock in milliseconds.
func (e *Engine) now() int64 { return millis(e.o.Clock()) }

// Clean tells whether the stop before this Open was clean. A new file is clean.
func (e *Engine) Clean() bool { return e.clean }

// Marks returns the committed ends of append-only files.
func (e *Engine) Marks() frontier.Marks {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.marks)
}

// view runs f in a read transaction. What f keeps must be copied.
func (e *Engine) view(f func(tx *bbolt.Tx) error) error {
	return guard(func() error {
		tx, err := e.db.Begin(false)
		if errors.Is(err, berrors.ErrDatabaseNotOpen) {
			return frontier.ErrClosed
		}
		if err != nil {
			return err
		}
		defer tx.Rollback()
		return f(tx)
	})
}

// read runs f in a read transaction with mu held, so that file and schedule
// are seen together. It waits out the moment in which a commit is in the file
// and not yet in the schedule.
func (e *Engine) read(ctx context.Context, f func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		if e.closed {
			return frontier.ErrClosed
		}
		if err := e.advance(e.now()); err != nil {
			return err
		}
		ahead := false
		err := e.view(func(tx *bbolt.Tx) error {
			if ahead = tx.ID() > e.published && e.failed == nil; ahead {
				return nil
			}
			return f(tx)
		})
		if !ahead {
			return err
		}
		e.publishing.Wait()
	}
}

// open tells whether reading is possible.
func (e *Engine) open(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return frontier.ErrClosed
	}
	return nil
}

// usable tells whether writing is possible. The caller holds mu.
func (e *Engine) usable() error {
	switch {
	case e.closed:
		return frontier.ErrClosed
	case e.failed != nil:
		return e.failed
	case e.o.ReadOnly:
		return errReadOnly
	}
	return nil
}

// Flush returns when everything queued so far is durable.
func (e *Engine) Flush(ctx context.Context) error {
	if err := e.do(ctx, &op{kind: opFlush}); err != nil {
		return fmt.Errorf("bolt: flush: %w", err)
	}
	return nil
}

// Close flushes, marks a clean stop and closes the file. Grants that are still
// live end with it; their URLs are ready the next time. Only the first call
// does anything.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		<-e.stopped
		return nil
	}
	e.closed = true
	e.queue.kick()
	e.wakeAll()
	e.mu.Unlock()
	<-e.stopped

	err := e.failed
	if !e.o.ReadOnly && err == nil {
		err = e.markClean()
	}
	if cerr := e.db.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("bolt: close: %w", err)
	}
	return nil
}

func (e *Engine) markClean() error {
	return guard(func() error {
		tx, err := e.db.Begin(true)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		e.meta.clean = true
		if err := tx.Bucket(bucketMeta).Put(keyState, e.meta.append(nil)); err != nil {
			return err
		}
		return classify(tx.Commit())
	})
}
