package fetch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// wireReader counts and bounds content octets as they come off the connection
// (chunk framing already removed) and keeps a copy of them if asked to.
type wireReader struct {
	r    io.Reader
	max  int64
	read atomic.Int64 // also looked at by the rate watch
	raw  *sink        // nil: no copy
	err  error        // first error other than io.EOF; decoders may hide it
}

func (w *wireReader) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.r.Read(p)
	total := w.read.Add(int64(n))
	if w.raw != nil && n > 0 {
		if werr := w.raw.write(p[:n]); werr != nil {
			w.err = werr
			return 0, werr
		}
	}
	if total > w.max {
		err = tooLarge(w.max, "on the wire")
	}
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

func tooLarge(maxBytes int64, where string) error {
	return &fault{kind: KindTooLarge, reason: fmt.Sprintf("body is larger than %d octets %s", maxBytes, where)}
}

// receive reads the body of res to its end into x. On error x has counts and
// findings but no body.
func (e *errand) receive(res *http.Response) error {
	x, maxBytes, l := e.x, e.maxBytes, &e.c.limits
	if res.Body == nil || res.Body == http.NoBody || e.noBody(res.StatusCode) {
		x.SHA256 = sha256.Sum256(nil)
		e.share.keep(0)
		x.Body = newBody(&content{share: e.share})
		if e.r.WantRaw {
			x.RawBody = newBody(x.Body.content)
		}
		return nil
	}
	codings, err := contentCodings(res.Header)
	if err != nil {
		return err
	}
	if res.ContentLength > maxBytes && !e.r.CutBody {
		return tooLarge(maxBytes, "by its Content-Length")
	}
	memory := min(l.MemoryBodyBytes, maxBytes)
	body := newSink(e.c.buffers, e.c.spoolDir, memory)
	defer body.discard()
	wire := &wireReader{r: res.Body, max: maxBytes}
	if e.r.WantRaw && len(codings) > 0 {
		wire.raw = newSink(e.c.buffers, e.c.spoolDir, memory)
		defer wire.raw.discard()
	}
	stop := e.watchRate(&wire.read)
	err = e.decode(body, wire, codings)
	stop()
	x.WireBytes, x.DecodedBytes, x.Coding = wire.read.Load(), body.size, strings.Join(codings, ", ")
	if err != nil {
		if wire.err != nil {
			return wire.err
		}
		return codingFault(err)
	}
	e.keep(body, wire.raw)
	return nil
}

// noBody reports whether the answer cannot have content (RFC 9110 6.4.1). What a
// peer sends all the same is never read.
func (e *errand) noBody(status int) bool {
	return e.r.Method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified
}

// decode copies wire through its codings into body and reads wire to the end.
func (e *errand) decode(body *sink, wire *wireReader, codings []string) error {
	var src io.Reader = wire
	layers := make([]layer, 0, maxCodings)
	defer func() {
		for i := len(layers) - 1; i >= 0; i-- {
			layers[i].release()
		}
	}()
	for i := len(codings) - 1; i >= 0; i-- {
		l, err := e.c.codecs.open(codings[i], src, e.x.note)
		layers = append(layers, l)
		if err != nil {
			return err
		}
		src = l
	}
	if err := e.copy(body, src, wire, len(codings) > 0); err != nil || e.x.Cut {
		return err
	}
	// What follows a coded stream is read too: only then is the connection
	// reusable, a cut transfer noticed and the raw body whole.
	for i := len(layers) - 1; i >= 0; i-- {
		n, err := io.Copy(io.Discard, layers[i].rest)
		if err != nil {
			return err
		}
		if n > 0 {
			e.x.note(FindingTrailing)
		}
	}
	return wire.err
}

// copy moves src into body under the caps and hashes it on the way.
func (e *errand) copy(body *sink, src io.Reader, wire *wireReader, coded bool) error {
	l := &e.c.limits
	digest := sha256.New()
	for {
		p := body.space()
		n, err := src.Read(p)
		if e.r.CutBody && body.size+int64(n) > e.maxBytes {
			n, e.x.Cut = int(e.maxBytes-body.size), true
		}
		if n > 0 || e.x.Cut {
			digest.Write(p[:n])
			if cerr := body.commit(n); cerr != nil {
				return cerr
			}
			if coded && body.size > l.RatioFreeBytes && body.size/l.MaxRatio > wire.read.Load() {
				return &fault{kind: KindRatio, reason: fmt.Sprintf("body grows more than %d times when decoded", l.MaxRatio)}
			}
			if body.size > e.maxBytes {
				return tooLarge(e.maxBytes, "when decoded")
			}
		}
		if err == io.EOF || e.x.Cut {
			digest.Sum(e.x.SHA256[:0])
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// keep hands what was collected to the exchange. Without a coding the raw body
// is the decoded one and shares its memory or file.
func (e *errand) keep(body, raw *sink) {
	share := e.share
	if raw != nil {
		half := share.split(e.c.limits.MemoryBodyBytes)
		e.x.RawBody = newBody(raw.finish(half))
	}
	e.x.Body = newBody(body.finish(share))
	if e.r.WantRaw && raw == nil {
		e.x.RawBody = newBody(e.x.Body.content)
	}
}

// codingFault gives an error of a decoder its kind.
func codingFault(err error) error {
	var f *fault
	switch {
	case errors.As(err, &f):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &fault{kind: KindTruncated, reason: "coded body ends early", err: err}
	}
	return &fault{kind: KindCoding, reason: "body cannot be decoded", err: err}
}
