package frontier

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

// TrapLimits are the bounds beyond which a site grows by itself. Zero switches one
// off.
type TrapLimits struct {
	Queries int // distinct queries of one path
	Dates   int // distinct dates in one shape of path
	Hosts   int // host names below one registrable domain
	Bodies  int // URLs of a host that answer with the very same body
}

const reasonBudget = "scope.budget"

const (
	// trapMemory bounds the pairs remembered, at about 50 octets each. When it is
	// full all is forgotten: a trap then gets its allowance once more.
	trapMemory = 1 << 18
	// A date beyond these is a calendar that turns its own pages.
	earliestYear = 1700
	maxFeeds     = 20 // of one origin
	yearsAhead   = 2
)

// Traps remembers how the sites of a job grow, in this process. It is safe for
// concurrent use.
type Traps struct {
	limits TrapLimits
	seed   maphash.Seed // page authors choose the URLs

	mu    sync.Mutex
	seen  map[[2]uint64]struct{} // group and member
	sizes map[uint64]int         // members of a group
}

// NewTraps remembers nothing yet.
func NewTraps(l TrapLimits) *Traps {
	return &Traps{limits: l, seed: maphash.MakeSeed(), seen: map[[2]uint64]struct{}{}, sizes: map[uint64]int{}}
}

// Judge returns "scope.trap" for a canonical URL that takes a path over its queries
// or a calendar over its dates, else "".
func (t *Traps) Judge(canonical string, now time.Time) string {
	end := pathEnd(canonical)
	if t.limits.Queries > 0 && end < len(canonical) && t.over("query", canonical[:end], canonical[end:], t.limits.Queries) {
		return reasonTrap
	}
	if t.limits.Dates <= 0 {
		return ""
	}
	start := originEnd(canonical)
	year, shape, dated := calendar(canonical[start:])
	switch {
	case !dated:
		return ""
	case year < earliestYear || year > now.Year()+yearsAhead:
		return reasonTrap
	case t.over("date", canonical[:start]+shape, canonical[start:], t.limits.Dates):
		return reasonTrap
	}
	return ""
}

// NewHost returns "scope.budget" for a host that takes its registrable domain over
// the number of its hosts, else "". Ask it only about hosts that are not known.
func (t *Traps) NewHost(host string) string {
	if t.limits.Hosts > 0 && t.over("host", Domain(host), host, t.limits.Hosts) {
		return reasonBudget
	}
	return ""
}

// NewFeed tells whether an origin's pages name too many feeds: beyond the first ones
// come those of each page's own comments.
func (t *Traps) NewFeed(origin, url string) bool { return t.over("feed", origin, url, maxFeeds) }

// SameBody counts a URL of a host that answered with a body of this digest, and
// returns "scope.trap" if too many did: what such a page links to is of its own
// making.
func (t *Traps) SameBody(host string, digest [32]byte, canonical string) string {
	if t.limits.Bodies > 0 && t.over("body", host+" "+string(digest[:]), canonical, t.limits.Bodies) {
		return reasonTrap
	}
	return ""
}

// over adds a member to a group, and tells whether the group was full without it.
func (t *Traps) over(kind, group, member string, limit int) bool {
	id := maphash.String(t.seed, kind+"\x00"+group)
	key := [2]uint64{id, maphash.String(t.seed, member)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.seen[key]; known {
		return false
	}
	if t.sizes[id] >= limit {
		return true
	}
	if len(t.seen) >= trapMemory {
		clear(t.seen)
		clear(t.sizes)
	}
	t.seen[key] = struct{}{}
	t.sizes[id]++
	return false
}

// calendar finds a date in a path with query: a year of four digits and a month
// behind it, parted by one slash, hyphen or "&month=". shape is the path with all
// digits made alike.
func calendar(path string) (year int, shape string, dated bool) {
	for i := 0; i+5 < len(path); i++ {
		if !isDigits(path[i:i+4]) || i > 0 && isDigit(path[i-1]) {
			continue
		}
		rest := path[i+4:]
		if rest[0] != '/' && rest[0] != '-' {
			if equals := strings.IndexByte(rest, '='); rest[0] != '&' || equals < 0 || equals > 12 {
				continue
			} else {
				rest = rest[equals:]
			}
		}
		if !isMonth(rest[1:]) {
			continue
		}
		for _, c := range []byte(path[i : i+4]) {
			year = year*10 + int(c-'0')
		}
		return year, strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return '0'
			}
			return r
		}, path), true
	}
	return 0, "", false
}

// isMonth tells whether a text begins with 1 to 12, with or without a leading
// zero, and no further digit.
func isMonth(s string) bool {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	switch n {
	case 1:
		return s[0] != '0'
	case 2:
		return s[0] == '0' && s[1] != '0' || s[0] == '1' && s[1] <= '2'
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
