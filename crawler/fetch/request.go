package fetch

import (
	"bytes"
	"io"
	"net/http"

	"golang.org/x/net/http/httpguts"
)

// Request is one request. The zero value of every field but URL is usable.
type Request struct {
	// URL is absolute, http or https. Its path and query go out octet for octet
	// where the URL standard leaves them alone.
	URL string
	// Method defaults to GET.
	Method string
	// Header holds further fields, e.g. purpose and signature. Fields that the
	// client sets itself, fields of the connection, cookies and Referer are ignored.
	Header http.Header
	// Validators makes the request conditional.
	Validators Validators
	// Accept defaults to "*/*".
	Accept string
	// MaxBodyBytes bounds the body, decoded and on the wire; 0 is Limits.MaxBodyBytes.
	MaxBodyBytes int64
	// CutBody ends a body that is longer than MaxBodyBytes there, without an
	// error, and sets Exchange.Cut. It is for documents whose beginning has a
	// meaning of its own, like robots.txt (RFC 9309 2.5); nothing else is cut.
	CutBody bool
	// WantRaw keeps the wire octets of both heads and the coded body. It forces
	// HTTP/1.1.
	WantRaw bool
	// OnHead, if set, is called with what is known when the head of the answer is
	// there, before the first octet of the body is read. It must not keep x.
	OnHead func(x *Exchange)
	// Body and ContentType are the content of an act; nil sends none.
	Body        []byte
	ContentType string
}

// acceptEncoding lists what decode.go can undo, in order of preference. The
// order is stable so that caches keyed by Vary see one variant of us.
const acceptEncoding = "br, gzip, zstd, deflate"

// ownField reports whether a field is set by the client or must not be sent.
func ownField(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "User-Agent", "From", "Accept", "Accept-Encoding", "If-None-Match", "If-Modified-Since",
		"Content-Length", "Content-Type", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
		"Proxy-Authorization", "Te", "Trailer", "Upgrade", "Expect", "Cookie", "Cookie2", "Referer":
		return true
	}
	return false
}

// wireRequest builds the request as it goes out, without a context. The error is a *fault.
func (c *Client) wireRequest(r *Request, t target) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	if !httpguts.ValidHeaderFieldName(method) || method == http.MethodConnect {
		return nil, &fault{kind: KindRequest, reason: "method cannot be sent"}
	}
	authority := t.authority()
	h := make(http.Header, 8+len(r.Header))
	for name, values := range r.Header {
		if ownField(name) {
			continue
		}
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, &fault{kind: KindRequest, reason: "field name cannot be sent"}
		}
		for _, v := range values {
			if !validFieldValue(v) {
				return nil, &fault{kind: KindRequest, reason: "value of field " + name + " cannot be sent"}
			}
		}
		key := http.CanonicalHeaderKey(name)
		h[key] = append(h[key], values...)
	}
	h["User-Agent"] = c.userAgent
	if c.from != nil {
		h["From"] = c.from
	}
	h["Accept-Encoding"] = c.acceptEncoding
	h["Accept"] = c.acceptAny
	if r.Accept != "" {
		if !validFieldValue(r.Accept) {
			return nil, &fault{kind: KindRequest, reason: "value of field Accept cannot be sent"}
		}
		h["Accept"] = []string{r.Accept}
	}
	r.Validators.apply(h)
	req := &http.Request{
		Method: method, URL: t.wireURL(authority), Host: authority, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if r.Body != nil {
		// No GetBody: net/http could then send an act a second time.
		req.Body = io.NopCloser(bytes.NewReader(r.Body))
		req.ContentLength = int64(len(r.Body))
		if req.ContentLength == 0 {
			req.Body = http.NoBody
		}
		if r.ContentType != "" {
			if !validFieldValue(r.ContentType) {
				return nil, &fault{kind: KindRequest, reason: "value of field Content-Type cannot be sent"}
			}
			h["Content-Type"] = []string{r.ContentType}
		}
	}
	return req, nil
}

func validFieldValue(v string) bool { return httpguts.ValidHeaderFieldValue(v) }
