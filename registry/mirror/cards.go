package mirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"heed/registry/card"
)

// readCard asks for the card of a listed domain.
func (r *registry) readCard(ctx context.Context, domain string) error {
	n, err := r.loadCard(ctx, domain)
	if err != nil {
		return err
	}
	r.mu.RLock()
	e := *r.entries[domain]
	r.mu.RUnlock()
	q := Request{URL: e.href, MaxBytes: card.MaxBytes}
	if q.URL == "" {
		q.URL = r.origin + pathCard + domain
	}
	if n.readable() && n.Status == card.Read {
		q.ETag = n.ETag
	}
	a, answered, err := r.ask(ctx, q)
	if err != nil {
		return err
	}
	if !answered {
		r.again(domain)
		return nil
	}
	before, now := e.copy, r.o.Clock()
	problem := n.take(q, a, domain, e.announced, now, r.skew(a, now))
	if err := r.saveCard(ctx, domain, n); err != nil {
		return err
	}
	r.mu.Lock()
	live := r.entries[domain]
	r.place(live, domain, n)
	live.due, live.expires = later(live.due, now.Add(scanEvery)), later(live.expires, now.Add(scanEvery))
	after := live.copy
	r.mu.Unlock()
	if changed(before, after) {
		r.o.Changed(r.origin, domain)
	}
	if problem != nil {
		r.o.Log.Warn("registry answers no card", "registry", r.origin, "domain", domain, "problem", problem)
	}
	return r.succeed(ctx)
}

// again puts a card back in front of the queue after a request that the registry
// as a whole failed to answer.
func (r *registry) again(domain string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[domain]; e.wanted && !e.queued {
		e.queued = true
		r.urgent = slices.Insert(r.urgent, 0, domain)
	}
}

// changed tells whether decisions may differ.
func changed(before, after []card.Held) bool {
	if len(before) != len(after) {
		return true
	}
	return len(before) > 0 && (before[0].SHA256 != after[0].SHA256 || before[0].Status != after[0].Status)
}

// cardNote is what is stored about the card of a domain, in front of its octets.
type cardNote struct {
	URL       string        `json:"url,omitempty"`
	ETag      string        `json:"etag,omitempty"`
	Announced string        `json:"announced,omitempty"` // mark of the feed that this answer satisfies
	FetchedAt time.Time     `json:"fetched_at,omitzero"`
	Due       time.Time     `json:"due,omitzero"`
	Skew      time.Duration `json:"skew,omitempty"`
	Status    card.Status   `json:"status"`
	Missing   bool          `json:"missing,omitempty"`
	SeenProof bool          `json:"seen_proof,omitempty"`
	Failures  int           `json:"failures,omitempty"`

	raw []byte // of the last card that could be read, empty if there is none
}

// readable tells whether there is a card in the note.
func (n *cardNote) readable() bool { return len(n.raw) > 0 && !n.Missing }

// take changes the note by an answer. The problem, if there is one, is for
// people.
func (n *cardNote) take(q Request, a Answer, domain, announced string, now time.Time, skew time.Duration) (problem error) {
	fresh := func(life time.Duration) {
		n.URL, n.Announced, n.FetchedAt, n.Due, n.Skew, n.Failures = q.URL, announced, now, now.Add(life), skew, 0
	}
	switch {
	case a.Status == http.StatusNotModified && q.ETag != "":
		fresh(cacheLife(a.Header, cardLife))
		return nil
	case a.Status == http.StatusNotFound:
		fresh(missingLife)
		n.Missing, n.ETag, n.raw = true, "", nil
		return nil
	case a.Status != http.StatusOK:
		problem = fmt.Errorf("mirror: %s: status %d", q.URL, a.Status)
	default:
		var c card.Card
		if c, problem = card.Parse(domain, a.Body); problem == nil {
			fresh(cacheLife(a.Header, cardLife))
			n.Status, n.Missing, n.ETag, n.raw = card.Read, false, a.Header.Get("ETag"), a.Body
			n.SeenProof = n.SeenProof || c.Proof.Proven()
			return nil
		}
		if errors.Is(problem, card.ErrDuplicate) {
			// The registry answered with a card, and nobody can tell which. What
			// the former one granted is over, what it restricted is not.
			n.Status, n.Missing = card.Invalid, false
		}
	}
	// No evidence of anything: the former copy stays (BC-C-914).
	n.Failures++
	n.Due = now.Add(backOff(n.Failures, 0))
	return problem
}

// cacheLife is the life of an answer: a shorter max-age is obeyed, a longer one
// is not (BC-C-926). Directives that ask for validation before each use are what
// the polls of the snapshot do.
func cacheLife(h http.Header, longest time.Duration) time.Duration {
	for _, field := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(field, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
			if !strings.EqualFold(name, "max-age") {
				continue
			}
			// A value that cannot be read counts as one that has passed.
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if errors.Is(err, strconv.ErrRange) {
				continue
			}
			if err != nil {
				return 0
			}
			longest = min(longest, time.Duration(seconds)*time.Second)
		}
	}
	return longest
}

// place puts what a note says into the table. mu is held.
func (r *registry) place(e *entry, domain string, n cardNote) {
	e.missing, e.failures = n.Missing, n.Failures
	if e.due, e.expires = n.Due, n.Due; n.Failures == 0 {
		e.expires = n.FetchedAt.Add(cardLife)
	}
	e.etag, e.copy = n.ETag, nil
	if !e.listed {
		return
	}
	held := card.Held{Status: n.Status}
	if n.readable() {
		c, err := card.Parse(domain, n.raw)
		if err != nil {
			e.due, e.expires = time.Time{}, time.Time{} // damaged on disk: as if never read
			return
		}
		held = c.Hold(r.o.Tokens)
	}
	if !n.readable() && n.Status != card.Invalid || n.Missing {
		return
	}
	held.Registry, held.URL, held.Status = r.origin, n.URL, n.Status
	held.FetchedAt, held.Skew, held.SeenProof = n.FetchedAt, n.Skew, n.SeenProof
	e.copy = []card.Held{held}
}
