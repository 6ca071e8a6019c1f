package crawler

import (
	"context"
	"strings"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// failed ends an exchange that broke: refused by the guard, worth another try,
// or neither.
func (c *Crawler) failed(e *ending, x *fetch.Exchange, err error) {
	reason := failureReason(err)
	area := politeness.Reason(reason).Area()
	switch {
	case area == "guard" && reason != string(politeness.GuardDNS):
		if reason == string(politeness.GuardTLS) {
			c.closed.add(frontier.Origin(e.outcome.URL), c.Clock())
		}
		d := *e.visit.Decision
		d.Opinion = politeness.Opinion{Source: area, Verdict: politeness.Deny, Reason: politeness.Reason(reason)}
		d.Uses = politeness.Everything(politeness.No)
		e.visit.Decision = &d
		e.outcome.State, e.outcome.Reason = frontier.Refused, reason
		e.tally[countRefused]++
	case retryable(err):
		c.tryAgain(e, x, reason)
	default:
		e.outcome.State, e.outcome.Reason = frontier.Failed, reason
		e.tally[countFailed]++
	}
}

// tryAgain queues a URL for another attempt, or gives it up.
func (c *Crawler) tryAgain(e *ending, x *fetch.Exchange, reason string) {
	e.outcome.Attempts++
	e.outcome.Reason = reason
	if e.outcome.Attempts > c.Retries {
		e.outcome.State, e.outcome.Attempts = frontier.Failed, 0
		e.tally[countFailed]++
		return
	}
	e.outcome.State, e.outcome.Due = frontier.Future, c.nextAttempt(e, x, c.Clock())
}

// answered ends a 2xx: the response may still forbid what it carries, else its
// links are taken and its body kept.
func (c *Crawler) answered(ctx context.Context, e *ending, q politeness.Question, x *fetch.Exchange) {
	item := e.visit.Item
	e.outcome.State, e.outcome.Attempts = frontier.Fetched, 0
	e.outcome.Page = pageOf(item.Page, x)
	e.tally[countBytesSaved] += max(x.DecodedBytes-x.WireBytes, 0)
	if c.isDetail(item, x) {
		if c.keepDetail(ctx, e, x); e.refused {
			return
		}
	} else if x.DecodedBytes > 0 {
		e.tally[countPages]++
	}
	e.parse(c, x)
	q.Now = c.Clock()
	q.Response = &politeness.Response{Status: x.Status, Header: x.Header, Meta: e.meta()}
	d := c.Gate.After(*e.visit.Decision, q)
	e.visit.Decision = &d
	if d.Verdict == politeness.Allow {
		e.visit.Keep = e.visit.Kind != VisitDetail || !x.Freshness.NoStore // LC-122, LC-146
		e.outcome.Page.Open = uint8(d.Open(c.SilentTrain))
	} else {
		// Validators of what is not kept would be answered by a 304 to nothing.
		e.outcome.State, e.outcome.Reason, e.outcome.Page = frontier.Refused, string(d.Reason), nil
		e.tally[countPages], e.tally[countRefused] = 0, e.tally[countRefused]+1
	}
	c.dropType(e, x)
	c.takeLinks(ctx, e) // a page that must not be kept may still be followed, unless it says so
}

// confirmed ends a 304: the copy that is held is still good, unless the fields of
// this answer forbid it. They take the place of those that came with the copy.
func (c *Crawler) confirmed(ctx context.Context, e *ending, q politeness.Question, x *fetch.Exchange) {
	held := e.visit.Item.Page
	e.outcome.Attempts = 0
	e.tally[countBytesSaved] += held.WireBytes
	q.Now = c.Clock()
	q.Response = &politeness.Response{Status: x.Status, Header: x.Header}
	d := c.Gate.After(*e.visit.Decision, q)
	e.visit.Decision = &d
	if d.Verdict != politeness.Allow {
		e.outcome.State, e.outcome.Reason = frontier.Refused, string(d.Reason)
		e.tally[countRefused]++
		return
	}
	e.outcome.State, e.visit.Keep = frontier.NotModified, true
	page := held
	if page.Status < 200 || page.Status > 299 {
		page.Status = 200 // it failed meanwhile, but what is confirmed is the page
	}
	page.FetchedAt, page.FreshUntil, page.Checks = x.FinishedAt, explicitUntil(x), held.Checks+1
	page.Open = uint8(d.Open(c.SilentTrain))
	if x.Validators.ETag != "" {
		page.ETag = x.Validators.ETag
	}
	if x.Validators.LastModified != "" {
		page.LastModified = x.Validators.LastModified
	}
	e.outcome.Page = &page
	if c.knownDetail(ctx, e.visit.Item) {
		c.keepDetail(ctx, e, x)
	} else {
		e.tally[countNotModified]++
	}
}

// redirected ends a 3xx: the target is a discovery like any other, to be judged
// on its own.
func (c *Crawler) redirected(ctx context.Context, e *ending, x *fetch.Exchange) {
	item := e.visit.Item
	e.outcome.State, e.outcome.Reason = frontier.Redirected, statusReason(x.Status)
	if x.Location == "" {
		e.outcome.State, e.outcome.Reason = frontier.Failed, "redirect-without-location"
		return
	}
	base, err := frontier.NewBase(item.URL)
	if err != nil {
		e.outcome.State, e.outcome.Reason = frontier.Failed, "redirect-without-location"
		return
	}
	target, ok := base.Resolve(x.Location)
	switch {
	case !ok:
		e.outcome.State, e.outcome.Reason = frontier.Failed, string(politeness.GuardScheme)
	case guardReason(c.Fetcher.Vet(target)) != "":
		e.outcome.Reason = string(guardReason(c.Fetcher.Vet(target)))
		c.count(politeness.Reason(e.outcome.Reason))
	case hops(item.Path) >= c.MaxRedirects:
		e.outcome.State, e.outcome.Reason = frontier.Failed, "redirects"
		e.tally[countFailed]++
	default:
		c.discover(ctx, e, target, item.Depth, "R")
	}
}

// hops counts the redirects at the end of a discovery path.
func hops(path string) int { return len(path) - len(strings.TrimRight(path, "R")) }

// pageOf remembers a 2xx.
func pageOf(held frontier.Page, x *fetch.Exchange) *frontier.Page {
	p := frontier.Page{
		Status: x.Status, FetchedAt: x.FinishedAt, FreshUntil: explicitUntil(x), Digest: x.SHA256, Location: "",
		ETag: x.Validators.ETag, LastModified: x.Validators.LastModified, WireBytes: x.WireBytes,
		Changes: held.Changes, Checks: held.Checks + 1,
	}
	if x.Freshness.NoStore {
		p.ETag, p.LastModified = "", ""
	}
	if !held.FetchedAt.IsZero() {
		if held.Digest != p.Digest {
			p.Changes++
		} else {
			p.Location = held.Location
		}
	}
	return &p
}
