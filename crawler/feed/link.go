package feed

import (
	"bytes"
	"net/url"
	"strings"
)

// link takes a link that says all in its attributes: hreflang of sitemaps, or a link of Atom.
func (d *document) link(t *token, p place) error {
	var rel, href, lang []byte
	stated := false
	for a := (attributes{rest: t.rest}); a.next(); {
		switch string(a.name) {
		case "rel":
			rel, stated = a.value, true
		case "href":
			href = a.value
		case "hreflang":
			lang = a.value
		}
	}
	// A link of Atom without rel is an alternate (RFC 4287 4.2.7.2).
	if !isAlternate(rel) && (stated || p != placeAtomLink) {
		return nil
	}
	d.take(href)
	if len(d.field.text) == 0 {
		d.out.note(CodeNoURL, t.at)
		return nil
	}
	e := &d.entry
	first := p == placeAtomLink && !e.linked
	e.linked = e.linked || first
	target, ok := d.reference()
	base := d.top().base
	switch {
	case !ok:
		return nil
	case first:
		e.URL, e.base = target, base
		return nil
	case target == e.URL || base.broken: // itself
		return nil
	}
	other := Entry{URL: target, Base: base.uri, Kind: KindAlternate, Priority: DefaultPriority}
	d.take(lang)
	if value := d.field.value(); isText(value) {
		other.Lang = string(value)
	}
	return d.out.alternate(other, t.at)
}

// take makes an attribute the field.
func (d *document) take(attribute []byte) {
	d.field.reset()
	d.field.add(attribute)
}

// isAlternate tells whether a rel has the relation alternate, in short or as its full name.
func isAlternate(rel []byte) bool {
	for word := range bytes.FieldsSeq(rel) {
		if bytes.EqualFold(word, []byte("alternate")) ||
			bytes.HasSuffix(word, []byte("iana.org/assignments/relation/alternate")) {
			return true
		}
	}
	return false
}

// hypertextLink takes the link of an RSS item that has its target in href, as in Atom. The text of the
// element, if there is any, is then a label and no second URL.
func (d *document) hypertextLink(t *token) {
	for a := (attributes{rest: t.rest}); a.next(); {
		if string(a.name) == "href" && d.entry.fallback == "" {
			d.entry.fallback = d.fallback(t.rest, "href")
		}
	}
}

// guid takes the identifier of an RSS item, which is a URL unless it says otherwise.
func (d *document) guid(attrs []byte) {
	for a := (attributes{rest: attrs}); a.next(); {
		if string(a.name) == "isPermaLink" && bytes.EqualFold(bytes.TrimSpace(a.value), []byte("false")) {
			d.top().place = placeNone
		}
	}
}

// fallback takes a URL from the attribute of a name.
func (d *document) fallback(attrs []byte, name string) string {
	for a := (attributes{rest: attrs}); a.next(); {
		if string(a.name) == name {
			d.take(a.value)
			target, _ := d.reference()
			d.field.reset()
			return target
		}
	}
	return ""
}

// base is the xml:base in force (XML Base). A broken one leaves the references below it without meaning.
type base struct {
	uri    string
	broken bool
}

// within returns the base inside of an element with these attributes.
func (b base) within(attrs []byte, out *output, at int64) base {
	if b.broken || !bytes.Contains(attrs, []byte("xml:base")) {
		return b
	}
	for a := (attributes{rest: attrs}); a.next(); {
		if string(a.name) != "xml:base" {
			continue
		}
		value := field{max: out.o.MaxURLBytes}
		value.add(a.value)
		joined, ok := joinBase(b.uri, string(value.value()))
		if !ok || value.overlong || len(joined) > out.o.MaxURLBytes {
			out.note(CodeBase, at)
			return base{broken: true}
		}
		return base{uri: joined}
	}
	return b
}

func joinBase(outer, inner string) (string, bool) {
	if strings.ContainsRune(inner, '\\') { // read as a slash by some
		return "", false
	}
	in, err := url.Parse(inner)
	if err != nil {
		return "", false
	}
	if outer == "" {
		return in.String(), true
	}
	out, err := url.Parse(outer)
	if err != nil {
		return "", false
	}
	// Two relative paths cannot be joined without the document's own URL.
	rooted := func(u *url.URL) bool { return u.IsAbs() || u.Host != "" || strings.HasPrefix(u.Path, "/") }
	if !rooted(out) && !rooted(in) {
		return "", false
	}
	return out.ResolveReference(in).String(), true
}
