package card

import (
	"net/url"
	"time"
)

// Bounds of the pages of a card.
const (
	maxURL   = 2048
	maxPages = 5000
)

// Unscored is the score of a page for which the registry gives none.
const Unscored = -1

// Page is a page that a card declares.
type Page struct {
	URL   string // absolute, inside the domain of the card, without fragment
	Score int    // 0 to 100, or Unscored
}

// readPages takes the pages that lie inside the domain; relative references are
// resolved against the canonical origin. Pages elsewhere are dropped (BC-C-021):
// what a card says ends where its domain ends.
func readPages(v JSON, domain, canonical string) []Page {
	if canonical == "" {
		canonical = "https://" + domain
	}
	base, err := url.Parse(canonical + "/")
	if err != nil || domain == "" {
		return nil
	}
	var pages []Page
	for e := range v.Elements() {
		if len(pages) == maxPages {
			break
		}
		p := Page{Score: Unscored}
		var target string
		for name, value := range e.members() {
			switch string(name) {
			case "url", "href":
				if s, ok := value.Text(); ok && target == "" {
					target = s
				}
			case "score":
				if n, ok := value.Integer(); ok && 0 <= n && n <= 100 {
					p.Score = int(n)
				}
			}
		}
		if p.URL = pageURL(base, target, domain); p.URL != "" {
			pages = append(pages, p)
		}
	}
	return pages
}

// pageURL resolves a reference of a card, empty if it leads where the card has
// no say.
func pageURL(base *url.URL, target, domain string) string {
	if target == "" || len(target) > maxURL {
		return ""
	}
	u, err := base.Parse(target)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || !within(hostOf(u), domain) {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// Candidates gives the pages of a card for our queue, each with a score: middle
// is what unscored pages get (BC-C-917). A registry computes scores from facts
// that it checked, so they lose their weight when the checks are over: the score
// of a stale card moves to the middle within one window, and an unproven card
// has none. A card that is pending is unlisted and has no candidates, because a
// stranger may have written it.
//
// The order is that of the card. Each candidate is an ordinary URL to the gate.
func Candidates(c Card, now time.Time, middle int) []Page {
	state := c.Proof.State(now, 0)
	if state == Pending {
		return nil
	}
	weight := 1.0
	switch {
	case state == Unverified:
		weight = 0
	case state == Stale:
		over := c.Proof.Age(now, 0) - c.Proof.Window
		weight = min(max(1-float64(over)/float64(c.Proof.Window), 0), 1)
		if c.Proof.Checked.After(now.Add(SkewTolerance)) {
			weight = 0
		}
	}
	pages := make([]Page, len(c.Pages))
	for i, p := range c.Pages {
		score := middle
		if p.Score != Unscored {
			score += int(weight * float64(p.Score-middle))
		}
		pages[i] = Page{URL: p.URL, Score: score}
	}
	return pages
}

// List gives the sitemap of a card for our queue, empty if it names none inside its
// domain. A card that is pending has none, because a stranger may have written it.
func List(c Card, now time.Time) string {
	if c.Proof.State(now, 0) == Pending {
		return ""
	}
	return c.Sitemap
}
