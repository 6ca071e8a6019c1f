package archive

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"

	"github.com/klauspost/compress/gzip"
)

// gzipLevel: on real pages levels 2 to 6 cost the same within a few percent,
// and 5 leaves a tenth less on disk than 1; only bodies without any coding gain
// from levels at all.
const gzipLevel = 5

// press writes records as gzip members. It is not safe for concurrent use;
// the archive keeps a pool of them because the tables of a gzip writer are large.
type press struct {
	gz               *gzip.Writer
	block, payload   hash.Hash // SHA-1
	integrity        hash.Hash // SHA-256 of the payload
	head, text, copy []byte    // scratch
	sum              [sha256.Size]byte
}

func newPress() *press {
	gz, _ := gzip.NewWriterLevel(io.Discard, gzipLevel) // fails for an unknown level only
	return &press{gz: gz, block: sha1.New(), payload: sha1.New(), integrity: sha256.New(), copy: make([]byte, 32<<10)}
}

// field adds a named field to the record head under construction.
func (p *press) field(name, value string) {
	p.head = append(append(append(append(p.head, name...), ": "...), value...), '\r', '\n')
}

func (p *press) recordID(name string, id recordID) {
	p.head = append(append(append(p.head, name...), ": <urn:uuid:"...), id[:]...)
	p.head = append(p.head, '>', '\r', '\n')
}

func (p *press) begin(kind string, id recordID, date string) {
	p.head = append(p.head[:0], "WARC/1.1\r\nWARC-Type: "...)
	p.head = append(append(p.head, kind...), '\r', '\n')
	p.recordID("WARC-Record-ID", id)
	p.field("WARC-Date", date)
}

// digestOf formats a SHA-1 as CDX tools write it.
func (p *press) digestOf(h hash.Hash) string {
	var b [5 + 32]byte
	copy(b[:], "sha1:")
	base32.StdEncoding.Encode(b[5:], h.Sum(p.sum[:0]))
	return string(b[:])
}

// finish adds digest, type and length of the block to the record head and
// writes the member: head, block (start and then size octets of body), end
// mark. The SHA-1 of the block must stand in p.block.
func (p *press) finish(dst io.Writer, contentType string, start []byte, body io.ReaderAt, size int64) error {
	p.field("WARC-Block-Digest", p.digestOf(p.block))
	p.field("Content-Type", contentType)
	p.head = strconv.AppendInt(append(p.head, "Content-Length: "...), int64(len(start))+size, 10)
	p.head = append(p.head, "\r\n\r\n"...)

	p.gz.Reset(dst)
	if _, err := p.gz.Write(p.head); err != nil {
		return err
	}
	if _, err := p.gz.Write(start); err != nil {
		return err
	}
	if err := p.transfer(p.gz, body, size); err != nil {
		return err
	}
	if _, err := p.gz.Write(endMark[:]); err != nil {
		return err
	}
	return p.gz.Close()
}

var endMark = [...]byte{'\r', '\n', '\r', '\n'}

// hashBody brings body into all three digests; the block digest must have seen
// what stands before it.
func (p *press) hashBody(body io.ReaderAt, size int64, withSHA256 bool) error {
	p.payload.Reset()
	p.integrity.Reset()
	return p.each(body, size, func(b []byte) error {
		p.block.Write(b)
		p.payload.Write(b)
		if withSHA256 {
			p.integrity.Write(b)
		}
		return nil
	})
}

func (p *press) transfer(w io.Writer, body io.ReaderAt, size int64) error {
	return p.each(body, size, func(b []byte) error {
		_, err := w.Write(b)
		return err
	})
}

// each hands exactly size octets of body to f, piece by piece.
func (p *press) each(body io.ReaderAt, size int64, f func([]byte) error) error {
	for at := int64(0); at < size; {
		n, err := body.ReadAt(p.copy[:min(int64(len(p.copy)), size-at)], at)
		if n == 0 {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("body at octet %d of %d: %w", at, size, err)
		}
		if err := f(p.copy[:n]); err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

// recordID is a random UUID (RFC 9562, version 4) in text form.
type recordID [36]byte

func newRecordID(random io.Reader) (id recordID, err error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return id, fmt.Errorf("archive: record id: %w", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	hex.Encode(id[0:8], b[0:4])
	hex.Encode(id[9:13], b[4:6])
	hex.Encode(id[14:18], b[6:8])
	hex.Encode(id[19:23], b[8:10])
	hex.Encode(id[24:36], b[10:16])
	id[8], id[13], id[18], id[23] = '-', '-', '-', '-'
	return id, nil
}
