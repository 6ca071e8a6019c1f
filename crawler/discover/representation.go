package discover

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mediaLabel is what the Content-Type fields say.
type mediaLabel struct {
	reject   Reason // "" if the type is acceptable
	findings []string
}

// readMediaType judges the type actually received; a link's type parameter never comes here (LC-032).
// A missing or meaningless type is acceptable if the text is (LC-125). The charset is never obeyed, the
// bytes decide (LC-127).
func readMediaType(header http.Header) mediaLabel {
	values := header.Values("Content-Type")
	if len(values) == 0 || len(values) == 1 && strings.TrimSpace(values[0]) == "" {
		return mediaLabel{findings: []string{FindingMediaTypeMissing}}
	}
	for _, value := range values[1:] {
		if strings.TrimSpace(value) != strings.TrimSpace(values[0]) {
			return mediaLabel{reject: MediaType}
		}
	}
	essence, parameters, _ := strings.Cut(values[0], ";")
	switch strings.ToLower(strings.TrimSpace(essence)) {
	case "text/markdown", "text/plain", "text/x-markdown":
		return mediaLabel{findings: charsetFindings(parameters)}
	case "application/octet-stream":
		return mediaLabel{findings: []string{FindingMediaTypeGeneric}}
	case "text/html", "application/xhtml+xml":
		return mediaLabel{reject: HTML}
	}
	return mediaLabel{reject: MediaType}
}

func charsetFindings(parameters string) []string {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "charset") {
			continue
		}
		switch strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`)) {
		case "utf-8", "utf8", "us-ascii":
			return nil
		}
		return []string{FindingCharsetMislabelled}
	}
	return []string{FindingCharsetMissing}
}

var utf8Mark = []byte{0xEF, 0xBB, 0xBF}

// readText checks the bytes: UTF-8 throughout, no NUL, not blank, not a web page under a wrong label
// (LC-120, LC-126, LC-128). Nothing is replaced, since replacement changes meaning.
func readText(body []byte) (text []byte, reject Reason) {
	text = bytes.TrimPrefix(body, utf8Mark)
	switch {
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0: // UTF-16 and UTF-32 marks are invalid UTF-8 or hold NULs
		return nil, Encoding
	case bytes.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && r != '\uFEFF' }) < 0:
		return nil, Empty
	case isHTMLShell(text):
		return nil, HTMLShell
	}
	return text, ""
}

// isHTMLShell reports text that starts, after white space and comments, as a web page does. It is a
// prefix test, because Markdown about HTML is legitimate (LC-126).
func isHTMLShell(text []byte) bool {
	for {
		text = bytes.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
		if !bytes.HasPrefix(text, []byte("<!--")) {
			break
		}
		_, after, closed := bytes.Cut(text[len("<!--"):], []byte("-->"))
		if !closed {
			return false
		}
		text = after
	}
	for _, start := range [...]string{"<!doctype html", "<html", "<head", "<body", "<script"} {
		if len(text) < len(start) || !strings.EqualFold(string(text[:len(start)]), start) {
			continue
		}
		// <header> is no <head>.
		if rest := text[len(start):]; len(rest) == 0 || !isNameByte(rest[0]) {
			return true
		}
	}
	return false
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-'
}

// looksLikeMarkdown finds one construct that plain prose does not have. It is advice, never a gate (LC-002, LC-003).
func looksLikeMarkdown(text []byte) bool {
	if bytes.Contains(text, []byte("](")) || bytes.IndexByte(text, '`') >= 0 {
		return true
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		mark, _, spaced := bytes.Cut(line, []byte(" "))
		if spaced && slices.Contains([]string{"-", "*", "+", ">", "#", "##", "###", "####", "#####", "######"}, string(mark)) {
			return true
		}
	}
	return false
}
