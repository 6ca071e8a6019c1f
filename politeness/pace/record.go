package pace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// ErrRecord is a persisted state that cannot be read: wrong version, length or
// a field out of its range.
var ErrRecord = errors.New("pace: unreadable state record")

// A record is what survives a restart, as fixed-width big-endian octets:
//
//	0     version, 2
//	1     hold reason, an index into holdReasons
//	2     next start      Unix nanoseconds, 0 = none
//	10    hold until      Unix nanoseconds, 0 = none
//	18    last start      Unix nanoseconds, 0 = none
//	26    Crawl-delay     nanoseconds
//	34    smoothed latency, nanoseconds
//	42    failures in a row
//	44    throttling answers in a row
//	46    contradictions in a row
//
// Version 1 ended before the contradictions. It is still read.
const (
	recordVersion   = 2
	recordSizeBytes = 48

	firstVersion   = 1
	firstSizeBytes = 46
)

// hold says which rule put a host off beyond its delay.
type hold uint8

const (
	holdNone hold = iota
	holdRetryAfter
	holdBackOff
	holdDead
	holds // how many there are
)

func (h hold) reason() string {
	switch h {
	case holdRetryAfter:
		return ReasonRetryAfter
	case holdBackOff:
		return ReasonBackOff
	case holdDead:
		return ReasonDead
	default:
		return ReasonNotYet
	}
}

type record struct {
	next, until, lastStart time.Time
	crawlDelay, latency    time.Duration
	failures, throttles    uint16
	contradictions         uint16
	hold                   hold
}

func (r record) encode() []byte {
	b := make([]byte, 0, recordSizeBytes)
	b = append(b, recordVersion, byte(r.hold))
	for _, v := range [...]int64{
		unixNano(r.next), unixNano(r.until), unixNano(r.lastStart),
		int64(r.crawlDelay), int64(r.latency),
	} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	b = binary.BigEndian.AppendUint16(b, r.failures)
	b = binary.BigEndian.AppendUint16(b, r.throttles)
	return binary.BigEndian.AppendUint16(b, r.contradictions)
}

func decodeRecord(b []byte) (record, error) {
	if len(b) == firstSizeBytes && b[0] == firstVersion {
		b = append(append(make([]byte, 0, recordSizeBytes), b...), 0, 0)
		b[0] = recordVersion
	}
	if len(b) != recordSizeBytes {
		return record{}, fmt.Errorf("%w: %d octets, want %d", ErrRecord, len(b), recordSizeBytes)
	}
	if b[0] != recordVersion {
		return record{}, fmt.Errorf("%w: version %d, want %d", ErrRecord, b[0], recordVersion)
	}
	field := func(at int) int64 { return int64(binary.BigEndian.Uint64(b[at:])) }
	r := record{
		hold:       hold(b[1]),
		next:       fromUnixNano(field(2)),
		until:      fromUnixNano(field(10)),
		lastStart:  fromUnixNano(field(18)),
		crawlDelay: time.Duration(field(26)),
		latency:    time.Duration(field(34)),
		failures:   binary.BigEndian.Uint16(b[42:]),
		throttles:  binary.BigEndian.Uint16(b[44:]),

		contradictions: binary.BigEndian.Uint16(b[46:]),
	}
	if r.hold >= holds || r.crawlDelay < 0 || r.latency < 0 {
		return record{}, fmt.Errorf("%w: field out of range", ErrRecord)
	}
	return r, nil
}

// unixNano is 0 for the zero time, which has no such number.
func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
