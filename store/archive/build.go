package archive

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	profileIdentical   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

	typeResponse = "application/http;msgtype=response"
	typeRequest  = "application/http;msgtype=request"
	typeFields   = "application/warc-fields"

	// fieldSHA256 is an extension field: WARC allows one payload digest only.
	fieldSHA256 = "Payload-SHA256"

	spoolPattern = "spool-*.tmp"
)

// Build turns a visit into gzip members that Append can copy. It is safe for
// concurrent use and keeps nothing of r. It fails with ErrRecord for what
// cannot be written faithfully, and with the error of the body or of the disk.
func (a *Archive) Build(r Record) (*Prepared, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	buf := a.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	p := &Prepared{owner: a, buf: buf}
	w := a.presses.Get().(*press)
	defer a.presses.Put(w)
	if err := a.build(w, p, &r); err != nil {
		p.Discard()
		return nil, fmt.Errorf("archive: build %s: %w", r.URL, err)
	}
	return p, nil
}

func (a *Archive) build(w *press, p *Prepared, r *Record) error {
	first, err := newRecordID(a.options.Random)
	if err != nil {
		return err
	}
	utc := r.RequestedAt.UTC()
	date := utc.Format(warcDate)
	if r.Kind == Failure {
		return a.metadata(w, p, r, date, first, nil)
	}
	if err := a.answer(w, p, r, date, first); err != nil {
		return err
	}
	p.line = newCapture(r.URL, utc.Format(timestamp), r.ResponseHead, p.self.PayloadDigest, !p.store)
	p.line.setMethod(r.RequestHead)
	if len(r.RequestHead) > 0 {
		if err := a.request(w, p, r, date, first); err != nil {
			return err
		}
	}
	id, err := newRecordID(a.options.Random)
	if err != nil {
		return err
	}
	return a.metadata(w, p, r, date, id, &first)
}

// answer writes the response or revisit record.
func (a *Archive) answer(w *press, p *Prepared, r *Record, date string, id recordID) error {
	w.text = storedResponse(w.text[:0], r.ResponseHead)
	w.block.Reset()
	w.block.Write(w.text)
	sum, digest := r.PayloadSHA256, r.RefersTo.PayloadDigest
	if r.Kind != NotModified {
		if err := w.hashBody(r.Body, r.BodyBytes, sum == [32]byte{}); err != nil {
			return err
		}
		digest = w.digestOf(w.payload)
		if sum == [32]byte{} {
			w.integrity.Sum(sum[:0])
		}
	}
	p.self = Reference{URL: r.URL, Date: r.RequestedAt, PayloadDigest: digest}
	p.key = payloadKey{host: hostKey(r.URL), sha256: sum}
	kind, refersTo, size := r.Kind, r.RefersTo, r.BodyBytes
	if kind == Response && size >= dedupMinBytes {
		if ref, ok := a.dedup.find(p.key); ok {
			kind, refersTo = Identical, ref
		}
	}
	if p.store = kind == Response; p.store {
		w.begin("response", id, date)
	} else {
		size = 0
		w.block.Reset()
		w.block.Write(w.text)
		w.begin("revisit", id, date)
	}
	w.field("WARC-Target-URI", r.URL)
	w.network(r)
	switch kind {
	case Identical:
		w.revisit(profileIdentical, refersTo)
		p.location = refersTo.Location
	case NotModified:
		w.revisit(profileNotModified, refersTo)
	}
	if digest != "" {
		w.field("WARC-Payload-Digest", digest)
	}
	if kind != NotModified {
		w.field(fieldSHA256, hex.EncodeToString(sum[:]))
	}
	return a.first(w, p, r.Body, size)
}

// first writes the first member, into the spool file if it is large.
func (a *Archive) first(w *press, p *Prepared, body io.ReaderAt, size int64) error {
	if size <= a.options.SpoolBytes {
		err := w.finish(p.buf, typeResponse, w.text, body, size)
		p.firstBytes = int64(p.buf.Len())
		return err
	}
	spool, err := os.CreateTemp(a.options.Dir, spoolPattern)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	p.spool = spool
	out := &countingWriter{w: spool}
	if err := w.finish(out, typeResponse, w.text, body, size); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	p.spoolBytes, p.firstBytes = out.n, out.n
	return nil
}

func (a *Archive) request(w *press, p *Prepared, r *Record, date string, first recordID) error {
	id, err := newRecordID(a.options.Random)
	if err != nil {
		return err
	}
	w.text = storedRequest(w.text[:0], r.RequestHead)
	w.block.Reset()
	w.block.Write(w.text)
	w.begin("request", id, date)
	w.field("WARC-Target-URI", r.URL)
	w.network(r)
	w.recordID("WARC-Concurrent-To", first)
	return w.finish(p.buf, typeRequest, w.text, nil, 0)
}

func (w *press) network(r *Record) {
	if address := bareAddress(r.Address); address != "" {
		w.field("WARC-IP-Address", address)
	}
	if proto := protocol(r.Proto); proto != "" {
		w.field("WARC-Protocol", proto)
	}
}

func (w *press) revisit(profile string, ref Reference) {
	w.field("WARC-Profile", profile)
	w.field("WARC-Refers-To-Target-URI", ref.URL)
	w.field("WARC-Refers-To-Date", ref.Date.UTC().Format(warcDate))
}

// hostKey is the host part of the SURT key: what consent belongs to.
func hostKey(url string) string {
	host, _, _ := strings.Cut(surt(url), ")")
	return host
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
