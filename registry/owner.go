package registry

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"time"
)

// ownerTokenLasts is how long an owner has to publish the token of a
// revocation.
const ownerTokenLasts = 7 * 24 * time.Hour

// ownerToken is the token whose publication revokes a publisher's authority for
// a domain. It needs no account and no storage: it is bound to the domain, the
// publisher and the time of its end by the registry's key. Anyone may have it,
// and only the owner can publish it; who replays it revokes the same publisher
// once more.
func (s *Server) ownerToken(domain, publisher string, until instant) string {
	mac := hmac.New(sha256.New, s.shelf.secrets.Owner)
	fmt.Fprintf(mac, "revoke\x00%s\x00%s\x00%d", domain, publisher, until)
	token := binary.BigEndian.AppendUint32(nil, uint32(until))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(token)[:4+20]) // 160 bits of the code
}

// readOwnerToken tells whether a token is one of ours for the pair and still
// good.
func (s *Server) readOwnerToken(token, domain, publisher string, now instant) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != 4+20 {
		return false
	}
	until := instant(binary.BigEndian.Uint32(raw))
	return now <= until && hmac.Equal([]byte(token), []byte(s.ownerToken(domain, publisher, until)))
}

// revokeByOwner answers POST /v1/site/{domain}/revocation for owners, who have
// no account: {"publisher"} gets a token to publish, {"publisher","token"} has
// it looked for and revokes the publisher if it is there (BC-R-035).
func (s *Server) revokeByOwner(w http.ResponseWriter, r *http.Request) {
	err := s.ownerRequest(w, r)
	if err != nil {
		s.answerError(w, r, err)
	}
}

func (s *Server) ownerRequest(w http.ResponseWriter, r *http.Request) error {
	domain, err := writeDomain(r.PathValue("domain"))
	if err != nil {
		return err
	}
	doc, err := readCommand(w, r)
	if err != nil {
		return err
	}
	publisher, _ := doc.Member("publisher").Text()
	if !publisherID.MatchString(publisher) || s.shelf.publisher(publisher) == nil {
		p := refuse(http.StatusUnprocessableEntity, "no-publisher", "name the publisher as listed_by does")
		p.pointer = "/publisher"
		return p
	}
	now := instantOf(s.clock())
	token, _ := doc.Member("token").Text()
	if token == "" {
		until := now.add(ownerTokenLasts)
		sendJSON(w, http.StatusAccepted, encode(struct {
			placement
			Publisher string `json:"publisher"`
			Expires   string `json:"expires"`
		}{placementOf(domain, s.ownerToken(domain, publisher, until)), publisher, until.String()}))
		return nil
	}
	if !s.readOwnerToken(token, domain, publisher, now) {
		return refuse(http.StatusForbidden, "owner-token", "the token is not of this registry, domain and publisher, or has expired")
	}
	if err := s.proveOwner(r, domain, token); err != nil {
		return err
	}
	if err := s.revoke(r.Context(), domain, publisher, "owner"); err != nil {
		return err
	}
	sendJSON(w, http.StatusOK, encode(map[string]string{"domain": domain, "publisher": publisher, "state": "revoked"}))
	return nil
}

// proveOwner looks for the owner's token. It shares the slots of all checks and
// refuses when they are taken, because strangers can ask for it.
func (s *Server) proveOwner(r *http.Request, domain, token string) error {
	if s.o.Prover == nil {
		return refuse(http.StatusServiceUnavailable, "no-checks", "this registry does not check proofs now")
	}
	if !s.spendMore(r, priceCheck-priceRead) {
		p := refuse(http.StatusTooManyRequests, "rate-limited", "too many requests from this address")
		p.retry = 60
		return p
	}
	select {
	case s.checker.slots <- struct{}{}:
		defer func() { <-s.checker.slots }()
	default:
		p := refuse(http.StatusServiceUnavailable, "busy", "all checks are taken")
		p.retry = 30
		return p
	}
	f := s.prove(r.Context(), ProofQuestion{Domain: domain, Tokens: []string{token}})
	if f.Method.Proven() {
		return nil
	}
	return refuse(http.StatusConflict, "not-proven", "the token was not found: "+clipNote(f.Note))
}

// spendMore takes a further price from the bucket of a reader.
func (s *Server) spendMore(r *http.Request, price float64) bool {
	return s.limiter.spend(client(r, s.o.TrustedProxies), min(price, float64(s.limiter.perMinute)*priceRead/2), false).ok
}

// revoke ends a publisher's authority for a domain: its writes are refused from
// the next commit on, its tokens prove nothing any more, and it does not hold
// the domain. The state of the proof stays until the next checks, which are due
// now, have found no proof (BC-R-913).
func (s *Server) revoke(ctx context.Context, domain, publisher, by string) error {
	err := s.shelf.update(ctx, func(b *batch) error {
		if err := putJSON(b.tx.Bucket(bucketRevoked), pairKey(domain, publisher), b.now); err != nil {
			return err
		}
		if err := b.tx.Bucket(bucketToken).Delete(pairKey(domain, publisher)); err != nil {
			return fmt.Errorf("registry: delete tokens: %w", err)
		}
		b.dirty = true
		b.log(logEntry{Publisher: publisher, Action: "revoke", Domain: domain, Outcome: "accepted", Reason: "by " + by})
		known := b.site(domain)
		if known == nil {
			return nil
		}
		next := *known
		if next.proof.holder == publisher {
			next.proof.holder = ""
		}
		if next.admission().publisher == publisher {
			next.admitted = nil
		}
		if next.hasCard() && next.publisher == publisher {
			next.next = b.now
		}
		return b.store(&next)
	})
	s.checker.wake()
	return err
}

// Revoke ends a publisher's authority for a domain, for an owner who has shown
// the operator that the domain is theirs. Owners can do it themselves too, see
// POST /v1/site/{domain}/revocation.
func (a Admin) Revoke(ctx context.Context, name, publisher string) error {
	domain, err := registrable(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if a.server.shelf.publisher(publisher) == nil {
		return fmt.Errorf("registry: revoke %q for %q: %w: publisher", publisher, domain, ErrNotFound)
	}
	if err := a.server.revoke(ctx, domain, publisher, "operator"); err != nil {
		return fmt.Errorf("registry: revoke %q for %q: %w", publisher, domain, err)
	}
	return nil
}

// Restore takes a revocation back. The publisher needs a new token.
func (a Admin) Restore(ctx context.Context, name, publisher string) error {
	domain, err := registrable(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	err = a.server.shelf.update(ctx, func(b *batch) error {
		b.dirty = true
		b.log(logEntry{Publisher: publisher, Action: "restore", Domain: domain, Outcome: "accepted", Reason: "by operator"})
		return b.tx.Bucket(bucketRevoked).Delete(pairKey(domain, publisher))
	})
	if err != nil {
		return fmt.Errorf("registry: restore %q for %q: %w", publisher, domain, err)
	}
	return nil
}
