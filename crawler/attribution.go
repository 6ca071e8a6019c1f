package crawler

import (
	"context"

	"heed/crawler/discover"
	"heed/frontier"
)

// Attribution is how the owner of a site wants to be named beside what is used of
// it, by its cards (BC-C-011, BC-C-930).
type Attribution struct {
	Name      string `json:"name,omitempty"`
	Canonical string `json:"canonical,omitempty"` // origin
	Expected  bool   `json:"-"`                   // false takes the expectation away and forbids nothing
}

// Attribute completes the provenance of a text by what is known of its origin: how
// its owner wants to be named and, of a text that is an index or that an index names
// as its detail, by whom and how it was advertised and how the index agreed with the
// pages of its origin when somebody sampled them (LC-074, LC-148). It makes no
// request.
func (c *Crawler) Attribute(ctx context.Context, e *Envelope) error {
	c.nameOwner(e)
	m, err := c.ContextMemory(ctx, e.Origin)
	if err != nil {
		return err
	}
	if m.Copy == nil || m.State == discover.StateNone {
		return nil
	}
	switch _, detail := m.Details[e.FinalURL]; {
	case e.FinalURL == m.Copy.URI:
		e.AdvertisedBy, e.Mechanism = m.Origin, string(m.Mechanism)
	case detail:
		e.AdvertisedBy, e.Mechanism = m.Copy.URI, string(m.Mechanism)
	default:
		return nil
	}
	if m.Divergence != nil {
		share := m.Divergence.Share
		e.Divergence = &share
	}
	return nil
}

// nameOwner asks the cards who is to be named. Where none says anything, whoever
// uses a text names its origin.
func (c *Crawler) nameOwner(e *Envelope) {
	if c.Cards == nil {
		return
	}
	a, ok := c.Cards.Attribution(frontier.HostKey(e.FinalURL))
	if !ok {
		return
	}
	e.Cite = a.Expected
	if a.Name != "" || a.Canonical != "" {
		e.Attribution = &a
	}
}
