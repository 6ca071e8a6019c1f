package feed

import (
	"bytes"
	"fmt"
	"io"
)

// document walks the markup of a sitemap or feed.
//
// Invariants: open holds only elements that childPlace knows, root first, so it is never deeper than
// maxOpen; while over is active, open does not change; the field belongs to the last open element.
type document struct {
	scanner scanner
	out     *output
	bound   bindings
	open    []element
	names   []byte // of the open elements, as spelt, one after the other
	over    passed
	closed  bool // the root element has ended

	field   field
	fieldAt int64
	entry   draft
}

// minFieldBytes is room for a date, however short URLs have to be.
const minFieldBytes = 64

func newDocument(w window, out *output) document {
	return document{
		scanner: scanner{window: w}, out: out,
		open:  make([]element, 0, maxOpen),
		field: field{max: max(out.o.MaxURLBytes, minFieldBytes)},
	}
}

func (d *document) run() error {
	t := &d.scanner.token
	for {
		err := d.scanner.next()
		if err != nil {
			return d.end(err)
		}
		if d.closed {
			if t.kind == tokenText && len(trimLeft(t.rest)) == 0 {
				continue
			}
			d.out.note(CodeTrailing, t.at)
			return nil
		}
		switch t.kind {
		case tokenText, tokenCDATA:
			d.text(t)
		case tokenStart:
			err = d.start(t)
		case tokenEnd:
			err = d.endTag(t)
		}
		if err != nil {
			return err
		}
		if t.broken {
			d.out.note(CodeNesting, t.at)
		}
	}
}

// end deals with the end of the input. After the root element nothing matters any more, damage neither.
func (d *document) end(err error) error {
	at := d.scanner.offset()
	switch {
	case d.closed:
		if err != io.EOF {
			d.out.note(CodeTrailing, at)
		}
		return nil
	case err != io.EOF:
		return err
	case len(d.open) == 0:
		return fmt.Errorf("%w: no root element", ErrNotFeed)
	}
	d.out.note(CodeTruncated, at)
	// What an unfinished element holds may be half of something, so it is dropped unread.
	if d.top().place.isText() {
		d.drop()
	}
	for len(d.open) > 0 {
		if err := d.pop(); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) text(t *token) {
	if len(d.over.name) > 0 || len(d.open) == 0 || !d.top().place.isText() {
		return
	}
	if t.kind == tokenCDATA {
		d.field.addLiteral(t.rest)
		return
	}
	d.field.add(t.rest)
}

func (d *document) start(t *token) error {
	if len(d.over.name) > 0 {
		d.passStart(t)
		return nil
	}
	prefix, local := splitPrefix(t.name)
	if len(d.open) == 0 {
		return d.root(t, prefix, local)
	}
	bound := len(d.bound.all)
	if bytes.Contains(t.rest, []byte("xmlns")) {
		d.bound.declare(t.rest)
	}
	// The innermost element that may have such a child is its parent: those inside were not ended.
	place, parent := placeNone, len(d.open)
	vocabulary := d.bound.lookup(prefix)
	var lower [maxLocalBytes]byte
	if known := lowerName(&lower, local); known != nil {
		for place == placeNone && parent > 0 {
			parent--
			place = childPlace(d.open[parent].place, vocabulary, string(known))
		}
	}
	if place == placeNone {
		d.bound.all = d.bound.all[:bound]
		d.field.markup = true // of no matter unless the top is a text
		if !t.empty {
			d.over = passed{name: append(d.over.name, t.name...), depth: 1}
		}
		return nil
	}
	if parent < len(d.open)-1 {
		d.out.note(CodeNesting, t.at)
		own := d.bound.all[bound:]
		for parent < len(d.open)-1 {
			if err := d.pop(); err != nil {
				return err
			}
		}
		bound = len(d.bound.all)
		d.bound.all = append(d.bound.all, own...)
	}
	d.push(t, place, bound)
	if err := d.enter(t); err != nil {
		return err
	}
	if t.empty {
		return d.pop()
	}
	return nil
}

// root opens the root element and with it settles the format.
func (d *document) root(t *token, prefix, local []byte) error {
	var lower [maxLocalBytes]byte
	place, format, own := rootPlace(string(lowerName(&lower, local)))
	d.bound.declare(t.rest)
	found := d.bound.lookup(prefix)
	// Other vocabularies have a feed element too.
	if place == placeNone || place == placeAtom && !ownOf(found, own) {
		return fmt.Errorf("%w: the root element is %.64q", ErrNotFeed, t.name)
	}
	if !ownOf(found, own) {
		d.out.note(CodeNamespace, t.at)
		if found == vocabularyOther {
			d.bound.adopt(prefix, t.rest)
		}
	}
	d.out.result.Format = format
	d.push(t, place, 0)
	if t.empty {
		return d.pop()
	}
	return nil
}

func (d *document) endTag(t *token) error {
	if len(d.over.name) > 0 && d.passEnd(t) {
		return nil
	}
	at := d.find(t.name)
	if at != len(d.open)-1 || at < 0 {
		d.out.note(CodeNesting, t.at)
	}
	for at >= 0 && len(d.open) > at {
		if err := d.pop(); err != nil {
			return err
		}
	}
	return nil
}
