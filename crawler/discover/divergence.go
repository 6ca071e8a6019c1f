package discover

import (
	"html"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// MaxSample is the largest sample of pages that an index is compared with.
const MaxSample = 20

// Divergence is how an index agreed with the pages of its origin when somebody last
// sampled them (LC-073, LC-074). It stays until the next sample or until the index is
// withdrawn: a new text of an index that has disagreed is not trusted the sooner.
type Divergence struct {
	Share    float64   `json:"share"`    // of the comparisons, those that disagree; 0 to 1
	Compared int       `json:"compared"` // at least 1
	At       time.Time `json:"at"`
	SHA256   string    `json:"sha256"` // of the text of the index that was compared
}

// Pick takes at most n of a list, evenly spread over it and in its order: what an
// index names first need not be like the rest.
func Pick[T any](list []T, n int) []T {
	if n >= len(list) {
		return list
	}
	picked := make([]T, 0, max(n, 0))
	for i := range n {
		picked = append(picked, list[i*len(list)/n])
	}
	return picked
}

// MayBePage tells by its path alone whether a URL may be an ordinary page: whatever
// ends like a text, a document or an image is none (LC-073).
func MayBePage(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	_, rest, _ = strings.Cut(rest, "/") // no ending of a host name
	rest, _, _ = strings.Cut(rest, "?")
	switch ending := strings.ToLower(path.Ext(rest)); ending {
	case "", ".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp":
		return true
	default:
		return strings.Trim(ending, ".0123456789") == "" // of a version
	}
}

// Comparable tells whether a title says anything that can be compared.
func Comparable(title string) bool { return len(wordsOf(title)) > 0 }

// Agree tells whether a title in an index and the title of the page speak of the
// same thing: whether one has all words of the other. So case, punctuation and order
// do not matter, nor what either adds, like the name of the site. Of an index that
// disagrees by this rule it is sure; that another one is honest is not.
func Agree(index, page string) bool {
	a, b := wordsOf(index), wordsOf(page)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return containsAll(a, b) || containsAll(b, a)
}

func containsAll(words, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(words, w) })
}

// wordsOf splits a title into words of letters and digits in lower case. In scripts
// that do not part words each character is one.
func wordsOf(title string) []string {
	var spaced strings.Builder
	for _, r := range strings.ToLower(html.UnescapeString(title)) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			spaced.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			spaced.WriteRune(r)
		default:
			spaced.WriteByte(' ')
		}
	}
	return strings.Fields(spaced.String())
}
