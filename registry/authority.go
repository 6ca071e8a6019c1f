package registry

import (
	"net/http"
)

// authorize tells why a publisher may not act for a domain, nil if it may. It is
// asked inside the commit, so that a revocation holds for every write behind it
// (BC-R-035).
func (b *batch) authorize(id, domain string) error {
	p := b.publisher(id)
	switch {
	case p == nil || p.Disabled:
		return refuse(http.StatusForbidden, "publisher-disabled", "this publisher may not write any more")
	case !p.may(domain):
		return refuse(http.StatusForbidden, "not-authorized", "this publisher is not authorized for the domain")
	case revokedAt(b.tx, domain, id) != 0:
		return refuse(http.StatusForbidden, "revoked", "the owner of the domain has revoked this publisher")
	}
	return nil
}

// held tells why a publisher may not write over what is there: the domain is
// proven through another publisher's token, and the owner has planted none of
// this publisher's.
func held(s *site, id string, now instant) error {
	if s == nil || !s.hasCard() || !s.proof.method.Proven() || s.proof.holder == "" || s.proof.holder == id || s.admits(id, now) {
		return nil
	}
	return refuse(http.StatusForbidden, "domain-held",
		"the domain is proven through another publisher's token; have the owner publish yours and ask for a check, or revoke the other publisher")
}

// admits tells whether a check has found the publisher's token not longer ago
// than a proof lasts.
func (s *site) admits(id string, now instant) bool {
	return s.admitted != nil && s.admitted.publisher == id && s.admitted.method.Proven() && now.since(s.admitted.at) <= min(s.window, defaultWindow)
}

// proofFor is the proof state of the card after a write: a write never proves
// and never freshens (BC-R-003, BC-R-027). A publisher whose own token was found
// takes that finding along; the card of any other newcomer starts unproven.
func (s *site) proofFor(id string, now instant) (p proofState, carried bool) {
	switch {
	case s.proof.holder == id, s.proof.holder == "" && s.publisher == id:
		return s.proof, true
	case s.admits(id, now):
		a := s.admitted
		return proofState{method: a.method, holder: id, checked: a.at, proven: a.at, validated: a.validated, crawl: a.crawl,
			note: "proof of this publisher found"}, true
	}
	return proofState{}, false
}
