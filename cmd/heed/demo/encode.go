package demo

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding the world can send.
type coding int

const (
	identity   coding = iota
	gzipped           // RFC 1952
	brotlied          // RFC 7932
	zstandard         // RFC 8878, window within the 8 MiB of RFC 9659
	deflateRaw        // the bare stream of RFC 1951 under the name "deflate", as many servers send it
)

// label is the name in Content-Encoding.
func (c coding) label() string {
	switch c {
	case gzipped:
		return "gzip"
	case brotlied:
		return "br"
	case zstandard:
		return "zstd"
	case deflateRaw:
		return "deflate"
	default:
		return "identity"
	}
}

// offered reports whether an Accept-Encoding lists the coding, without weighing.
func (c coding) offered(accept string) bool {
	for member := range strings.SplitSeq(accept, ",") {
		name, _, _ := strings.Cut(member, ";")
		if strings.EqualFold(strings.TrimSpace(name), c.label()) {
			return true
		}
	}
	return false
}

// zstdWindowBytes keeps a frame decodable for everyone: RFC 9659 lets a client
// refuse more than 8 MiB.
const zstdWindowBytes = 1 << 20

// writer returns an encoder onto w. It has to be closed for the last octets.
// Levels are the fastest ones: bodies are small, or are made to be refused.
func (c coding) writer(w io.Writer) (io.WriteCloser, error) {
	switch c {
	case gzipped:
		return gzip.NewWriterLevel(w, gzip.BestSpeed)
	case brotlied:
		return brotli.NewWriterLevel(w, brotli.BestSpeed), nil
	case zstandard:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindowBytes))
	case deflateRaw:
		return flate.NewWriter(w, flate.BestSpeed)
	default:
		return plain{w}, nil
	}
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// encode codes a whole body. Writing to memory and the constant levels cannot
// fail; should they, the body is left out and the site's row shows it.
func (c coding) encode(body []byte) []byte {
	var b bytes.Buffer
	w, err := c.writer(&b)
	if err != nil {
		return nil
	}
	if _, err := w.Write(body); err != nil {
		return nil
	}
	if err := w.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}
