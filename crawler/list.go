package crawler

import (
	"context"
	"fmt"
	"strings"

	"heed/crawler/fetch"
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

// offerLists queues the lists that robots.txt of an origin names, once a process
// and origin: after a page of it was answered, so that the site is there and the
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
	r := fetch.Request{URL: key.url, Method: q.Method, Accept: listAccept, MaxBodyBytes: c.Lists.MaxBytes, WantRaw: c.Archive,
		Validators: fetch.Validators{ETag: item.Page.ETag, LastModified: item.Page.LastModified}}
	c.declare(&r, d.Declared(), d.Declare)
	x, next, err := c.exchange(ctx, slot, q.Host, r)
	defer func() { _ = x.Close() }()
	if ctx.Err() != nil {
		return ctx.Err()
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
	item := g.URLs[0]
	e := ending{outcome: frontier.Outcome{URL: item.URL, State: frontier.Refused, Reason: string(d.Reason)}}
	c.closeList(&e, item)
	v := Visit{Kind: VisitList, URL: key.url, Item: item, Decision: &d, State: frontier.Refused, Reason: string(d.Reason), At: c.Clock()}
	s := frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{e.outcome}, Tally: e.tally}
	return c.record(ctx, s, v)
}

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
		e.links = append(e.links, next.candidate(item.Path+"R", key.url, listScore))
	}
}

// listDepth is how many lists lie on the way to an item, itself included.
func listDepth(path string) int { return strings.Count(path, hopList) }
