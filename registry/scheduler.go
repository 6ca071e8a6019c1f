package registry

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	maxIdle    = time.Minute // between two looks at the clock, which may jump
	checkAgain = time.Minute // after a check whose result could not be kept
	purgeEvery = time.Hour
	sweepEvery = time.Minute // of the rate limiters
)

// Run checks proofs when they are due, turns cards stale, and forgets what has
// had its time, until ctx ends. It returns when the last check has ended.
func (s *Server) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var purge, sweep instant
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.checker.bell:
		}
		now := instantOf(s.clock())
		if err := s.current(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("cards cannot be turned stale", "error", err)
		}
		if now >= purge {
			purge = now.add(purgeEvery)
			if err := s.purge(ctx, now); err != nil && ctx.Err() == nil {
				s.o.Log.Error("removed cards cannot be forgotten", "error", err)
			}
		}
		if now >= sweep {
			sweep = now.add(sweepEvery)
			s.limiter.forget()
			s.writes.forget()
		}
		wait := maxIdle
		if s.o.Prover != nil {
			for _, due := range s.shelf.dueChecks(now, cap(s.checker.slots)-len(s.checker.slots)) {
				running.Go(func() { s.scheduled(ctx, due) })
			}
			wait = s.shelf.untilCheck(now, len(s.checker.slots) == cap(s.checker.slots))
		}
		timer.Reset(wait)
	}
}

// scheduled carries out a check and puts the appointment back if it is still
// the one that stands.
func (s *Server) scheduled(ctx context.Context, due appointment) {
	_, err := s.check(ctx, due.domain, "")
	if err != nil && !errors.Is(err, errNotListed) {
		if ctx.Err() == nil {
			s.o.Log.Warn("proof check failed", "domain", due.domain, "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(checkAgain):
			}
		}
	}
	s.shelf.rebook(due)
	s.checker.wake()
}

// dueChecks takes out some of the checks whose time has come.
func (s *shelf) dueChecks(now instant, limit int) []appointment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []appointment
	for _, domain := range s.catalog.checks.due(now, limit, s.catalog.checkDue) {
		due = append(due, appointment{s.catalog.sites[domain].next, domain})
	}
	return due
}

// untilCheck is how long nothing is due. While all slots are taken, the end of
// a check wakes the scheduler.
func (s *shelf) untilCheck(now instant, full bool) time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if full || len(s.catalog.checks) == 0 {
		return maxIdle
	}
	return min(max(s.catalog.checks[0].at.since(now), 0), maxIdle)
}

func (s *shelf) rebook(a appointment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catalog.checks.set(a.domain, a.at, s.catalog.checkDue(a))
}

// purge forgets removed cards after Options.KeepRemoved. Cursors from before
// cannot follow the feed any more.
func (s *Server) purge(ctx context.Context, now instant) error {
	limit := now.add(-s.o.KeepRemoved)
	var old []string
	s.shelf.mu.RLock()
	for _, e := range s.shelf.catalog.feed {
		if known := s.shelf.catalog.at(e); known != nil && !known.listed && known.removed < limit {
			old = append(old, e.domain)
		}
	}
	s.shelf.mu.RUnlock()
	for len(old) > 0 {
		part := old[:min(len(old), maxFlips)]
		old = old[len(part):]
		err := s.shelf.update(ctx, func(b *batch) error {
			for _, domain := range part {
				if err := b.forgetRemoval(domain, limit); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) forgetRemoval(domain string, limit instant) error {
	known := b.site(domain)
	if known == nil || known.listed || !known.inFeed() || known.removed >= limit {
		return nil
	}
	b.meta.Floor = max(b.meta.Floor, known.seq)
	if !known.hasCard() {
		return b.forget(domain)
	}
	next := *known
	next.seq, next.removed = 0, 0
	return b.store(&next)
}
