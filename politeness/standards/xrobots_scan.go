package standards

import (
	"strings"
	"time"
)

// valued are the rules that take a value behind a colon. Any other word before a
// colon names a bot.
var valued = map[string]bool{
	"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true,
}

// scanField takes one X-Robots-Tag field line apart. A leading "token:" says for
// which bot the rules up to the next such token, or the end of the line, are;
// before the first one they are for everybody. left is the number of rules that
// are still read; it is negative when there were more.
func scanField(line, token string, left *int, yield func(name, value string)) {
	ours := true
	scanItems(line, left, func(item string) {
		for {
			word, rest, colon := strings.Cut(item, ":")
			word = strings.ToLower(strings.Trim(word, blanks))
			switch {
			case !colon:
				if ours && word != "" {
					yield(word, "")
				}
				return
			case valued[word]:
				if ours {
					yield(word, strings.Trim(rest, blanks))
				}
				return
			}
			ours = token != "" && strings.EqualFold(word, token) || word == "*"
			item = rest
		}
	})
}

// scanRules takes the content of a meta element apart. Its name says for whom it
// is, so a word before a colon is a rule, known or not.
func scanRules(content string, left *int, yield func(name, value string)) {
	scanItems(content, left, func(item string) {
		word, value, _ := strings.Cut(item, ":")
		if word = strings.ToLower(strings.Trim(word, blanks+"\r\n")); word != "" {
			yield(word, strings.Trim(value, blanks+"\r\n"))
		}
	})
}

// scanItems splits at commas, except that the value of unavailable_after may hold
// commas of its own: it takes as much of the rest as makes a date.
func scanItems(line string, left *int, yield func(item string)) {
	for rest := line; rest != ""; {
		if *left--; *left < 0 {
			return
		}
		item, tail, _ := strings.Cut(rest, ",")
		if at := indexFold(item, "unavailable_after"); at >= 0 {
			if n := dateEnd(rest[at:]); n > 0 {
				item, tail = rest[:at+n], strings.TrimPrefix(strings.TrimLeft(rest[at+n:], blanks), ",")
			}
		}
		yield(item)
		rest = tail
	}
}

// indexFold is the place of the first name in text whatever its case, -1 where
// there is none. Lowering the text first would move its octets: what is not UTF-8
// grows.
func indexFold(text, name string) int {
	for at := 0; at+len(name) <= len(text); at++ {
		if strings.EqualFold(text[at:at+len(name)], name) {
			return at
		}
	}
	return -1
}

// dateEnd finds where the date behind "unavailable_after:" ends, 0 if there is
// none. A date holds at most two commas.
func dateEnd(text string) int {
	colon := strings.IndexByte(text, ':')
	if colon < 0 {
		return 0
	}
	ends := []int{}
	for i := colon + 1; i < len(text) && len(ends) < 3; i++ {
		if text[i] == ',' {
			ends = append(ends, i)
		}
	}
	if len(ends) < 3 {
		ends = append(ends, len(text))
	}
	best := 0
	for _, end := range ends {
		if _, ok := parsePageDate(text[colon+1 : end]); ok {
			best = end
		}
	}
	return best
}

// pageDates are the forms in which dates are met; none is prescribed.
var pageDates = [...]string{
	time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.RFC822, time.RFC822Z,
	"2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05", "02-Jan-2006 15:04:05 MST",
	"2-Jan-06 15:04:05 MST", "2 January 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006",
	"Monday, 2-Jan-06 15:04:05 MST", "2 Jan 2006", "Jan 2, 2006", "January 2, 2006",
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
}

// maxPageDate bounds what is tried as a date, in octets.
const maxPageDate = 64

// parsePageDate reads a date. A zone that is only an abbreviation counts as UTC.
func parsePageDate(text string) (time.Time, bool) {
	text = strings.Trim(text, blanks+"\r\n")
	if len(text) > maxPageDate {
		return time.Time{}, false
	}
	for _, layout := range pageDates {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
