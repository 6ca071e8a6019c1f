package mirror

import (
	"context"
	"sync"
	"time"

	"heed/registry/card"
)

// registry is the mirror of one registry.
//
// Steps are done by whoever holds turn; state, partial, pollAt, scanAt, rest and
// warned are touched only with it. mu guards what Lookup, Want and Status read
// beside a step; only the holder of turn changes what is under it, but for the
// marks that Want sets.
type registry struct {
	o      *Options
	origin string
	turn   chan struct{} // holds one token
	wake   chan struct{} // Want has named a card that is due

	state   state
	partial *list     // pages of a list that is being read
	pollAt  time.Time // next poll of the snapshot
	scanAt  time.Time // next search for cards that are due
	rest    []string  // due cards nobody wanted, in random order
	warned  map[string]bool

	mu      sync.RWMutex
	entries map[string]*entry
	urgent  []string // due cards somebody wanted
	missed  recent   // domains somebody wanted that were not listed
	known   bool     // which domains are listed is known
	down    bool     // no answer is to be had for now
	status  Status

	unread, unavailable []card.Held // what Lookup says without a card; never changed
}

// entry is what is known about one domain.
type entry struct {
	listed   bool
	wanted   bool      // by Want, at some time
	queued   bool      // in urgent
	missing  bool      // the registry says there is no card
	failures int       // in a row, of reading the card
	due      time.Time // next read if it is wanted
	expires  time.Time // next read if it is not: a short max-age is for those who decide by the card

	href      string      // where the card lies, if not where all lie
	announced string      // entity tag that the change feed named last
	etag      string      // of copy, as it was received
	copy      []card.Held // one, or nil; replaced and never changed
}

func newRegistry(o *Options, origin string) *registry {
	r := &registry{o: o, origin: origin, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		warned: map[string]bool{}, entries: map[string]*entry{}}
	r.turn <- struct{}{}
	r.unread = []card.Held{{Registry: origin, Status: card.Unread}}
	r.unavailable = []card.Held{{Registry: origin, Status: card.Unavailable}}
	r.status.Registry = origin
	return r
}

// lookup is Lookup for this registry.
func (r *registry) lookup(domain string) []card.Held {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e := r.entries[domain]
	switch {
	case e != nil && e.copy != nil:
		return e.copy
	case e != nil && (e.missing || !e.listed) && r.known:
		return nil
	case e == nil && r.known:
		return nil
	case r.down || e != nil && e.failures > 0:
		return r.unavailable
	}
	return r.unread
}

// want is Want for this registry.
func (r *registry) want(domain string) {
	now := r.o.Clock()
	r.mu.RLock()
	e := r.entries[domain]
	listed := e != nil && e.listed
	idle := listed && e.wanted && (e.queued || e.due.After(now)) || !listed && r.missed.has(domain)
	r.mu.RUnlock()
	if idle {
		return
	}
	r.mu.Lock()
	if e = r.entries[domain]; e != nil && e.listed {
		r.mark(domain, e, now)
	} else {
		r.missed.add(domain)
	}
	r.mu.Unlock()
	if !listed {
		return
	}
	select {
	case r.wake <- struct{}{}:
	default: // it is awake already
	}
}

// mark notes that a listed domain is wanted. mu is held.
func (r *registry) mark(domain string, e *entry, now time.Time) {
	if e.wanted = true; !e.queued && !e.due.After(now) {
		e.queued = true
		r.urgent = append(r.urgent, domain)
	}
}

// run does steps as they become due.
func (r *registry) run(ctx context.Context) error {
	for {
		at, err := r.advance(ctx, false)
		if err != nil {
			return err
		}
		timer := time.NewTimer(at.Sub(r.o.Clock()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-r.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// advance does all steps that can be done now and says when the next one can. A
// brief visit leaves cards alone that nobody wanted.
func (r *registry) advance(ctx context.Context, brief bool) (time.Time, error) {
	select {
	case <-r.turn:
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	defer func() { r.turn <- struct{}{} }()
	for {
		if err := ctx.Err(); err != nil {
			return time.Time{}, err
		}
		next, at := r.plan(r.o.Clock(), brief)
		if next == nil {
			return at, nil
		}
		if err := next(ctx); err != nil {
			return time.Time{}, err
		}
	}
}

// plan picks the next step, nil if none can be done before the returned time.
func (r *registry) plan(now time.Time, brief bool) (step func(context.Context) error, at time.Time) {
	if at := later(r.state.NotBefore, r.state.Budget.ready(now)); at.After(now) {
		return nil, at
	}
	s := &r.state
	indexAt, pollAt, feedAt := s.IndexRetry.At, later(r.pollAt, s.PollRetry.At), s.FeedRetry.At
	if !s.Discovered.IsZero() && r.partial == nil {
		indexAt = later(indexAt, s.Discovered.Add(discoverEvery))
	}
	if !s.Reading {
		feedAt = pollAt // there is nothing to read before
	}
	switch {
	case !indexAt.After(now):
		return r.discover, now
	case r.robotsDue():
		return r.readRobots, now
	case s.Reading && !feedAt.After(now):
		return r.readChanges, now
	case !pollAt.After(now) && !s.Reading && !s.Discovered.IsZero():
		return r.poll, now
	}
	if !r.scanAt.After(now) {
		r.scan(now)
	}
	if domain := r.nextCard(now, brief); domain != "" {
		return func(ctx context.Context) error { return r.readCard(ctx, domain) }, now
	}
	at = earlier(indexAt, r.scanAt)
	if !s.Discovered.IsZero() {
		at = earlier(at, feedAt)
	}
	return nil, at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
