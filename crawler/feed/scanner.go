package feed

import (
	"bytes"
	"fmt"
)

// space is white space as XML defines it.
const space = " \t\r\n"

// token is a piece of markup. Its slices are valid until the next call of scanner.next.
type token struct {
	kind tokenKind
	at   int64  // where it starts
	name []byte // of a tag, with its prefix
	// rest is the text, or the attributes of a start tag. Text longer than the window comes in pieces.
	rest   []byte
	empty  bool // a start tag that is its own end
	broken bool // a tag that ended at the next one; it has no attributes
}

type tokenKind uint8

const (
	tokenText  tokenKind = iota
	tokenCDATA           // text without references
	tokenStart
	tokenEnd
)

// scanner splits XML into tokens. It never expands anything: comments, processing instructions and
// document type declarations are passed over. It accepts what is not well-formed: a lone < is text,
// and a tag that never ends, ends where the next begins.
type scanner struct {
	window
	token    token // the last one
	cdata    bool  // inside of a CDATA section
	entities bool  // the document declares entities
}

// next steps to the next token. It returns io.EOF, or what the reader failed with, if there is none.
func (s *scanner) next() error {
	for {
		if s.cdata {
			if s.section() {
				return nil
			}
			continue
		}
		if s.pos == s.end && !s.more() {
			return s.err
		}
		if s.buf[s.pos] != '<' {
			s.text(0)
			return nil
		}
		// Two octets tell what it is, unless it is a declaration.
		if s.end-s.pos < 2 && !s.more() {
			s.text(1)
			return nil
		}
		switch c := s.buf[s.pos+1]; {
		case c == '/':
			return s.tag(tokenEnd)
		case c == '!':
			if err := s.declaration(); err != nil {
				return err
			}
		case c == '?':
			s.skipPast("?>")
		case isNameStart(c):
			return s.tag(tokenStart)
		default:
			s.text(1)
			return nil
		}
	}
}

// text takes everything up to the next <, of which the first n octets are text whatever they are.
func (s *scanner) text(n int) {
	at := s.offset()
	for {
		if i := bytes.IndexByte(s.buf[s.pos+n:s.end], '<'); i >= 0 {
			n += i
			break
		}
		n = s.end - s.pos
		if !s.more() {
			break
		}
	}
	s.token = token{kind: tokenText, at: at, rest: s.buf[s.pos : s.pos+n]}
	s.pos += n
}

// section takes the rest of a CDATA section, or as much of it as there is room for. It answers false if
// that is nothing.
func (s *scanner) section() bool {
	at := s.offset()
	for from := 0; ; {
		unread := s.unread()
		if i := bytes.Index(unread[from:], []byte("]]>")); i >= 0 {
			s.pos += from + i + len("]]>")
			s.cdata = false
			s.token = token{kind: tokenCDATA, at: at, rest: unread[:from+i]}
			return from+i > 0
		}
		from = max(0, len(unread)-len("]]"))
		if s.more() {
			continue
		}
		if !s.full() { // the end of the document
			from = len(unread)
			s.cdata = false
		}
		s.pos += from
		s.token = token{kind: tokenCDATA, at: at, rest: unread[:from]}
		return from > 0
	}
}

// declaration passes over a comment or a document type declaration, or enters a CDATA section.
func (s *scanner) declaration() error {
	for s.end-s.pos < len("<![CDATA[") && s.more() {
	}
	unread := s.unread()
	switch {
	case bytes.HasPrefix(unread, []byte("<!--")):
		s.pos += len("<!--")
		s.skipPast("-->")
		return nil
	case bytes.HasPrefix(unread, []byte("<![CDATA[")):
		s.pos += len("<![CDATA[")
		s.cdata = true
		return nil
	}
	for {
		n, entities := doctypeEnd(s.unread())
		if n > 0 {
			s.pos += n
			s.entities = s.entities || entities
			return nil
		}
		if err := s.grow("declaration"); err != nil {
			return err
		}
	}
}

// skipPast drops everything up to and with the end mark, or the rest of the document.
func (s *scanner) skipPast(mark string) {
	for {
		unread := s.unread()
		if i := bytes.Index(unread, []byte(mark)); i >= 0 {
			s.pos += i + len(mark)
			return
		}
		s.pos += max(0, len(unread)-len(mark)+1)
		if !s.more() {
			s.pos = s.end
			return
		}
	}
}

// tag takes a start or end tag.
func (s *scanner) tag(kind tokenKind) error {
	lead := len("<")
	if kind == tokenEnd {
		lead = len("</")
	}
	for {
		unread := s.unread()
		n, broken := tagEnd(unread[lead:])
		if n < 0 {
			if err := s.grow("tag"); err != nil {
				return err
			}
			continue
		}
		s.token = token{kind: kind, at: s.offset(), broken: broken}
		inner := unread[lead : lead+n]
		s.pos += lead + n
		if !broken {
			s.pos++ // the >
		}
		if kind == tokenStart && len(inner) > 0 && inner[len(inner)-1] == '/' {
			s.token.empty = true
			inner = inner[:len(inner)-1]
		}
		s.token.name, s.token.rest = splitName(inner)
		if broken { // its last attribute may be half of one
			s.token.rest = nil
		}
		return nil
	}
}

// grow makes room for markup to end. The end of the document drops it.
func (s *scanner) grow(what string) error {
	if s.more() {
		return nil
	}
	if s.full() && s.err == nil {
		return fmt.Errorf("%w: %s at octet %d", ErrMarkup, what, s.offset())
	}
	s.pos = s.end
	return s.err
}
