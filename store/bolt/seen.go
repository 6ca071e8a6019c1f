package bolt

import (
	"math/bits"
	"sync/atomic"

	"heed/frontier"
)

// seenSet remembers, for some known URLs, the best score and the smallest
// depth they were committed with. A link that is no better than that changes
// nothing and need not be looked up. It is a direct-mapped table: a newcomer
// takes the place of an older entry, so memory is fixed, and a miss only costs
// a look-up on disk. It is safe for concurrent use.
//
// An entry is tag(49) score(7) 255-depth(8). With 2^15 entries or more, tag and
// index together hold all 64 bits of the hash.
type seenSet struct {
	entries []atomic.Uint64
	mask    uint64
}

const (
	seenBits  = 15
	seenDepth = 255 // deeper URLs are not kept
	seenMin   = 1 << seenBits
)

// newSeenSet makes a set of at least n entries; 0 gives one that knows nothing.
func newSeenSet(n int) *seenSet {
	if n <= 0 {
		return &seenSet{}
	}
	size := uint64(1) << bits.Len64(uint64(max(n, seenMin)-1))
	return &seenSet{entries: make([]atomic.Uint64, size), mask: size - 1}
}

// covers tells whether a candidate with this hash is certainly known and no
// better than what is known.
func (s *seenSet) covers(hash uint64, c *frontier.Candidate) bool {
	if s.entries == nil || c.Depth >= seenDepth {
		return false
	}
	v := s.entries[hash&s.mask].Load()
	return v != 0 && v>>seenBits == hash>>seenBits &&
		uint64(clampScore(c.Score)) <= v>>8&0x7f && uint64(seenDepth-max(c.Depth, 0)) <= v&0xff
}

// put remembers a committed URL.
func (s *seenSet) put(hash uint64, score byte, depth uint32) {
	if s.entries == nil || depth >= seenDepth {
		return
	}
	s.entries[hash&s.mask].Store(hash>>seenBits<<seenBits | uint64(score)<<8 | uint64(seenDepth-depth))
}
