package crawler

import (
	"context"
	"fmt"
	"time"

	"heed/frontier"
)

// A job that keeps its pages fresh does not end: it walks over what is settled from
// time to time and queues again what is due. When that is follows from the records
// of the pages, so nothing has to be remembered between runs.

const (
	sweepPage  = 500 // records read at once, and outcomes of one settlement
	sweepShare = 20  // a sweep takes at most a 20th of the time
)

// keepFresh queues what is due until ctx ends or the run does.
func (c *Crawler) keepFresh(ctx context.Context) error {
	tick := time.NewTicker(idleCheck)
	defer tick.Stop()
	next, forget := c.Clock(), c.Clock().Add(c.KeepFresh.First)
	for {
		select {
		case <-ctx.Done():
			return nil // the run says why
		case <-tick.C:
		}
		now := c.Clock()
		if c.Stopping() {
			return nil
		}
		if now.Before(next) || c.Paused() {
			continue
		}
		if !now.Before(forget) {
			// Cards and robots.txt may name other pages and lists by now.
			c.pagesOf.forget()
			c.listsOf.forget()
			forget = now.Add(c.KeepFresh.First)
		}
		began := time.Now()
		due, err := c.sweep(ctx, now)
		if err != nil {
			return c.interrupted(ctx, err)
		}
		// What is settled from now on is due in Min at the earliest.
		if latest := now.Add(c.KeepFresh.Min); due.IsZero() || due.After(latest) {
			due = latest
		}
		if next = now.Add(sweepShare * time.Since(began)); due.After(next) {
			next = due
		}
	}
}

// sweep queues all that is due at now, and tells when the next one will be; zero
// if nothing is settled.
func (c *Crawler) sweep(ctx context.Context, now time.Time) (next time.Time, err error) {
	for cursor := ""; ; {
		hosts, more, err := c.Queue.ListHosts(ctx, cursor, sweepPage)
		if err != nil {
			return next, fmt.Errorf("crawler: look for what is due: %w", err)
		}
		for _, h := range hosts {
			due, err := c.sweepHost(ctx, h.Name, now)
			if err != nil {
				return next, err
			}
			if next.IsZero() || !due.IsZero() && due.Before(next) {
				next = due
			}
		}
		if cursor = more; more == "" {
			return next, nil
		}
	}
}

func (c *Crawler) sweepHost(ctx context.Context, host string, now time.Time) (next time.Time, err error) {
	for cursor := ""; ; {
		list, more, err := c.Queue.ListHost(ctx, host, cursor, sweepPage)
		if err != nil {
			return next, fmt.Errorf("crawler: look for what is due on %s: %w", host, err)
		}
		var queue []frontier.Outcome
		for _, r := range list {
			due := c.KeepFresh.Due(r.State, r.Page)
			switch {
			case due.IsZero():
			case !due.After(now):
				queue = append(queue, frontier.Outcome{URL: r.URL, State: frontier.Ready, Reason: r.Reason})
			case next.IsZero() || due.Before(next):
				next = due
			}
		}
		if len(queue) > 0 {
			if err := c.settle(ctx, frontier.Settlement{Grant: frontier.GrantRef{Host: host}, Outcomes: queue}); err != nil {
				return next, err
			}
		}
		if cursor = more; more == "" {
			return next, nil
		}
	}
}

// dueAgain notes when a URL was last asked for that gave no page, so that the
// schedule knows when to ask again. Only jobs that keep fresh need it.
func (c *Crawler) dueAgain(o *frontier.Outcome, held frontier.Page, status int) {
	if c.KeepFresh == nil || o.Page != nil {
		return
	}
	page := held
	page.Status, page.FetchedAt, page.FreshUntil = status, c.Clock(), time.Time{}
	switch o.State {
	case frontier.Gone:
		// Of what is gone the answers in a row count: a second one makes it certain.
		page.Changes, page.Checks, page.ETag, page.LastModified = 0, 1, "", ""
		if goneStatus(held.Status) {
			page.Checks = held.Checks + 1
		}
	case frontier.Redirected:
		page.ETag, page.LastModified = "", ""
	case frontier.Refused, frontier.Failed:
	default:
		return
	}
	o.Page = &page
}

func goneStatus(status int) bool { return status == 404 || status == 410 }

// changed queues a page again that a list says was changed after it was fetched. A
// list that always says "now" gets the shortest interval and no less.
func (r *reading) changed(url string, lastmod time.Time) error {
	c := r.c
	if c.KeepFresh == nil || lastmod.IsZero() {
		return nil
	}
	known, err := c.Queue.Why(r.ctx, url)
	if err != nil || !known.State.Settled() {
		return unlessUnknown(err)
	}
	fetched := known.Page.FetchedAt
	if !fetched.IsZero() && lastmod.After(fetched) && !c.Clock().Before(fetched.Add(c.KeepFresh.Min)) {
		r.e.others = append(r.e.others, frontier.Outcome{URL: url, State: frontier.Ready, Reason: "lastmod"})
	}
	return nil
}
