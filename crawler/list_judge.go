package crawler

import (
	"context"
	"strings"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// judgeList turns the exchange for a list into an ending. The error is one of our
// own: what the list did is an outcome.
func (c *Crawler) judgeList(ctx context.Context, item frontier.Item, key listKey, q politeness.Question, d politeness.Decision, x *fetch.Exchange, failed error) (ending, error) {
	e := ending{outcome: frontier.Outcome{URL: item.URL, Attempts: item.Attempts}}
	named := item
	named.URL, named.Score = key.url, c.Score // what a list names has no score from it
	e.visit = Visit{Kind: VisitList, URL: key.url, Item: named, Decision: &d, Exchange: x, Err: failed, At: c.Clock()}
	var err error
	switch {
	case failed != nil:
		c.failed(&e, x, failed)
	case x.Status >= 200 && x.Status < 300:
		err = c.readList(ctx, &e, key, q, x)
	case x.Status == 304 && (item.Page.ETag != "" || item.Page.LastModified != ""):
		page := item.Page
		page.Checks++
		e.outcome.State, e.outcome.Page, e.outcome.Attempts, e.visit.Keep = frontier.NotModified, &page, 0, true
	case isRedirect(x.Status):
		c.redirectedList(&e, key, x)
	case x.Status == 404 || x.Status == 410:
		e.outcome.State, e.outcome.Reason = frontier.Gone, statusReason(x.Status)
	case retryStatus(x.Status):
		c.tryAgain(&e, x, statusReason(x.Status))
	default:
		e.outcome.State, e.outcome.Reason = frontier.Failed, statusReason(x.Status)
	}
	e.tally[countRefused], e.tally[countFailed] = 0, 0 // those are of pages
	if x != nil {
		e.tally[countBytesWire], e.tally[countBytesDecoded] = x.WireBytes, x.DecodedBytes
		if class := statusClass(x.Status); class >= 0 {
			e.tally[class]++
		}
	}
	e.tally[countLists]++
	c.closeList(&e, item)
	e.visit.State, e.visit.Reason = e.outcome.State, e.outcome.Reason
	return e, err
}

// redirectedList queues the target of a redirect. It speaks for the same origin:
// where a list moved to says nothing about whose list it is.
func (c *Crawler) redirectedList(e *ending, key listKey, x *fetch.Exchange) {
	e.outcome.State, e.outcome.Reason = frontier.Redirected, statusReason(x.Status)
	item := &e.visit.Item
	base, err := frontier.NewBase(key.url)
	target, ok := "", false
	if err == nil && x.Location != "" {
		target, ok = base.Resolve(x.Location)
	}
	switch {
	case !ok:
		e.outcome.State, e.outcome.Reason = frontier.Failed, "redirect-without-location"
	case guardReason(c.Fetcher.Vet(target)) != "":
		e.outcome.Reason = string(guardReason(c.Fetcher.Vet(target)))
		c.count(politeness.Reason(e.outcome.Reason))
	case hops(item.Path) >= c.MaxRedirects:
		e.outcome.State, e.outcome.Reason = frontier.Failed, "redirects"
	case c.fitsList(target):
		next := listKey{url: target, behalf: key.behalf}
		list := next.candidate(item.Path+"R", key.url, listScore)
		list.Depth = item.Depth
		e.links = append(e.links, list)
	}
}

// listDepth is how many lists lie on the way to an item, itself included.
func listDepth(path string) int { return strings.Count(path, hopList) + strings.Count(path, hopFeed) }
