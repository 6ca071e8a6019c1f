package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"time"
)

// newCopy describes an accepted representation.
func newCopy(uri string, r Response, text []byte, in Inputs, freshUntil time.Time) *Copy {
	c := &Copy{URI: uri, FetchedAt: r.ReceivedAt, FreshUntil: freshUntil, Date: dateOf(r)}
	if readFreshness(r).noStore {
		c.NoStore = true
		return c
	}
	c.SHA256, c.DecodedBytes, c.Language = digestOf(text), int64(len(text)), contentLanguage(r.Header)
	c.validators(r)
	c.bind(r.Header)
	c.variant(r.Header, in)
	return c
}

// maxBindingBytes bounds the fields that are kept.
const maxBindingBytes = 8 << 10

// bind keeps what the answer says about the use of its text. What is too long to keep might restrict
// everything, so it does.
func (c *Copy) bind(header http.Header) {
	size := 0
	for _, name := range [...]string{"X-Robots-Tag", "Tdm-Reservation", "Tdm-Policy", "Content-Usage", "Content-Signal"} {
		values := header.Values(name)
		if len(values) == 0 {
			continue
		}
		kept := make(http.Header, len(c.Fields)+1)
		maps.Copy(kept, c.Fields)
		kept[name] = slices.Clone(values)
		c.Fields = kept
		for _, v := range values {
			size += len(v)
		}
	}
	if size > maxBindingBytes {
		c.Fields = http.Header{"X-Robots-Tag": {"none, noai"}}
	}
}

// confirmed is the copy after a 304: its text and language stay, its validators and times are renewed
// as far as the answer names them (RFC 9111 3.2).
func (c Copy) confirmed(r Response, in Inputs, freshUntil time.Time) *Copy {
	c.FreshUntil, c.FetchedAt, c.Date = freshUntil, r.ReceivedAt, dateOf(r)
	c.validators(r)
	c.bind(r.Header)
	if len(r.Header.Values("Vary")) > 0 {
		c.variant(r.Header, in)
	}
	return &c
}

func (c *Copy) validators(r Response) {
	if tag := r.Header.Get("ETag"); tag != "" && len(tag) <= maxValidator {
		c.ETag = tag
	}
	if modified := r.Header.Get("Last-Modified"); modified != "" && len(modified) <= maxValidator {
		c.LastModified = modified
	}
}

// variant keys the copy by the request fields named in Vary, and by the language asked for in any case:
// servers negotiate without saying so (LC-017, LC-129).
func (c *Copy) variant(header http.Header, in Inputs) {
	fields := varyFields(header)
	_, c.VaryAny = fields["*"]
	delete(fields, "*")
	fields["accept-language"] = struct{}{}
	c.Vary = make(map[string]string, len(fields))
	for name := range fields {
		c.Vary[name] = in.RequestFields[name]
	}
}

// matches reports that the copy is the variant that the next request would ask for.
func (c *Copy) matches(in Inputs) bool {
	for name, sent := range c.Vary {
		if in.RequestFields[name] != sent {
			return false
		}
	}
	return true
}

// conditions fills the validators of a request for uri (LC-048, LC-049, LC-122). If-Modified-Since is sent
// only without an entity tag; without any validator it carries the date of the copy.
func (c *Copy) conditions(step *Step, in Inputs) {
	if c == nil || c.URI != step.URI || c.NoStore || in.BodyEvicted || !c.matches(in) {
		return
	}
	switch {
	case c.ETag != "":
		step.IfNoneMatch = c.ETag
	case c.LastModified != "":
		step.IfModifiedSince = c.LastModified
	default:
		step.IfModifiedSince = c.Date.UTC().Format(http.TimeFormat)
	}
}

func digestOf(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}
