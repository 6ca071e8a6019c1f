package registry

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// maxGroup bounds the operations of one commit, and with it the pages that a
// transaction holds in memory.
const maxGroup = 1024

// operation is a decision to be taken and made durable by the writer.
type operation struct {
	decide func(*batch) error
	done   chan error
}

// update lets the writer decide and returns when what was decided is durable. A
// *problem is the operation's own refusal; any other error means that nothing
// of it was kept. If ctx ends first the operation may still be carried out.
func (s *shelf) update(ctx context.Context, decide func(*batch) error) error {
	op := &operation{decide: decide, done: make(chan error, 1)}
	s.queueMu.Lock()
	if s.closed {
		s.queueMu.Unlock()
		return ErrClosed
	}
	s.queue = append(s.queue, op)
	s.queueMu.Unlock()
	s.ring()
	select {
	case err := <-op.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *shelf) ring() {
	select {
	case s.bell <- struct{}{}:
	default:
	}
}

// write is the writer. It commits whatever is queued as soon as the last commit
// has ended, and stops when the shelf is closed and the queue is empty.
func (s *shelf) write() {
	defer close(s.stopped)
	for range s.bell {
		for {
			s.queueMu.Lock()
			group := s.queue[:min(len(s.queue), maxGroup)]
			s.queue = s.queue[len(group):]
			closed := s.closed
			s.queueMu.Unlock()
			if len(group) > 0 {
				s.perform(group)
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}

// perform commits a group. If the group cannot be committed, each operation is
// tried on its own, so that one does not fail for another.
func (s *shelf) perform(group []*operation) {
	results, err := s.commit(group)
	if err != nil && len(group) > 1 {
		for i, op := range group {
			one, err := s.commit(group[i : i+1])
			if err == nil {
				err = one[0]
			}
			op.done <- err
		}
		return
	}
	for i, op := range group {
		if err == nil {
			op.done <- results[i]
		} else {
			op.done <- err
		}
	}
}

// commit applies a group in one transaction: the lines of the log first, then
// the state, then memory. A full disk is reported and may pass; after any other
// failure of the disk nothing more is written, because it is not known what the
// files hold.
func (s *shelf) commit(group []*operation) (results []error, err error) {
	if s.failed != nil {
		return nil, s.failed
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return nil, fmt.Errorf("registry: begin: %w", err)
	}
	b := &batch{tx: tx, shelf: s, now: instantOf(s.clock()), meta: s.meta,
		sites: make(map[string]*site), people: make(map[string]*publisher)}
	results = make([]error, len(group))
	for i, op := range group {
		err := op.decide(b)
		if refusal := (*problem)(nil); err != nil && !errors.As(err, &refusal) {
			return nil, errors.Join(err, tx.Rollback())
		}
		results[i] = err
	}
	if !b.dirty && len(b.lines) == 0 {
		return results, tx.Rollback()
	}
	if err := b.finish(); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	if err := s.log.append(b.lines); err != nil {
		return nil, s.fail(errors.Join(err, tx.Rollback()))
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := tx.Commit(); err != nil {
		return nil, s.fail(fmt.Errorf("registry: commit: %w", err))
	}
	s.publish(b)
	return results, nil
}

// fail remembers a failure after which the files cannot be trusted.
func (s *shelf) fail(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
	return err
}

// publish shows readers what is durable now.
func (s *shelf) publish(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.size = b.meta.LogBytes
	s.meta = b.meta
	for id, p := range b.people {
		s.people[id] = p
	}
	changed := make([]*site, 0, len(b.sites))
	for domain, next := range b.sites {
		if next == nil {
			s.catalog.replace(domain, nil)
			continue
		}
		changed = append(changed, next)
	}
	s.catalog.replaceAll(changed)
}
