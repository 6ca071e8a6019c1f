package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// maxRawBytes is the longest reference kept unresolved. Four times the URL limit leaves room for
// characters that shrink when escapes are read, and bounds memory.
const maxRawBytes = 8 << 10

// trimURL removes C0 controls and blanks at both ends (WHATWG URL, basic parser).
func trimURL(raw []byte) []byte {
	return bytes.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
}

// otherScheme reports that a reference names a scheme other than http and https. Tabs and newlines are
// skipped as the URL parser skips them, so "java\nscript:" is seen for what it is.
func otherScheme(ref []byte) bool {
	var scheme [6]byte // longer than https is enough to differ
	length := 0
	for _, c := range ref {
		switch {
		case c == '\t' || c == '\n' || c == '\r':
			continue
		case c == ':':
			name := string(scheme[:min(length, len(scheme))])
			return length > 0 && name != "http" && name != "https"
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z':
		case length > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
		if length < len(scheme) {
			scheme[length] = c
		}
		length++
	}
	return false
}

// isWeb reports that a resolved URL can be crawled. The Resolver promises it; a stranger's input is
// worth the second look.
func isWeb(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

// withoutFragment drops what never reaches a server.
func withoutFragment(url string) string {
	before, _, _ := strings.Cut(url, "#")
	return before
}

// encodeQuery escapes the non-ASCII characters of the query in the encoding of the document; the path
// stays as it is, since paths are UTF-8 whatever the document is in (WHATWG URL, query state). A
// character that the encoding lacks becomes a decimal reference, escaped, as in browsers.
func encodeQuery(ref string, enc encoding.Encoding) string {
	start := strings.IndexByte(ref, '?')
	if start < 0 {
		return ref
	}
	end := len(ref)
	if hash := strings.IndexByte(ref, '#'); hash >= 0 {
		end = hash
	}
	if start >= end || isASCII(ref[start:end]) {
		return ref
	}
	var b strings.Builder
	b.Grow(len(ref) + 32)
	b.WriteString(ref[:start])
	encoder := encoding.HTMLEscapeUnsupported(enc.NewEncoder())
	for query := ref[start:end]; query != ""; {
		run := strings.IndexFunc(query, func(r rune) bool { return r >= utf8.RuneSelf })
		if run < 0 {
			b.WriteString(query)
			break
		}
		b.WriteString(query[:run])
		query = query[run:]
		length := strings.IndexFunc(query, func(r rune) bool { return r < utf8.RuneSelf })
		if length < 0 {
			length = len(query)
		}
		octets, err := encoder.String(query[:length])
		if err != nil {
			octets = query[:length] // the encoder knows no failure but this keeps the link if it did
		}
		writeEscaped(&b, octets)
		query = query[length:]
	}
	b.WriteString(ref[end:])
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// writeEscaped writes encoded octets with the query percent-encode set applied. "&" and ";" come only
// from a decimal reference there, and stand for themselves in it, so they are escaped too.
func writeEscaped(b *strings.Builder, octets string) {
	const hex = "0123456789ABCDEF"
	for i := range len(octets) {
		c := octets[i]
		if c > 0x20 && c < 0x7F && !strings.ContainsRune(`"#<>'&;`, rune(c)) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
}
