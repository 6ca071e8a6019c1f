package card

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// MaxBytes is the size of a card that is read; a larger one is refused
// (BC-C-023).
const MaxBytes = 256 << 10

// Errors of Parse besides those of ReadJSON.
var (
	ErrNotCard = errors.New("card: document is not an object")
	ErrDomain  = errors.New("card: card of another domain")
)

// Card is one card as it was served, with defaults filled in. It does not
// change after Parse.
type Card struct {
	Version   string // as written, empty if it was no string
	Domain    string // lower case
	Canonical string // origin, https and inside Domain, or empty
	Name      string
	Summary   string
	ListedBy  string    // the publisher
	Updated   time.Time // of the last write; says nothing about proof
	Note      string    // of the registry about the proof, for people
	Allow     []string  // never a grant (BC-C-911)
	Deny      []string
	AllowBots bool
	Consent   Consent // with AllowBots applied
	Proof     Proof
	Pages     []Page
	Sitemap   string // absolute and inside the domain, or empty
	SHA256    string // of the octets, lower-case hex

	known bool // version 1.x: grants may be taken (BC-C-932)
	sound bool // no list was unreadable
}

const (
	maxName    = 256  // octets of name and listed_by
	maxSummary = 4096 // octets of summary and note
)

// Parse reads the card of a domain. The domain may be empty to accept any; a
// card of another one is ErrDomain, because a registry that answers for
// somebody else answered nothing (BC-C-022). ErrDuplicate means that the octets
// are a card whose meaning depends on the reader; all other errors mean that
// they are no card.
func Parse(domain string, raw []byte) (Card, error) {
	v, err := ReadJSON(raw, MaxBytes)
	if err != nil {
		return Card{}, fmt.Errorf("card: parse card of %q: %w", domain, err)
	}
	if !v.IsObject() {
		return Card{}, fmt.Errorf("card: parse card of %q: %w", domain, ErrNotCard)
	}
	m := collect(v)
	c := Card{SHA256: digest(raw)}
	c.Domain = strings.ToLower(strings.TrimSuffix(text(m.domain, maxHost), "."))
	if domain != "" && c.Domain != domain {
		return Card{}, fmt.Errorf("card: parse card of %q: %w: %q", domain, ErrDomain, c.Domain)
	}
	c.Version, _ = m.version.Text()
	c.known = knownVersion(c.Version)
	c.Version = clip(c.Version, maxToken)
	c.Canonical = readCanonical(m.canonical, c.Domain)
	c.Name, c.Summary = text(m.name, maxName), text(m.summary, maxSummary)
	c.ListedBy = readPublisher(m.listedBy)
	c.Updated, _ = time.Parse(time.RFC3339, text(m.updated, maxToken))
	c.Note = text(m.verification.Member("note"), maxSummary)
	c.Allow, _ = readTokens(m.allow)
	c.Deny, c.sound = readTokens(m.deny)
	c.Proof = readProof(m.verification, m.crawl, m.freshness)
	c.Consent = readConsent(m.consent)
	// The master switch is the registry's duty too; ours if it forgot (BC-C-909).
	if c.AllowBots = m.allowBots == nil || m.allowBots.IsTrue(); !c.AllowBots {
		c.Consent.Retrieve, c.Consent.Train, c.Consent.Act = false, false, false
	}
	c.Pages = readPages(m.pages, c.Domain, c.Canonical)
	c.Sitemap = pageURL(new(url.URL), text(m.pointers.Member("sitemap"), maxURL+1), c.Domain)
	return c, nil
}

// members are the members of a card that mean something to a client. All others
// are ignored (BC-C-015). Of the pointers the sitemap alone is read: a card must not
// say where the robots.txt of an origin lies (BC-C-017).
type members struct {
	version, domain, canonical, name, summary, allowBots, allow, deny JSON
	pages, updated, verification, consent, crawl, listedBy, freshness JSON
	pointers                                                          JSON
}

func collect(v JSON) (m members) {
	for name, value := range v.members() {
		switch string(name) {
		case "botcentral":
			m.version = value
		case "domain":
			m.domain = value
		case "canonical":
			m.canonical = value
		case "name":
			m.name = value
		case "summary":
			m.summary = value
		case "allow_bots":
			m.allowBots = value
		case "allow":
			m.allow = value
		case "deny":
			m.deny = value
		case "pointers":
			m.pointers = value
		case "pages":
			m.pages = value
		case "updated":
			m.updated = value
		case "verification":
			m.verification = value
		case "consent":
			m.consent = value
		case "crawl":
			m.crawl = value
		case "listed_by":
			m.listedBy = value
		case "freshness":
			m.freshness = value
		}
	}
	return m
}

func text(v JSON, maxBytes int) string {
	s, _ := v.Text()
	return clip(s, maxBytes)
}

// knownVersion tells whether a version is 1 point a number (BC-C-932).
func knownVersion(v string) bool {
	minor, ok := strings.CutPrefix(v, "1.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
}

// readCanonical is the origin of an https URI inside the domain, empty for
// anything else. A port is kept, because it belongs to an origin.
func readCanonical(v JSON, domain string) string {
	u, err := url.Parse(text(v, maxURL))
	if err != nil || u.Scheme != "https" || u.User != nil || !within(hostOf(u), domain) {
		return ""
	}
	return "https://" + strings.ToLower(u.Host)
}

// readPublisher accepts what registries may write there: a string, an object
// with id, or an array of either (BC-R-912). The first counts.
func readPublisher(v JSON) string {
	for e := range v.Elements() {
		v = e
		break
	}
	if v.IsObject() {
		v = v.Member("id")
	}
	return text(v, maxName)
}

// maxHost is the longest host name of the DNS.
const maxHost = 253

// hostOf is the host name of u, lower case, without port and final dot.
func hostOf(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// within tells whether host is domain or below it.
func within(host, domain string) bool {
	if domain == "" || len(host) < len(domain) || !strings.HasSuffix(host, domain) {
		return false
	}
	return len(host) == len(domain) || host[len(host)-len(domain)-1] == '.'
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
