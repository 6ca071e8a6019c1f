package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// heldCopy is what the job holds of a URL, nil if nothing: the index of its origin,
// asked for again if that is due, or a page of the archive that has a validator.
func (a *App) heldCopy(ctx context.Context, url string, d crawler.Demand) (*crawler.Held, error) {
	if d.Method != "" && d.Method != http.MethodGet {
		return nil, nil
	}
	c := a.crawler.Load()
	switch h, err := c.HeldIndex(ctx, url); {
	case err != nil:
		return nil, err
	case h != nil:
		return a.currentIndex(ctx, url, h, d)
	}
	r, err := a.engine.Why(ctx, url)
	switch {
	case errors.Is(err, frontier.ErrUnknown):
		return nil, nil
	case err != nil:
		return nil, err
	case !held(r) || r.Page.ETag == "" && r.Page.LastModified == "":
		return nil, nil
	}
	stored, err := a.stored(ctx, r.Page.Location)
	if err != nil {
		a.options.Log.Warn("a page cannot be read back", "url", url, "err", err)
		return nil, nil
	}
	h := &crawler.Held{URL: url, Header: stored.header, Body: stored.body, FetchedAt: r.Page.FetchedAt, FreshUntil: r.Page.FreshUntil,
		Validators: fetch.Validators{ETag: r.Page.ETag, LastModified: r.Page.LastModified}}
	h.NextAllowed, err = c.DetailAllowed(ctx, url)
	return h, err
}

// currentIndex lets discovery ask for an index again where that is due: by its
// floor, conditionally, and the answer is remembered (LC-048, LC-051).
func (a *App) currentIndex(ctx context.Context, url string, h *crawler.Held, d crawler.Demand) (*crawler.Held, error) {
	if a.options.Clock().Before(h.NextAllowed) {
		return h, nil
	}
	if _, err := a.crawler.Load().ContextOf(ctx, frontier.Origin(url), crawler.ContextDemand{Demand: d}); err != nil {
		return nil, err
	}
	return a.crawler.Load().HeldIndex(ctx, url)
}

// expired tells whether the lifetime of a copy is over; zero is none.
func (a *App) expired(until time.Time) bool {
	return !until.IsZero() && !a.options.Clock().Before(until)
}

// notYet answers a request for a context file before its time: nothing is sent, but
// that it may be asked for, and what it was redirected to, is judged as ever.
func (a *App) notYet(ctx context.Context, url string, h *crawler.Held, demand crawler.Demand) (api.FetchAnswer, error) {
	a.options.Log.Info("answered with the copy that is held: a context file has its time", "url", url, "fetched_at", h.FetchedAt, "not_before", h.NextAllowed)
	d, err := a.crawler.Load().Check(ctx, url, demand)
	if err == nil && d.Verdict == politeness.Allow && h.URL != url {
		d, err = a.crawler.Load().Check(ctx, h.URL, demand)
	}
	if err != nil {
		return api.FetchAnswer{}, err
	}
	return a.fromHeld(ctx, url, h, d, demand)
}

// fromHeld answers a request with what is held, if that may be used.
func (a *App) fromHeld(ctx context.Context, url string, h *crawler.Held, d politeness.Decision, demand crawler.Demand) (api.FetchAnswer, error) {
	c := a.crawler.Load()
	if d.Verdict == politeness.Allow {
		d = c.SeeHeld(d, h, demand)
	}
	answer := api.FetchAnswer{Decision: d, FinalURL: h.URL, Status: http.StatusOK, Later: d.Verdict == politeness.Wait}
	if d.Verdict != politeness.Allow {
		return answer, nil
	}
	e := crawler.NewEnvelope(h.URL, h.FetchedAt, sha256.Sum256(h.Body), h.Header, d)
	e.Source = url
	e.Stale = a.expired(h.FreshUntil)
	if err := c.Attribute(ctx, &e); err != nil {
		return answer, fmt.Errorf("app: fetch %s: %w", url, err)
	}
	e.Fill(h.Body)
	answer.Envelope, answer.Body = &e, h.Body
	return answer, nil
}
