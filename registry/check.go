package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// CheckReport is the outcome of a proof check and the state it leads to.
type CheckReport struct {
	Domain string `json:"domain"`
	// Publisher is the one whose tokens were looked for.
	Publisher string `json:"publisher"`
	// Found is well-known-file or dns-txt, unverified if neither was found,
	// pending if the check could not tell.
	Found string `json:"found"`
	Note  string `json:"note,omitempty"`
	// Admitted says that the publisher did not write the card and may do so now.
	Admitted bool `json:"admitted,omitempty"`
	// The card's own state after the check.
	Method  string     `json:"method"`
	State   string     `json:"state"` // fresh, stale or unproven
	Checked *time.Time `json:"checked"`
	Listed  bool       `json:"listed"`
}

// state is the word of the draft for the state of a card.
func (s *site) state() string {
	switch {
	case !s.proof.method.Proven():
		return "unproven"
	case s.stale:
		return "stale"
	}
	return "fresh"
}

func reportOf(s *site, publisher string, f Finding) CheckReport {
	r := CheckReport{Domain: s.domain, Publisher: publisher, Found: f.Method.String(), Note: clipNote(f.Note),
		Admitted: publisher != s.publisher && f.Method.Proven(),
		Method:   s.proof.method.String(), State: s.state(), Listed: s.listed}
	if s.stale {
		r.Method = "stale"
	}
	if s.proof.checked != 0 {
		at := s.proof.checked.time()
		r.Checked = &at
	}
	return r
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

// record stores what a check has found out. A pass of another publisher than the
// writer says nothing about the card: it lets that publisher in.
func (b *batch) record(domain, publisher string, f Finding, draw float64) (*site, error) {
	known := b.site(domain)
	if known == nil || !known.hasCard() {
		return nil, errNotListed
	}
	if f.Method.Proven() && revokedAt(b.tx, domain, publisher) != 0 {
		return known, nil // revoked while the check was on its way
	}
	next := *known
	if publisher != known.publisher {
		if !f.Method.Proven() {
			return known, nil
		}
		next.admitted = &admission{publisher: publisher, method: f.Method, at: b.now, validated: f.Validated && f.Method == DNSTXT, crawl: f.Crawl}
		return &next, b.store(&next)
	}
	next.proof = known.proof.after(f, publisher, b.now)
	next.stale = known.stale && next.proof.method.Proven() && !f.Method.Proven()
	next.listed = known.listed || next.proof.method.Proven()
	next.next = next.proof.due(next.window, b.now, draw)
	return &next, b.put(&next)
}

// requestCheck answers POST /v1/site/{domain}/check: it checks the publisher's
// own tokens now and tells what came of it.
func (s *Server) requestCheck(w http.ResponseWriter, r *http.Request, q *request) error {
	err := s.shelf.update(r.Context(), func(b *batch) error {
		if err := b.authorize(q.publisher, q.domain); err != nil {
			return err
		}
		b.log(q.entry("accepted", ""))
		return nil
	})
	if err == nil {
		err = s.current(r.Context())
	}
	if err != nil {
		return err
	}
	report, err := s.check(r.Context(), q.domain, q.publisher)
	if errors.Is(err, ErrNoProver) {
		return refuse(http.StatusServiceUnavailable, "no-checks", "this registry does not check proofs now")
	}
	if err != nil {
		return err
	}
	sendJSON(w, http.StatusOK, encode(report))
	return nil
}

// Check checks the proof of a card now, with the tokens of its writer.
// ErrNotFound means that there is no card.
func (a Admin) Check(ctx context.Context, name string) (CheckReport, error) {
	domain, err := registrable(name)
	if err != nil {
		return CheckReport{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := a.server.current(ctx); err != nil {
		return CheckReport{}, err
	}
	report, err := a.server.check(ctx, domain, "")
	if errors.Is(err, errNotListed) {
		err = ErrNotFound
	}
	if err != nil {
		return CheckReport{}, fmt.Errorf("registry: check %q: %w", domain, err)
	}
	return report, nil
}

// RegistrationChanged tells that the registration data of a domain has changed:
// its proof is checked within a day, because it may be another owner's now
// (BC-P-024).
func (a Admin) RegistrationChanged(ctx context.Context, name string) error {
	domain, err := registrable(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	found := false
	draw := a.server.o.Draw()
	err = a.server.shelf.update(ctx, func(b *batch) error {
		known := b.site(domain)
		if found = known != nil && known.hasCard(); !found {
			return nil
		}
		next := *known
		next.next = min(known.next, b.now.add(time.Duration(draw*float64(changedWithin))))
		return b.store(&next)
	})
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("registry: registration of %q changed: %w", domain, err)
	}
	a.server.checker.wake()
	return nil
}
