package discover

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// RobotsRecord reads the value of a record: an absolute http or https URI with a host, without user
// information, white space or control characters (LC-035, LC-131). A relative reference is ignored, not
// resolved (LC-036). What follows a "#" behind white space is a comment, and a fragment is dropped.
func RobotsRecord(value string) (string, bool) {
	if comment := commentStart(value); comment >= 0 {
		value = value[:comment]
	}
	value = strings.TrimSpace(value)
	value, _, _ = strings.Cut(value, "#")
	if len(value) > maxURIBytes || !utf8.ValidString(value) || strings.IndexFunc(value, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\\'
	}) >= 0 {
		return "", false
	}
	authority, ok := cutScheme(value)
	if !ok {
		return "", false
	}
	if end := strings.IndexAny(authority, "/?"); end >= 0 {
		authority = authority[:end]
	}
	if authority == "" || authority[0] == ':' || strings.IndexByte(authority, '@') >= 0 {
		return "", false
	}
	return value, true
}

func commentStart(value string) int {
	for i := 0; i < len(value); i++ {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return i
		}
	}
	return -1
}

func cutScheme(value string) (rest string, ok bool) {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(value) >= len(scheme) && strings.EqualFold(value[:len(scheme)], scheme) && isASCII(value[:len(scheme)]) {
			return value[len(scheme):], true
		}
	}
	return "", false
}

// isASCII guards EqualFold, which folds the long s into s.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
