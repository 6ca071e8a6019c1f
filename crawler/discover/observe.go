package discover

import (
	"slices"
	"strings"
	"time"
)

// LinkSeen is one advertisement by a Link field or link element.
type LinkSeen struct {
	URI    string    `json:"uri"`
	Page   string    `json:"page"` // the response that carried it
	Home   bool      `json:"home,omitempty"`
	Place  int       `json:"place,omitempty"` // order within the response: fields before elements (LC-138)
	SeenAt time.Time `json:"seen_at"`
}

// Sample counts what pages showed, for the audit findings about Links (LC-030, LC-031).
type Sample struct {
	Pages    int  `json:"pages,omitempty"`
	WithLink int  `json:"with_link,omitempty"`
	Home     bool `json:"home,omitempty"` // the home document is among them
	HomeLink bool `json:"home_link,omitempty"`
}

// maxSample is how many pages count for the sample.
const maxSample = 20

// ObservePage takes in one final response of a crawl. url is the canonical URL that answered, links the
// resolved targets with relation Relation: those of Link fields first, then those of the head in document
// order. Only 2xx and 304 count (LC-140), and only for the origin that answered (LC-141): a response of
// another origin changes nothing. A response that no longer carries a Link withdraws the one it carried.
func (m *Memory) ObservePage(url string, status int, links []string, now time.Time) {
	if OriginOf(url) != m.Origin || status != 304 && (status < 200 || status > 299) {
		return
	}
	home := isHome(m.Origin, url)
	if m.Sample.Pages < maxSample {
		m.Sample.Pages++
		m.Sample.Home = m.Sample.Home || home
		if len(links) > 0 {
			m.Sample.WithLink++
			m.Sample.HomeLink = m.Sample.HomeLink || home
		}
	}
	if status == 304 && len(links) == 0 {
		return // a 304 need not repeat the fields of the response it confirms
	}
	m.Links = slices.DeleteFunc(slices.Clone(m.Links), func(seen LinkSeen) bool {
		return seen.Page == url || !usable(seen, now)
	})
	for place, uri := range links {
		if place < maxPageLinks && OriginOf(uri) != "" && len(uri) <= maxURIBytes {
			m.Links = append(m.Links, LinkSeen{URI: uri, Page: url, Home: home, Place: place, SeenAt: now})
		}
	}
	slices.SortStableFunc(m.Links, preferLink)
	if len(m.Links) > maxLinksSeen {
		m.Links = m.Links[:maxLinksSeen]
	}
}

// TakeObservations sets what pages and details have shown to what from holds. Whoever commits a cycle
// calls it with the stored memory, so that a page seen while the cycle ran is not forgotten.
func (m *Memory) TakeObservations(from Memory) {
	m.Links, m.Sample, m.Details = from.Links, from.Sample, from.Details
	if m.Divergence = from.Divergence; m.Copy == nil {
		m.Divergence = nil // it was about a text that is withdrawn
	}
}

func usable(seen LinkSeen, now time.Time) bool {
	return now.Sub(seen.SeenAt) <= linkLife
}

// preferLink orders home first, then newest, then by place (LC-103, LC-138).
func preferLink(a, b LinkSeen) int {
	if a.Home != b.Home {
		if a.Home {
			return -1
		}
		return 1
	}
	if order := b.SeenAt.Compare(a.SeenAt); order != 0 {
		return order
	}
	if order := strings.Compare(a.Page, b.Page); order != 0 {
		return order
	}
	return a.Place - b.Place
}

func isHome(origin, url string) bool {
	url, _, _ = strings.Cut(url, "#")
	return url == origin || url == origin+"/"
}

// Audit returns the findings about how the origin advertises: Links not on the home document, or on every page.
func (s Sample) Audit() []string {
	var findings []string
	if s.WithLink > 0 && s.Home && !s.HomeLink {
		findings = append(findings, FindingLinkNotOnHome)
	}
	if s.Pages >= maxSample && s.WithLink == s.Pages {
		findings = append(findings, FindingLinkEverywhere)
	}
	return findings
}
