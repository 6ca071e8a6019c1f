package pace

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

func TestRecordRoundTrip(t *testing.T) {
	at := time.Unix(1_800_000_000, 123)
	for name, r := range map[string]record{
		"empty": {},
		"full": {
			next: at, until: at.Add(time.Hour), lastStart: at.Add(-time.Second), hold: holdRetryAfter,
			crawlDelay: 5 * time.Second, latency: 70 * time.Millisecond, failures: 4, throttles: 65535, contradictions: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := r.encode()
			if len(b) != recordSizeBytes {
				t.Fatalf("%d octets", len(b))
			}
			got, err := decodeRecord(b)
			if err != nil || got != r {
				t.Fatalf("got %+v, %v; want %+v", got, err, r)
			}
		})
	}
}

func TestARecordOfTheFirstVersionIsRead(t *testing.T) {
	want := record{hold: holdBackOff, until: time.Unix(1_800_000_000, 0), failures: 4, throttles: 5}
	old := want.encode()[:firstSizeBytes]
	old[0] = firstVersion
	if got, err := decodeRecord(old); err != nil || got != want {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
	if old[0] != firstVersion {
		t.Error("the record on the shelf was written to")
	}
}

func TestRecordRefuses(t *testing.T) {
	good := record{hold: holdBackOff, crawlDelay: 1, latency: 1}.encode()
	for name, spoil := range map[string]func([]byte) []byte{
		"nothing":              func([]byte) []byte { return nil },
		"a record cut short":   func(b []byte) []byte { return b[:recordSizeBytes-1] },
		"a record with a tail": func(b []byte) []byte { return append(b, 0) },
		"another version":      func(b []byte) []byte { b[0]++; return b },
		"an unknown hold":      func(b []byte) []byte { b[1] = byte(holds); return b },
		"a negative delay":     func(b []byte) []byte { b[26] = 0x80; return b },
		"a negative latency":   func(b []byte) []byte { b[34] = 0x80; return b },
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := decodeRecord(spoil(bytes.Clone(good))); !errors.Is(err, ErrRecord) {
				t.Fatalf("got %+v, %v; want ErrRecord", r, err)
			}
		})
	}
}

// FuzzRecord: whatever is on the shelf, the host can be asked again within a
// day, and not within its delay.
func FuzzRecord(f *testing.F) {
	f.Add(record{}.encode())
	f.Add(record{next: time.Unix(1<<40, 0), until: time.Unix(1<<33, 0), lastStart: time.Unix(1<<34, 0), hold: holdBackOff}.encode())
	f.Add(bytes.Repeat([]byte{1}, firstSizeBytes))
	f.Add(bytes.Repeat([]byte{2}, recordSizeBytes))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := decodeRecord(b); err == nil && !bytes.Equal(r.encode()[1:len(b)], b[1:]) {
			t.Fatalf("%x is written back as %x", b, r.encode())
		}
		now := time.Unix(1_800_000_000, 0)
		shelf := &memoryShelf{states: map[string][]byte{"a.test": b}}
		o := Defaults()
		o.Shelf, o.Restarted, o.Clock = shelf, true, func() time.Time { return now }
		p := New(o)
		w := p.Next("a.test")
		if w.Reason == "" || w.Until.Before(now.Add(time.Second)) {
			t.Fatalf("%x: asked too early: %+v", b, w)
		}
		if w.Until.After(now.Add(o.RetryAfterMax + clockMargin)) {
			t.Fatalf("%x: put off for %v", b, w.Until.Sub(now))
		}
	})
}
