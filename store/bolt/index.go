package bolt

import (
	"bytes"
	"cmp"

	"heed/frontier"
)

// find looks a URL up. It returns the hash under which it is, or is to be,
// stored: where two URLs have the same hash, the second stands at the next
// free one (probing). r is valid only if found.
func (b *batch) find(id uint32, hash uint64, form byte, rest string, r *record) (at uint64, found bool) {
	for at = hash; ; at++ {
		k := urlKeyOf(id, at)
		have, v := b.urlAt.Seek(k[:])
		if !bytes.Equal(have, k[:]) {
			return at, false
		}
		if !r.decode(v) {
			b.damaged("a record of host %d cannot be read", id)
			return at, false
		}
		if r.form == form && string(r.rest) == rest {
			return at, true
		}
	}
}

// store writes a record.
func (b *batch) store(id uint32, hash uint64, r *record) {
	k := urlKeyOf(id, hash)
	b.put(b.urls, k[:], b.keep(r.append(b.room())))
}

// enter puts a URL into the index of its state and counts it.
func (b *batch) enter(id uint32, h *hostRow, hash uint64, r *record) {
	b.meta.states[r.state]++
	h.dirty = true
	switch r.state {
	case frontier.Ready:
		rank := r.rank()
		k := readyKeyOf(id, rank, hash)
		b.put(b.ready, k[:], nil)
		h.ready++
		h.head = min(h.head, rank)
	case frontier.Future:
		k := futureKeyOf(r.due, id, hash)
		b.put(b.future, k[:], nil)
		h.future++
		b.futureDue = min(b.futureDue, r.due)
	}
}

// leave is the inverse of enter.
func (b *batch) leave(id uint32, h *hostRow, hash uint64, r *record) {
	b.meta.states[r.state]--
	h.dirty = true
	switch r.state {
	case frontier.Ready:
		k := readyKeyOf(id, r.rank(), hash)
		b.delete(b.ready, k[:])
		h.ready--
	case frontier.Future:
		k := futureKeyOf(r.due, id, hash)
		b.delete(b.future, k[:])
		h.future--
	}
}

// byHostAndHash sorts operations as the keys of bucket "u" sort.
func byHostAndHash(hostA uint32, hashA uint64, seqA int, hostB uint32, hashB uint64, seqB int) int {
	return cmp.Or(cmp.Compare(hostA, hostB), cmp.Compare(hashA, hashB), cmp.Compare(seqA, seqB))
}
