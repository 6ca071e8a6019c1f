package standards

import (
	"iter"
	"strings"
)

// wholeLines bounds a text at limit octets and drops the line that a cut went
// through, because a shortened line may say something else. cut tells that the
// text was cut already; partial tells that something is missing at the end.
func wholeLines(text string, cut bool, limit int) (whole string, partial bool) {
	if len(text) > limit {
		// A line that ends exactly at the limit is whole.
		ended := text[limit] == '\n' || text[limit] == '\r'
		text, partial = text[:limit], true
		cut = !ended
	}
	if cut {
		text, partial = text[:strings.LastIndexAny(text, "\r\n")+1], true
	}
	return text, partial
}

// lines yields the lines of a text with their numbers, counted from 1. Lines end
// with CR, LF or CRLF and with nothing else.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for n := 1; text != ""; n++ {
			line := text
			if end := strings.IndexAny(text, "\r\n"); end >= 0 {
				next := end + 1
				if text[end] == '\r' && next < len(text) && text[next] == '\n' {
					next++
				}
				line, text = text[:end], text[next:]
			} else {
				text = ""
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

// withoutBOM drops a byte order mark in UTF-8, or as much of one as is there.
func withoutBOM(text string) string {
	for _, mark := range [...]string{"\xEF\xBB\xBF", "\xEF\xBB", "\xEF"} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return rest
		}
	}
	return text
}
