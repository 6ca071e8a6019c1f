package archive

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"heed/politeness"
)

// Kind says what came of a visit. The zero value is refused.
type Kind uint8

const (
	_           Kind = iota
	Response         // an answer with its body
	NotModified      // a 304: revisit, profile server-not-modified
	Identical        // a body that is stored already: revisit, profile identical-payload-digest
	Failure          // no answer, or one that may not be kept: metadata only
)

// Record is what is kept of one visit.
type Record struct {
	Kind        Kind
	URL         string    // canonical; becomes WARC-Target-URI
	RequestedAt time.Time // start of the request; becomes WARC-Date, whole seconds

	// RequestHead and ResponseHead are the exact octets on the wire from the
	// start line to the empty line, or the work of the functions of the same
	// names. At most 1 MiB each. Build leaves out credentials of the request
	// (Authorization, Proxy-Authorization, Cookie). Status and media type of the
	// index are those of the head. A Failure needs neither.
	RequestHead  []byte
	ResponseHead []byte

	// Body is the payload in its content coding, without transfer coding. It
	// is read twice, from 0 to BodyBytes. Nil only if BodyBytes is 0.
	Body      io.ReaderAt
	BodyBytes int64

	Address string // of the server: IP or IP:port; left out if it is neither
	Proto   string // as in http.Response.Proto: HTTP/1.1, HTTP/2.0

	PayloadSHA256 [32]byte // of Body; zero: Build computes it
	DecodedSHA256 [32]byte // of the decoded payload; zero: not recorded

	RefersTo Reference // for NotModified and Identical

	Decision      politeness.Decision
	DiscoveryPath string // one letter per hop from the seed
	Via           string // URL of the page that named this one

	FailureKind string // for Failure: one word
	FailureText string // for Failure: one line, cut at 2 KiB
}

// Reference names the response that a revisit stands for.
type Reference struct {
	URL           string
	Date          time.Time // RequestedAt of that record
	Location      string    // as returned by Append
	PayloadDigest string    // sha1:BASE32 of that record; may be empty for NotModified
}

// check refuses what would make a file that other programs misread.
func (r *Record) check() error {
	switch {
	case r.Kind < Response || r.Kind > Failure:
		return fmt.Errorf("%w: kind %d of %q", ErrRecord, r.Kind, r.URL)
	case !plainURL(r.URL):
		return fmt.Errorf("%w: target %.200q", ErrRecord, r.URL)
	case r.Via != "" && !plainURL(r.Via):
		return fmt.Errorf("%w: %s: via %.200q", ErrRecord, r.URL, r.Via)
	case r.RequestedAt.IsZero():
		return fmt.Errorf("%w: %s: no time", ErrRecord, r.URL)
	case len(r.RequestHead) > maxHeadBytes || len(r.ResponseHead) > maxHeadBytes:
		return fmt.Errorf("%w: %s: head above %d octets", ErrRecord, r.URL, maxHeadBytes)
	case len(r.RequestHead) > 0 && !isRequest(r.RequestHead):
		return fmt.Errorf("%w: %s: request head %.40q", ErrRecord, r.URL, r.RequestHead)
	case r.BodyBytes < 0 || r.BodyBytes > 0 && r.Body == nil:
		return fmt.Errorf("%w: %s: body of %d octets", ErrRecord, r.URL, r.BodyBytes)
	}
	if r.Kind == Failure {
		return nil
	}
	if status, _ := readHead(r.ResponseHead); status == "" {
		return fmt.Errorf("%w: %s: response head %.40q", ErrRecord, r.URL, r.ResponseHead)
	}
	if r.Kind != Response && (!plainURL(r.RefersTo.URL) || r.RefersTo.Date.IsZero()) {
		return fmt.Errorf("%w: %s: revisit without URL and date of what it refers to", ErrRecord, r.URL)
	}
	return nil
}

// plainURL tells whether a URL of http or https can stand in a header field and
// in an index line as it is.
func plainURL(url string) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || scheme != "http" && scheme != "https" || len(url) > maxURLBytes || !utf8.ValidString(url) {
		return false
	}
	if rest == "" || rest[0] == '/' || rest[0] == '?' || rest[0] == '#' {
		return false
	}
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// oneLine makes free text fit for a header field: no control characters, at
// most limit octets, valid UTF-8.
func oneLine(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return -1
		case r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return ' '
		}
		return r
	}, text))
}

// bareAddress takes the port off, or gives "" for what is no address. Scoped
// addresses lose their zone: it means nothing on another machine.
func bareAddress(address string) string {
	if ap, err := netip.ParseAddrPort(address); err == nil {
		return ap.Addr().WithZone("").Unmap().String()
	}
	if a, err := netip.ParseAddr(address); err == nil {
		return a.WithZone("").Unmap().String()
	}
	return ""
}

// protocol gives the name that WARC-Protocol uses, "" if there is none.
func protocol(proto string) string {
	switch proto {
	case "HTTP/1.0":
		return "http/1.0"
	case "HTTP/1.1":
		return "http/1.1"
	case "HTTP/2", "HTTP/2.0":
		return "h2"
	}
	return ""
}
