package registry

import (
	"context"
	"errors"
	"net/http"
)

// request is an authenticated write.
type request struct {
	publisher string
	action    string
	domain    string
	// Preconditions (RFC 9110 13.1): nil fields were not sent.
	ifMatch, ifNoneMatch []string
}

// Prices of writes in tenths, from the bucket of the publisher.
const (
	priceWrite = 10
	priceCheck = 100
)

// writer wraps the handler of a write: it authenticates, keeps the pace of the
// publisher, reads the domain, and sees to it that a refusal is in the log.
func (s *Server) writer(action string, serve func(http.ResponseWriter, *http.Request, *request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Content-Type-Options"] = noSniff
		p, err := s.authenticate(r)
		if err != nil {
			s.refuseStranger(w, r, err)
			return
		}
		q := &request{publisher: p.ID, action: action, ifMatch: r.Header["If-Match"], ifNoneMatch: r.Header["If-None-Match"]}
		price := float64(priceWrite)
		if action == "check" {
			price = priceCheck
		}
		if a := s.writes.spend(p.ID, price, false); !a.ok {
			limited := refuse(http.StatusTooManyRequests, "rate-limited", "too many writes of this publisher")
			limited.retry = max(1, int(a.wait.Seconds()+1))
			limited.write(w, s.docs)
			return
		}
		if q.domain, err = writeDomain(r.PathValue("domain")); err == nil {
			err = serve(w, r, q)
		}
		if err == nil {
			s.counts.writesAccepted.Add(1)
			return
		}
		s.counts.writesRefused.Add(1)
		if err := s.logRefusal(r.Context(), q, err); err != nil {
			s.answerError(w, r, err)
			return
		}
		s.answerError(w, r, err)
	})
}

// refuseStranger answers a write without a publisher. It is paid like a read and
// not logged: nothing is known but an address.
func (s *Server) refuseStranger(w http.ResponseWriter, r *http.Request, err error) {
	s.reader(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answerError(w, r, err) })).ServeHTTP(w, r)
}

// writeDomain accepts the one form of a registrable domain. A write to another
// form is refused and not redirected, so that nothing is stored by accident
// (BC-D-004).
func writeDomain(name string) (string, error) {
	domain, err := registrable(name)
	if err != nil {
		return "", domainProblem(err)
	}
	if name != domain {
		return "", refuse(http.StatusUnprocessableEntity, "domain-form", "cards are written to /v1/site/"+domain)
	}
	return domain, nil
}

// logRefusal writes the line of a write that was not carried out.
func (s *Server) logRefusal(ctx context.Context, q *request, err error) error {
	var p *problem
	if !errors.As(err, &p) || q.domain == "" {
		return nil
	}
	return s.shelf.update(ctx, func(b *batch) error {
		e := q.entry("refused", p.code)
		if known := b.site(q.domain); known != nil && known.hasCard() {
			e.Before = known.etag.String()
			e.After = e.Before
		}
		b.log(e)
		return nil
	})
}

func (q *request) entry(outcome, reason string) logEntry {
	return logEntry{Publisher: q.publisher, Action: q.action, Domain: q.domain, Outcome: outcome, Reason: reason}
}
