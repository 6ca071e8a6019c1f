package fetch

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// contentCodings returns the codings of a head in the order in which they were
// applied, "identity" and empty members left out. Names are case-insensitive,
// "x-gzip" is gzip (RFC 9110 8.4.1).
func contentCodings(h http.Header) ([]string, error) {
	lines := h["Content-Encoding"]
	if len(lines) == 0 {
		return nil, nil
	}
	var codings []string
	for _, line := range lines {
		for token := range strings.SplitSeq(line, ",") {
			name := strings.ToLower(strings.Trim(token, " \t"))
			switch name {
			case "", "identity":
				continue
			case "x-gzip":
				name = "gzip"
			case "gzip", "br", "zstd", "deflate":
			default:
				return nil, &fault{kind: KindCoding, reason: "unknown content coding"}
			}
			if len(codings) == maxCodings {
				return nil, &fault{kind: KindCoding, reason: "too many stacked content codings"}
			}
			codings = append(codings, name)
		}
	}
	return codings, nil
}

// format is a compressed format as found in the octets. "deflate" is two of
// them: RFC 9110 8.4.1.2 means zlib, many servers send the bare stream.
type format uint8

const (
	formatPlain format = iota
	formatGzip
	formatZstd
	formatZlib
	formatFlate
	formatBrotli
)

// codecs keeps decoders for reuse: their windows are the dearest allocation of
// a small fetch.
type codecs struct {
	buffers, gzip, zstd, zlib, flate, brotli sync.Pool
}

// layer undoes one coding. rest is what follows the coded stream.
type layer struct {
	io.Reader
	rest    *bufio.Reader
	release func()
}

// peekBytes is how much of a stream decides about its format: what the MIME
// sniffing standard looks at.
const peekBytes = 512

// open puts a decoder for the coding named by label on src, or for what src
// really is, which is noted.
func (c *codecs) open(label string, src io.Reader, note func(Finding)) (layer, error) {
	br, _ := c.buffers.Get().(*bufio.Reader)
	if br == nil {
		br = bufio.NewReaderSize(src, 4<<10)
	} else {
		br.Reset(src)
	}
	l := layer{rest: br, release: func() { br.Reset(nil); c.buffers.Put(br) }}
	head, err := br.Peek(peekBytes)
	if err != nil && err != io.EOF {
		return l, err
	}
	if len(head) == 0 {
		// No content at all is what HEAD, 204, 304 and an empty 200 have, whatever
		// the label says (RFC 9110 6.4.1).
		l.Reader = br
		return l, nil
	}
	found, finding, err := c.identify(label, head)
	if err != nil {
		return l, err
	}
	if finding != "" {
		note(finding)
	}
	return l, c.attach(&l, found, note)
}

// attach puts the decoder of f on l.rest.
func (c *codecs) attach(l *layer, f format, note func(Finding)) error {
	br, giveBack := l.rest, l.release
	switch f {
	case formatPlain:
		l.Reader = br
	case formatGzip:
		zr, _ := c.gzip.Get().(*gzip.Reader)
		if zr == nil {
			zr = new(gzip.Reader)
		}
		l.release = func() { c.gzip.Put(zr); giveBack() }
		if err := zr.Reset(br); err != nil {
			return err
		}
		zr.Multistream(false)
		l.Reader = &gzipMembers{zr: zr, src: br, note: note}
	case formatZstd:
		zr, _ := c.zstd.Get().(*zstd.Decoder)
		if zr == nil {
			var err error
			zr, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxZstdWindowBytes))
			if err != nil {
				return err
			}
		}
		// With one decoder there is no goroutine, so a pooled one needs no Close.
		l.release = func() {
			if zr.Reset(nil) == nil {
				c.zstd.Put(zr)
			}
			giveBack()
		}
		l.Reader = zr
		return zr.Reset(br)
	case formatZlib:
		zr, _ := c.zlib.Get().(io.ReadCloser)
		if zr == nil {
			var err error
			if zr, err = zlib.NewReader(br); err != nil {
				return err
			}
		} else if err := zr.(zlib.Resetter).Reset(br, nil); err != nil {
			return err
		}
		l.release = func() { c.zlib.Put(zr); giveBack() }
		l.Reader = zr
	case formatFlate:
		zr, _ := c.flate.Get().(io.ReadCloser)
		if zr == nil {
			zr = flate.NewReader(br)
		} else if err := zr.(flate.Resetter).Reset(br, nil); err != nil {
			return err
		}
		l.release = func() { c.flate.Put(zr); giveBack() }
		l.Reader = zr
	case formatBrotli:
		zr, _ := c.brotli.Get().(*brotli.Reader)
		if zr == nil {
			zr = new(brotli.Reader)
		}
		l.release = func() { c.brotli.Put(zr); giveBack() }
		l.Reader = brotliStream{zr, note}
		return zr.Reset(br)
	}
	return nil
}

// gzipMembers reads members as long as they follow each other (RFC 1952 2.2)
// and ends at the first octet that begins none, as browsers do.
type gzipMembers struct {
	zr   *gzip.Reader
	src  *bufio.Reader
	note func(Finding)
}

func (g *gzipMembers) Read(p []byte) (int, error) {
	n, err := g.zr.Read(p)
	if err != io.EOF {
		return n, err
	}
	if next, _ := g.src.Peek(3); !isGzip(next) {
		return n, io.EOF // what is left is found when the rest is read
	}
	if g.zr.Reset(g.src) != nil {
		g.note(FindingTrailing)
		return n, io.EOF
	}
	g.zr.Multistream(false)
	return n, nil
}

// brotliStream ends where the stream ends; the library makes an error of what
// follows, which browsers ignore.
type brotliStream struct {
	zr   *brotli.Reader
	note func(Finding)
}

// brotliExcess is the text of the library's unexported error for octets behind the stream.
const brotliExcess = "brotli: excessive input"

func (b brotliStream) Read(p []byte) (int, error) {
	n, err := b.zr.Read(p)
	if err != nil && err.Error() == brotliExcess {
		b.note(FindingTrailing)
		return n, io.EOF
	}
	return n, err
}

// trialBytes bounds the output of decodes: the input is a peek, but coded
// octets grow.
const trialBytes = 64 << 10

// decodes reports whether head may be the start of a stream of format f.
func (c *codecs) decodes(f format, head []byte) bool {
	l := layer{rest: bufio.NewReaderSize(bytes.NewReader(head), peekBytes), release: func() {}}
	err := c.attach(&l, f, func(Finding) {})
	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(l.Reader, trialBytes))
	}
	l.release()
	return err == nil || err == io.EOF || err == io.ErrUnexpectedEOF
}
