package registry

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
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

// precondition holds If-Match and If-None-Match against what is there.
func (q *request) precondition(s *site) error {
	exists := s != nil && s.hasCard()
	quoted := ""
	if exists {
		quoted = `"` + s.etag.String() + `"`
	}
	if q.ifMatch != nil && (!exists || !matchesStrongly(q.ifMatch, quoted)) {
		return refuse(http.StatusPreconditionFailed, "precondition", "the card is not the one that If-Match names")
	}
	if q.ifNoneMatch != nil && exists {
		for _, field := range q.ifNoneMatch {
			if matchesETag(field, quoted) {
				return refuse(http.StatusPreconditionFailed, "precondition", "there is a card that If-None-Match excludes")
			}
		}
	}
	return nil
}

// matchesStrongly is the comparison of If-Match: a weak tag matches nothing
// (RFC 9110 13.1.1).
func matchesStrongly(fields []string, quoted string) bool {
	for _, field := range fields {
		for one := range strings.SplitSeq(field, ",") {
			if one = strings.TrimSpace(one); one == quoted || one == "*" {
				return true
			}
		}
	}
	return false
}

// putCard answers PUT /v1/site/{domain}: the card replaces the one before, as a
// whole. 200 if it is listed, 202 if it waits for its first proof (BC-R-906).
func (s *Server) putCard(w http.ResponseWriter, r *http.Request, q *request) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	sub, err := s.validate.read(q.domain, body)
	if err != nil {
		return err
	}
	if err := s.current(r.Context()); err != nil {
		return err
	}
	var written *site
	if err := s.shelf.update(r.Context(), func(b *batch) error {
		written, err = b.write(q, sub, s.o.Draw())
		return err
	}); err != nil {
		return err
	}
	s.checker.wake()
	return s.answerCard(w, q.domain, written)
}

// answerCard sends the card as it is served now.
func (s *Server) answerCard(w http.ResponseWriter, domain string, written *site) error {
	_, d, err := s.served(domain)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !written.listed {
		status = http.StatusAccepted
	}
	if d == nil { // removed in between
		w.WriteHeader(status)
		return nil
	}
	w.Header().Set("ETag", d.quoted)
	w.Header().Set("Cache-Control", "no-store")
	sendJSON(w, status, d.octets)
	return nil
}

// readBody reads a JSON body of at most maxBodyBytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != jsonType && !strings.HasSuffix(mediaType, "+json") {
		return nil, refuse(http.StatusUnsupportedMediaType, "media-type", "a card is sent as application/json")
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, refuse(http.StatusUnsupportedMediaType, "media-type", "content codings are not accepted")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, refuse(http.StatusRequestEntityTooLarge, "too-large", "the body is larger than 256 KiB")
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "body", "the body did not arrive")
	}
	return body, nil
}

// firstCheckAfter is when a new card is checked for the first time unless its
// publisher asks before: the owner needs a while to publish the token.
const firstCheckAfter = retryFirst

// write decides about a submission and stores it.
func (b *batch) write(q *request, sub submission, draw float64) (*site, error) {
	known := b.site(q.domain)
	if err := b.authorize(q.publisher, q.domain); err != nil {
		return nil, err
	}
	if err := held(known, q.publisher, b.now); err != nil {
		return nil, err
	}
	if err := q.precondition(known); err != nil {
		return nil, err
	}
	next := site{domain: q.domain}
	before := ""
	if known != nil {
		next = *known
	}
	if next.hasCard() {
		before = known.etag.String()
	}
	carried := false
	next.proof, carried = next.proofFor(q.publisher, b.now)
	next.publisher, next.updated, next.facts, next.window = q.publisher, b.now, sub.facts, sub.window
	next.admitted = nil
	next.listed = next.listed && carried || next.proof.method.Proven()
	// A longer window does not bring a stale card back: no write freshens.
	next.stale = next.proof.method.Proven() && (carried && next.stale || b.now.since(next.proof.checked) > next.window)
	next.next = next.checkAfterWrite(carried, b.now, draw)
	b.buffer = render(b.buffer[:0], sub.raw, &next)
	if len(b.buffer) > maxServedBytes {
		return nil, refuse(http.StatusRequestEntityTooLarge, "too-large", "the card would be served larger than clients accept")
	}
	var err error
	if next.rev, err = b.setCard(q.domain, sub.raw); err != nil {
		return nil, err
	}
	if err := b.put(&next); err != nil {
		return nil, err
	}
	e := q.entry("accepted", "")
	e.Before, e.After = before, next.etag.String()
	b.log(e)
	return &next, nil
}

// checkAfterWrite is when the card is checked next: one that was never checked
// soon, a proven one in time for its window, which may have become shorter.
func (s *site) checkAfterWrite(carried bool, now instant, draw float64) instant {
	switch {
	case !carried || s.next == 0:
		return now.add(firstCheckAfter)
	case s.proof.method.Proven():
		return max(now, min(s.next, s.proof.due(s.window, s.proof.checked, draw)))
	}
	return s.next
}

// deleteCard answers DELETE /v1/site/{domain}.
func (s *Server) deleteCard(w http.ResponseWriter, r *http.Request, q *request) error {
	if err := s.current(r.Context()); err != nil {
		return err
	}
	if err := s.shelf.update(r.Context(), func(b *batch) error { return b.remove(q) }); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// remove deletes a card. Only the publisher that wrote it may, or one whose
// token the owner has published: a removal takes the owner's restrictions away.
func (b *batch) remove(q *request) error {
	known := b.site(q.domain)
	if err := b.authorize(q.publisher, q.domain); err != nil {
		return err
	}
	if err := held(known, q.publisher, b.now); err != nil {
		return err
	}
	if err := q.precondition(known); err != nil {
		return err
	}
	if known == nil || !known.hasCard() {
		return errNotListed
	}
	if known.publisher != q.publisher && !known.admits(q.publisher, b.now) {
		return refuse(http.StatusForbidden, "domain-held", "another publisher wrote this card")
	}
	e := q.entry("accepted", "")
	e.Before = known.etag.String()
	if err := b.drop(known); err != nil {
		return err
	}
	b.log(e)
	return nil
}

// drop removes a card and leaves the word in the feed that it is gone, if the
// feed ever told of it.
func (b *batch) drop(known *site) error {
	if !known.inFeed() {
		return b.forget(known.domain)
	}
	if err := b.dropCard(known.domain); err != nil {
		return err
	}
	return b.put(&site{domain: known.domain, seq: known.seq, removed: known.removed})
}
