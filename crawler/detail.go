package crawler

import (
	"context"
	"strings"
	"time"

	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
)

// A detail is an ordinary URL of the queue that an index named (discovery path
// ending in C) and that answers as text (LC-144). Only its floor and its
// ceiling are those of a context file (LC-146).

// namedByIndex tells whether the last hop to a URL was a context file.
func namedByIndex(item frontier.Item) bool { return strings.HasSuffix(item.Path, "C") }

// detailFloor tells whether a detail may not be asked for yet (LC-052).
func (c *Crawler) detailFloor(ctx context.Context, item frontier.Item) (bool, time.Time) {
	if !namedByIndex(item) || item.Page.FetchedAt.IsZero() {
		return false, time.Time{}
	}
	w := c.context.of(frontier.Origin(item.URL))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := c.loadContext(ctx, w); err != nil {
		c.Log.Error("context memory cannot be read", "origin", w.origin, "err", err)
		return true, c.Clock().Add(time.Hour) // floors that cannot be read may not be taken for none
	}
	until := w.memory.Details[item.URL].NextAllowed
	return until.After(c.Clock()), until
}

// unchanged settles a URL that may not be asked for yet as it was.
func (c *Crawler) unchanged(item frontier.Item, until time.Time) frontier.Outcome {
	page := item.Page
	page.FreshUntil = until
	return frontier.Outcome{URL: item.URL, State: frontier.Fetched, Reason: string(discover.Fresh), Page: &page}
}

// isDetail tells whether an answer makes its URL a detail.
func (c *Crawler) isDetail(item frontier.Item, x *fetch.Exchange) bool {
	if !namedByIndex(item) {
		return false
	}
	t, _, _ := strings.Cut(strings.ToLower(x.Header.Get("Content-Type")), ";")
	switch strings.TrimSpace(t) {
	case "text/markdown", "text/x-markdown", "text/plain":
		return true
	}
	return false
}

// knownDetail tells whether an earlier answer made the URL a detail.
func (c *Crawler) knownDetail(ctx context.Context, item frontier.Item) bool {
	if !namedByIndex(item) {
		return false
	}
	w := c.context.of(frontier.Origin(item.URL))
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.loadContext(ctx, w) != nil {
		return false
	}
	_, known := w.memory.Details[item.URL]
	return known
}

// keepDetail judges the answer of a detail and remembers its floor. A detail
// that breaks the rules of context files is not kept.
func (c *Crawler) keepDetail(ctx context.Context, e *ending, x *fetch.Exchange) {
	w := c.context.of(frontier.Origin(e.visit.URL))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := c.loadContext(ctx, w); err != nil {
		c.Log.Error("context memory cannot be read", "origin", w.origin, "err", err)
		return
	}
	in := discover.Inputs{Resolve: resolveOnce, Policy: c.Discover, Jitter: c.Rand(), RequestFields: c.contextFields()}
	step := discover.Step{URI: e.visit.URL, Role: discover.Detail, IfNoneMatch: e.visit.Item.Page.ETag, IfModifiedSince: e.visit.Item.Page.LastModified}
	outcome := w.memory.AnswerDetail(step, contextResponse(x, nil, c.MaxBodyBytes, c.Clock()), in, c.Clock())
	e.visit.Kind = VisitDetail
	if e.outcome.Page != nil {
		e.outcome.Page.FreshUntil = w.memory.Details[e.visit.URL].NextAllowed
	}
	if outcome.State == discover.StateNone {
		e.outcome.State, e.outcome.Reason, e.outcome.Page = frontier.Failed, string(outcome.Reason), nil
		e.refused = true
	}
	if err := c.saveContext(ctx, w); err != nil {
		c.Log.Error("context memory cannot be saved", "origin", w.origin, "err", err)
	}
}
