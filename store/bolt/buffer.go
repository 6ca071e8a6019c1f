package bolt

import (
	"cmp"
	"slices"
)

const (
	bufferFill = 32 // entries read at a time
	bufferMax  = 64 // entries kept
)

// entry is a place in the queue of a host. Entries sort by rank, then hash, as
// the keys of bucket "r" do.
type entry struct{ rank, hash uint64 }

func (a entry) compare(b entry) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.hash, b.hash))
}

// buffer holds the first places of a host's queue. Invariant: if loaded, every
// claimable URL up to bound is in entries; beyond it there may be more on disk,
// unless whole is set.
type buffer struct {
	entries []entry // last one first, so that taking the best is cheap
	bound   entry
	loaded  bool
	whole   bool
}

func (b *buffer) best() (entry, bool) {
	if len(b.entries) == 0 {
		return entry{}, false
	}
	return b.entries[len(b.entries)-1], true
}

func (b *buffer) pop() { b.entries = b.entries[:len(b.entries)-1] }

// insert adds a place, once. One beyond the bound is left to the disk.
func (b *buffer) insert(n entry) {
	if !b.loaded || !b.whole && n.compare(b.bound) > 0 {
		return
	}
	i, found := slices.BinarySearchFunc(b.entries, n, func(have, want entry) int { return want.compare(have) })
	if found {
		return
	}
	b.entries = slices.Insert(b.entries, i, n)
	if len(b.entries) > bufferMax {
		b.entries = slices.Delete(b.entries, 0, len(b.entries)-bufferFill)
		b.bound, b.whole = b.entries[0], false
	}
}

// remove takes a place out, if it is there.
func (b *buffer) remove(n entry) {
	i, found := slices.BinarySearchFunc(b.entries, n, func(have, want entry) int { return want.compare(have) })
	if found {
		b.entries = slices.Delete(b.entries, i, i+1)
	}
}
