package registry

import (
	"strconv"
	"unicode/utf8"

	"heed/registry/card"
)

// cardVersion is the version of the draft's card that is served.
const cardVersion = "1.1"

// renderer is raised whenever render gives other octets for the same site: the
// stored ETags are then computed anew when the state file is opened.
const renderer = 1

// consentMembers are the five answers in the order in which they are served.
var consentMembers = [...]string{"retrieve", "train", "act", "cite"}

// render appends the octets under which a card is served: what the publisher
// wrote, in its order, with defaults filled in (BC-R-007) and the registry's own
// members. raw is a card as [validator] stores it. The result depends on
// nothing but raw and s, so that two registries with the same cards agree
// (BC-R-902).
func render(dst []byte, raw card.JSON, s *site) []byte {
	dst = append(dst, `{"botcentral":"`+cardVersion+`","domain":"`...)
	dst = append(dst, s.domain...)
	dst = append(dst, '"')
	var seen knownMembers
	for name, value := range raw.Members() {
		dst = append(dst, ',')
		dst = appendString(dst, name)
		dst = append(dst, ':')
		switch name {
		case "consent":
			dst = appendConsent(dst, value, &s.facts)
		case "crawl":
			dst = appendCrawl(dst, value)
		case "pages":
			dst = appendPages(dst, value, s)
		default:
			dst = append(dst, value...)
		}
		seen.note(name)
	}
	dst = seen.appendDefaults(dst, s)
	dst = appendVerification(dst, s)
	dst = append(dst, `,"listed_by":`...)
	dst = appendString(dst, s.publisher)
	dst = append(dst, `,"updated":"`...)
	dst = s.updated.append(dst)
	return append(dst, `"}`...)
}

// optional are the members that a publisher may leave out, with what is served
// in their place.
var optional = [...]struct{ name, value string }{
	{"name", ""}, // the domain, see appendDefaults
	{"summary", `""`},
	{"topics", `[]`},
	{"allow_bots", `true`},
	{"allow", `[]`},
	{"deny", `[]`},
	{"pointers", `{}`},
	{"pages", `[]`},
	{"consent", ""},
	{"crawl", `{"revalidate_hours":168}`},
}

// knownMembers marks the optional members that a card has.
type knownMembers [len(optional)]bool

func (k *knownMembers) note(name string) {
	for i := range optional {
		if optional[i].name == name {
			k[i] = true
			return
		}
	}
}

func (k *knownMembers) appendDefaults(dst []byte, s *site) []byte {
	for i, has := range k {
		if has {
			continue
		}
		dst = append(dst, `,"`...)
		dst = append(dst, optional[i].name...)
		dst = append(dst, `":`...)
		switch optional[i].name {
		case "name":
			dst = appendString(dst, s.domain)
		case "consent":
			dst = appendConsent(dst, nil, &s.facts)
		default:
			dst = append(dst, optional[i].value...)
		}
	}
	return dst
}

// appendConsent writes the five answers in force and then whatever else the
// publisher put into consent.
func appendConsent(dst []byte, consent card.JSON, f *facts) []byte {
	dst = append(dst, '{')
	for _, name := range consentMembers {
		dst = append(dst, '"')
		dst = append(dst, name...)
		dst = append(dst, `":`...)
		dst = strconv.AppendBool(dst, f.permits(name))
		dst = append(dst, ',')
	}
	dst = append(dst, `"tdm":"`...)
	dst = append(dst, f.tdm...)
	dst = append(dst, '"')
	for name, value := range consent.Members() {
		switch name {
		case "retrieve", "train", "act", "cite", "tdm":
			continue
		}
		dst = appendMember(dst, name, value)
	}
	return append(dst, '}')
}

func appendCrawl(dst []byte, crawl card.JSON) []byte {
	if crawl.Member("revalidate_hours") != nil {
		return append(dst, crawl...)
	}
	dst = append(dst, `{"revalidate_hours":168`...)
	for name, value := range crawl.Members() {
		dst = appendMember(dst, name, value)
	}
	return append(dst, '}')
}

func appendPages(dst []byte, pages card.JSON, s *site) []byte {
	common := siteScore(s)
	dst = append(dst, '[')
	first := true
	for page := range pages.Elements() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		// A page has url and rel, so it is never the empty object.
		dst = append(dst, page[:len(page)-1]...)
		dst = append(dst, `,"score":`...)
		dst = strconv.AppendInt(dst, int64(common+roleScore(page)), 10)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendVerification(dst []byte, s *site) []byte {
	p := &s.proof
	dst = append(dst, `,"verification":{"method":"`...)
	if s.stale {
		dst = append(dst, "stale"...)
	} else {
		dst = append(dst, p.method.String()...)
	}
	dst = append(dst, `","checked":`...)
	dst = appendInstant(dst, p.checked)
	if p.proven != 0 {
		dst = append(dst, `,"proven":`...)
		dst = appendInstant(dst, p.proven)
	}
	if p.method == DNSTXT {
		if p.validated {
			dst = append(dst, `,"dnssec":"validated"`...)
		} else {
			dst = append(dst, `,"dnssec":"unvalidated"`...)
		}
	}
	if p.note != "" {
		dst = append(dst, `,"note":`...)
		dst = appendString(dst, p.note)
	}
	return append(dst, '}')
}

func appendInstant(dst []byte, i instant) []byte {
	if i == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = i.append(dst)
	return append(dst, '"')
}

func appendMember(dst []byte, name string, value card.JSON) []byte {
	dst = append(dst, ',')
	dst = appendString(dst, name)
	dst = append(dst, ':')
	return append(dst, value...)
}

// appendString writes s as a JSON string. Octets that are no UTF-8 become
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		i++
	}
	return append(dst, '"')
}
