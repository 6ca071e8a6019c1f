package fetch

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"time"
)

// Exchange is everything learned from one request. After an error it holds what
// was known until then and no Body; Status is 0 if no head arrived.
type Exchange struct {
	URL string // as requested

	RequestedAt time.Time // connection at hand, request about to be written
	RespondedAt time.Time // first octet of the answer; zero if none came
	FinishedAt  time.Time // body read, or the fetch given up

	Status     int
	Proto      string // "HTTP/1.1" or "HTTP/2.0"
	Header     http.Header
	RemoteAddr netip.AddrPort // the peer's address; do not show it to strangers
	Location   string         // raw field value, never followed
	Validators Validators
	Freshness  Freshness

	Body         *Body             // decoded content; nil after an error
	WireBytes    int64             // content octets as received: coded, without chunk framing
	DecodedBytes int64             // octets of Body
	Cut          bool              // the body went on; only with Request.CutBody
	Coding       string            // codings that were undone, as applied: "", "gzip", "gzip, br"
	SHA256       [sha256.Size]byte // of Body
	Findings     []Finding

	// RawRequestHead and RawResponseHead are the octets on the wire, first line to
	// empty line, without interim responses; RawBody is the body still coded,
	// without chunk framing. Only with Request.WantRaw.
	RawRequestHead  []byte
	RawResponseHead []byte
	RawBody         *Body
}

// Finding is an oddity of an answer that did not stop the fetch.
type Finding string

const (
	// FindingNotCoded: Content-Encoding names a coding, the body is plain.
	FindingNotCoded Finding = "coding.label-without-coding"
	// FindingOtherCoding: the body is in another coding than the one named.
	FindingOtherCoding Finding = "coding.other-than-label"
	// FindingTrailing: octets behind the end of the coded stream were ignored.
	FindingTrailing Finding = "coding.trailing-octets"
)

// Close releases both bodies. It is safe to call more than once and on nil.
func (x *Exchange) Close() error {
	if x == nil {
		return nil
	}
	return errors.Join(x.Body.Close(), x.RawBody.Close())
}

func (x *Exchange) note(f Finding) {
	for _, have := range x.Findings {
		if have == f {
			return
		}
	}
	x.Findings = append(x.Findings, f)
}
