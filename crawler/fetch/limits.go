package fetch

import (
	"fmt"
	"time"
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
)

// Limits bounds what a peer controls. A zero field means its default; a
// negative one is refused by New.
type Limits struct {
	MaxBodyBytes    int64         // of one body, decoded and on the wire; 16 MiB
	MemoryBodyBytes int64         // a longer body goes to disk; 1 MiB
	HeaderBytes     int64         // response head with all interim responses; 64 KiB
	MaxRatio        int64         // decoded octets per wire octet; 200
	RatioFreeBytes  int64         // decoded octets before MaxRatio counts; 1 MiB
	Connect         time.Duration // lookup, connect and TLS handshake; 10 s
	Header          time.Duration // from the request sent to the head read; 20 s
	Total           time.Duration // whole fetch, without the wait for budget; 60 s
	MinRateBytes    int64         // wire octets a second, mean since the head; 1 KiB
	MinRateAfter    time.Duration // grace before MinRateBytes counts; 15 s
}

// DefaultLimits returns the limits that zero fields stand for.
func DefaultLimits() Limits {
	return Limits{
		MaxBodyBytes:    16 * mib,
		MemoryBodyBytes: mib,
		HeaderBytes:     64 * kib,
		MaxRatio:        200,
		RatioFreeBytes:  mib,
		Connect:         10 * time.Second,
		Header:          20 * time.Second,
		Total:           60 * time.Second,
		MinRateBytes:    kib,
		MinRateAfter:    15 * time.Second,
	}
}

// maxCodings bounds stacked content codings. Two occur in the wild (a proxy
// compressing what was already compressed), three leaves one spare.
const maxCodings = 3

// maxZstdWindowBytes is the window a decoder must support and the most a sender
// may use over HTTP (RFC 9659 3). Decoders allocate it before reading on.
const maxZstdWindowBytes = 8 << 20

func (l Limits) withDefaults() (Limits, error) {
	d := DefaultLimits()
	for _, f := range []struct {
		name string
		got  *int64
		def  int64
	}{
		{"MaxBodyBytes", &l.MaxBodyBytes, d.MaxBodyBytes},
		{"MemoryBodyBytes", &l.MemoryBodyBytes, d.MemoryBodyBytes},
		{"HeaderBytes", &l.HeaderBytes, d.HeaderBytes},
		{"MaxRatio", &l.MaxRatio, d.MaxRatio},
		{"RatioFreeBytes", &l.RatioFreeBytes, d.RatioFreeBytes},
		{"MinRateBytes", &l.MinRateBytes, d.MinRateBytes},
		{"Connect", (*int64)(&l.Connect), int64(d.Connect)},
		{"Header", (*int64)(&l.Header), int64(d.Header)},
		{"Total", (*int64)(&l.Total), int64(d.Total)},
		{"MinRateAfter", (*int64)(&l.MinRateAfter), int64(d.MinRateAfter)},
	} {
		if *f.got < 0 {
			return Limits{}, fmt.Errorf("fetch: new: Limits.%s is %d, must not be negative", f.name, *f.got)
		}
		if *f.got == 0 {
			*f.got = f.def
		}
	}
	return l, nil
}
