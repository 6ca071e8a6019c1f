package extract

import (
	"mime"
	"net/http"
	"strings"
)

// mediaType splits a Content-Type value into its lower-case type and charset. A value whose parameters
// are broken still has a type: servers send "text/html; charset" and mean HTML.
func mediaType(contentType string) (essence, charsetLabel string) {
	essence, params, err := mime.ParseMediaType(contentType)
	if err == nil {
		return essence, params["charset"]
	}
	before, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(before)), looseCharset(contentType)
}

// looseCharset finds charset=… in a value that is not well-formed, as the HTML algorithm for
// extracting an encoding from a meta element does.
func looseCharset(value string) string {
	const key = "charset"
	for lower := asciiLower(value); ; {
		at := strings.Index(lower, key)
		if at < 0 {
			return ""
		}
		lower, value = lower[at+len(key):], value[at+len(key):]
		rest := strings.TrimLeft(value, asciiSpace)
		if !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], asciiSpace)
		if rest == "" {
			return ""
		}
		if quote := rest[0]; quote == '"' || quote == '\'' {
			if end := strings.IndexByte(rest[1:], quote); end >= 0 {
				return rest[1 : 1+end]
			}
			return ""
		}
		if end := strings.IndexAny(rest, asciiSpace+";"); end >= 0 {
			rest = rest[:end]
		}
		return rest
	}
}

// isHTML tells whether a body of this type is read for links, and whether XML's self-closing rule
// holds. A missing or meaningless type is settled by the first octets.
func isHTML(essence string, body []byte) (html, xhtml bool) {
	switch essence {
	case "text/html":
		return true, false
	case "application/xhtml+xml":
		return true, true
	case "", "*/*", "unknown/unknown", "application/unknown":
		return strings.HasPrefix(http.DetectContentType(body), "text/html"), false
	}
	return false, false
}

// asciiSpace is ASCII white space as HTML defines it.
const asciiSpace = " \t\n\f\r"

// asciiLower lower-cases ASCII letters and leaves every other octet, and so the length, alone.
func asciiLower(s string) string {
	first := strings.IndexFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	if first < 0 {
		return s
	}
	lower := []byte(s)
	for i := first; i < len(lower); i++ {
		if 'A' <= lower[i] && lower[i] <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	return string(lower)
}
