package bolt

import (
	"fmt"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// batch is one group on its way into one transaction. Operations are applied
// kind by kind and sorted by key, because neighbouring keys share pages; the
// order of the queue is kept for everything about one host and one URL.
type batch struct {
	e    *Engine
	tx   *bbolt.Tx
	txid int
	now  int64
	meta meta

	urls, ready, future, hosts, names *bbolt.Bucket
	urlAt                             *bbolt.Cursor

	rows    map[uint32]*hostRow
	order   []uint32 // rows in the order they were read
	parents map[string]parentRef
	arena   []byte // values, which must not move before the commit
	scratch []byte // one key
	effects
	err error // first error of a write; all are fatal
}

// effects are what the schedule must learn after the commit.
type effects struct {
	offered   []move // became ready
	landed    []move // settled or queued again, no longer in flight
	moved     []move // ready, with a new rank
	promoted  []move // from future to ready
	withdrawn []move // offered above, and settled in the same group
	futureDue int64  // earliest of the new future entries
	seen      []seenURL
}

type move struct {
	host      uint32
	hash      uint64
	rank, old uint64
	future    bool // of moved: it is in the future queue
}

type seenURL struct {
	hash  uint64
	score byte
	depth uint32
}

// apply writes a group and commits it.
func (e *Engine) apply(group []*op, marks frontier.Marks) (*batch, error) {
	tx, err := e.db.Begin(true)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	b := &batch{
		e: e, tx: tx, txid: tx.ID(), now: e.now(), meta: e.meta,
		urls: tx.Bucket(bucketURLs), ready: tx.Bucket(bucketReady), future: tx.Bucket(bucketFuture),
		hosts: tx.Bucket(bucketHosts), names: tx.Bucket(bucketNames),
		rows: map[uint32]*hostRow{}, arena: e.arena[:0],
		effects: effects{futureDue: math.MaxInt64},
	}
	b.urlAt = b.urls.Cursor()
	b.applyHosts(group)
	b.applyLinks(group)
	b.applyOutcomes(group)
	b.applyValues(group)
	for _, o := range group {
		switch o.kind {
		case opPromote:
			b.promote(o.due)
		case opRenew:
			b.renew(o)
		}
	}
	b.writeRows()
	m := tx.Bucket(bucketMeta)
	b.put(m, keyState, b.keep(b.meta.append(b.room())))
	if marks != nil {
		b.put(m, keyMarks, appendMarks(nil, marks))
	}
	if b.err != nil {
		return nil, b.err
	}
	return b, tx.Commit()
}

// arenaBytes is the size of a block of values.
const arenaBytes = 256 << 10

// room returns where the next value goes: the free end of the arena. A value
// must be kept before the next one is begun.
func (b *batch) room() []byte {
	if cap(b.arena)-len(b.arena) < 4<<10 {
		b.arena = make([]byte, 0, max(arenaBytes, min(2*cap(b.arena), 16<<20))) // the old block lives on in the transaction
	}
	return b.arena[len(b.arena):]
}

// keep marks a value begun in room as used.
func (b *batch) keep(v []byte) []byte {
	if len(v) <= cap(b.arena)-len(b.arena) {
		b.arena = b.arena[:len(b.arena)+len(v)]
	}
	return v[:len(v):len(v)]
}

// put copies the key, so that the caller's array can stay on its stack.
func (b *batch) put(bucket *bbolt.Bucket, k, v []byte) {
	b.scratch = append(b.scratch[:0], k...)
	if err := bucket.Put(b.scratch, v); err != nil && b.err == nil {
		b.err = err
	}
}

func (b *batch) delete(bucket *bbolt.Bucket, k []byte) {
	b.scratch = append(b.scratch[:0], k...)
	if err := bucket.Delete(b.scratch); err != nil && b.err == nil {
		b.err = err
	}
}

func (b *batch) damaged(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w: %s; %s", frontier.ErrDamaged, fmt.Sprintf(format, args...), advice)
	}
}

// row loads a host row, nil if it cannot be read.
func (b *batch) row(id uint32) *hostRow {
	if h := b.rows[id]; h != nil {
		return h
	}
	k := hostKeyOf(id)
	h := &hostRow{}
	if !h.decode(b.hosts.Get(k[:])) {
		b.damaged("host %d has no readable record", id)
		return nil
	}
	b.rows[id] = h
	b.order = append(b.order, id)
	return h
}

// hostID finds the id of a host and makes the host if it is not known.
func (b *batch) hostID(name string) uint32 {
	if id, ok := b.lookup(name); ok {
		return id
	}
	id := b.meta.nextHost
	b.meta.nextHost++
	k := hostKeyOf(id)
	b.put(b.names, []byte(name), k[:])
	b.rows[id] = &hostRow{name: []byte(name), aside: true, head: maxU48, dirty: true}
	b.order = append(b.order, id)
	b.e.ids.put(name, id)
	return id
}

// lookup finds the id of a known host.
func (b *batch) lookup(name string) (uint32, bool) {
	if id, ok := b.e.ids.find(name); ok {
		return id, true
	}
	d := reader{b: b.names.Get([]byte(name))}
	id := d.u32()
	if d.bad {
		return 0, false
	}
	b.e.ids.put(name, id)
	return id, true
}

func (b *batch) writeRows() {
	slices.Sort(b.order)
	for _, id := range b.order {
		if h := b.rows[id]; h.dirty {
			if h.ready == 0 {
				h.head = maxU48
			}
			k := hostKeyOf(id)
			b.put(b.hosts, k[:], b.keep(h.append(b.room())))
		}
	}
}
