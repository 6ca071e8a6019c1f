package crawler

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"heed/crawler/discover"
	"heed/crawler/extract"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// resolver resolves the references of one document. It remembers the last base,
// because extract asks for hundreds of references against the same one.
type resolver struct {
	base *frontier.Base
	raw  string
}

func (r *resolver) Resolve(base, ref string) (string, bool) {
	if r.base == nil || r.raw != base {
		b, err := frontier.NewBase(base)
		if err != nil {
			return "", false
		}
		r.base, r.raw = b, base
	}
	return r.base.Resolve(ref)
}

// parse extracts links and meta of an HTML page. What cannot be parsed within
// its bounds has no links; the page is kept all the same.
func (e *ending) parse(c *Crawler, x *fetch.Exchange) {
	contentType := x.Header.Get("Content-Type")
	if !mayLink(contentType) {
		return
	}
	body, err := x.Body.Bytes(c.MaxBodyBytes)
	if err != nil {
		c.Log.Warn("page cannot be read back", "url", x.URL, "err", err)
		return
	}
	page, err := extract.Parse(body, contentType, x.URL, &resolver{}, extract.Options{MaxLinks: c.MaxLinks, ContextRelation: discover.Relation})
	if err != nil {
		if !errors.Is(err, extract.ErrTooManyTokens) {
			c.Log.Warn("page cannot be parsed", "url", x.URL, "err", err)
		}
		return
	}
	e.page, e.visit.Title = page, page.Title
}

// meta is what the head of the page says about its use.
func (e *ending) meta() []politeness.Meta {
	if e.page == nil || len(e.page.Metas) == 0 {
		return nil
	}
	out := make([]politeness.Meta, len(e.page.Metas))
	for i, m := range e.page.Metas {
		out[i] = politeness.Meta{Name: m.Name, Content: m.Content}
	}
	return out
}

// takeLinks makes candidates of the links of a page.
func (c *Crawler) takeLinks(ctx context.Context, e *ending) {
	if e.page == nil {
		return
	}
	e.tally[countLinksOverLimit] += int64(e.page.LinksOverLimit)
	if e.visit.Decision.DropLinks {
		e.tally[countNofollow] += int64(len(e.page.Links))
		c.count(politeness.ScopeNofollow)
		return
	}
	if reason := c.farm(e); reason != "" {
		for _, l := range e.page.Links {
			e.refuseLink(c, l.URL, reason, "L")
		}
		return
	}
	e.links = make([]frontier.Candidate, 0, len(e.page.Links)+1)
	for _, l := range e.page.Links {
		if l.NoFollow {
			e.tally[countNofollow]++
			c.count(politeness.ScopeNofollow)
			continue
		}
		if !c.takeFeed(ctx, e, l) {
			c.discover(ctx, e, l.URL, e.visit.Item.Depth+1, "L")
		}
	}
	c.takeRequisites(e, func(url string, depth int, hop string) { c.discover(ctx, e, url, depth, hop) })
}

// discover adds one candidate if the job wants it.
func (c *Crawler) discover(ctx context.Context, e *ending, url string, depth int, hop string) {
	// A redirect to the same page in another spelling is what the site insists on.
	if ruled := c.URLs.Apply(url); hop != "R" || ruled != e.visit.URL {
		url = ruled
	}
	if !c.wants(ctx, e, url, depth, hop) {
		return
	}
	item := &e.visit.Item
	e.links = append(e.links, frontier.Candidate{URL: url, Host: frontier.HostKey(url), Score: item.Score, Depth: depth,
		Parent: item.URL, Path: item.Path + hop})
}

// wants tells whether the job takes a URL that was found; if not, it is counted.
func (c *Crawler) wants(ctx context.Context, e *ending, url string, depth int, hop string) bool {
	if c.Context == ContextOnly && hop != "R" && hop != "C" {
		return false
	}
	if len(url) > c.MaxURLBytes {
		e.tally[countLinksOverLimit]++
		return false
	}
	if scope := c.scope(); scope != nil {
		if r := scope.Judge(url, depth, false); r != "" {
			e.tally[countOutOfScope]++
			if hop == "R" {
				e.outcome.Reason = r
				c.count(politeness.Reason(r))
			}
			return false
		}
	}
	if r := frontier.Trap(url, c.TrapRepeat); r != "" {
		e.refuseLink(c, url, politeness.Reason(r), hop)
		return false
	}
	if r := c.traps.Judge(url, c.Clock()); r != "" {
		e.refuseLink(c, url, politeness.Reason(r), hop)
		return false
	}
	if !c.roomFor(ctx, e, url) {
		e.refuseLink(c, url, politeness.ScopeBudget, hop)
		return false
	}
	return true
}

// farm tells whether a page is one of too many of its host with the very same
// body: a "not found" that answers 200, whose links lead to more of its kind. Each
// URL counts once, when it is first fetched.
func (c *Crawler) farm(e *ending) politeness.Reason {
	x := e.visit.Exchange
	if x == nil || x.DecodedBytes == 0 || !e.visit.Item.Page.FetchedAt.IsZero() {
		return ""
	}
	return politeness.Reason(c.traps.SameBody(frontier.HostKey(e.visit.URL), x.SHA256, e.visit.URL))
}

// explicitUntil is the end of the freshness that an answer states, zero if it
// states none.
func explicitUntil(x *fetch.Exchange) time.Time {
	if !x.Freshness.Explicit || x.Freshness.NoCache || x.Freshness.NoStore {
		return time.Time{}
	}
	return x.Freshness.FreshUntil(x.FinishedAt)
}

func statusReason(status int) string { return "status-" + strconv.Itoa(status) }

// mayLink tells whether a media type can be a page with links. Bodies of other
// types are not read back from disk for nothing.
func mayLink(contentType string) bool {
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.TrimSpace(t)
	return t == "" || strings.Contains(strings.ToLower(t), "html") || strings.EqualFold(t, "application/octet-stream")
}

// maxRefusedLinks bounds the refused links that one answer adds to the record; the
// rest are counted by reason.
const maxRefusedLinks = 8

// refuseLink records a link that is never queued: refused, with its reason.
func (e *ending) refuseLink(c *Crawler, url string, reason politeness.Reason, hop string) {
	c.count(reason)
	if len(e.traps) >= maxRefusedLinks {
		return
	}
	d := politeness.Combine(politeness.Question{URL: url, Method: "GET", Purposes: c.Purposes, Mode: politeness.Crawl, Now: c.Clock()},
		[]politeness.Opinion{{Source: reason.Area(), Verdict: politeness.Deny, Reason: reason}})
	d.ID = c.Gate.NewID()
	e.traps = append(e.traps, Visit{Kind: VisitPage, URL: url, Item: frontier.Item{Candidate: frontier.Candidate{Parent: e.visit.URL, Path: e.visit.Item.Path + hop}},
		Decision: &d, State: frontier.Refused, Reason: string(reason), At: d.DecidedAt})
}
