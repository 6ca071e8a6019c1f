package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// visit takes one granted URL through the rooms. It returns an error only for
// what we could not do; what the site did is an outcome.
func (c *Crawler) visit(ctx context.Context, g frontier.Grant) error {
	item := g.URLs[0]
	if origin, ok := contextOrigin(item.URL); ok {
		return c.visitContext(ctx, g, origin)
	}
	if key, ok := parseListKey(item.URL); ok {
		return c.visitList(ctx, g, key)
	}
	if origin, ok := listsOrigin(item.URL); ok {
		return c.visitOrigin(ctx, g, origin)
	}
	if held, until := c.detailFloor(ctx, item); held {
		return c.settle(ctx, frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{c.unchanged(item, until)}})
	}
	c.wantCard(g.Host)
	q := c.question(ctx, item.URL, ask{method: "GET", mode: politeness.Crawl, scope: c.scopeReason(item)})
	d, need, err := c.Gate.Before(ctx, q)
	if err != nil {
		return c.interrupted(ctx, err)
	}
	if need != nil {
		return c.visitPolicy(ctx, g, need)
	}
	c.learnDelay(d)
	switch d.Verdict {
	case politeness.Allow:
		if c.contested.take(item.URL) {
			return c.drop(ctx, g, d)
		}
		if until, used := c.spent.until(g.Host, c.Clock()); used {
			return c.settle(ctx, c.overBudget(g, until))
		}
		return c.visitPage(ctx, g, q, d)
	case politeness.Wait:
		if denied, ok := c.untrusted(ctx, q, d); ok {
			return c.refuse(ctx, g, denied)
		}
		return c.settle(ctx, c.waiting(g, d))
	default:
		c.contested.take(item.URL)
		return c.refuse(ctx, g, d)
	}
}

// waiting gives a URL back until the decision says otherwise: with its host, if
// the host is what must wait, else alone.
func (c *Crawler) waiting(g frontier.Grant, d politeness.Decision) frontier.Settlement {
	if d.Reason.Area() == "pace" {
		return settleBack(g, d.Until)
	}
	item := g.URLs[0]
	return frontier.Settlement{Grant: g.GrantRef, HostNext: c.Pace.Next(g.Host).Until, Outcomes: []frontier.Outcome{{
		URL: item.URL, State: frontier.Future, Due: d.Until, Attempts: item.Attempts, Reason: string(d.Reason),
	}}}
}

// refuse settles a URL that a decision denies.
func (c *Crawler) refuse(ctx context.Context, g frontier.Grant, d politeness.Decision) error {
	c.count(d.Reason)
	item := g.URLs[0]
	v := Visit{Kind: VisitPage, URL: item.URL, Item: item, Decision: &d, State: frontier.Refused, Reason: string(d.Reason), At: c.Clock()}
	s := frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{{URL: item.URL, State: frontier.Refused, Reason: string(d.Reason)}}}
	c.dueAgain(&s.Outcomes[0], item.Page, 0)
	s.Tally[countRefused]++
	return c.record(ctx, s, v)
}

// record attaches the trace of a visit to its settlement and settles.
func (c *Crawler) record(ctx context.Context, s frontier.Settlement, visits ...Visit) error {
	for _, v := range visits {
		a, err := c.Sink.Prepare(v)
		if err != nil {
			return fmt.Errorf("crawler: record %s: %w", v.URL, err)
		}
		if a != nil {
			s.Attach = append(s.Attach, a)
		}
	}
	return c.settle(ctx, s)
}

// settle queues a settlement. A write that fails later ends the run.
func (c *Crawler) settle(ctx context.Context, s frontier.Settlement) error {
	if s.Pace == nil && s.Grant.Host != "" {
		s.Pace = c.Pace.State(s.Grant.Host)
	}
	err := c.Queue.SettleAsync(context.WithoutCancel(ctx), s, func(v frontier.Verdict, err error) {
		if err != nil {
			c.fail(ctx, err)
		} else if v.Stale {
			c.Log.Warn("a grant lapsed before its visit was over", "host", s.Grant.Host)
		}
	})
	if err != nil {
		return fmt.Errorf("crawler: settle %s: %w", s.Grant.Host, err)
	}
	return nil
}

// interrupted drops an error that is only the echo of our own stop: the URL
// stays queued.
func (c *Crawler) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}

// learnDelay tells the pacer what the site asked for.
func (c *Crawler) learnDelay(d politeness.Decision) {
	var asked time.Duration
	for _, o := range d.Opinions {
		if o.Source != "pace" {
			asked = max(asked, o.Delay)
		}
	}
	c.Pace.SetCrawlDelay(frontier.HostKey(d.URL), asked)
}

// scopeReason says why a queued URL is outside the job as it is now.
func (c *Crawler) scopeReason(item frontier.Item) politeness.Reason {
	if c.scope() == nil {
		return ""
	}
	return politeness.Reason(c.scope().Judge(item.URL, item.Depth, item.Path == ""))
}

// untrusted turns the wait for a document into a denial where the document
// cannot be had because the origin did not prove who it is: waiting would not
// mend that, and the site's pages are no safer than its policy.
func (c *Crawler) untrusted(ctx context.Context, q politeness.Question, d politeness.Decision) (politeness.Decision, bool) {
	if d.Verdict != politeness.Wait || d.Doc == nil {
		return d, false
	}
	held, err := c.Gate.Library().Copy(ctx, d.Doc.URL)
	if err != nil || held == nil || held.Failure == nil || held.Failure.Kind != fetch.KindTLS.String() {
		return d, false
	}
	c.closed.add(q.Origin, c.Clock())
	q.Guard = politeness.GuardTLS
	denied, need, err := c.Gate.Before(ctx, q)
	return denied, err == nil && need == nil
}
