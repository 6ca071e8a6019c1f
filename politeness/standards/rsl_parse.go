package standards

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a licence document besides its size.
const (
	rslMaxDepth    = 32
	rslMaxElements = 20_000
)

// errLicense says that a licence document cannot be read.
var errLicense = errors.New("standards: unreadable licence")

// trainTerms are the usages that cover training, in versions of the standard met
// so far.
var trainTerms = map[string]bool{"all": true, "ai-all": true, "ai-train": true, "train-ai": true, "train-genai": true}

// freePayments are the types that ask for no money.
var freePayments = map[string]bool{"free": true, "attribution": true}

// parseLicense reads a document. Entities other than the five of XML are errors,
// so nothing expands.
func parseLicense(body []byte, origin string) ([]licensed, error) {
	dec := xml.NewDecoder(bytes.NewReader(body))
	p := licenseParser{origin: origin}
	for elements := 0; ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errLicense, err)
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, fmt.Errorf("%w: a document type", errLicense)
		case xml.StartElement:
			if elements++; elements > rslMaxElements || len(p.path) >= rslMaxDepth {
				return nil, fmt.Errorf("%w: too many elements", errLicense)
			}
			p.start(t)
		case xml.EndElement:
			p.end()
		case xml.CharData:
			if p.usages() {
				p.text = append(p.text, t...)
			}
		}
	}
	if !p.rooted || len(p.contents) == 0 {
		return nil, fmt.Errorf("%w: no rsl element with content", errLicense)
	}
	return p.contents, nil
}

// licenseParser walks the elements rsl, content, license and what is in them.
// Other elements are passed over. Names are compared without their namespace,
// which is written in more than one way.
type licenseParser struct {
	origin   string
	path     []string
	rooted   bool
	contents []licensed
	kind     string // type attribute of a permits or prohibits element
	text     []byte
}

func (p *licenseParser) start(e xml.StartElement) {
	name := strings.ToLower(e.Name.Local)
	p.path = append(p.path, name)
	switch {
	case len(p.path) == 1 && name == "rsl":
		p.rooted = true
	case !p.rooted:
	case name == "content" && len(p.path) == 2:
		p.contents = append(p.contents, licensed{pattern: p.location(attribute(e, "url"))})
	case name == "license" && len(p.path) == 3 && len(p.contents) > 0:
		c := &p.contents[len(p.contents)-1]
		c.terms = append(c.terms, terms{text: "<license>"})
	case p.in("permits") || p.in("prohibits"):
		p.kind, p.text = strings.ToLower(attribute(e, "type")), p.text[:0]
	case p.in("payment"):
		kind := strings.ToLower(attribute(e, "type"))
		if t := p.terms(); t != nil && !freePayments[kind] && kind != "" {
			t.payment, t.text = kind, `<payment type="`+plainText(kind)+`">`
		}
	}
}

func (p *licenseParser) end() {
	if p.usages() {
		p.use(p.path[len(p.path)-1] == "permits")
	}
	if len(p.path) > 0 {
		p.path = p.path[:len(p.path)-1]
	}
}

// in tells whether the open element has a name and stands in a license.
func (p *licenseParser) in(name string) bool {
	n := len(p.path)
	return n == 4 && p.path[n-1] == name && p.path[n-2] == "license" && p.terms() != nil
}

// usages tells whether the text of the open element lists usages.
func (p *licenseParser) usages() bool { return p.in("permits") || p.in("prohibits") }

// terms is the open license element, nil if there is none.
func (p *licenseParser) terms() *terms {
	if len(p.contents) == 0 {
		return nil
	}
	c := &p.contents[len(p.contents)-1]
	if len(c.terms) == 0 {
		return nil
	}
	return &c.terms[len(c.terms)-1]
}

// use takes the words of a permits or prohibits element in. One that asks who or
// where the user is cannot be answered by a crawler, so it prohibits.
func (p *licenseParser) use(permits bool) {
	t := p.terms()
	words := strings.FieldsFunc(strings.ToLower(string(p.text)), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
	train := false
	for _, w := range words {
		train = train || trainTerms[w]
	}
	text := fmt.Sprintf("<%s type=%q>%s", p.path[len(p.path)-1], p.kind, strings.Join(words, " "))
	switch {
	case p.kind != "usage" && p.kind != "":
		t.prohibited, t.text = true, plainText(text)
	case permits:
		t.permits, t.permitted = true, t.permitted || train
		if !train && !t.prohibited {
			t.text = plainText(text)
		}
	case train:
		t.prohibited, t.text = true, plainText(text)
	}
}

// location reads the url attribute: a path pattern, or an absolute address of the
// origin. Anything else covers the whole origin, so that its terms count.
func (p *licenseParser) location(url string) pattern {
	if url, own := withinOrigin(url, p.origin); own {
		if at, ok := compilePattern(strings.TrimPrefix(url, p.origin)); ok {
			return at
		}
	}
	if at, ok := compilePattern(url); ok {
		return at
	}
	everywhere, _ := compilePattern("*")
	return everywhere
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}
