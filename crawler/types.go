package crawler

import (
	"strings"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// keepsType tells whether bodies of a media type are kept: all, or those that
// Types lists, "text/*" for a whole family.
func (c *Crawler) keepsType(contentType string) bool {
	if len(c.Types) == 0 {
		return true
	}
	t, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	t = strings.TrimSpace(t)
	for _, want := range c.Types {
		family, whole := strings.CutSuffix(want, "/*")
		if t == want || want == "*/*" || whole && strings.HasPrefix(t, family+"/") {
			return true
		}
	}
	return false
}

// dropType refuses an answer of a type that the job does not keep. Its links hold:
// they may lead to what it keeps.
func (c *Crawler) dropType(e *ending, x *fetch.Exchange) {
	if c.keepsType(x.Header.Get("Content-Type")) || e.outcome.State != frontier.Fetched {
		return
	}
	d := *e.visit.Decision
	d.Opinion = politeness.Opinion{Source: politeness.ScopeType.Area(), Verdict: politeness.Deny, Reason: politeness.ScopeType}
	d.Uses = politeness.Everything(politeness.No)
	e.visit.Decision, e.visit.Keep = &d, false
	e.outcome.State, e.outcome.Reason, e.outcome.Page = frontier.Refused, string(politeness.ScopeType), nil
	e.tally[countPages], e.tally[countRefused] = 0, e.tally[countRefused]+1
}

const hopRequisite = "E"

// takeRequisites queues what a page needs to be shown. They are as far from the
// seed as the page itself.
func (c *Crawler) takeRequisites(e *ending, discover func(url string, depth int, hop string)) {
	if !c.Requisites {
		return
	}
	e.tally[countLinksOverLimit] += int64(e.page.RequisitesOverLimit)
	for _, l := range e.page.Requisites {
		discover(l.URL, e.visit.Item.Depth, hopRequisite)
	}
}
