package bolt

import (
	"encoding/binary"
	"time"
)

// maxBlob bounds a length read from a record, so that a damaged file cannot ask
// for more memory than it has octets.
const maxBlob = 1 << 30

// reader takes values off the front of a record. After the first one that is
// not there, bad is set and all further values are zero. Slices it returns
// alias the record.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads a number of things of which each takes at least one octet.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) blob() []byte {
	n := r.uvarint()
	if n > maxBlob {
		n = maxBlob
	}
	return r.take(int(n))
}

func (r *reader) text() string { return string(r.blob()) }

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u48() uint64 {
	if b := r.take(6); b != nil {
		return u48(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) millis() int64 { return int64(r.u48()) }

func (r *reader) time() time.Time { return fromMillis(r.millis()) }

func u48(b []byte) uint64 {
	_ = b[5]
	return uint64(b[5]) | uint64(b[4])<<8 | uint64(b[3])<<16 | uint64(b[2])<<24 | uint64(b[1])<<32 | uint64(b[0])<<40
}

// maxU48 is the largest value of six octets.
const maxU48 = 1<<48 - 1

func appendU48(b []byte, v uint64) []byte {
	v = min(v, maxU48)
	return append(b, byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func appendBlob[T string | []byte](b []byte, v T) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

func appendMillis(b []byte, ms int64) []byte { return appendU48(b, uint64(max(ms, 0))) }

func appendTime(b []byte, t time.Time) []byte { return appendMillis(b, millis(t)) }

// millis is a time in milliseconds since 1970, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(t.UnixMilli(), 0)
}

// millisUp rounds up, so that a due time never comes early.
func millisUp(t time.Time) int64 {
	ms := millis(t)
	if ms != 0 && t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

func fromMillis(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
