package fetch

import (
	"net/http"
	"strings"
	"time"
)

// Freshness is what a response says about its own life in a private cache (RFC
// 9111). The zero value is stale.
type Freshness struct {
	// Lifetime is counted from the moment the origin made the response.
	Lifetime time.Duration
	// Age is how old the response was when its head arrived.
	Age time.Duration
	// NoStore: keep nothing.
	NoStore bool
	// NoCache: revalidate before every use.
	NoCache bool
	// MustRevalidate: never use when stale, not even when the origin is down.
	MustRevalidate bool
	// Explicit: the lifetime comes from max-age or Expires.
	Explicit bool
	// Heuristic: the lifetime is a guess from Last-Modified.
	Heuristic bool
}

const (
	// heuristicShare of the time since the last change is the guessed lifetime
	// (RFC 9111 4.2.2 names 10 % as typical).
	heuristicShare = 10
	// maxHeuristic bounds the guess: a page untouched for a year may change today.
	maxHeuristic = 24 * time.Hour
)

// ParseFreshness derives the freshness of a response whose request was sent at
// requestTime and whose head arrived at responseTime.
func ParseFreshness(h http.Header, status int, requestTime, responseTime time.Time) Freshness {
	d := parseCacheControl(h["Cache-Control"])
	date, ok := parseDate(h.Get("Date"))
	if !ok {
		date = responseTime // RFC 9110 6.6.1: the time of receipt
	}
	f := Freshness{
		Age:            initialAge(h, date, requestTime, responseTime),
		NoStore:        d.noStore,
		NoCache:        d.noCache,
		MustRevalidate: d.mustRevalidate,
	}
	expires, hasExpires := h["Expires"]
	switch {
	case d.hasMaxAge:
		f.Explicit, f.Lifetime = true, time.Duration(d.maxAge)*time.Second
	case hasExpires:
		f.Explicit, f.Lifetime = true, expiresIn(expires, date)
	case d.public || heuristicStatus(status):
		modified, ok := parseDate(h.Get("Last-Modified"))
		if ok && modified.Before(date) {
			f.Heuristic = true
			f.Lifetime = min(date.Sub(modified)/heuristicShare, maxHeuristic)
		}
	}
	return f
}

// parseDate reads an HTTP date in any of its formats (RFC 9110 5.6.7). Absent
// dates are common and cheap here, unlike in http.ParseTime.
func parseDate(v string) (time.Time, bool) {
	if v == "" {
		return time.Time{}, false
	}
	t, err := http.ParseTime(strings.Trim(v, " \t"))
	return t, err == nil
}

// expiresIn is the lifetime by Expires; several or invalid values, "0" above
// all, mean already expired (RFC 9111 5.3).
func expiresIn(values []string, date time.Time) time.Duration {
	if len(values) != 1 {
		return 0
	}
	t, ok := parseDate(values[0])
	if !ok || !t.After(date) {
		return 0
	}
	return min(t.Sub(date), maxDeltaSeconds*time.Second)
}

// initialAge is corrected_initial_age of RFC 9111 4.2.3.
func initialAge(h http.Header, date, requestTime, responseTime time.Time) time.Duration {
	apparent := max(0, responseTime.Sub(date))
	var value time.Duration
	first, _, _ := strings.Cut(h.Get("Age"), ",")
	if seconds, ok := deltaSeconds(strings.Trim(first, " \t")); ok {
		value = time.Duration(seconds) * time.Second
	}
	return max(apparent, value+max(0, responseTime.Sub(requestTime)))
}

// heuristicStatus lists the statuses that are cacheable by default (RFC 9110 15.1).
func heuristicStatus(status int) bool {
	switch status {
	case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501:
		return true
	}
	return false
}

// FreshUntil returns the moment from which the response must be revalidated,
// given when its head arrived. It is not after responseTime if the response
// must not be used without asking.
func (f Freshness) FreshUntil(responseTime time.Time) time.Time {
	if f.NoStore || f.NoCache {
		return responseTime
	}
	return responseTime.Add(f.Lifetime - f.Age)
}

// Fresh reports whether the response may be used at now without asking.
func (f Freshness) Fresh(responseTime, now time.Time) bool {
	return now.Before(f.FreshUntil(responseTime))
}

// Merge304 returns the head of a stored response after a 304: each field of the
// 304 replaces the stored one (RFC 9111 3.2), except those that describe the
// stored content or the connection. Neither argument is changed.
func Merge304(stored, fresh http.Header) http.Header {
	merged := stored.Clone()
	if merged == nil {
		merged = make(http.Header, len(fresh))
	}
	hop := make(map[string]bool)
	for _, line := range fresh["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			hop[http.CanonicalHeaderKey(strings.Trim(name, " \t"))] = true
		}
	}
	for name, values := range fresh {
		if !hop[name] && !keptOn304(name) {
			merged[name] = append([]string(nil), values...)
		}
	}
	// The age restarts with the 304: a stored Age without a new one is void.
	if _, ok := fresh["Age"]; !ok {
		merged.Del("Age")
	}
	return merged
}

func keptOn304(name string) bool {
	switch name {
	case "Content-Encoding", "Content-Type", "Content-Range", "Content-Length",
		"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}
