package crawler

import (
	"context"
	"net/http"
	"time"

	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// Held is a copy of what a URL answered, which a 304 may confirm.
type Held struct {
	URL         string // of the copy, at the end of redirects
	Header      http.Header
	Body        []byte // decoded
	FetchedAt   time.Time
	FreshUntil  time.Time // zero if it has no lifetime
	Validators  fetch.Validators
	NextAllowed time.Time // a context file is not asked for before (LC-052); else zero
}

// Confirm takes the fields of a 304 over those that are held (RFC 9111 3.2).
func (h *Held) Confirm(x *fetch.Exchange) {
	for name, values := range x.Header {
		if name != "Content-Length" && name != "Content-Encoding" && name != "Content-Type" {
			h.Header[name] = values
		}
	}
	h.FetchedAt, h.FreshUntil = x.FinishedAt, explicitUntil(x)
}

// HeldIndex is the index of an origin, if url is its URL or where it is advertised
// and its text is held; else nil. It makes no request.
func (c *Crawler) HeldIndex(ctx context.Context, url string) (*Held, error) {
	origin := frontier.Origin(url)
	m, err := c.ContextMemory(ctx, origin)
	if err != nil || m.State != discover.StateIndex || m.Copy == nil || m.Copy.NoStore || url != m.Copy.URI && url != m.AdvertisedURI {
		return nil, err
	}
	text, err := c.Notes.LoadNote(ctx, contextTextNote, origin)
	if err != nil || text == nil {
		return nil, err
	}
	h := &Held{URL: m.Copy.URI, Header: m.Copy.Fields.Clone(), Body: text, FetchedAt: m.Copy.FetchedAt, FreshUntil: m.Copy.FreshUntil, NextAllowed: m.NextAllowed,
		Validators: fetch.Validators{ETag: m.Copy.ETag, LastModified: m.Copy.LastModified}}
	if h.Validators == (fetch.Validators{}) {
		h.Validators.LastModified = m.Copy.Date.UTC().Format(http.TimeFormat) // (LC-122)
	}
	if h.Header == nil {
		h.Header = http.Header{}
	}
	h.Header.Set("Content-Type", "text/markdown; charset=utf-8") // how the text is held, whatever it came as
	if m.Copy.Language != "" {
		h.Header.Set("Content-Language", m.Copy.Language)
	}
	return h, nil
}

// DetailAllowed is when a detail of an index may be asked for again; zero for
// anything else (LC-052).
func (c *Crawler) DetailAllowed(ctx context.Context, url string) (time.Time, error) {
	m, err := c.ContextMemory(ctx, frontier.Origin(url))
	return m.Details[url].NextAllowed, err
}

// SeeHeld lets what a copy says of itself tighten the decision about its URL.
func (c *Crawler) SeeHeld(d politeness.Decision, h *Held, demand Demand) politeness.Decision {
	q := c.inHindsight(h.URL, demand.ask())
	q.Response = c.heldResponse(h.URL, h.Header, h.Body)
	return c.Gate.After(d, q)
}
