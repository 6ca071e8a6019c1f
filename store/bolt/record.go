package bolt

import (
	"encoding/binary"
	"net/http"
	"time"

	"heed/frontier"
)

const recordVersion = 1

// How a record names the page that linked to its URL.
const (
	parentNone  = iota
	parentNear  // hash of a known URL of the same host
	parentFar   // host and hash of a known URL
	parentSpelt // the URL itself: nobody knows it
)

// record is what bucket "u" holds for one URL. Its slices alias the
// transaction it was read in, or the batch it is written in.
type record struct {
	state    frontier.State // Ready, Future or a settled one; leases are not stored
	form     byte
	score    byte
	depth    uint32
	since    int64 // ms; when it became due, the age in its rank
	due      int64 // ms; for Future
	attempts uint32
	pass     uint64
	path     []byte
	rest     []byte
	parent   parentRef
	reason   []byte
	page     []byte // encoded Page, empty if there was no answer
}

type parentRef struct {
	kind byte
	host uint32
	hash uint64
	text string
}

// rank places the URL among those of its host.
func (r *record) rank() uint64 {
	return frontier.Rank(int(r.score), int(r.depth), time.UnixMilli(r.since))
}

func (r *record) append(b []byte) []byte {
	b = append(b, recordVersion, byte(r.state), r.form|r.parent.kind<<2, r.score)
	b = binary.AppendUvarint(b, uint64(r.depth))
	b = appendMillis(b, r.since)
	if r.state == frontier.Future {
		b = appendMillis(b, r.due)
	}
	b = binary.AppendUvarint(b, uint64(r.attempts))
	b = binary.AppendUvarint(b, r.pass)
	b = appendBlob(b, r.path)
	b = appendBlob(b, r.rest)
	switch r.parent.kind {
	case parentNear:
		b = binary.BigEndian.AppendUint64(b, r.parent.hash)
	case parentFar:
		b = binary.BigEndian.AppendUint32(b, r.parent.host)
		b = binary.BigEndian.AppendUint64(b, r.parent.hash)
	case parentSpelt:
		b = appendBlob(b, r.parent.text)
	}
	b = appendBlob(b, r.reason)
	return append(b, r.page...)
}

// decode reads a record; false means it is damaged.
func (r *record) decode(v []byte) bool {
	d := reader{b: v}
	if d.byte() != recordVersion {
		return false
	}
	*r = record{state: frontier.State(d.byte())}
	flags := d.byte()
	r.form, r.parent.kind = flags&3, flags>>2
	r.score = d.byte()
	r.depth = uint32(d.uvarint())
	r.since = d.millis()
	if r.state == frontier.Future {
		r.due = d.millis()
	}
	r.attempts = uint32(d.uvarint())
	r.pass = d.uvarint()
	r.path = d.blob()
	r.rest = d.blob()
	switch r.parent.kind {
	case parentNone:
	case parentNear:
		r.parent.hash = d.u64()
	case parentFar:
		r.parent.host = d.u32()
		r.parent.hash = d.u64()
	case parentSpelt:
		r.parent.text = d.text()
	default:
		return false
	}
	r.reason = d.blob()
	r.page = d.b
	return !d.bad && r.form <= formWhole && stored(r.state)
}

// Bits of an encoded page.
const (
	pageFresh    = 1 << iota // FreshUntil follows
	pageDigest               // Digest follows
	pageModified             // LastModified is an HTTP date, kept as seconds
	pageOpen                 // Open follows at the end; older records have none
)

// appendPage encodes a page. Times are kept to the millisecond.
func appendPage(b []byte, p *frontier.Page) []byte {
	var flags byte
	if !p.FreshUntil.IsZero() {
		flags |= pageFresh
	}
	if p.Digest != [32]byte{} {
		flags |= pageDigest
	}
	modified, err := time.Parse(http.TimeFormat, p.LastModified)
	if err == nil && modified.Unix() >= 0 && modified.UTC().Format(http.TimeFormat) == p.LastModified {
		flags |= pageModified
	}
	if p.Open != 0 {
		flags |= pageOpen
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(max(p.Status, 0)))
	b = appendTime(b, p.FetchedAt)
	if flags&pageFresh != 0 {
		b = appendTime(b, p.FreshUntil)
	}
	b = appendBlob(b, p.ETag)
	if flags&pageModified != 0 {
		b = binary.AppendUvarint(b, uint64(modified.Unix()))
	} else {
		b = appendBlob(b, p.LastModified)
	}
	if flags&pageDigest != 0 {
		b = append(b, p.Digest[:]...)
	}
	b = appendBlob(b, p.Location)
	b = binary.AppendUvarint(b, uint64(max(p.WireBytes, 0)))
	b = binary.AppendUvarint(b, uint64(p.Changes))
	b = binary.AppendUvarint(b, uint64(p.Checks))
	if flags&pageOpen != 0 {
		b = append(b, p.Open)
	}
	return b
}

// decodePage reads a page; no octets are the zero page.
func decodePage(v []byte) (p frontier.Page, ok bool) {
	if len(v) == 0 {
		return p, true
	}
	d := reader{b: v}
	flags := d.byte()
	p.Status = int(d.uvarint())
	p.FetchedAt = d.time()
	if flags&pageFresh != 0 {
		p.FreshUntil = d.time()
	}
	p.ETag = d.text()
	if flags&pageModified != 0 {
		p.LastModified = time.Unix(int64(d.uvarint()), 0).UTC().Format(http.TimeFormat)
	} else {
		p.LastModified = d.text()
	}
	if flags&pageDigest != 0 {
		copy(p.Digest[:], d.take(len(p.Digest)))
	}
	p.Location = d.text()
	p.WireBytes = int64(d.uvarint())
	p.Changes = uint32(d.uvarint())
	p.Checks = uint32(d.uvarint())
	if flags&pageOpen != 0 {
		p.Open = d.byte()
	}
	return p, !d.bad
}

// stored tells whether a state is one that stands in a record.
func stored(s frontier.State) bool {
	return s == frontier.Ready || s == frontier.Future || s.Settled()
}
