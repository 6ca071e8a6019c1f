package standards

import (
	"net/http"
	"strings"
	"time"

	"heed/politeness"
)

// xRobotsTag is the field of a response, in lower case.
const xRobotsTag = "x-robots-tag"

// maxPageRules bounds the rules that are read of one response; what is beyond
// them counts as the strictest rule there is.
const maxPageRules = 2_000

// xrobots reads what a page says about itself: X-Robots-Tag fields and meta
// elements named robots or by our token. There is no standard, only the custom
// of large search engines. All rules that mean us are united, the strictest
// wins. See xrobots_scan.go for how fields are taken apart.
type xrobots struct {
	token    string
	strictAI bool // noai closes answers too
}

func (xrobots) Name() string { return "xrobots" }

func (xrobots) Where(string) []politeness.Place { return []politeness.Place{responsePlace} }

func (s xrobots) Read(politeness.Place, politeness.Document) politeness.Rules { return s }

func (s xrobots) Judge(q politeness.Question) politeness.Opinion {
	page := pageRules{strictAI: s.strictAI, once: q.Mode == politeness.OnDemand, now: q.Now, image: isImage(q.Response.Header)}
	left := maxPageRules
	for _, value := range q.Response.Header.Values(xRobotsTag) {
		scanField(value, s.token, &left, func(name, value string) {
			page.apply(name, value, fieldCitation(xRobotsTag, name, value))
		})
	}
	for _, m := range q.Response.Meta {
		name := strings.TrimSpace(m.Name)
		if !strings.EqualFold(name, "robots") && (s.token == "" || !strings.EqualFold(name, s.token)) {
			continue
		}
		scanRules(m.Content, &left, func(rule, value string) {
			page.apply(rule, value, metaCitation(name, rule, value))
		})
	}
	if left < 0 {
		page.apply("none", "", politeness.Rule{})
		page.apply("noai", "", politeness.Rule{})
		page.apply("noarchive", "", politeness.Rule{})
	}
	o := page.votes.opinion(s.Name(), q.Purposes)
	o.DropLinks, o.DropImages, o.NoCopy = page.dropLinks, page.dropImages, page.noCopy
	return o
}

// isImage tells whether a response carries an image, which `noimageai` is about.
func isImage(h http.Header) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(h.Get("Content-Type"))), "image/")
}

func fieldCitation(field, rule, value string) politeness.Rule {
	return politeness.Rule{Text: plainText(field + ": " + ruleText(rule, value))}
}

func metaCitation(name, rule, value string) politeness.Rule {
	return politeness.Rule{Text: plainText(`<meta name="` + name + `" content="` + ruleText(rule, value) + `">`)}
}

func ruleText(rule, value string) string {
	if value == "" {
		return rule
	}
	return rule + ": " + value
}

// pageRules is what the rules of a page come to.
type pageRules struct {
	strictAI   bool
	once       bool // somebody waits for the page and reads it once
	image      bool
	now        time.Time
	votes      votes
	dropLinks  bool
	dropImages bool
	noCopy     bool
}

// apply adds a rule, whose name is in lower case. Unknown rules, and those that
// restrict nothing, are ignored.
func (p *pageRules) apply(name, value string, cited politeness.Rule) {
	switch name {
	case "noindex":
		p.noindex(cited)
	case "nofollow":
		p.dropLinks = true
	case "none":
		p.noindex(cited)
		p.dropLinks = true
	case "noarchive", "nocache":
		p.noCopy = true
		p.votes.refuse(politeness.Answer, politeness.XRobotsNoarchive, cited)
		p.votes.refuse(politeness.Train, politeness.XRobotsNoarchive, cited)
	case "nosnippet":
		p.noCopy = true
		p.votes.refuse(politeness.Answer, politeness.XRobotsNoarchive, cited)
	case "max-snippet":
		if value == "0" {
			p.noCopy = true
			p.votes.refuse(politeness.Answer, politeness.XRobotsNoarchive, cited)
		}
	case "noimageindex":
		p.dropImages = true
	case "noai":
		p.votes.refuse(politeness.Train, politeness.XRobotsNoAI, cited)
		if p.strictAI {
			p.votes.refuse(politeness.Answer, politeness.XRobotsNoAI, cited)
		}
	case "noimageai":
		if p.image {
			p.votes.refuse(politeness.Train, politeness.XRobotsNoAI, cited)
		}
	case "unavailable_after":
		if date, ok := parsePageDate(value); !ok || !p.now.Before(date) {
			for purpose := range politeness.Purpose(purposes) {
				p.votes.refuse(purpose, politeness.XRobotsUnavailableAfter, cited)
			}
		}
	}
}

// noindex keeps a page out of an index and out of bulk answers. Who waits for
// this one page may read it once.
func (p *pageRules) noindex(cited politeness.Rule) {
	p.votes.refuse(politeness.Index, politeness.XRobotsNoindex, cited)
	if !p.once {
		p.votes.refuse(politeness.Answer, politeness.XRobotsNoindex, cited)
	}
}
