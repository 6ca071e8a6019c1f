package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// prescanBytes is where a meta element may declare the encoding (HTML, 4.2.5.4: first 1024 octets).
const prescanBytes = 1024

// prescan returns the encoding label that the markup declares, or nothing.
func prescan(body []byte) string {
	if len(body) > prescanBytes {
		body = body[:prescanBytes]
	}
	if declared := xmlDeclaration(body); declared != "" {
		return markupLabel(declared)
	}
	tokens := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			if string(name) != "meta" {
				continue
			}
			if declared := metaCharset(tokens, more); declared != "" {
				return markupLabel(declared)
			}
		}
	}
}

func metaCharset(tokens *html.Tokenizer, more bool) string {
	var direct, content string
	var pragma bool
	for more {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		switch string(key) {
		case "charset":
			if direct == "" {
				direct = string(bytes.TrimSpace(value))
			}
		case "http-equiv":
			pragma = pragma || bytes.EqualFold(value, []byte("content-type"))
		case "content":
			if content == "" {
				content = looseCharset(string(value))
			}
		}
	}
	if direct != "" {
		return direct
	}
	if pragma {
		return content
	}
	return ""
}

// xmlDeclaration returns the encoding of <?xml … encoding="…"?> at the very start.
func xmlDeclaration(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	declaration, _, closed := strings.Cut(string(body), ">")
	if !closed {
		return ""
	}
	_, rest, found := strings.Cut(declaration, "encoding")
	if !found {
		return ""
	}
	rest = strings.TrimLeft(rest, asciiSpace)
	if !strings.HasPrefix(rest, "=") {
		return ""
	}
	rest = strings.TrimLeft(rest[1:], asciiSpace)
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, closed := strings.Cut(rest[1:], rest[:1])
	if !closed {
		return ""
	}
	return name
}

// markupLabel corrects what a declaration readable as ASCII cannot mean.
func markupLabel(declared string) string {
	switch name := strings.ToLower(strings.TrimSpace(declared)); name {
	case "utf-16", "utf-16le", "utf-16be", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicodefeff", "unicodefffe":
		return utf8Name
	case "x-user-defined":
		return fallbackCharset
	default:
		return name
	}
}
