package standards

import "strings"

// field is one "name: value" line of a robots.txt.
type field struct {
	kind  fieldKind
	name  string // lower case
	value string // without comment and surrounding blanks
	text  string // the line without comment and surrounding blanks
	line  int    // counted from 1
	cut   bool   // a zero octet cut the line short
}

type fieldKind uint8

const (
	fieldOther fieldKind = iota
	fieldAgent
	fieldAllow
	fieldDisallow
)

// lenient are the beginnings of names that count as one of the three of RFC
// 9309 2.2. Letters after them are ignored and the usual misspellings are
// understood, as Google's reference parser does: who wrote such a line meant it.
var lenient = []struct {
	prefix string
	kind   fieldKind
}{
	{"user-agent", fieldAgent}, {"useragent", fieldAgent}, {"user agent", fieldAgent},
	{"disallow", fieldDisallow}, {"dissallow", fieldDisallow}, {"dissalow", fieldDisallow},
	{"disalow", fieldDisallow}, {"diasllow", fieldDisallow}, {"disallaw", fieldDisallow},
	{"allow", fieldAllow},
}

// scanFields calls yield for every line that has a name and a value, in order.
func scanFields(body string, cut bool, yield func(field)) {
	body, _ = wholeLines(body, cut, robotsMaxBytes)
	for n, text := range lines(withoutBOM(body)) {
		if f, ok := parseField(text); ok {
			f.line = n
			yield(f)
		}
	}
}

// blanks are what may stand around names and values. RFC 9309 has space and
// tab; form feed and vertical tab come along in copied text.
const blanks = " \t\f\v"

// parseField takes one line apart. A zero octet ends the line, as it would for
// a reader in C.
func parseField(line string) (field, bool) {
	var f field
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	if i := strings.IndexByte(line, 0); i >= 0 {
		line, f.cut = line[:i], true
	}
	f.text = strings.Trim(line, blanks)
	name, value, ok := strings.Cut(f.text, ":")
	if !ok {
		return parseBare(f)
	}
	name = strings.TrimRight(name, blanks)
	f.name, f.value = strings.ToLower(name), strings.Trim(value, blanks)
	f.kind = kindOf(f.name)
	return f, name != ""
}

// parseBare reads a line whose colon was forgotten: exactly two words, the
// first of them a name of RFC 9309.
func parseBare(f field) (field, bool) {
	end := strings.IndexAny(f.text, " \t")
	if end < 0 {
		return f, false
	}
	f.name, f.value = strings.ToLower(f.text[:end]), strings.TrimLeft(f.text[end:], blanks)
	f.kind = kindOf(f.name)
	return f, f.kind != fieldOther && !strings.ContainsAny(f.value, blanks)
}

func kindOf(name string) fieldKind {
	for _, l := range lenient {
		if strings.HasPrefix(name, l.prefix) {
			return l.kind
		}
	}
	return fieldOther
}
