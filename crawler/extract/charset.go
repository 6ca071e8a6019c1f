package extract

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

const (
	utf8Name        = "utf-8"
	fallbackCharset = "windows-1252" // the web's default for unlabelled bytes
	// detectBytes is how much the detector sees: it needs about 0.1 ms per KiB, and more text
	// hardly changes its mind.
	detectBytes = 16 << 10
	// minConfidence is where the detector's guess beats the fallback.
	minConfidence = 0.5
)

// charsetSource says what settled the encoding.
type charsetSource uint8

const (
	fromFallback charsetSource = iota
	fromBOM
	fromHeader
	fromMarkup
	fromValidity
	fromDetector
)

// label is an encoding and why it was chosen. enc is nil for UTF-8, whose bytes need no decoding.
type label struct {
	enc    encoding.Encoding
	name   string
	source charsetSource
	bom    int // octets of byte order mark at the start
}

func lookupLabel(name string, source charsetSource) (label, bool) {
	enc, canonical := charset.Lookup(name)
	if enc == nil {
		return label{}, false
	}
	if canonical == utf8Name {
		enc = nil
	}
	return label{enc: enc, name: canonical, source: source}, true
}

// sniffCharset finds the encoding of a document: byte order mark, transport label, markup, then the
// bytes themselves. The mark wins over the header (WHATWG Encoding, BOM sniff).
func sniffCharset(body []byte, headerCharset string) label {
	if name, octets := byteOrderMark(body); octets > 0 {
		found, _ := lookupLabel(name, fromBOM)
		found.bom = octets
		return found
	}
	if found, ok := lookupLabel(headerCharset, fromHeader); ok {
		return found
	}
	if found, ok := lookupLabel(prescan(body), fromMarkup); ok {
		return found
	}
	if utf8.Valid(body) {
		return label{name: utf8Name, source: fromValidity}
	}
	if found, ok := detect(body); ok {
		return found
	}
	found, _ := lookupLabel(fallbackCharset, fromFallback)
	return found
}

func byteOrderMark(body []byte) (name string, octets int) {
	switch {
	case bytes.HasPrefix(body, []byte{0xEF, 0xBB, 0xBF}):
		return utf8Name, 3
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		return "utf-16be", 2
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		return "utf-16le", 2
	}
	return "", 0
}

// detect asks the statistical detector about the part that starts with the first non-ASCII octet:
// a long ASCII head would tell it nothing.
func detect(body []byte) (label, bool) {
	first := bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return label{}, false
	}
	window := body[first:]
	if len(window) > detectBytes {
		window = window[:detectBytes]
	}
	for _, guess := range chardet.DetectAll(window) {
		name := strings.ToLower(guess.Encoding)
		// The bytes are known not to be UTF-8, and a UTF-16 document without a mark is not a web page.
		if guess.Confidence < minConfidence || strings.HasPrefix(name, "utf") {
			continue
		}
		if found, ok := lookupLabel(detectorName(name), fromDetector); ok {
			return found, true
		}
	}
	return label{}, false
}

// detectorName maps names of the detector that no WHATWG label covers, or that mislead.
func detectorName(name string) string {
	switch name {
	case "cp932":
		return "shift_jis"
	case "cp949":
		return "euc-kr"
	case "maccyrillic":
		// The two share their small letters, the detector takes a text with few capitals for the wrong
		// one, and web pages are never in the Macintosh encoding.
		return "windows-1251"
	}
	return name
}

func (l label) decode(body []byte) ([]byte, error) {
	body = body[l.bom:]
	if l.enc == nil {
		return body, nil
	}
	decoded, err := l.enc.NewDecoder().Bytes(body)
	if err != nil {
		return nil, fmt.Errorf("extract: decode %s: %w", l.name, err)
	}
	return decoded, nil
}

// DecodeText returns the body as UTF-8 without byte order mark, and the canonical lower-case WHATWG
// name of the encoding it was in. A body in UTF-8 is returned as a slice of itself, uncopied and
// unchecked: invalid sequences stay for the caller to judge.
func DecodeText(body []byte, contentType string) (text []byte, charsetName string, err error) {
	_, headerCharset := mediaType(contentType)
	found := sniffCharset(body, headerCharset)
	text, err = found.decode(body)
	return text, found.name, err
}
