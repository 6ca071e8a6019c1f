package pace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Shelf keeps the state of hosts over restarts. It must be safe for concurrent
// use and must not call the Pacer.
type Shelf interface {
	// LoadPace reads the last saved state of a host, ok is false if there is
	// none. It is called under a lock and should not wait.
	LoadPace(host string) (state []byte, ok bool, err error)
	// SavePace replaces the state of a host. It is durable on return. next is
	// the earliest next start, for stores that order by it.
	SavePace(host string, next time.Time, state []byte) error
}

// load reads a host at its first touch.
func (p *Pacer) load(s *shard, name string, now time.Time) (*host, error) {
	h := &host{name: name}
	if p.opts.Shelf != nil {
		state, ok, err := p.opts.Shelf.LoadPace(name)
		if err != nil {
			return nil, fmt.Errorf("pace: load %q: %w", name, err)
		}
		if ok {
			r, err := decodeRecord(state)
			if err != nil {
				// The record will not become readable by trying again. The host
				// counts as asked just now, as after a crash.
				s.stats.ShelfErrors++
				h.lastStart = now
			} else {
				h.restore(&p.opts, r, now)
			}
		}
	}
	if p.opts.Restarted && h.lastStart.Before(p.opts.StartedAt) {
		h.lastStart = p.opts.StartedAt
		h.settleClock(&p.opts, now)
	}
	return h, nil
}

// save makes the present state of a host durable.
func (p *Pacer) save(s *shard, h *host) error {
	if p.opts.Shelf == nil {
		return nil
	}
	h.saving.Lock()
	defer h.saving.Unlock()

	s.mu.Lock()
	r := h.handOver(&p.opts)
	s.mu.Unlock()

	err := p.opts.Shelf.SavePace(h.name, r.next, r.encode())
	if err == nil {
		return nil
	}
	s.mu.Lock()
	h.asked, h.unsaved, h.urgent = true, true, true
	s.stats.ShelfErrors++
	s.mu.Unlock()
	return fmt.Errorf("pace: save %q: %w", h.name, err)
}

// State is the record of a host for the caller to store together with what else
// belongs to the request, in one transaction; LoadPace must return it. It is 48
// octets. The caller takes over: the host may be dropped from memory once its
// next time has passed. It is nil if the host cannot be read from the shelf.
func (p *Pacer) State(host string) []byte {
	s := p.shard(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := p.touch(s, host, p.opts.Clock())
	if err != nil {
		return nil
	}
	return h.handOver(&p.opts).encode()
}

// flushWorkers is how many saves run at once, so that a shelf that commits in
// groups can.
const flushWorkers = 16

// restartMemory is how long after a restart a stop does not count as clean. It
// is above every delay but an operator's own Floor of more than an hour.
const restartMemory = time.Hour

// Flush makes every host durable whose state has changed since it was stored. It belongs to a stop, when no slot is out, and
// returns all errors joined. When ctx ends, hosts not yet saved are left.
//
// clean says whether the next process may be told that this one stopped cleanly
// (Options.Restarted false). It may not after an error, nor soon after a restart:
// hosts that this process has not touched may still owe the wait that began
// before it.
func (p *Pacer) Flush(ctx context.Context) (clean bool, err error) {
	if err := p.flush(ctx); err != nil {
		return false, err
	}
	return !p.opts.Restarted || p.opts.Clock().Sub(p.opts.StartedAt) > restartMemory, nil
}

func (p *Pacer) flush(ctx context.Context) error {
	if p.opts.Shelf == nil {
		return nil
	}
	var (
		work = make(chan *host)
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for range flushWorkers {
		wg.Go(func() {
			for h := range work {
				if err := p.save(p.shard(h.name), h); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for i := range p.shards {
		for _, h := range p.pending(&p.shards[i]) {
			select {
			case work <- h:
			case <-ctx.Done():
			}
		}
	}
	close(work)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		errs = append(errs, fmt.Errorf("pace: flush: %w", err))
	}
	return errors.Join(errs...)
}

func (p *Pacer) pending(s *shard) []*host {
	now := p.opts.Clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*host
	for _, h := range s.hosts {
		if h.unsaved || h.asked && !h.quiet(&p.opts, now) {
			list = append(list, h)
		}
	}
	return list
}
