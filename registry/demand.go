package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

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
