package archive

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	warcDate  = "2006-01-02T15:04:05Z" // WARC-Date in whole seconds, as CDX has it
	timestamp = "20060102150405"
	noDigest  = "-"

	mimeRevisit = "warc/revisit"
)

// capture is one line of the index before it has a place in a file.
type capture struct {
	url, key, stamp, mime, status, digest string
	method                                string // "" for GET
}

// newCapture describes a response or revisit. The digest is that of the
// record's WARC-Payload-Digest, "" if it has none.
func newCapture(url, stamp string, head []byte, digest string, revisit bool) *capture {
	status, contentType := readHead(head)
	c := &capture{url: url, key: surt(url), stamp: stamp, status: status, mime: mimeOf(contentType), digest: strings.TrimPrefix(digest, "sha1:")}
	if c.digest == "" {
		c.digest = noDigest
	}
	if revisit {
		c.mime = mimeRevisit
	}
	return c
}

// setMethod takes the method from the head of the request, if it is worth a
// member of its own.
func (c *capture) setMethod(requestHead []byte) {
	if method, _, _ := bytes.Cut(requestHead, []byte{' '}); isRequest(requestHead) && string(method) != "GET" {
		c.method = string(method)
	}
}

// appendLine writes a CDXJ line: SURT key, time stamp, JSON, LF. All values
// are strings, as index servers expect them.
func (c *capture) appendLine(b []byte, length, offset int64, file string) []byte {
	b = append(append(append(append(b, c.key...), ' '), c.stamp...), " {"...)
	b = appendMember(b, "url", c.url)
	b = appendMember(append(b, ", "...), "mime", c.mime)
	b = appendMember(append(b, ", "...), "status", c.status)
	b = appendMember(append(b, ", "...), "digest", c.digest)
	b = append(strconv.AppendInt(append(b, `, "length": "`...), length, 10), '"')
	b = append(strconv.AppendInt(append(b, `, "offset": "`...), offset, 10), '"')
	b = appendMember(append(b, ", "...), "filename", file)
	if c.method != "" {
		b = appendMember(append(b, ", "...), "method", c.method)
	}
	return append(b, '}', '\n')
}

// appendMember writes "name": "value". Control characters do not occur in
// values (see check), so only two octets need care.
func appendMember(b []byte, name, value string) []byte {
	b = append(append(append(b, '"'), name...), `": "`...)
	for i := range len(value) {
		if c := value[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, value[i])
	}
	return append(b, '"')
}

// mimeOf is the media type without parameters, in lower case, or "unk" for
// what is not a media type.
func mimeOf(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	slash := strings.IndexByte(t, '/')
	if slash <= 0 || slash == len(t)-1 || len(t) > 127 {
		return "unk"
	}
	for i := range len(t) {
		if c := t[i]; !isAlnum(c) && i != slash && strings.IndexByte("!#$&^_.+-", c) < 0 {
			return "unk"
		}
	}
	return t
}
