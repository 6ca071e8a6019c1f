package crawler

import (
	"context"
	"slices"
	"strings"

	"heed/crawler/discover"
	"heed/crawler/extract"
	"heed/frontier"
	"heed/politeness"
)

// Comparison is one page of a sample: what the index says of it, and what it says
// itself (LC-073).
type Comparison struct {
	URI        string `json:"uri"`
	IndexTitle string `json:"index_title"`
	PageTitle  string `json:"page_title,omitempty"`
	Agree      *bool  `json:"agree"`            // nil if there was nothing to compare
	Reason     string `json:"reason,omitempty"` // why there was not: a reason code, a status, or a kind of failure
}

// Why a page of a sample cannot be compared, besides what its request came to.
const (
	compareNoTitle   = "no-title"     // the page has none
	compareElsewhere = "cross-origin" // a redirect led to another origin
)

// sampleContext asks for up to n ordinary pages that the index links to, each
// through the gate and at the host's pace like any fetch on demand, and remembers
// the share that disagrees with the index. Fewer than n are filled up by the home
// page, which the index's own heading is compared with.
func (c *Crawler) sampleContext(ctx context.Context, r *ContextResult, n int, demand Demand) error {
	if r.State != discover.StateIndex || r.text == nil {
		return nil
	}
	now := c.Clock()
	samples, err := c.samplesOf(ctx, r, min(n, discover.MaxSample))
	if err != nil {
		return err
	}
	disagree, compared := 0, 0
	for _, s := range samples {
		if err := c.compare(ctx, &s, demand); err != nil {
			return err
		}
		r.Samples = append(r.Samples, s)
		if s.Agree != nil {
			compared++
			if !*s.Agree {
				disagree++
			}
		}
	}
	if compared == 0 {
		return nil
	}
	d := &discover.Divergence{Share: float64(disagree) / float64(compared), Compared: compared, At: now, SHA256: r.SHA256}
	r.Divergence = &d.Share
	w := c.context.of(r.Origin)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := c.loadContext(ctx, w); err != nil {
		return err
	}
	if w.memory.Copy == nil {
		return nil // withdrawn meanwhile
	}
	w.memory.Divergence = d
	return c.saveContext(ctx, w)
}

// samplesOf picks what an index is compared with: pages of the origin whose words it
// is, that it gives a title to.
func (c *Crawler) samplesOf(ctx context.Context, r *ContextResult, n int) ([]Comparison, error) {
	m, err := c.ContextMemory(ctx, r.Origin)
	if err != nil {
		return nil, err
	}
	links, _ := extract.LabelledLinks(r.text, r.FinalURI, &resolver{})
	var pages []Comparison
	for _, l := range links {
		_, detail := m.Details[l.URL]
		if frontier.Origin(l.URL) == r.ContentOrigin && l.URL != r.FinalURI && !detail &&
			discover.MayBePage(l.URL) && discover.Comparable(l.Text) {
			pages = append(pages, Comparison{URI: l.URL, IndexTitle: l.Text})
		}
	}
	pages = discover.Pick(pages, n)
	home := r.ContentOrigin + "/"
	isHome := func(s Comparison) bool { return s.URI == home }
	if title := extract.MarkdownTitle(r.text); len(pages) < n && discover.Comparable(title) && !slices.ContainsFunc(pages, isHome) {
		pages = append(pages, Comparison{URI: home, IndexTitle: title})
	}
	return pages, nil
}

// compare asks for one page and compares its title.
func (c *Crawler) compare(ctx context.Context, s *Comparison, demand Demand) error {
	f, err := c.Fetch(ctx, s.URI, demand)
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case f.Err != nil:
		s.Reason = failureReason(f.Err)
	case f.Decision.Verdict != politeness.Allow:
		s.Reason = string(f.Decision.Reason)
	case !f.Kept():
		s.Reason = statusReason(f.Exchange.Status)
	case frontier.Origin(f.URL) != frontier.Origin(s.URI):
		s.Reason = compareElsewhere
	default:
		e := ending{}
		e.parse(c, f.Exchange)
		if e.page != nil {
			s.PageTitle = strings.TrimSpace(e.page.Title)
		}
		if !discover.Comparable(s.PageTitle) {
			s.Reason = compareNoTitle
			return nil
		}
		agree := discover.Agree(s.IndexTitle, s.PageTitle)
		s.Agree = &agree
	}
	return nil
}
