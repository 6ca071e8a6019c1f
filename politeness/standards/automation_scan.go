package standards

import (
	"strings"
	"unicode/utf8"
)

// Limits of AP-108 besides the size of the file.
const (
	automationMaxLine   = 8_192 // octets
	automationMaxGroups = 2_048
	automationMaxValues = 256   // of one list
	automationMaxScope  = 2_048 // octets of a pattern
	automationMaxStars  = 32    // wildcards of a pattern
)

// directiveKind is one of the names that the draft defines. A name is added
// here and nowhere else (AP-147).
type directiveKind uint8

const (
	directiveUnknown directiveKind = iota
	directivePolicy
	directiveAllowedMethods
	directiveDisallowedMethods
	directiveRequirePurpose
	directiveAllowedPurposes
	directiveDisallowedPurposes
	directiveScope
	directiveHost
)

// directives are the names in lower case (AP-110).
var directives = map[string]directiveKind{
	"automationpolicy":         directivePolicy,
	"allowedmethods":           directiveAllowedMethods,
	"disallowedmethods":        directiveDisallowedMethods,
	"requireautomationpurpose": directiveRequirePurpose,
	"allowedpurposes":          directiveAllowedPurposes,
	"disallowedpurposes":       directiveDisallowedPurposes,
	"scope":                    directiveScope,
	"host":                     directiveHost,
}

// directive is one "name: value" line.
type directive struct {
	kind  directiveKind
	value string
	text  string // the line without comment and surrounding blanks
	line  int    // counted from 1
	lost  bool   // a limit or its encoding makes the value unusable
}

// parseDirective takes a line apart. It is false for what is no directive: a
// blank, a comment, a line without a colon or with a name that is none. Of a
// line that is too long, or is no UTF-8, only the name counts (AP-108, AP-109).
func parseDirective(line string) (d directive, ok bool) {
	d.lost = len(line) > automationMaxLine || strings.IndexByte(line, 0) >= 0 || !utf8.ValidString(line)
	d.text = strings.Trim(uncomment(line), " \t")
	name, value, found := strings.Cut(d.text, ":")
	name = strings.TrimRight(name, " \t")
	if !found || !directiveName(name) {
		return d, false
	}
	d.kind = directives[strings.ToLower(name)]
	d.value = strings.Trim(value, " \t")
	return d, true
}

// uncomment cuts a comment off: "#" at the start of a line or behind a blank
// (AP-112).
func uncomment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

func directiveName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != "" && len(s) <= maxRecordName
}

// listItems splits a list at its commas; empty members are dropped (AP-145). It
// is false for a list that is too long.
func listItems(value string) ([]string, bool) {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.Trim(item, " \t"); item != "" {
			items = append(items, item)
		}
		if len(items) > automationMaxValues {
			return nil, false
		}
	}
	return items, true
}
