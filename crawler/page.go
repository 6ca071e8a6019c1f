package crawler

import (
	"context"
	"strings"

	"heed/crawler/discover"
	"heed/crawler/extract"
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
	if c.Archive && held.Location == "" {
		return fetch.Validators{}
	}
	return fetch.Validators{ETag: held.ETag, LastModified: held.LastModified}
}

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
		c.confirmed(ctx, &e, x)
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
		e.visit.Keep = true
	} else {
		// Validators of what is not kept would be answered by a 304 to nothing.
		e.outcome.State, e.outcome.Reason, e.outcome.Page = frontier.Refused, string(d.Reason), nil
		e.tally[countPages], e.tally[countRefused] = 0, e.tally[countRefused]+1
	}
	c.dropType(e, x)
	c.takeLinks(ctx, e) // a page that must not be kept may still be followed, unless it says so
}

// confirmed ends a 304: the copy that is held is still good.
func (c *Crawler) confirmed(ctx context.Context, e *ending, x *fetch.Exchange) {
	held := e.visit.Item.Page
	e.outcome.State, e.outcome.Attempts, e.visit.Keep = frontier.NotModified, 0, true
	e.tally[countBytesSaved] += held.WireBytes
	page := held
	if page.Status < 200 || page.Status > 299 {
		page.Status = 200 // it failed meanwhile, but what is confirmed is the page
	}
	page.FetchedAt, page.FreshUntil, page.Checks = x.FinishedAt, explicitUntil(x), held.Checks+1
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
