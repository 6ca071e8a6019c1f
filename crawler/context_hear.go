package crawler

import (
	"time"

	"heed/crawler/discover"
	"heed/frontier"
)

// heardLately is how long a page of an origin counts for the cycle that follows
// it: no cycle of an origin is due sooner after the last (LC-051).
const heardLately = time.Hour

// maxHearings bounds how often a cycle gives way to a page: robots.txt, a redirect
// of it, and the page itself.
const maxHearings = 3

// hearsFirst tells whether a page of the origin has to be heard before its context
// is sought, so that a Link of this pass counts and not only an old one, which may
// be forgotten by now (LC-103). mu of w is held.
func (c *Crawler) hearsFirst(w *contextWork) bool {
	if c.Context != ContextAuto || w.hearings >= maxHearings || c.Clock().Sub(w.heard) < heardLately {
		return false
	}
	w.hearings++
	return true
}

// afterPage lets the pages of the host go first.
func (c *Crawler) afterPage(g frontier.Grant) frontier.Settlement {
	item := g.URLs[0]
	due := c.Clock().Add(max(retryPolicy, c.Pace.Delay(g.Host)))
	return frontier.Settlement{Grant: g.GrantRef, HostNext: c.Pace.Next(g.Host).Until, Outcomes: []frontier.Outcome{{
		URL: item.URL, State: frontier.Future, Due: due, Attempts: item.Attempts,
	}}}
}

// linksOf are the links that a page showed when it was last transferred. A 304
// confirms them with everything else that it said (RFC 9111 4.3.4).
func linksOf(m discover.Memory, page string) []string {
	var links []string
	for _, seen := range m.Links {
		if seen.Page == page {
			links = append(links, seen.URI)
		}
	}
	return links
}
