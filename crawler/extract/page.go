package extract

import (
	"errors"
	"time"
)

var (
	// ErrTooManyTokens reports a document that needs more tokens than Options.MaxTokens. Nothing of it
	// is returned: a prefix of the links would pass for all of them.
	ErrTooManyTokens = errors.New("extract: too many tokens")
	// ErrDocumentURL reports a final URL that the Resolver refuses.
	ErrDocumentURL = errors.New("extract: document URL does not resolve")
)

// Kind says what sort of element a link came from. The zero value is not a link.
type Kind uint8

const (
	KindUnknown   Kind = iota
	KindAnchor         // a element, HTML or SVG
	KindArea           // area element of an image map
	KindLink           // link element with a navigational relation
	KindCanonical      // link rel=canonical
	KindAlternate      // link rel=alternate: languages, other formats
	KindFeed           // link rel=alternate to an RSS or Atom document, by its type
	KindFrame          // frame or iframe
	KindRefresh        // meta refresh
	KindImage          // requisite: img, srcset, icons, posters
	KindScript         // requisite: script
	KindStyle          // requisite: style sheet
	KindMedia          // requisite: audio, video, embed, object, preload
)

var kindNames = [...]string{"unknown", "anchor", "area", "link", "canonical", "alternate", "feed", "frame", "refresh", "image", "script", "style", "media"}

// String names the kind in one lower-case word.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// Link is one URL that a page names.
type Link struct {
	URL  string // canonical, absolute, without fragment
	Kind Kind   // of the first element that named it
	// NoFollow is true if every element naming the URL said rel=nofollow.
	NoFollow bool
}

// Meta is a named meta element of the head, kept as written for the standards that read it.
type Meta struct {
	Name    string // lower case
	Content string
}

// Refresh is what a meta refresh asks for.
type Refresh struct {
	URL   string
	Delay time.Duration
}

// Findings of Page.Findings.
const (
	FindingLinksOverLimit      = "links-over-limit"
	FindingRequisitesOverLimit = "requisites-over-limit"
	FindingURLOverLimit        = "url-over-limit"
	FindingMetasOverLimit      = "metas-over-limit"
	FindingTitleCut            = "title-cut"
	FindingCharsetDetected     = "charset-detected"
	FindingHeadOverLimit       = "head-over-limit"
)

// Page is all that Parse finds in one document.
type Page struct {
	Title     string // white space collapsed, at most 1 KiB
	Language  string // lang of the html element, else the content-language pragma
	Charset   string // canonical WHATWG name, lower case
	Base      string // what relative references were resolved against
	Canonical string // first link rel=canonical

	Links      []Link // document order, one entry for a URL
	Requisites []Link // what a browser would load to show the page; apart, because nobody queues it unasked

	LinksOverLimit      int // references beyond Options.MaxLinks, counted and forgotten
	RequisitesOverLimit int

	Metas   []Meta // named meta elements of the head, in document order
	Refresh *Refresh

	ContextLinks []string // head link elements with Options.ContextRelation, document order
	DescribedBy  []string // head link elements with rel=describedby, document order

	// Unresolved holds references the Resolver refused and URLs over the limit, so that a log can show
	// them: at most 20, each cut to 2 KiB. UnresolvedCount counts all.
	Unresolved      []string
	UnresolvedCount int

	Findings []string
}

func (p *Page) find(finding string) {
	for _, f := range p.Findings {
		if f == finding {
			return
		}
	}
	p.Findings = append(p.Findings, finding)
}

// Meta returns the contents of the meta elements with the lower-case name.
func (p *Page) Meta(name string) []string {
	var contents []string
	for _, m := range p.Metas {
		if m.Name == name {
			contents = append(contents, m.Content)
		}
	}
	return contents
}
