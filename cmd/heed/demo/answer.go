package demo

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// document is a resource with a body: a page, a policy file, a context file.
// The zero values of validators and coding mean that it has none. It is a
// value: the methods return changed copies.
type document struct {
	contentType string
	body        []byte
	etag        string // entity tag with its quotes
	modified    string // Last-Modified as an IMF-fixdate
	coding      coding
	unasked     bool // send the coding even to a client that does not offer it
	fields      []field
}

// field is a further response header field.
type field struct{ name, value string }

func page(s sheet) document {
	return document{contentType: "text/html; charset=utf-8", body: []byte(s.html())}
}

func text(body string) document {
	return document{contentType: "text/plain; charset=utf-8", body: []byte(body)}
}

func markdown(body string) document {
	return document{contentType: "text/markdown; charset=utf-8", body: []byte(body)}
}

// robots is a robots.txt made of the given lines.
func robots(lines ...string) document { return text(strings.Join(lines, "\n") + "\n") }

func (d document) with(name, value string) document {
	d.fields = append(d.fields[:len(d.fields):len(d.fields)], field{name, value})
	return d
}

func (d document) tagged(etag string) document {
	d.etag = etag
	return d
}

func (d document) dated(modified string) document {
	d.modified = modified
	return d
}

func (d document) coded(c coding) document {
	d.coding = c
	return d
}

// ServeHTTP answers 304 to a matching validator and the whole body otherwise.
// If-None-Match makes If-Modified-Since void (RFC 9110 13.1.3). Dates are
// compared word for word: a client has to send back what it was given.
func (d document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, f := range d.fields {
		h.Add(f.name, f.value)
	}
	if d.etag != "" {
		h.Set("ETag", d.etag)
	}
	if d.modified != "" {
		h.Set("Last-Modified", d.modified)
	}
	tag, since := r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")
	if d.etag != "" && tag == d.etag || tag == "" && d.modified != "" && since == d.modified {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.contentType)
	body := d.body
	if d.coding != identity {
		h.Set("Vary", "Accept-Encoding")
		if d.unasked || d.coding.offered(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", d.coding.label())
			body = d.coding.encode(body)
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that went away is seen in the log
}

// status answers with a bare status and the given fields.
func status(code int, fields ...field) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, f := range fields {
			w.Header().Set(f.name, f.value)
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(http.StatusText(code) + "\n"))
	})
}

// redirect answers with a 3xx. The target is sent word for word.
func redirect(code int, target string) http.Handler {
	return status(code, field{"Location", target})
}

// first answers the first request with one handler and all later ones with
// another.
func first(once, then http.Handler) http.Handler {
	var asked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			once.ServeHTTP(w, r)
			return
		}
		then.ServeHTTP(w, r)
	})
}
