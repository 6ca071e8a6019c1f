package enginetest

import (
	"fmt"
	"runtime"

	"heed/frontier"
)

// memoryStories are about (9): what is kept for each known URL is on disk.
func memoryStories() []story {
	return []story{{"(9) memory does not grow with the URLs of a host", func(s *stage) {
		const few, many, perURL = 2_000, 30_000, 16 // octets; a URL alone is longer
		grow := func(from, to int) (heap uint64) {
			for ; from < to; from += 1000 {
				var all []frontier.Candidate
				for i := range 1000 {
					all = append(all, page(fmt.Sprintf("h%d.test", i%10), fmt.Sprintf("/some/article/number-%d.html", from+i), 50))
				}
				s.discover(all...)
			}
			for _, g := range s.claim(10, 10) { // whatever is buffered for a host is there
				s.settle(done(g))
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // what finalizers have freed
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := grow(0, few)
		after := grow(few, many)
		if grown := int64(after) - int64(before); grown > (many-few)*perURL {
			s.Fatalf("%d octets on the heap for %d more URLs", grown, many-few)
		}
	}}}
}
