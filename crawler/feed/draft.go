package feed

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// draft is an entry while its element is open.
type draft struct {
	Entry
	at       int64
	dated    dateRank
	linked   bool   // a URL was named, fit or not
	fallback string // stands in for a link that is missing: a guid, or rdf:about
	base     base
}

// dateRank says how much a date counts: a modification beats a publication.
type dateRank uint8

const (
	dateNone dateRank = iota
	datePublished
	dateModified
)

// enter takes what a start tag says. Its element is the last open one.
func (d *document) enter(t *token) error {
	top := d.top()
	d.fieldAt = t.at
	switch p := top.place; p {
	case placeURL, placeChild, placeItem, placeEntry:
		d.entry = draft{Entry: Entry{Kind: KindPage, Priority: DefaultPriority}, at: t.at, base: top.base}
		if p == placeChild {
			d.entry.Kind = KindIndexChild
		}
		root := d.open[0].place
		if p == placeChild && root == placeURLSet || p == placeURL && root == placeIndex {
			d.out.note(CodeMixed, t.at)
		}
		if d.out.result.Format == FormatRDF {
			d.entry.fallback = d.fallback(t.rest, "rdf:about")
		}
	case placeNews:
		d.entry.Kind = KindNews
	case placeAlternate, placeAtomLink:
		return d.link(t, p)
	default:
		d.field.reset()
		if p == placeLoc && len(t.rest) > 0 && d.out.result.Format == FormatRSS {
			d.hypertextLink(t)
		}
		if p == placeGUID {
			d.guid(t.rest)
		}
	}
	return nil
}

// leave takes what an element says that ends.
func (d *document) leave(p place) error {
	switch p {
	case placeURL, placeChild, placeItem, placeEntry:
		return d.finish()
	case placeLoc:
		d.page()
	case placeGUID:
		if d.entry.fallback == "" && isAbsolute(d.field.value()) {
			d.entry.fallback, _ = d.reference()
		}
	case placeModified:
		d.date(dateModified)
	case placePublished:
		d.date(datePublished)
	case placeChangeFreq:
		d.changeFreq()
	case placePriority:
		d.priority()
	}
	return nil
}

// finish hands out the entry.
func (d *document) finish() error {
	e := &d.entry
	if !e.linked && e.URL == "" {
		e.URL = e.fallback
	}
	if e.URL == "" {
		if !e.linked {
			d.out.note(CodeNoURL, e.at)
		}
		return nil
	}
	if e.base.broken {
		return nil // noted where it stands
	}
	e.Base = e.base.uri
	return d.out.page(e.Entry)
}

// page takes the field as the URL of the entry.
func (d *document) page() {
	if len(d.field.text) == 0 {
		return // finish notes it, unless the URL stands elsewhere
	}
	if d.entry.linked {
		if string(d.field.value()) != d.entry.URL {
			d.out.note(CodeURLTwice, d.fieldAt)
		}
		return
	}
	d.entry.linked = true
	d.entry.URL, _ = d.reference()
}

// reference takes the field as a reference, or notes why it is none.
func (d *document) reference() (string, bool) {
	value := d.field.value()
	switch {
	case len(value) == 0:
		return "", false
	case d.field.overlong || len(value) > d.out.o.MaxURLBytes:
		d.out.result.OverLimit++
		d.out.note(CodeURLTooLong, d.fieldAt)
		return "", false
	case d.field.markup:
		d.out.note(CodeURLMarkup, d.fieldAt)
		return "", false
	case d.field.entity && d.scanner.entities:
		d.out.note(CodeEntity, d.fieldAt)
		return "", false
	case !isText(value):
		d.out.note(CodeURLBytes, d.fieldAt)
		return "", false
	}
	return string(value), true
}

// isText tells whether a value is UTF-8 without control characters other than white space, which URL
// parsers take out.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && !isSpace(c) || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(b)
}

// isAbsolute tells whether a value starts as an absolute http or https URL does.
func isAbsolute(b []byte) bool {
	for _, scheme := range []string{"https://", "http://"} {
		if len(b) > len(scheme) && bytes.EqualFold(b[:len(scheme)], []byte(scheme)) {
			return true
		}
	}
	return false
}

func (d *document) date(rank dateRank) {
	value := d.field.value()
	if len(value) == 0 || d.entry.dated >= rank {
		return
	}
	at, span, ok := parseDate(value)
	if !ok || d.field.overlong {
		d.out.note(CodeDate, d.fieldAt)
		return
	}
	d.entry.LastMod, d.entry.LastModSpan, d.entry.dated = at.UTC(), span, rank
}

func (d *document) changeFreq() {
	value := d.field.value()
	for c := ChangeAlways; c <= ChangeNever; c++ {
		if bytes.EqualFold(value, []byte(changeFreqNames[c])) {
			d.entry.ChangeFreq = c
			return
		}
	}
	if len(value) > 0 {
		d.out.note(CodeChangeFreq, d.fieldAt)
	}
}

// maxPriorityBytes is above what any writer of decimals needs for a number between 0 and 1.
const maxPriorityBytes = 24

func (d *document) priority() {
	value := d.field.value()
	if len(value) == 0 {
		return
	}
	if len(value) <= maxPriorityBytes {
		// The comparison is false for NaN.
		if f, err := strconv.ParseFloat(string(value), 32); err == nil && f >= 0 && f <= 1 {
			d.entry.Priority = float32(f)
			return
		}
	}
	d.out.note(CodePriority, d.fieldAt)
}
