package feed

import (
	"fmt"
	"io"
)

// Read reads a document and hands its entries to yield in the order they are complete. r gives the body
// with its content codings off; contentType is the field of the response, or empty.
//
// The result holds what was learned even if there is an error. Errors wrap one of the sentinels of this
// package, or the error of r or yield. An error of yield ends the reading.
func Read(r io.Reader, contentType string, o Options, yield func(Entry) error) (Result, error) {
	o = o.withDefaults()
	out := output{o: o, yield: yield}
	err := out.read(r, contentType)
	if err == nil && out.kept {
		err = fmt.Errorf("%w: more than %d", ErrTooManyEntries, o.MaxEntries)
	}
	out.result.Findings = out.found.list()
	return out.result, err
}

func (out *output) read(r io.Reader, contentType string) error {
	body, err := unpack(r, out.o)
	if err != nil {
		return err
	}
	text, err := decode(body, contentType, out.o.Decoder)
	if err != nil {
		return err
	}
	w := newWindow(text)
	switch first, err := w.firstOctet(); {
	case err == io.EOF:
		return fmt.Errorf("%w: it is empty", ErrNotFeed)
	case err != nil:
		return err
	case first == '<':
		d := newDocument(w, out)
		return d.run()
	}
	l := list{window: w, out: out}
	return l.run(contentType)
}

// firstOctet skips white space and byte order marks: some documents have several, of which decode takes
// only the first.
func (w *window) firstOctet() (byte, error) {
	const mark = "\ufeff"
	for {
		for w.pos < w.end && isSpace(w.buf[w.pos]) {
			w.pos++
		}
		for w.end-w.pos < len(mark) && w.more() {
		}
		switch unread := w.unread(); {
		case len(unread) == 0:
			return 0, w.err
		case len(unread) >= len(mark) && string(unread[:len(mark)]) == mark:
			w.pos += len(mark)
		case !isSpace(unread[0]):
			return unread[0], nil
		}
	}
}

// output is the way out of entries and findings, and where the limits hold.
type output struct {
	o      Options
	yield  func(Entry) error
	result Result
	found  findings
	kept   bool // entries were kept back
}

func (out *output) note(c Code, offset int64) { out.found.note(c, offset) }

// page hands out a page or a child of an index.
func (out *output) page(e Entry) error {
	if out.result.Entries == out.o.MaxEntries {
		out.result.OverLimit++
		out.kept = true
		return nil
	}
	out.result.Entries++
	return out.hand(e)
}

// alternate hands out another form of a page.
func (out *output) alternate(e Entry, offset int64) error {
	if out.result.Alternates == out.o.MaxAlternates {
		out.result.OverLimit++
		out.note(CodeAlternates, offset)
		return nil
	}
	out.result.Alternates++
	return out.hand(e)
}

func (out *output) hand(e Entry) error {
	if err := out.yield(e); err != nil {
		return fmt.Errorf("feed: hand out %q: %w", e.URL, err)
	}
	return nil
}
