package registry

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

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
