package standards

import (
	"time"

	"heed/politeness"
)

// answer says what became of a request for robots.txt.
type answer uint8

const (
	answerUnusable answer = iota // closes the origin until there is another one
	answerServed                 // there are lines to obey, possibly none
	answerNone                   // there is no file, so there are no rules
)

// heldCopyAfter is how long an origin stays closed while its robots.txt cannot
// be read although a copy is held. RFC 9309 2.3.1.4 leaves a crawler the choice
// after "a reasonably long period of time (for example, 30 days)"; ours is to
// go by the copy then, and never to take silence for a permission.
const heldCopyAfter = 30 * 24 * time.Hour

// readAnswer classifies the answer that is held:
//
//   - 2xx: obey every line that parses, whatever the media type (2.3.1.1,
//     2.3.1.5). An HTML page has none, so it has no rules.
//   - redirects that led nowhere, more than five or in a loop: unavailable
//     (2.3.1.2). A redirect without a target is a broken reply.
//   - 4xx: unavailable (2.3.1.3). 408, 425 and 429 say "not now" instead.
//   - anything else: not an answer (2.3.1.4).
func readAnswer(d *politeness.Document) answer {
	switch status := d.Status; {
	case status >= 200 && status <= 299:
		return answerServed
	case status == 408 || status == 425 || status == 429:
		return answerUnusable
	case status >= 400 && status <= 499:
		return answerNone
	case status >= 300 && status <= 399 && status != 304 && d.Header.Get("Location") != "":
		return answerNone
	}
	return answerUnusable
}

// closed tells whether nothing may be asked at now, and when to try again. As
// long as a failure lasts the copy is not used, however young it is: what it
// allowed may be what the site is busy forbidding.
func (r *robotsRules) closed(now time.Time) (time.Time, bool) {
	if r.failure != nil {
		if r.answer == answerServed && now.Sub(r.failure.Since) > heldCopyAfter {
			return time.Time{}, false
		}
		return r.failure.Next, true
	}
	return r.retry, r.answer == answerUnusable
}
