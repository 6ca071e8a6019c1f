package fetch

import "net/http"

// Validators are what a response said about its own version, word for word:
// weakness marks, suffixes of proxies and odd dates included, because only the
// server can tell which of them matter (RFC 9110 8.8.3, 13.1.2).
type Validators struct {
	ETag         string
	LastModified string
	// Date is kept for callers that fall back on it: without a Last-Modified they
	// may send Date in its place (RFC 9111 4.3.1) by setting LastModified.
	Date string
}

// maxValidatorBytes bounds a validator that is sent back. Longer ones are not
// sent: a full download costs less than a request that servers refuse as a whole.
const maxValidatorBytes = 4 << 10

// ValidatorsOf reads the validators of a response head.
func ValidatorsOf(h http.Header) Validators {
	return Validators{ETag: h.Get("Etag"), LastModified: h.Get("Last-Modified"), Date: h.Get("Date")}
}

// Empty reports whether a request with v would be unconditional.
func (v Validators) Empty() bool { return !sendable(v.ETag) && !sendable(v.LastModified) }

// apply sets If-None-Match if a tag is held, else If-Modified-Since. Both
// together would be redundant: a server that knows the tag ignores the date
// (RFC 9110 13.1.3).
func (v Validators) apply(h http.Header) {
	switch {
	case sendable(v.ETag):
		h["If-None-Match"] = []string{v.ETag}
	case sendable(v.LastModified):
		h["If-Modified-Since"] = []string{v.LastModified}
	}
}

func sendable(v string) bool {
	return v != "" && len(v) <= maxValidatorBytes && validFieldValue(v)
}
