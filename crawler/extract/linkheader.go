package extract

import (
	"mime"
	"strings"
)

// maxHeaderLinks is how many links of one response are read (LC-139).
const maxHeaderLinks = 100

// HeaderLink is one link-value of a Link field (RFC 8288, 3). Strings are as received.
type HeaderLink struct {
	Target    string   // between the angle brackets, unresolved, may be empty
	Rel       []string // relation types of the first rel parameter, ASCII lower case
	Anchor    string
	HasAnchor bool
	Type      string // a hint; the Content-Type of the target decides (LC-032)
	Title     string // title* decoded where it is well-formed, else title
	HrefLang  string
}

// LinkHeader parses the values of all Link fields of one response, in order. A malformed link-value is
// skipped and the rest kept; at most 100 links are returned. The rev parameter is ignored.
func LinkHeader(fields []string) []HeaderLink {
	var links []HeaderLink
	for _, field := range fields {
		p := linkParser{rest: field}
		for len(links) < maxHeaderLinks && p.more() {
			link, ok := p.linkValue()
			if !ok {
				p.skipValue()
				continue
			}
			links = append(links, link)
		}
	}
	return links
}

// linkParser reads one field value from the left; every step consumes something, so it is linear.
type linkParser struct{ rest string }

// more skips separators and reports whether a link-value can follow.
func (p *linkParser) more() bool {
	p.rest = strings.TrimLeft(p.rest, ", \t")
	return p.rest != ""
}

func (p *linkParser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *linkParser) linkValue() (HeaderLink, bool) {
	var link HeaderLink
	if p.rest[0] != '<' {
		return link, false
	}
	end := strings.IndexByte(p.rest, '>')
	if end < 0 {
		p.rest = ""
		return link, false
	}
	link.Target, p.rest = strings.Trim(p.rest[1:end], asciiSpace), p.rest[end+1:]
	var seen linkSeen
	for {
		p.blanks()
		switch {
		case p.rest == "":
			return link, true
		case p.rest[0] == ',':
			p.rest = p.rest[1:]
			return link, true
		case p.rest[0] != ';':
			return link, false
		}
		p.rest = p.rest[1:]
		name, value, ok := p.parameter()
		if !ok {
			return link, false
		}
		link.set(name, value, &seen)
	}
}

// linkSeen remembers which parameters have been given: the first one counts.
type linkSeen struct{ rel, title, titleStar, typ, lang bool }

func (l *HeaderLink) set(name, value string, seen *linkSeen) {
	switch name {
	case "rel":
		if !seen.rel {
			seen.rel = true
			l.Rel = strings.Fields(asciiLower(value))
		}
	case "anchor":
		if !l.HasAnchor {
			l.Anchor, l.HasAnchor = value, true
		}
	case "type":
		if !seen.typ {
			l.Type, seen.typ = value, true
		}
	case "hreflang":
		if !seen.lang {
			l.HrefLang, seen.lang = value, true
		}
	case "title":
		if !seen.title && !seen.titleStar {
			l.Title, seen.title = value, true
		}
	case "title*":
		if title, ok := extendedValue(value); ok && !seen.titleStar {
			l.Title, seen.titleStar = title, true
		}
	}
}

// parameter reads name, name=token or name="quoted". An empty parameter (";;") is allowed and unnamed.
func (p *linkParser) parameter() (name, value string, ok bool) {
	p.blanks()
	end := strings.IndexAny(p.rest, " \t=;,")
	if end < 0 {
		end = len(p.rest)
	}
	name, p.rest = asciiLower(p.rest[:end]), p.rest[end:]
	if strings.ContainsAny(name, `"<>`) {
		return "", "", false
	}
	p.blanks()
	if !strings.HasPrefix(p.rest, "=") {
		return name, "", true
	}
	if name == "" {
		return "", "", false
	}
	p.rest = p.rest[1:]
	p.blanks()
	if strings.HasPrefix(p.rest, `"`) {
		value, ok = p.quoted()
		return name, value, ok
	}
	end = strings.IndexAny(p.rest, ";,")
	if end < 0 {
		end = len(p.rest)
	}
	value, p.rest = strings.TrimRight(p.rest[:end], " \t"), p.rest[end:]
	return name, value, !strings.ContainsAny(value, "\"<> \t")
}

// quoted reads a quoted-string and its escapes; an unclosed one is malformed to the end of the field.
func (p *linkParser) quoted() (string, bool) {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case '"':
			p.rest = p.rest[i+1:]
			return b.String(), true
		case '\\':
			if i++; i < len(p.rest) {
				b.WriteByte(p.rest[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	p.rest = ""
	return "", false
}

// skipValue moves behind the malformed link-value: to the next comma outside brackets and quotes.
func (p *linkParser) skipValue() {
	var inQuotes, inBrackets bool
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case inQuotes && c == '\\':
			i++
		case c == '"' && !inBrackets:
			inQuotes = !inQuotes
		case inQuotes:
		case c == '<':
			inBrackets = true
		case c == '>':
			inBrackets = false
		case c == ',' && !inBrackets:
			p.rest = p.rest[i+1:]
			return
		}
	}
	p.rest = ""
}

// extendedValue decodes RFC 8187 (charset'language'escaped).
func extendedValue(value string) (string, bool) {
	if strings.ContainsAny(value, "\"\\ ;,") || strings.Count(value, "'") < 2 {
		return "", false
	}
	_, params, err := mime.ParseMediaType("x/x; v*=" + value)
	decoded, found := params["v"]
	return decoded, err == nil && found
}
