package app

import (
	"slices"
	"sync"

	"heed/frontier"
)

// maxConflictOrigins bounds the origins that are told apart: 100,000 take about
// 10 MB. Those beyond are recorded in the ledger, but not counted.
const maxConflictOrigins = 100_000

// conflictCounts counts the origins whose signals contradict each other, by kind
// of conflict. Each origin counts once for a kind, however many of its URLs show
// it.
type conflictCounts struct {
	mu       sync.Mutex
	origins  map[string][]string // kinds that an origin has shown
	overfull bool
}

// add notes what a decision about a URL shows.
func (c *conflictCounts) add(url string, kinds []string) {
	if len(kinds) == 0 {
		return
	}
	origin := frontier.Origin(url)
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.origins[origin]
	if !ok && len(c.origins) >= maxConflictOrigins {
		c.overfull = true
		return
	}
	if c.origins == nil {
		c.origins = map[string][]string{}
	}
	for _, kind := range kinds {
		if !slices.Contains(known, kind) {
			known = append(known, kind)
		}
	}
	c.origins[origin] = known
}

// byKind is the number of origins of each kind, nil if there is none.
func (c *conflictCounts) byKind() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var counts map[string]int64
	for _, kinds := range c.origins {
		for _, kind := range kinds {
			if counts == nil {
				counts = map[string]int64{}
			}
			counts[kind]++
		}
	}
	return counts
}

// full tells whether an origin was left out.
func (c *conflictCounts) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.overfull
}
