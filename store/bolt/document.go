package bolt

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

	"go.etcd.io/bbolt"

	"heed/frontier"
	"heed/politeness"
)

const documentVersion = 1

// Bits of an encoded document.
const (
	documentTruncated = 1 << iota
	documentFailure   // Failure follows
	documentChain     // Chain follows
	documentDigest    // SHA256 is kept as 32 octets
	documentMoved     // FinalURL differs from URL
)

// LoadDocument returns the stored copy of a policy document, nil if there is
// none.
func (e *Engine) LoadDocument(ctx context.Context, url string) (*politeness.Document, error) {
	var d *politeness.Document
	err := e.open(ctx)
	if err == nil {
		err = e.view(func(tx *bbolt.Tx) error {
			v := tx.Bucket(bucketDocuments).Get([]byte(url))
			if v == nil {
				return nil
			}
			if d = decodeDocument(url, v); d == nil {
				return fmt.Errorf("%w: the stored copy cannot be read; %s", frontier.ErrDamaged, advice)
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("bolt: load document %s: %w", url, err)
	}
	return d, nil
}

// SaveDocument stores a copy. It is durable on return; saves that come together
// share a commit.
func (e *Engine) SaveDocument(ctx context.Context, url string, d *politeness.Document) error {
	if len(url) == 0 || len(url) > maxURL {
		return fmt.Errorf("bolt: save document: %w: URL of %d octets", errRequest, len(url))
	}
	if err := e.do(ctx, &op{kind: opPut, bucket: bucketDocuments, key: []byte(url), value: appendDocument(nil, url, d)}); err != nil {
		return fmt.Errorf("bolt: save document %s: %w", url, err)
	}
	return nil
}

func appendDocument(b []byte, url string, d *politeness.Document) []byte {
	digest, err := hex.DecodeString(d.SHA256)
	var flags byte
	if d.Truncated {
		flags |= documentTruncated
	}
	if d.Failure != nil {
		flags |= documentFailure
	}
	if d.Chain != nil {
		flags |= documentChain
	}
	if err == nil && len(digest) == 32 && hex.EncodeToString(digest) == d.SHA256 {
		flags |= documentDigest
	}
	if d.FinalURL != url {
		flags |= documentMoved
	}
	b = append(b, documentVersion, flags)
	if flags&documentMoved != 0 {
		b = appendBlob(b, d.FinalURL)
	}
	b = binary.AppendUvarint(b, uint64(max(d.Status, 0)))
	b = appendTime(b, d.FetchedAt)
	b = appendTime(b, d.Expires)
	if flags&documentDigest != 0 {
		b = append(b, digest...)
	} else {
		b = appendBlob(b, d.SHA256)
	}
	if f := d.Failure; f != nil {
		b = appendBlob(b, f.Kind)
		b = binary.AppendUvarint(b, uint64(max(f.Status, 0)))
		b = appendTime(b, f.Since)
		b = appendTime(b, f.At)
		b = appendTime(b, f.Next)
		b = binary.AppendUvarint(b, uint64(max(f.Attempts, 0)))
	}
	if c := d.Chain; c != nil {
		b = appendBlob(b, c.Next)
		b = binary.AppendUvarint(b, uint64(max(c.Hops, 0)))
	}
	b = binary.AppendUvarint(b, uint64(len(d.Header)))
	names := make([]string, 0, len(d.Header))
	for name := range d.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b = appendBlob(b, name)
		b = binary.AppendUvarint(b, uint64(len(d.Header[name])))
		for _, v := range d.Header[name] {
			b = appendBlob(b, v)
		}
	}
	return append(b, d.Body...)
}

// decodeDocument is the inverse of appendDocument, nil for what it did not
// write.
func decodeDocument(url string, v []byte) *politeness.Document {
	r := reader{b: v}
	if r.byte() != documentVersion {
		return nil
	}
	flags := r.byte()
	d := &politeness.Document{URL: url, FinalURL: url, Truncated: flags&documentTruncated != 0}
	if flags&documentMoved != 0 {
		d.FinalURL = r.text()
	}
	d.Status = int(r.uvarint())
	d.FetchedAt = r.time()
	d.Expires = r.time()
	if flags&documentDigest != 0 {
		d.SHA256 = hex.EncodeToString(r.take(32))
	} else {
		d.SHA256 = r.text()
	}
	if flags&documentFailure != 0 {
		d.Failure = &politeness.Failure{Kind: r.text(), Status: int(r.uvarint()), Since: r.time(), At: r.time(),
			Next: r.time(), Attempts: int(r.uvarint())}
	}
	if flags&documentChain != 0 {
		d.Chain = &politeness.Chain{Next: r.text(), Hops: int(r.uvarint())}
	}
	if n := r.count(); n > 0 {
		d.Header = make(http.Header, n)
		for range n {
			name := r.text()
			values := make([]string, r.count())
			for i := range values {
				values[i] = r.text()
			}
			d.Header[name] = values
		}
	}
	if r.bad {
		return nil
	}
	d.Body = append([]byte(nil), r.b...)
	return d
}
