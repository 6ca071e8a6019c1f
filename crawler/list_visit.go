package crawler

import (
	"context"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// visitList asks for a list, if the gate has nothing against it, and makes
// candidates of what it names.
func (c *Crawler) visitList(ctx context.Context, g frontier.Grant, key listKey) error {
	if !c.wantsLists() {
		return c.settleList(ctx, g, frontier.Refused, reasonListsOff, nil)
	}
	q := c.question(ctx, key.url, ask{method: "GET", mode: politeness.Crawl, scope: politeness.Reason(c.scope().Judge(key.url, 0, true))})
	d, need, err := c.Gate.Before(ctx, q)
	switch {
	case err != nil:
		return c.interrupted(ctx, err)
	case need != nil:
		return c.visitPolicy(ctx, g, need)
	}
	c.learnDelay(d)
	if d.Verdict == politeness.Wait {
		denied, ok := c.untrusted(ctx, q, d)
		if !ok {
			return c.settle(ctx, c.waiting(g, d))
		}
		d = denied
	}
	if d.Verdict != politeness.Allow {
		return c.refuseList(ctx, g, key, d)
	}
	slot, wait := c.Pace.Admit(q.Host, c.addressGroup(ctx, q.Origin))
	if slot == nil {
		if wait.Err != nil {
			return wait.Err
		}
		return c.settle(ctx, settleBack(g, wait.Until))
	}
	item := g.URLs[0]
	r := fetch.Request{URL: key.url, Method: q.Method, Accept: listAccept, MaxBodyBytes: c.Lists.MaxBytes, WantRaw: c.Archive}
	if !c.Whole {
		r.Validators = fetch.Validators{ETag: item.Page.ETag, LastModified: item.Page.LastModified}
	}
	c.declare(&r, d.Declared(), d.Declare)
	x, next, err := c.exchange(ctx, slot, q.Host, r, &d)
	defer func() { _ = x.Close() }()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, err := c.contradicted(ctx, &d, x, err); err != nil {
		return c.interrupted(ctx, err)
	}
	e, err := c.judgeList(ctx, item, key, q, d, x, err)
	if err != nil {
		return c.interrupted(ctx, err)
	}
	c.count(e.visit.Decision.Reason)
	s := frontier.Settlement{Grant: g.GrantRef, HostNext: next.At, Outcomes: []frontier.Outcome{e.outcome}, Links: e.links, Tally: e.tally}
	if err := c.record(ctx, s, append(e.traps, e.visit)...); err != nil {
		return err
	}
	return c.settleOthers(ctx, e.others)
}

// settleOthers closes or opens queue items that are in nobody's grant; those that
// are in one, or unknown, stay as they are.
func (c *Crawler) settleOthers(ctx context.Context, outcomes []frontier.Outcome) error {
	byHost := map[string][]frontier.Outcome{}
	for _, o := range outcomes {
		host := frontier.HostKey(o.URL)
		byHost[host] = append(byHost[host], o)
	}
	for host, list := range byHost {
		if err := c.settle(ctx, frontier.Settlement{Grant: frontier.GrantRef{Host: host}, Outcomes: list}); err != nil {
			return err
		}
	}
	return nil
}

// refuseList settles a list that a decision denies.
func (c *Crawler) refuseList(ctx context.Context, g frontier.Grant, key listKey, d politeness.Decision) error {
	c.count(d.Reason)
	d.Conflicts = politeness.Advertised(listRecord, d)
	item := g.URLs[0]
	e := ending{outcome: frontier.Outcome{URL: item.URL, State: frontier.Refused, Reason: string(d.Reason)}}
	c.closeList(&e, item)
	v := Visit{Kind: VisitList, URL: key.url, Item: item, Decision: &d, State: frontier.Refused, Reason: string(d.Reason), At: c.Clock()}
	s := frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{e.outcome}, Tally: e.tally}
	return c.record(ctx, s, v)
}
