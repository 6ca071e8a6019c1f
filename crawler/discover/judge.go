package discover

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Failure is why there is no complete response.
type Failure uint8

const (
	FailureNone    Failure = iota
	FailureNetwork         // DNS, TLS, connection, time
	FailureCeiling         // reading was abandoned at the ceiling (LC-076)
	FailureCoding          // the content coding could not be undone
	FailureGuard           // the address is closed to us
)

// Response is one answer, as far as it got. Header holds every field line as received.
type Response struct {
	Status       int
	Header       http.Header
	Body         []byte // decoded from its content coding; ignored after a Failure
	DecodedBytes int64
	WireBytes    int64
	Coding       string // content coding of the wire, empty for identity
	Failure      Failure
	ReceivedAt   time.Time
}

// Outcome is what one response means.
type Outcome struct {
	State    State
	Reason   Reason
	Stop     bool   // nothing else may be asked in this cycle (LC-106, LC-118)
	Redirect bool   // to be followed
	Text     []byte // of an accepted representation, without byte order mark; a slice of the body
	Language string
	Findings []string
}

// Excessive reports, from the header alone, that the body must not be read: its declared length is over
// the ceiling (LC-076).
func Excessive(header http.Header, role Role, p Policy) bool {
	length, err := strconv.ParseInt(strings.TrimSpace(header.Get("Content-Length")), 10, 64)
	return err == nil && length > p.ceiling(role)
}

// Judge says what a response to a request for a context file or detail means. It follows no redirect and
// keeps nothing. A 304 is judged not-modified; whether it was asked for is the caller's to know.
func Judge(r Response, role Role, p Policy) Outcome {
	switch r.Failure {
	case FailureNetwork:
		return Outcome{State: StateUndetermined, Reason: Unreachable, Stop: true}
	case FailureCeiling:
		return Outcome{State: StateNone, Reason: Ceiling, Stop: true}
	case FailureCoding:
		return none(Encoding)
	case FailureGuard:
		return none(Refused)
	}
	switch status := r.Status; {
	case status >= 200 && status <= 299:
		return judgeRepresentation(r, role, p)
	case status == http.StatusNotModified:
		return Outcome{State: StateIndex, Reason: NotModified}
	case isRedirect(status):
		return Outcome{Redirect: true}
	case status >= 300 && status <= 399:
		return none(RedirectStatus) // the list is closed (LC-114)
	case status == http.StatusNotFound:
		return none(NotFound)
	case status == http.StatusGone:
		return none(Gone)
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return Outcome{State: StateUndetermined, Reason: RateLimited, Stop: true}
	case status >= 400 && status <= 499:
		return none(Refused) // (LC-117)
	case status >= 500 && status <= 599:
		// A server that says when to come back is left alone until then; other errors may be this path's own.
		_, told := retryAfter(r)
		return Outcome{State: StateUndetermined, Reason: ServerError, Stop: told}
	}
	return Outcome{State: StateUndetermined, Reason: Unreachable, Stop: true}
}

func none(reason Reason) Outcome { return Outcome{State: StateNone, Reason: reason} }

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func judgeRepresentation(r Response, role Role, p Policy) Outcome {
	switch r.Status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusPartialContent: // 206 was not asked for
		return none(Empty)
	}
	decoded := max(r.DecodedBytes, int64(len(r.Body)))
	if limit := p.ceiling(role); decoded > limit || r.WireBytes > limit || Excessive(r.Header, role, p) {
		return Outcome{State: StateNone, Reason: Ceiling, Stop: true}
	}
	label := readMediaType(r.Header)
	if label.reject != "" {
		return none(label.reject)
	}
	text, reason := readText(r.Body)
	if reason != "" {
		return none(reason)
	}
	outcome := Outcome{State: StateIndex, Reason: Found, Text: text, Language: contentLanguage(r.Header), Findings: label.findings}
	outcome.Findings = append(outcome.Findings, representationFindings(r, role, decoded, text)...)
	return outcome
}

func contentLanguage(header http.Header) string {
	language := strings.TrimSpace(header.Get("Content-Language"))
	if len(language) > maxLangBytes {
		return ""
	}
	return language
}

// representationFindings audits an accepted representation.
func representationFindings(r Response, role Role, decoded int64, text []byte) []string {
	var findings []string
	note := func(applies bool, finding string) {
		if applies {
			findings = append(findings, finding)
		}
	}
	note(role == Index && decoded > indexAdviceBytes, FindingIndexAdvice)
	note(role == Detail && decoded > detailAdviceBytes, FindingDetailAdvice)
	note(r.Header.Get("ETag") == "" && r.Header.Get("Last-Modified") == "", FindingNoValidator)
	note(!readFreshness(r).saysMaxAge, FindingNoMaxAge)
	note(r.Coding == "" && decoded > compressAdviceSize, FindingNotCompressed)
	_, negotiated := varyFields(r.Header)["accept-language"]
	note(negotiated && contentLanguage(r.Header) == "", FindingNoContentLanguage)
	note(!looksLikeMarkdown(text), FindingNotMarkdown)
	return findings
}

// varyFields returns the request fields named in Vary, in lower case; "*" is one of them.
func varyFields(header http.Header) map[string]struct{} {
	fields := map[string]struct{}{}
	for _, line := range header.Values("Vary") {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" && len(fields) < maxVaryFields {
				fields[name] = struct{}{}
			}
		}
	}
	return fields
}
