package bolt

import (
	"encoding/binary"
	"time"

	"heed/frontier"
)

const hostRowVersion = 1

// Bits of the flags of a host row.
const (
	hostPaused = 1 << iota
	hostSpent  // what a day has cost stands at the end; not in files of schema 1
	hostAside  // has no page: a policy document, a sitemap or a context file made it known
)

// hostRow is what bucket "h" holds for one host. pace and name alias the
// transaction or batch.
type hostRow struct {
	paused  bool
	aside   bool   // not counted as a host of the job, for it has no page
	version uint64 // changes by UpdateHost
	next    int64  // ms; not claimed before
	head    uint64 // no ready URL has a lower rank
	known   uint64
	ready   uint64 // entries in bucket "r"
	future  uint64 // entries in bucket "f"
	name    []byte
	pace    []byte
	spent   frontier.Spent

	dirty bool // to be written at the end of the batch
}

func (h *hostRow) append(b []byte) []byte {
	var flags byte
	if h.paused {
		flags |= hostPaused
	}
	if !h.spent.IsZero() {
		flags |= hostSpent
	}
	if h.aside {
		flags |= hostAside
	}
	b = append(b, hostRowVersion, flags)
	b = binary.AppendUvarint(b, h.version)
	b = appendMillis(b, h.next)
	b = appendU48(b, h.head)
	b = binary.AppendUvarint(b, h.known)
	b = binary.AppendUvarint(b, h.ready)
	b = binary.AppendUvarint(b, h.future)
	b = appendBlob(b, h.name)
	b = appendBlob(b, h.pace)
	if flags&hostSpent != 0 {
		b = appendSpent(b, h.spent)
	}
	return b
}

func appendSpent(b []byte, s frontier.Spent) []byte {
	b = binary.AppendVarint(b, int64(s.Day))
	b = binary.AppendVarint(b, s.Pages)
	return binary.AppendVarint(b, s.Bytes)
}

func (r *reader) spent() frontier.Spent {
	return frontier.Spent{Day: int32(r.varint()), Pages: r.varint(), Bytes: r.varint()}
}

// decode reads a row; false means it is damaged.
func (h *hostRow) decode(v []byte) bool {
	d := reader{b: v}
	if d.byte() != hostRowVersion {
		return false
	}
	flags := d.byte()
	*h = hostRow{paused: flags&hostPaused != 0, aside: flags&hostAside != 0, version: d.uvarint(), next: d.millis(), head: d.u48(),
		known: d.uvarint(), ready: d.uvarint(), future: d.uvarint(), name: d.blob(), pace: d.blob()}
	if flags&hostSpent != 0 {
		h.spent = d.spent()
	}
	return !d.bad
}

// earliest is the time before which the host is not asked: its stored next
// time, and one full delay after the last unclean stop was noticed, because
// what was asked just before that stop is not known (invariant 4).
func (e *Engine) earliest(h *hostRow, now int64) int64 {
	next := min(h.next, now+maxAhead.Milliseconds())
	if e.uncleanAt > 0 {
		next = max(next, e.uncleanAt+e.delay(string(h.name), h.pace))
	}
	return next
}

// delay is Options.Delay in milliseconds.
func (e *Engine) delay(host string, pace []byte) int64 {
	return int64((max(e.o.Delay(host, pace), 0) + time.Millisecond - 1) / time.Millisecond)
}
