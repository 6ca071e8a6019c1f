package crawler

import (
	"context"

	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// visitPage asks for a page that may be asked for, and settles what comes.
func (c *Crawler) visitPage(ctx context.Context, g frontier.Grant, q politeness.Question, d politeness.Decision) error {
	if !c.takePage() {
		return c.settle(ctx, settleBack(g, c.Clock().Add(retryPolicy)))
	}
	slot, wait := c.Pace.Admit(q.Host, c.addressGroup(ctx, q.Origin))
	if slot == nil {
		c.settlePage(false)
		if wait.Err != nil {
			return wait.Err
		}
		return c.settle(ctx, settleBack(g, wait.Until))
	}
	item := g.URLs[0]
	accept := ""
	if namedByIndex(item) {
		accept = discover.Accept // (LC-151)
	}
	r := fetch.Request{
		URL: item.URL, Method: q.Method, Accept: accept, MaxBodyBytes: c.MaxBodyBytes, WantRaw: c.Archive,
		Validators: c.validators(item.Page),
	}
	c.declare(&r, d.Declared(), d.Declare)
	x, next, err := c.exchange(ctx, slot, q.Host, r, &d)
	defer func() { _ = x.Close() }() // after an error, too: the exchange may be partial
	if ctx.Err() != nil {
		c.settlePage(false)
		return ctx.Err()
	}
	again, own := c.contradicted(ctx, &d, x, err)
	if own != nil {
		c.settlePage(false)
		return c.interrupted(ctx, own)
	}
	p := c.judge(ctx, item, q, d, x, err)
	if again {
		c.untilRead(&p)
	}
	c.count(p.visit.Decision.Reason)
	c.settlePage(p.tally[countPages] > 0)
	s := frontier.Settlement{Grant: g.GrantRef, HostNext: next.At, Outcomes: []frontier.Outcome{p.outcome}, Links: p.links, Tally: p.tally}
	if x != nil {
		s.Spent = c.spent.add(q.Host, p.tally[countPages]+p.tally[countNotModified], x.WireBytes, c.Clock())
	}
	return c.record(ctx, s, append(p.traps, p.visit)...)
}

// validators make a request conditional. Where pages are archived, one that is not
// there is asked for whole: a 304 would confirm a copy that nobody has.
func (c *Crawler) validators(held frontier.Page) fetch.Validators {
	if c.Whole || c.Archive && held.Location == "" {
		return fetch.Validators{}
	}
	return fetch.Validators{ETag: held.ETag, LastModified: held.LastModified}
}
