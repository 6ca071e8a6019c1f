package crawler

import (
	"context"

	"heed/crawler/extract"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// ending is what one request for a page came to.
type ending struct {
	outcome frontier.Outcome
	links   []frontier.Candidate
	tally   frontier.Tally
	visit   Visit
	page    *extract.Page      // nil for anything but HTML
	rooms   rooms              // what budgets leave for links
	traps   []Visit            // links that were refused without being queued
	others  []frontier.Outcome // what the answer says about other queue items
	refused bool               // the answer is of no use as what it was asked for: nothing of it is kept
}

// judge turns an exchange into an ending: state, links, counters and record.
func (c *Crawler) judge(ctx context.Context, item frontier.Item, q politeness.Question, d politeness.Decision, x *fetch.Exchange, failed error) ending {
	e := ending{outcome: frontier.Outcome{URL: item.URL, Attempts: item.Attempts}}
	e.visit = Visit{Kind: VisitPage, URL: item.URL, Item: item, Decision: &d, Exchange: x, Err: failed, At: c.Clock()}
	if x != nil {
		e.tally[countBytesWire], e.tally[countBytesDecoded] = x.WireBytes, x.DecodedBytes
		if class := statusClass(x.Status); class >= 0 {
			e.tally[class]++
		}
	}
	switch {
	case failed != nil:
		c.failed(&e, x, failed)
	case x.Status >= 200 && x.Status < 300:
		c.answered(ctx, &e, q, x)
	case x.Status == 304 && (item.Page.ETag != "" || item.Page.LastModified != ""):
		c.confirmed(ctx, &e, q, x)
	case isRedirect(x.Status):
		c.redirected(ctx, &e, x)
	case x.Status == 404 || x.Status == 410:
		e.outcome.State, e.outcome.Reason = frontier.Gone, statusReason(x.Status)
		e.tally[countGone]++
	case retryStatus(x.Status):
		c.tryAgain(&e, x, statusReason(x.Status))
	default:
		e.outcome.State, e.outcome.Reason = frontier.Failed, statusReason(x.Status)
	}
	if x != nil {
		c.dueAgain(&e.outcome, item.Page, x.Status)
	} else {
		c.dueAgain(&e.outcome, item.Page, 0)
	}
	if c.Context != ContextOff {
		c.hearContext(ctx, &e, q, x)
	}
	if x != nil && x.Status >= 200 {
		c.cardLinks(ctx, &e, q.Host)
		c.offerLists(ctx, &e, q.Origin)
	}
	e.visit.State, e.visit.Reason = e.outcome.State, e.outcome.Reason
	return e
}
