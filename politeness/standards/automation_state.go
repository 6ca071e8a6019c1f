package standards

import (
	"mime"
	"strings"
	"time"

	"heed/politeness"
)

// documentKind says what was answered to a request for a text file.
type documentKind uint8

const (
	kindUnknown  documentKind = iota // no answer, or one about the moment only
	kindAbsent                       // there is no such file
	kindServed                       // there are lines to obey
	kindDoubtful                     // lines under another media type: they may only deny
)

// readKind classifies the answer that is held (AP-102 to AP-107):
//
//   - 2xx text/plain is served; HTML and XML, by type or by their first words,
//     are a shell that stands for any path, so there is no file;
//   - any other type is doubtful: a server's default must not make us less polite;
//   - 3xx that led nowhere and 4xx: there is no file, except that 408, 425 and 429
//     only say "not now".
func readKind(d *politeness.Document) documentKind {
	switch status := d.Status; {
	case status >= 200 && status <= 299:
		media := mediaType(d)
		switch {
		case markup(media) || htmlPrefix(d.Body):
			return kindAbsent
		case media == "text/plain":
			return kindServed
		}
		return kindDoubtful
	case status == 408 || status == 425 || status == 429:
		return kindUnknown
	case status >= 300 && status <= 499:
		return kindAbsent
	}
	return kindUnknown
}

// mediaType is the media type of a document in lower case, without parameters;
// empty if there is none.
func mediaType(d *politeness.Document) string {
	field := d.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(field); err == nil {
		return media
	}
	media, _, _ := strings.Cut(field, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func markup(media string) bool {
	return media == "text/html" || media == "text/xml" || media == "application/xml" || strings.HasSuffix(media, "+xml")
}

// htmlPrefix tells whether the first words are those of a web page (AP-106).
func htmlPrefix(body []byte) bool {
	const enough = 4_096 // octets of blanks before the first word
	text := withoutBOM(string(body[:min(len(body), enough)]))
	text = strings.TrimLeft(text, " \t\r\n\f\v")
	for _, start := range [...]string{"<!doctype html", "<html", "<head", "<body"} {
		if len(text) >= len(start) && strings.EqualFold(text[:len(start)], start) {
			return true
		}
	}
	return false
}

// automationState is what a file is good for at a moment (AP-104).
type automationState uint8

const (
	stateUnknown  automationState = iota // nothing is known: at most reading for retrieval
	stateWaiting                         // not known yet: nothing at all
	stateDenyOnly                        // denials count, permissions do not
	statePresent                         // as written, or as its absence
)

const (
	automationCopyFull = 24 * time.Hour      // a copy counts in full while the file is unreachable
	automationCopyDeny = 30 * 24 * time.Hour // it may still deny

	// automationRetries is the number of tries after which waiting ends: the
	// first one and those after 1, 5 and 15 minutes.
	automationRetries = 4
)

// state tells what the file is good for at now, and while it is waited for, until
// when.
func (r *automationRules) state(now time.Time) (automationState, time.Time) {
	held := r.kind != kindUnknown
	age := now.Sub(r.fetched)
	switch {
	case r.forbidden && held && age <= automationCopyDeny:
		return stateDenyOnly, time.Time{}
	case r.forbidden:
		return stateUnknown, time.Time{}
	case r.failure == nil && !held:
		return stateUnknown, time.Time{}
	case r.failure == nil && r.kind == kindDoubtful:
		return stateDenyOnly, time.Time{}
	case r.failure == nil:
		return statePresent, time.Time{}
	case held && age <= automationCopyFull && r.kind != kindDoubtful:
		return statePresent, time.Time{}
	case held && r.kind != kindAbsent && age <= automationCopyDeny:
		return stateDenyOnly, time.Time{}
	case r.failure.Attempts < automationRetries:
		return stateWaiting, r.failure.Next
	}
	return stateUnknown, time.Time{}
}
