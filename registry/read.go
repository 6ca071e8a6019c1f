package registry

import (
	"errors"
	"net/http"
)

// cardCache is the Cache-Control of a card. A mirror may keep one for a day, as
// the feed tells it what has changed; shared caches, which follow no feed, for
// five minutes. A card that is not listed may be proven any moment.
func cardCache(s *site) string {
	if s.listed {
		return "public, max-age=86400, s-maxage=300"
	}
	return "public, max-age=60"
}

// domainProblem tells what is wrong with the name in a path.
func domainProblem(err error) *problem {
	if errors.Is(err, errDomainSuffix) {
		return refuse(http.StatusBadRequest, "public-suffix", "a public suffix belongs to nobody and has no card")
	}
	return refuse(http.StatusBadRequest, "domain", "this is not a domain name")
}

var errNotListed = refuse(http.StatusNotFound, "not-listed", "the registry has no card of this domain")

// locate finds the card that a path means: the domain itself, or false after an
// answer. Another form of the name of a card is sent to its one form (BC-R-904).
func (s *Server) locate(w http.ResponseWriter, r *http.Request, rest string) (*site, bool) {
	name := r.PathValue("domain")
	domain, err := registrable(name)
	if err != nil {
		domainProblem(err).write(w, s.docs)
		return nil, false
	}
	if err := s.current(r.Context()); err != nil {
		s.answerError(w, r, err)
		return nil, false
	}
	known := s.shelf.lookup(domain)
	if known == nil || !known.hasCard() {
		w.Header().Set("Cache-Control", "public, max-age=60")
		errNotListed.write(w, s.docs)
		return nil, false
	}
	if name != domain {
		h := w.Header()
		h.Set("Location", s.base+"/v1/site/"+domain+rest)
		h.Set("Cache-Control", "public, max-age=3600")
		w.WriteHeader(http.StatusPermanentRedirect)
		return nil, false
	}
	return known, true
}

// answer sends a document and counts the read.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, d *document) {
	if d.send(w, r) {
		s.counts.reads.Add(1)
		return
	}
	s.counts.notModified.Add(1)
}

// readCard answers GET /v1/site/{domain} (BC-R-017, BC-R-018). A card that was
// never proven is shown to whoever asks for its domain and nowhere else
// (BC-R-906).
func (s *Server) readCard(w http.ResponseWriter, r *http.Request) {
	known, ok := s.locate(w, r, "")
	if !ok {
		return
	}
	if unchanged(w, r, known.etag.quoted(), cardCache(known)) { // without the card itself
		s.counts.notModified.Add(1)
		return
	}
	_, d, err := s.served(known.domain)
	switch {
	case err != nil:
		s.answerError(w, r, err)
	case d == nil: // removed in between
		errNotListed.write(w, s.docs)
	default:
		s.answer(w, r, d)
	}
}
