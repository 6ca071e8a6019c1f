package bolt

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"heed/frontier"
)

var errReadOnly = errors.New("bolt: file was opened read-only")

// write is the writer: the one goroutine that commits. It ends when the engine
// is closed and the queue is empty.
func (e *Engine) write() {
	defer close(e.stopped)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		e.mu.Lock()
		closed, empty := e.closed, len(e.queue.ops) == 0
		if closed && empty {
			e.mu.Unlock()
			return
		}
		wait := time.Hour
		switch {
		case empty:
		case closed, e.failed != nil:
			wait = 0
		default:
			wait = e.queue.wait(&e.o)
		}
		if wait > 0 {
			e.mu.Unlock()
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-e.queue.bell:
			}
			continue
		}
		group, err := e.queue.take(&e.o), e.failed
		e.mu.Unlock()
		if err == nil && len(group) > 0 {
			err = e.commit(group)
		}
		for _, o := range group {
			if o.done != nil {
				o.done(o, err)
			}
		}
	}
}

// commit makes one group durable and then tells the schedule. The attachments
// go first: a crash in between leaves them behind the marks, where they are cut
// off. After an error the engine takes no more writes, because neither the
// file nor the attachments are known to be what the schedule thinks.
func (e *Engine) commit(group []*op) error {
	marks, err := e.attach(group)
	var b *batch
	if err == nil {
		err = guard(func() (err error) {
			b, err = e.apply(group, marks)
			return err
		})
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.publishing.Broadcast()
	if err != nil {
		e.failed = fmt.Errorf("bolt: commit: %w", classify(err))
		e.wakeAll()
		return e.failed
	}
	e.meta, e.totals, e.arena = b.meta, b.meta, b.arena
	if marks != nil {
		e.marks = maps.Clone(marks)
	}
	e.publish(b, group)
	e.published = b.txid
	return nil
}

// attach hands the attachments of the group to BeforeCommit.
func (e *Engine) attach(group []*op) (frontier.Marks, error) {
	var all []frontier.Attachment
	for _, o := range group {
		all = append(all, o.attach...)
	}
	if len(all) == 0 || e.o.Before == nil {
		return nil, nil
	}
	return e.o.Before(all)
}
