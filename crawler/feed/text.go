package feed

import (
	"bytes"
	"fmt"
	"io"
)

// list reads a text sitemap: an absolute URL a line. It has no mark of its own, so it is one only if its
// first line is such a URL and its type does not say otherwise.
type list struct {
	window
	out *output
}

func (l *list) run(contentType string) error {
	if t := mediaType(contentType); !mayBeList(t) {
		return fmt.Errorf("%w: no markup, and the type is %.64q", ErrNotFeed, t)
	}
	f := field{max: max(l.out.o.MaxURLBytes, minFieldBytes)}
	for {
		at, err := l.line(&f)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := l.take(&f, at); err != nil {
			return err
		}
	}
	if l.out.result.Format == FormatUnknown {
		return fmt.Errorf("%w: no markup and no URL", ErrNotFeed)
	}
	return nil
}

// mayBeList knows the types under which servers send lists; none of them is that of a script or page.
func mayBeList(mediaType string) bool {
	switch mediaType {
	case "", "text/plain", "text/uri-list", "application/octet-stream", "binary/octet-stream",
		"application/gzip", "application/x-gzip":
		return true
	}
	return false
}

// take judges one line.
func (l *list) take(f *field, at int64) error {
	value := f.value()
	switch {
	case len(value) == 0 || value[0] == '#': // a comment, RFC 2483 5
		return nil
	case !isAbsolute(value):
		if l.out.result.Format == FormatUnknown {
			return fmt.Errorf("%w: the first line is no absolute URL", ErrNotFeed)
		}
		l.out.note(CodeLine, at)
		return nil
	}
	l.out.result.Format = FormatText
	switch {
	case f.overlong || len(value) > l.out.o.MaxURLBytes:
		l.out.result.OverLimit++
		l.out.note(CodeURLTooLong, at)
		return nil
	case bytes.ContainsAny(value, space): // words after the URL, or no URL at all
		l.out.note(CodeLine, at)
		return nil
	case !isText(value):
		l.out.note(CodeURLBytes, at)
		return nil
	}
	return l.out.page(Entry{URL: string(value), Kind: KindPage, Priority: DefaultPriority})
}

// line reads the next line, ended in any of the three ways, and says where it starts. A last line without
// an end counts: nothing tells whether it was cut.
func (l *list) line(f *field) (at int64, err error) {
	f.reset()
	at = l.offset()
	if l.pos == l.end && !l.more() {
		return at, l.err
	}
	for {
		unread := l.unread()
		end := 0
		for end < len(unread) && unread[end] != '\n' && unread[end] != '\r' {
			end++
		}
		if end < len(unread) {
			f.addLiteral(unread[:end])
			l.pos += end + 1
			return at, nil
		}
		f.addLiteral(unread)
		l.pos = l.end
		if !l.more() {
			if l.err == io.EOF {
				return at, nil
			}
			return at, l.err
		}
	}
}
