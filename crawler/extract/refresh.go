package extract

import (
	"strings"
	"time"
)

// maxRefreshDelay caps the delay of a meta refresh; nobody means longer, and the sum must not overflow.
const maxRefreshDelay = 24 * time.Hour

// parseRefresh reads the content of a meta refresh (HTML, shared declarative refresh steps). An empty
// target means the document itself.
func parseRefresh(content string) (target string, delay time.Duration, ok bool) {
	rest := strings.TrimLeft(content, asciiSpace)
	digits := 0
	seconds := int64(0)
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
		if seconds < int64(maxRefreshDelay/time.Second) {
			seconds = seconds*10 + int64(rest[digits]-'0')
		}
		digits++
	}
	if digits == 0 && !strings.HasPrefix(rest, ".") {
		return "", 0, false
	}
	delay = min(time.Duration(seconds)*time.Second, maxRefreshDelay)
	// A fraction is read over: "0.5" waits no second.
	rest = strings.TrimLeft(rest[digits:], "0123456789.")
	if rest == "" {
		return "", delay, true
	}
	if !strings.ContainsRune(asciiSpace+";,", rune(rest[0])) {
		return "", 0, false
	}
	rest = strings.TrimLeft(rest, asciiSpace)
	if rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = strings.TrimLeft(rest[1:], asciiSpace)
	}
	return refreshTarget(rest), delay, true
}

// refreshTarget strips the optional "url =" and quotes. Text that does not complete "url=" is the
// target as it stands.
func refreshTarget(rest string) string {
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, found := strings.CutPrefix(strings.TrimLeft(rest[3:], asciiSpace), "="); found {
			rest = strings.TrimLeft(after, asciiSpace)
		} else {
			return rest
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		before, _, _ := strings.Cut(rest[1:], rest[:1])
		return before
	}
	return rest
}
