package crawler

import (
	"context"
	"net/http"
	"sync"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// A 403 in spite of preferences that permit the request explicitly (AP-142): the
// document is read again once if the copy is older than five minutes, in a slot of
// its host like any other; then the URL is dropped, with the reason that the new
// copy gives or else with the status. It is not asked for again. What the third in
// a row does to the host is the pacer's business.

// access compares an answer with what the site's own preferences say about the
// request. d is nil for a policy document.
func access(d *politeness.Decision, x *fetch.Exchange, failed error) pace.Access {
	if d == nil || x == nil || failed != nil {
		return pace.AccessUnsaid
	}
	switch {
	case x.Status >= 200 && x.Status < 400:
		return pace.AccessGiven
	case x.Status == http.StatusForbidden:
		if _, ok := d.Permission(); ok {
			return pace.AccessContradicted
		}
	}
	return pace.AccessUnsaid
}

// contradicted notes a 403 in spite of a permission. It tells whether the document
// with the permission is read again first.
func (c *Crawler) contradicted(ctx context.Context, d *politeness.Decision, x *fetch.Exchange, failed error) (again bool, err error) {
	if access(d, x, failed) != pace.AccessContradicted {
		return false, nil
	}
	host := frontier.HostKey(d.URL)
	if w := c.Pace.Next(host); w.Reason == pace.ReasonBackOff {
		c.count(politeness.PaceBackOff)
		c.Log.Warn("a host refuses what its preferences allow, and is left alone", "host", host, "until", w.Until)
	}
	return c.Gate.Contradicted(ctx, d, c.Clock())
}

// untilRead gives a URL that was refused back to the queue until the document
// that permits it has been read again.
func (c *Crawler) untilRead(e *ending) {
	c.contested.add(e.outcome.URL)
	e.outcome.State, e.outcome.Due, e.outcome.Page = frontier.Future, c.Clock(), nil
	e.visit.State = frontier.Future
}

// drop settles a URL that its server refuses although the preferences that were
// read again still permit it.
func (c *Crawler) drop(ctx context.Context, g frontier.Grant, d politeness.Decision) error {
	item := g.URLs[0]
	o := frontier.Outcome{URL: item.URL, State: frontier.Failed, Reason: statusReason(http.StatusForbidden)}
	c.dueAgain(&o, item.Page, http.StatusForbidden)
	v := Visit{Kind: VisitPage, URL: item.URL, Item: item, Decision: &d, State: o.State, Reason: o.Reason, At: c.Clock()}
	s := settleBack(g, c.Pace.Next(g.Host).Until)
	s.Outcomes = []frontier.Outcome{o}
	return c.record(ctx, s, v)
}

// contestedURLs are refused URLs that wait for a document. They are in memory
// only: a crash costs each of them one more request.
type contestedURLs struct {
	mu   sync.Mutex
	urls map[string]struct{}
}

// contestedLimit bounds them: a host has one at a time. Beyond it they are
// forgotten, at the price of a request each.
const contestedLimit = 10_000

func (s *contestedURLs) add(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.urls == nil || len(s.urls) >= contestedLimit {
		s.urls = map[string]struct{}{}
	}
	s.urls[url] = struct{}{}
}

// take tells whether a URL is among them, and forgets it.
func (s *contestedURLs) take(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.urls[url]
	delete(s.urls, url)
	return ok
}
