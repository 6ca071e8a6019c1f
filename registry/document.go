package registry

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

const (
	jsonType   = "application/json"
	schemaType = "application/schema+json"
	textType   = "text/plain; charset=utf-8"
)

// document is an answer whose octets are made once and served many times. The
// coded forms are made when somebody first asks for them.
//
// The ETag names the octets before content coding, and all codings share it:
// Vary keeps caches apart, there are no ranges, and a reader can compare it with
// the change feed whatever it accepted (BC-R-903).
type document struct {
	mediaType string
	cache     string // Cache-Control
	tag       etag
	quoted    string // the ETag field
	octets    []byte
	onGrow    func(int64) // told the size of a new coded form, may be nil

	mu    sync.Mutex
	coded [len(codings)][]byte
}

func newDocument(mediaType string, octets []byte) *document {
	d := &document{mediaType: mediaType, octets: octets, cache: "no-cache", tag: etagOf(octets)}
	d.quoted = d.tag.quoted()
	return d
}

// codings that are offered, best first.
var codings = [...]string{"br", "gzip"}

// codeMinBytes is where a coding begins to save a packet.
const codeMinBytes = 1400

// brotliLevel is where more effort stops paying for texts that are coded once
// and served many times, but while the first reader waits.
const brotliLevel = 5

// form gives the octets in a coding.
func (d *document) form(coding int) []byte {
	d.mu.Lock()
	if d.coded[coding] != nil {
		defer d.mu.Unlock()
		return d.coded[coding]
	}
	var out bytes.Buffer
	if coding == 0 {
		w := brotli.NewWriterLevel(&out, brotliLevel)
		_, _ = w.Write(d.octets) // a buffer takes everything
		_ = w.Close()
	} else {
		w, _ := gzip.NewWriterLevel(&out, gzip.DefaultCompression) // a legal level
		_, _ = w.Write(d.octets)
		_ = w.Close()
	}
	form := bytes.Clone(out.Bytes())
	d.coded[coding] = form
	grow := d.onGrow
	d.mu.Unlock()
	if grow != nil {
		grow(int64(len(form)))
	}
	return form
}

// acceptedCoding picks the best coding that the field allows, -1 for none
// (RFC 9110 12.5.3).
func acceptedCoding(field string) int {
	for i, coding := range codings {
		for rest := field; rest != ""; {
			var part string
			part, rest, _ = strings.Cut(rest, ",")
			name, weight, _ := strings.Cut(part, ";")
			if !strings.EqualFold(strings.TrimSpace(name), coding) {
				continue
			}
			q, ok := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			if !ok {
				return i
			}
			if v, err := strconv.ParseFloat(q, 64); err == nil && v > 0 {
				return i
			}
		}
	}
	return -1
}

// has tells whether If-None-Match names a quoted ETag (RFC 9110 13.1.2).
func has(r *http.Request, quoted string) bool {
	for _, field := range r.Header["If-None-Match"] {
		if matchesETag(field, quoted) {
			return true
		}
	}
	return false
}

// matchesETag compares weakly: a W/ in front of a tag of the field changes
// nothing.
func matchesETag(field, quoted string) bool {
	for rest := field; rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, ",")
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == quoted || one == "*" {
			return true
		}
	}
	return false
}

// unchanged sets the fields of a document that a 304 has, too, and answers with
// one if the reader has the document.
func unchanged(w http.ResponseWriter, r *http.Request, quoted, cache string) (done bool) {
	h := w.Header()
	h["Etag"] = []string{quoted}
	h["Cache-Control"] = []string{cache}
	h["Vary"] = varyCoding
	if !has(r, quoted) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// send answers with the document, or with 304 if the reader has it, and tells
// whether it was needed.
func (d *document) send(w http.ResponseWriter, r *http.Request) (whole bool) {
	if unchanged(w, r, d.quoted, d.cache) {
		return false
	}
	h := w.Header()
	octets := d.octets
	if len(octets) >= codeMinBytes {
		if coding := acceptedCoding(r.Header.Get("Accept-Encoding")); coding >= 0 {
			octets = d.form(coding)
			h["Content-Encoding"] = []string{codings[coding]}
		}
	}
	h["Content-Type"] = []string{d.mediaType}
	h["Content-Length"] = []string{strconv.Itoa(len(octets))}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(octets) // the reader has gone
	}
	return true
}

// varyCoding is shared by all answers and never changed.
var varyCoding = []string{"Accept-Encoding"}
