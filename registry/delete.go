package registry

import "net/http"

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
