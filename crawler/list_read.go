package crawler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"heed/crawler/extract"
	"heed/crawler/feed"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// listBatch is how many candidates of a list are held in memory: a list of 50,000
// becomes known in as many transactions as it takes.
const listBatch = 1000

// reading is one list being read.
type reading struct {
	c       *Crawler
	ctx     context.Context // of this one call
	e       *ending
	key     listKey
	base    *frontier.Base
	own     error // a failure of ours, which ends the reading
	foreign map[string]foreignOrigin
}

// readList judges the response and queues what the list names. What was named
// before a fault holds; the fault is in the outcome.
func (c *Crawler) readList(ctx context.Context, e *ending, key listKey, q politeness.Question, x *fetch.Exchange) error {
	e.outcome.State, e.outcome.Attempts = frontier.Fetched, 0
	q.Now, q.Response = c.Clock(), &politeness.Response{Status: x.Status, Header: x.Header}
	d := c.Gate.After(*e.visit.Decision, q)
	e.visit.Decision, e.visit.Keep = &d, d.Verdict == politeness.Allow
	if d.DropLinks {
		c.count(politeness.ScopeNofollow)
		e.outcome.State, e.outcome.Reason = frontier.Refused, string(politeness.ScopeNofollow)
		return nil
	}
	base, err := frontier.NewBase(key.url)
	if err != nil || x.Body == nil {
		e.outcome.State, e.outcome.Reason = frontier.Failed, listReason(feed.ErrNotFeed)
		return nil
	}
	r := reading{c: c, ctx: ctx, e: e, key: key, base: base, foreign: map[string]foreignOrigin{}}
	o := feed.Options{MaxBytes: c.Lists.MaxBytes, MaxEntries: c.Lists.MaxEntries, MaxURLBytes: c.MaxURLBytes, Decoder: decodeList}
	result, err := feed.Read(x.Body.Reader(), x.Header.Get("Content-Type"), o, r.take)
	if r.own != nil {
		return r.own
	}
	e.tally[countLinksOverLimit] += int64(result.OverLimit)
	if err != nil {
		e.outcome.State, e.outcome.Reason = frontier.Failed, listReason(err)
		c.Log.Info("a sitemap cannot be read to its end", "url", key.url, "entries", result.Entries, "err", err)
		return nil
	}
	page := pageOf(e.visit.Item.Page, x)
	e.outcome.Page = page
	return nil
}

// decodeList reads a list in a legacy charset. Its reader is bounded by feed.
func decodeList(label string, r io.Reader) (io.Reader, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text, _, err := extract.DecodeText(body, "text/plain; charset="+label)
	return bytes.NewReader(text), err
}

// listReason names why a list could not be read, or not to its end.
func listReason(err error) string {
	for _, known := range []struct {
		is   error
		name string
	}{
		{feed.ErrNotFeed, "not-a-sitemap"}, {feed.ErrTooLarge, string(politeness.SizeCeiling)}, {feed.ErrRatio, string(politeness.SizeRatio)},
		{feed.ErrLayers, "sitemap-layers"}, {feed.ErrGzip, "sitemap-gzip"}, {feed.ErrCharset, "sitemap-charset"}, {feed.ErrMarkup, "sitemap-markup"},
		{feed.ErrTooManyEntries, "sitemap-entries"},
	} {
		if errors.Is(err, known.is) {
			return known.name
		}
	}
	return "sitemap-unreadable"
}

// take is called for every entry of the list.
func (r *reading) take(entry feed.Entry) error {
	url, ok := r.resolve(entry)
	switch {
	case !ok:
		r.e.tally[countOutOfScope]++
	case entry.Kind == feed.KindIndexChild:
		r.own = r.child(url, entry)
	default:
		r.own = r.page(url, entry)
	}
	if r.own == nil && len(r.e.links) >= listBatch {
		_, r.own = r.c.Queue.Discover(r.ctx, r.e.links)
		r.e.links = r.e.links[:0]
	}
	if r.own == nil && len(r.e.others) >= listBatch {
		r.own = r.c.settleOthers(r.ctx, r.e.others)
		r.e.others = nil
	}
	if r.own == nil {
		r.own = r.ctx.Err()
	}
	return r.own
}

// unlessUnknown drops the answer that nothing is known of a URL.
func unlessUnknown(err error) error {
	if errors.Is(err, frontier.ErrUnknown) {
		return nil
	}
	return err
}

func (r *reading) resolve(entry feed.Entry) (string, bool) {
	base := r.base
	if entry.Base != "" {
		at, ok := base.Resolve(entry.Base)
		if !ok {
			return "", false
		}
		b, err := frontier.NewBase(at)
		if err != nil {
			return "", false
		}
		base = b
	}
	return base.Resolve(entry.URL)
}

// child queues a list that an index names. One that has not changed since it was
// read, by the word of the index, is not asked for again in this pass.
func (r *reading) child(url string, entry feed.Entry) error {
	c, item := r.c, &r.e.visit.Item
	if listDepth(item.Path) > c.Lists.MaxDepth || !r.key.speaksFor(url) || !c.fitsList(url) {
		r.e.tally[countOutOfScope]++
		return nil
	}
	key := listKey{url: url, behalf: r.key.behalf}
	known, err := c.Queue.Why(r.ctx, key.String())
	switch {
	case errors.Is(err, frontier.ErrUnknown):
		r.e.links = append(r.e.links, key.candidate(item.Path+hopList, r.key.url, childScore))
		r.e.links[len(r.e.links)-1].Depth = item.Depth
		return nil
	case err != nil:
		return fmt.Errorf("crawler: sitemap %s: child %s: %w", r.key.url, url, err)
	}
	if !c.Whole && known.State == frontier.Ready && known.Page.Status == 200 && !feed.Incremental(known.Page.FetchedAt, entry) {
		page := known.Page
		// FetchedAt stays: it is when the child was read.
		r.e.others = append(r.e.others, frontier.Outcome{URL: key.String(), State: frontier.NotModified, Reason: "lastmod", Page: &page})
	}
	return nil
}

// page queues a page, if this list may name it.
func (r *reading) page(url string, entry feed.Entry) error {
	c, depth := r.c, r.e.visit.Item.Depth+1
	url = c.URLs.Apply(url)
	if !r.key.speaksFor(url) {
		if reason := c.scope().Judge(url, depth, false); reason != "" {
			r.e.tally[countOutOfScope]++
			return nil
		}
		confirmed, err := r.confirmed(frontier.Origin(url))
		if err != nil {
			return err
		}
		if !confirmed {
			r.e.tally[countOutOfScope]++
			r.e.refuseLink(c, url, politeness.ScopeCrossSubmit, hopList)
			return nil
		}
	}
	c.discover(r.ctx, r.e, url, depth, listHop(r.e.visit.Item.Path))
	return r.changed(url, entry.LastMod)
}
