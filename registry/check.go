package registry

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// checkPatience bounds one check whatever the prover does.
const checkPatience = 30 * time.Second

// checker keeps checks apart: a bounded number at a time, and one for a domain
// and publisher.
type checker struct {
	slots chan struct{}
	bell  chan struct{} // wakes the scheduler

	mu      sync.Mutex
	flights map[pair]*flight
}

type pair struct{ domain, publisher string }

// flight is a check on its way; done is closed when the rest is set.
type flight struct {
	done   chan struct{}
	report CheckReport
	err    error
}

func newChecker(slots int) *checker {
	return &checker{slots: make(chan struct{}, slots), bell: make(chan struct{}, 1), flights: make(map[pair]*flight)}
}

func (c *checker) wake() {
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// check looks for a publisher's tokens, those of the card's writer if none is
// named, and records what it finds. Whoever asks for a check that is on its way
// gets its result.
func (s *Server) check(ctx context.Context, domain, publisher string) (CheckReport, error) {
	known := s.shelf.lookup(domain)
	switch {
	case known == nil || !known.hasCard():
		return CheckReport{}, errNotListed
	case s.o.Prover == nil:
		return CheckReport{}, ErrNoProver
	case publisher == "":
		publisher = known.publisher
	}
	c, key := s.checker, pair{domain, publisher}
	c.mu.Lock()
	if f := c.flights[key]; f != nil {
		c.mu.Unlock()
		select {
		case <-f.done:
			return f.report, f.err
		case <-ctx.Done():
			return CheckReport{}, context.Cause(ctx)
		}
	}
	f := &flight{done: make(chan struct{})}
	c.flights[key] = f
	c.mu.Unlock()
	f.report, f.err = s.perform(ctx, known, publisher)
	c.mu.Lock()
	delete(c.flights, key)
	c.mu.Unlock()
	close(f.done)
	return f.report, f.err
}

// perform carries out one check. A check that ctx ended found nothing and is not
// recorded.
func (s *Server) perform(ctx context.Context, known *site, publisher string) (CheckReport, error) {
	select {
	case s.checker.slots <- struct{}{}:
		defer func() { <-s.checker.slots }()
	case <-ctx.Done():
		return CheckReport{}, context.Cause(ctx)
	}
	q, err := s.shelf.question(known, publisher)
	if err != nil {
		return CheckReport{}, err
	}
	f := Finding{Method: Unverified, Note: "no verification token has been issued"}
	if len(q.Tokens) > 0 {
		f = s.prove(ctx, q)
		if ctx.Err() != nil {
			return CheckReport{}, context.Cause(ctx)
		}
	}
	var next *site
	if err := s.shelf.update(ctx, func(b *batch) error {
		next, err = b.record(known.domain, publisher, f, s.o.Draw())
		return err
	}); err != nil {
		return CheckReport{}, err
	}
	switch {
	case f.Method.Proven():
		s.counts.checksPassed.Add(1)
	case f.Method == Unverified:
		s.counts.checksFailed.Add(1)
	default:
		s.counts.checksInconclusive.Add(1)
	}
	s.checker.wake()
	return reportOf(next, publisher, f), nil
}

func (s *Server) prove(ctx context.Context, q ProofQuestion) Finding {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	f := s.o.Prover.Prove(ctx, q)
	if f.Method.Proven() && (f.Token < 0 || f.Token >= len(q.Tokens)) {
		return Finding{Method: Pending, Note: "the check went wrong"} // a proof of nothing
	}
	return f
}

// question gathers what a check looks for.
func (s *shelf) question(known *site, publisher string) (ProofQuestion, error) {
	q := ProofQuestion{Domain: known.domain}
	now := instantOf(s.clock())
	err := s.db.View(func(tx *bbolt.Tx) error {
		tokens, err := readTokens(tx, known.domain, publisher)
		if err != nil {
			return err
		}
		q.Tokens = tokens.accepted(now)
		_, raw, err := readCard(tx, known.domain)
		if err != nil { // removed in between, which record will notice
			return nil
		}
		for e := range raw.Member("allow").Elements() {
			token, _ := e.Text()
			q.Allow = append(q.Allow, string(append([]byte(nil), token...)))
		}
		return nil
	})
	return q, err
}
