package crawler

import (
	"context"
	"fmt"

	"heed/frontier"
	"heed/politeness"
)

// ListOptions bounds what sitemaps and feeds may cost.
type ListOptions struct {
	On         bool
	MaxBytes   int64 // of a list, on the wire and unpacked
	MaxEntries int   // of a list; more are an error, the first ones hold
	MaxDepth   int   // indexes on the way to a list
}

const (
	sitemapRecord = "sitemap" // of robots.txt, in lower case
	// maxListsOrigin bounds the lists that one robots.txt may name.
	maxListsOrigin = 1000
	listAccept     = "application/xml, text/xml, application/rss+xml, application/atom+xml, application/gzip, text/plain;q=0.8, */*;q=0.5"
	hopList        = "S"
)

// offerLists queues the lists that robots.txt of an origin and the cards of its
// domain name, once a process and origin: after a page of it was answered, so that the site is there and the
// gate had nothing against it.
func (c *Crawler) offerLists(ctx context.Context, e *ending, origin string) {
	if !c.wantsLists() || !c.listsOf.first(origin) {
		return
	}
	found, err := c.listsNamed(ctx, origin)
	if err != nil {
		c.Log.Error("sitemaps of an origin cannot be read from its robots.txt", "origin", origin, "err", err)
		return
	}
	e.links = append(e.links, found...)
	if c.Cards == nil {
		return
	}
	lists, err := c.Cards.Lists(ctx, frontier.HostKey(e.visit.URL))
	if err != nil {
		c.Log.Error("sitemaps of a card cannot be read", "origin", origin, "err", err)
		return
	}
	for _, url := range lists {
		if c.fitsList(url) {
			e.links = append(e.links, listKey{url: url, behalf: origin}.candidate(hopCard, "", listScore))
		}
	}
}

// wantsLists tells whether a list could name anything that the job takes.
func (c *Crawler) wantsLists() bool {
	return c.Lists.On && c.Context != ContextOnly && c.scope() != nil && c.scope().Grows()
}

// listsNamed makes candidates of the Sitemap records of an origin's robots.txt.
func (c *Crawler) listsNamed(ctx context.Context, origin string) ([]frontier.Candidate, error) {
	records, err := c.Gate.Records(ctx, origin, sitemapRecord)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	if len(records) > maxListsOrigin {
		c.Log.Warn("robots.txt names more sitemaps than are read", "origin", origin, "named", len(records), "read", maxListsOrigin)
		records = records[:maxListsOrigin]
	}
	base, err := frontier.NewBase(origin + "/robots.txt")
	if err != nil {
		return nil, fmt.Errorf("crawler: sitemaps of %s: %w", origin, err)
	}
	var out []frontier.Candidate
	for _, r := range records {
		if url, ok := base.Resolve(r.Value); ok && c.fitsList(url) {
			out = append(out, listKey{url: url, behalf: origin}.candidate(hopList, "", listScore))
		}
	}
	return out, nil
}

// fitsList tells whether a list may be queued at all: only what seeds may not be
// either, lists may not.
func (c *Crawler) fitsList(url string) bool {
	return len(url)+len(listMark)+len(behalfMark) <= c.MaxURLBytes && c.scope().Judge(url, 0, true) == ""
}

// visitOrigin reads robots.txt of an origin for no page's sake: a list elsewhere
// names its pages, and only it can say whether that list speaks for it.
func (c *Crawler) visitOrigin(ctx context.Context, g frontier.Grant, origin string) error {
	if !c.wantsLists() {
		return c.settleList(ctx, g, frontier.Refused, reasonListsOff, nil)
	}
	d, need, err := c.Gate.Before(ctx, c.question(ctx, origin+"/", ask{method: "GET", mode: politeness.Crawl}))
	switch {
	case err != nil:
		return c.interrupted(ctx, err)
	case need != nil:
		return c.visitPolicy(ctx, g, need)
	case d.Verdict == politeness.Wait:
		c.learnDelay(d)
		return c.settle(ctx, c.waiting(g, d))
	}
	c.learnDelay(d)
	c.listsOf.first(origin)
	found, err := c.listsNamed(ctx, origin)
	if err != nil {
		return c.interrupted(ctx, err)
	}
	return c.settleList(ctx, g, frontier.Fetched, "", found)
}

const reasonListsOff = "sitemaps-off"

// settleList closes an item without a request.
func (c *Crawler) settleList(ctx context.Context, g frontier.Grant, state frontier.State, reason string, links []frontier.Candidate) error {
	item := g.URLs[0]
	e := ending{outcome: frontier.Outcome{URL: item.URL, State: state, Reason: reason}, links: links}
	c.closeList(&e, item)
	s := frontier.Settlement{Grant: g.GrantRef, HostNext: c.Pace.Next(g.Host).Until, Outcomes: []frontier.Outcome{e.outcome}, Links: e.links, Tally: e.tally}
	return c.settle(ctx, s)
}

// closeList remembers when a list was settled, and counts it as known the first
// time, so that it is told from the pages. One that is to be tried again is left.
func (c *Crawler) closeList(e *ending, item frontier.Item) {
	if e.outcome.State == frontier.Future {
		return
	}
	if item.Page.FetchedAt.IsZero() {
		e.tally[countListKnown]++
	}
	if e.outcome.Page == nil {
		e.outcome.Page = &frontier.Page{Checks: item.Page.Checks + 1}
	}
	e.outcome.Page.FetchedAt = c.Clock()
}
