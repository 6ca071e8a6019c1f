package pages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// How much of a card's text is shown, in octets, and how many of its lists'
// entries. The JSON has everything.
const (
	maxDomain  = 253
	maxName    = 120
	maxTeaser  = 280
	maxSummary = 2000
	maxURL     = 2048
	maxEntries = 100
)

// card is what the page shows of a card. The registry serves what its schema
// allows, so a card that does not fit is a fault of the registry.
type card struct {
	Domain    string
	Canonical string
	Name      string
	Summary   string
	Topics    []string
	AllowBots bool `json:"allow_bots"`
	Allow     []string
	Deny      []string
	Pointers  map[string]any
	Pages     []struct {
		URL   string
		Rel   string
		Title string
	}
	Consent struct {
		Retrieve, Train, Act, Cite bool
		TDM                        string
	}
	Verification struct {
		Method  string
		Checked *time.Time
		Proven  *time.Time
		Note    string
	}
	Crawl struct {
		RevalidateHours int `json:"revalidate_hours"`
	}
	ListedBy any `json:"listed_by"`
	Updated  time.Time
}

// site is the content of the page of a site.
type site struct {
	card
	Proof    proof
	Answers  []answer
	Links    []link
	Declared []link
	More     int // declared pages that are not shown
	Listed   bool
}

// proof says in words what the registry found out about the owner.
type proof struct {
	State string // fresh, stale, unproven: the class of the badge
	Label string
	Says  string
}

// answer is one of the five answers of the consent block.
type answer struct {
	Yes      bool
	Question string
	Says     string
}

// link is a URL of a stranger. Href is empty for what may not be linked.
type link struct{ Label, Text, Href string }

func (p *Pages) site(w http.ResponseWriter, r *http.Request) {
	asked := r.PathValue("domain")
	status, body, err := p.catalog.Site(r.Context(), asked)
	if err == nil && status == http.StatusOK {
		var c card
		if err = json.Unmarshal(body, &c); err == nil {
			p.card(w, r, asked, c)
			return
		}
	}
	if err != nil {
		p.problem(w, http.StatusInternalServerError, "The card cannot be read", "This is a fault of the registry. Try again later.")
		return
	}
	p.refused(w, status, body)
}

func (p *Pages) card(w http.ResponseWriter, r *http.Request, asked string, c card) {
	if c.Domain != asked {
		http.Redirect(w, r, p.frame.Root+"/site/"+url.PathEscape(c.Domain), http.StatusPermanentRedirect)
		return
	}
	s := site{card: c, Proof: proven(c.Verification.Method), Answers: c.answers()}
	s.Name, s.Summary = short(c.Name, maxName), short(c.Summary, maxSummary)
	s.Verification.Note, s.Verification.Method = short(c.Verification.Note, maxTeaser), short(c.Verification.Method, maxName)
	s.Consent.TDM = short(c.Consent.TDM, maxName)
	s.Topics, s.Allow, s.Deny = first(c.Topics), first(c.Allow), first(c.Deny)
	s.Listed = s.Proof.State != "unproven"
	for _, name := range []string{"robots", "sitemap", "llms"} {
		if text, ok := c.Pointers[name].(string); ok {
			s.Links = append(s.Links, linked(name, text))
		}
	}
	for i, page := range c.Pages {
		if i == maxEntries {
			s.More = len(c.Pages) - maxEntries
			break
		}
		l := linked(short(page.Rel, maxName), page.URL)
		if page.Title != "" {
			l.Text = short(page.Title, maxName)
		}
		s.Declared = append(s.Declared, l)
	}
	p.render(w, http.StatusOK, "site", page{Title: s.Name + " (" + c.Domain + ")", NoIndex: !s.Listed, Content: s})
}

func proven(method string) proof {
	switch method {
	case "well-known-file":
		return proof{"fresh", "Proven", "The owner's token was found in a file on the site."}
	case "dns-txt":
		return proof{"fresh", "Proven", "The owner's token was found in the domain's DNS."}
	case "stale":
		return proof{"stale", "Stale", "The owner's proof was not confirmed within its time. Permissions rest until it is; refusals hold."}
	case "unverified":
		return proof{"unproven", "Not proven", "A check did not find the owner's proof. This card permits nothing; its refusals should be honoured."}
	}
	return proof{"unproven", "Pending", "Somebody wrote this card, and nobody has proven yet to be the owner. It says nothing about the site."}
}

func (c card) answers() []answer {
	return []answer{
		{c.Consent.Retrieve, "Fetch to answer a person or for a search index", "retrieve"},
		{c.Consent.Train, "Copy into a training set", "train"},
		{c.Consent.Act, "Act on the site: submit, book, buy, write", "act"},
		{c.Consent.Cite, "Attribution is expected", "cite"},
	}
}

// Publisher names who wrote the card.
func (c card) Publisher() string {
	name, _ := c.ListedBy.(string)
	return short(name, maxName)
}

func linked(label, rawurl string) link {
	text := short(rawurl, maxURL)
	u, err := url.Parse(rawurl)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || text != rawurl {
		return link{Label: label, Text: text}
	}
	return link{label, text, rawurl}
}

// refused shows the catalog's refusal in its own words.
func (p *Pages) refused(w http.ResponseWriter, status int, body []byte) {
	var said problem
	if err := json.Unmarshal(body, &said); err != nil || said.Title == "" {
		said.Title = http.StatusText(status)
	}
	if status == http.StatusNotFound {
		said.Title = "No card for this domain"
		said.Detail = "Its owner has said nothing here. The site's own robots.txt and other statements hold."
	}
	p.problem(w, status, short(said.Title, maxName), short(said.Detail, maxSummary))
}

func first(list []string) []string {
	list = list[:min(len(list), maxEntries)]
	cut := make([]string, len(list))
	for i, text := range list {
		cut[i] = short(text, maxName)
	}
	return cut
}

// short cuts text to at most limit octets, between characters.
func short(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= limit {
		return text
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
