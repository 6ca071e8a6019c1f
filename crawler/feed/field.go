package feed

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// field gathers the text of one element, without the white space around it.
type field struct {
	text     []byte
	max      int
	overlong bool // something above max was dropped
	markup   bool // it has elements inside
	entity   bool // something refers to a named entity that XML does not define
}

func (f *field) reset() {
	*f = field{text: f.text[:0], max: f.max}
}

// add appends text as found in the document, its references resolved.
func (f *field) add(found []byte) {
	for len(found) > 0 {
		i := bytes.IndexByte(found, '&')
		if i < 0 {
			f.addLiteral(found)
			return
		}
		f.addLiteral(found[:i])
		found = found[i:]
		n := f.reference(found)
		found = found[n:]
	}
}

// addLiteral appends text without references.
func (f *field) addLiteral(b []byte) {
	if len(f.text) == 0 {
		b = trimLeft(b)
	}
	if room := f.max - len(f.text); len(b) > room {
		if len(trimRight(b[room:])) > 0 {
			f.overlong = true
		}
		b = b[:room]
	}
	f.text = append(f.text, b...)
}

func (f *field) value() []byte { return trimRight(f.text) }

// maxReferenceBytes is the longest reference looked for, from & to the semicolon.
const maxReferenceBytes = 32

// reference appends what the reference at the start of b stands for and returns its length. An & that
// starts none stands for itself: addresses with a bare & are common.
func (f *field) reference(b []byte) int {
	end := bytes.IndexByte(b[:min(len(b), maxReferenceBytes)], ';')
	if end < 2 {
		f.addLiteral(b[:1])
		return 1
	}
	name := b[1:end]
	switch string(name) {
	case "amp":
		f.addLiteral([]byte("&"))
	case "lt":
		f.addLiteral([]byte("<"))
	case "gt":
		f.addLiteral([]byte(">"))
	case "quot":
		f.addLiteral([]byte(`"`))
	case "apos":
		f.addLiteral([]byte("'"))
	default:
		r, ok := character(name)
		if !ok {
			f.entity = f.entity || isName(name)
			f.addLiteral(b[:1])
			return 1
		}
		var encoded [utf8.UTFMax]byte
		f.addLiteral(encoded[:utf8.EncodeRune(encoded[:], r)])
	}
	return end + 1
}

// character reads a numeric reference, without its & and semicolon.
func character(name []byte) (rune, bool) {
	if name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	return rune(n), true
}

func isName(b []byte) bool {
	for i, c := range b {
		digit := '0' <= c && c <= '9' || c == '.' || c == '-'
		if !isNameStart(c) && (i == 0 || !digit) {
			return false
		}
	}
	return true
}
