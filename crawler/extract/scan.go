package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/net/html"
)

// scanner walks the tokens of one document and keeps raw findings; nothing is resolved before the end.
type scanner struct {
	tokens  *html.Tokenizer
	options Options
	page    *Page
	attrs   attrs

	foreign   foreign
	xhtml     bool
	templates int  // open template elements; their content is not part of the document
	noscript  bool // inside noscript
	inHead    bool
	next      textRole
	offset    int64 // octets of decoded document before the current token

	base        string
	hasBase     bool
	canonical   string
	refresh     *Refresh // URL still unresolved
	links       refs
	requisites  refs
	context     []string
	describedBy []string
	metaBytes   int
	pragmaLang  string
}

// textRole is what the text token behind the current tag would be.
type textRole uint8

const (
	textContent textRole = iota // part of the document
	textTitle                   // the title
	textRaw                     // a script, style sheet or later title
)

func newScanner(document []byte, xhtml bool, page *Page, options Options) *scanner {
	s := &scanner{
		tokens: html.NewTokenizer(bytes.NewReader(document)), options: options, page: page, xhtml: xhtml, inHead: true,
		links: newRefs(options.MaxLinks, 64), requisites: newRefs(options.MaxLinks, 8),
	}
	s.tokens.AllowCDATA(xhtml)
	return s
}

func (s *scanner) run() error {
	for count := 0; ; count++ {
		if count == s.options.MaxTokens {
			return fmt.Errorf("%w: more than %d", ErrTooManyTokens, s.options.MaxTokens)
		}
		kind := s.tokens.Next()
		raw := s.tokens.Raw()
		length := int64(len(raw))
		switch kind {
		case html.ErrorToken:
			if err := s.tokens.Err(); !errors.Is(err, io.EOF) {
				return fmt.Errorf("extract: tokenize: %w", err)
			}
			return nil
		case html.TextToken:
			s.text()
		case html.StartTagToken:
			s.startTag(tagOf(raw[1:]), false)
		case html.SelfClosingTagToken:
			s.startTag(tagOf(raw[1:]), true)
		case html.EndTagToken:
			s.endTag(raw[2:])
		}
		s.offset += length
	}
}

func (s *scanner) text() {
	role := s.next
	s.next = textContent
	switch role {
	case textTitle:
		s.page.Title = s.collapsed(s.tokens.Text())
		return
	case textRaw:
		return
	}
	// Only the head is left by text, so the rest of the document pays nothing here.
	if s.inHead && s.templates == 0 && !s.noscript && !isBlank(s.tokens.Raw()) {
		s.inHead = false
	}
}

func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\n' && c != '\f' && c != '\r' {
			return false
		}
	}
	return true
}

func (s *scanner) startTag(t tag, selfClosing bool) {
	s.next = textContent
	if s.foreign.active() {
		if t.breaksOut() {
			s.foreign.breakOut()
			s.cdata()
		} else {
			s.foreignTag(t, selfClosing)
			return
		}
	}
	if t.rawText() {
		if selfClosing && s.xhtml {
			s.tokens.NextIsNotRawText()
		} else {
			s.next = textRaw
		}
	}
	if t == tagTemplate && !(selfClosing && s.xhtml) {
		s.templates++
		return
	}
	if s.templates > 0 {
		s.enterForeign(t, selfClosing)
		return
	}
	if s.inHead && !t.inHead() && !s.noscript {
		s.inHead = false
	}
	switch t {
	case tagOther, tagBreakout, tagHead, tagHeadOnly, tagBody, tagStyle, tagIntegration, tagImage:
		return
	case tagSVG, tagMath:
		s.enterForeign(t, selfClosing)
		return
	case tagNoscript:
		// We run no scripts, so its content counts like any other, except for what must end up in the head.
		s.tokens.NextIsNotRawText()
		s.noscript = !(selfClosing && s.xhtml)
		s.next = textContent
		return
	case tagTitle:
		if s.page.Title == "" && s.next == textRaw {
			s.next = textTitle
		}
		return
	}
	s.attrs.read(s.tokens)
	s.element(t)
}

func (s *scanner) endTag(raw []byte) {
	s.next = textContent
	t := tagOf(raw)
	switch t {
	case tagSVG, tagMath, tagIntegration, tagTitle:
		if len(s.foreign.stack) > 0 {
			s.foreign.pop(t)
			s.cdata()
		}
	case tagTemplate:
		if s.templates > 0 && !s.foreign.active() {
			s.templates--
		}
	case tagNoscript:
		s.noscript = false
	case tagBody, tagHTML:
		if s.templates == 0 && !s.noscript {
			s.inHead = false
		}
	case tagBreakout:
		// </br> opens a br; the other end tags are ignored in the head.
		if len(raw) > 2 && equalLower(raw[:2], "br") && endsName(raw[2]) && s.templates == 0 && !s.noscript {
			s.inHead = false
		}
	}
}

// maxTitleBytes bounds the title.
const maxTitleBytes = 1 << 10

// collapsed strips and collapses white space as document.title does, within the bound.
func (s *scanner) collapsed(text []byte) string {
	joined := bytes.ToValidUTF8(bytes.Join(bytes.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r'
	}), []byte{' '}), []byte("\uFFFD"))
	if len(joined) > maxTitleBytes {
		s.page.find(FindingTitleCut)
		joined = bytes.ToValidUTF8(joined[:maxTitleBytes], nil)
	}
	return string(joined)
}
