package demo

import (
	"slices"
	"strings"
	"time"
)

// Request is one request as the server saw it.
type Request struct {
	Start time.Time
	End   time.Time // zero while the answer is under way
	Half  int       // 1 before Advance, 2 after

	Scheme string // http or https
	Host   string // lower case, without port
	Method string
	Target string // path and query as sent

	IfNoneMatch     string // validators as sent, "" for none
	IfModifiedSince string
	Purpose         string // declared purpose, "" for none

	Status    int
	Coding    string // Content-Encoding of the answer, "" for none
	SentBytes int64  // octets of the body as coded
	InFlight  int    // requests open on this host at Start, this one included
}

// Log is what the servers saw, in order of arrival.
type Log []Request

// Filter selects requests. Zero fields select everything.
type Filter struct {
	Half   int
	Host   string
	Target string // "*" stands for any run of characters
	Status int
}

// Where gives the requests that the filter selects, in order.
func (l Log) Where(f Filter) Log {
	var out Log
	for _, r := range l {
		if (f.Half == 0 || r.Half == f.Half) && (f.Host == "" || r.Host == f.Host) &&
			(f.Target == "" || glob(f.Target, r.Target)) && (f.Status == 0 || r.Status == f.Status) {
			out = append(out, r)
		}
	}
	return out
}

// Count is the number of requests to a host whose target matches the pattern.
func (l Log) Count(host, pattern string) int {
	return len(l.Where(Filter{Host: host, Target: pattern}))
}

// Statuses counts the answers by status. Answers under way are left out.
func (l Log) Statuses() map[int]int {
	n := map[int]int{}
	for _, r := range l {
		if r.Status != 0 {
			n[r.Status]++
		}
	}
	return n
}

// MinGap is the shortest time between the starts of two requests to the same
// host. False when no host was asked twice.
func (l Log) MinGap() (time.Duration, bool) {
	last := map[string]time.Time{}
	shortest, found := time.Duration(0), false
	for _, r := range l {
		if before, ok := last[r.Host]; ok {
			if gap := r.Start.Sub(before); !found || gap < shortest {
				shortest, found = gap, true
			}
		}
		last[r.Host] = r.Start
	}
	return shortest, found
}

// MaxInFlight is the largest number of requests that were open on one host.
func (l Log) MaxInFlight() int {
	most := 0
	for _, r := range l {
		most = max(most, r.InFlight)
	}
	return most
}

// Quiet is the shortest time between the end of an answer with the status and
// the next request to the same host. False when nothing followed such an answer.
func (l Log) Quiet(status int) (time.Duration, bool) {
	ended := map[string]time.Time{}
	shortest, found := time.Duration(0), false
	for _, r := range l {
		if end, ok := ended[r.Host]; ok {
			if gap := r.Start.Sub(end); !found || gap < shortest {
				shortest, found = gap, true
			}
			delete(ended, r.Host)
		}
		if r.Status == status && !r.End.IsZero() {
			ended[r.Host] = r.End
		}
	}
	return shortest, found
}

// SavedBytes is what the 304s saved: for each, the octets of the last 200 for
// the same target.
func (l Log) SavedBytes() int64 {
	type resource struct{ host, target string }
	whole := map[resource]int64{}
	var saved int64
	for _, r := range l {
		key := resource{r.Host, r.Target}
		switch r.Status {
		case 200:
			whole[key] = r.SentBytes
		case 304:
			saved += whole[key]
		}
	}
	return saved
}

// Hosts lists the hosts that were asked, sorted.
func (l Log) Hosts() []string {
	seen := map[string]bool{}
	for _, r := range l {
		seen[r.Host] = true
	}
	hosts := make([]string, 0, len(seen))
	for h := range seen {
		hosts = append(hosts, h)
	}
	slices.Sort(hosts)
	return hosts
}

// glob matches a pattern in which "*" stands for any run of characters and
// everything else for itself.
func glob(pattern, s string) bool {
	beginning, rest, open := strings.Cut(pattern, "*")
	if !open {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, beginning)
	if !ok {
		return false
	}
	for {
		part, more, again := strings.Cut(rest, "*")
		if !again {
			return strings.HasSuffix(s, part)
		}
		_, after, found := strings.Cut(s, part)
		if !found {
			return false
		}
		s, rest = after, more
	}
}
