package discover

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// freshness is what a response says about its lifetime (RFC 9111 for a private cache, LC-121).
type freshness struct {
	remaining  time.Duration // of the explicit lifetime, after its age; at least zero
	explicit   bool          // max-age or Expires was given and readable, and reuse is not forbidden
	noStore    bool
	saysMaxAge bool
}

// maxDeltaSeconds is where RFC 9111 1.2.2 lets delta-seconds overflow.
const maxDeltaSeconds = 1 << 31

// readFreshness ignores s-maxage, for this cache is private. no-cache and max-age=0 ask for revalidation
// at the normal interval, not for polling.
func readFreshness(r Response) freshness {
	var f freshness
	lifetime, noCache := time.Duration(-1), false
	for _, line := range r.Header.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "no-store":
				f.noStore = true
			case "no-cache":
				noCache = true
			case "max-age":
				f.saysMaxAge = true
				// Of several the most restrictive counts; one that is no number is stale.
				if age := deltaSeconds(strings.Trim(value, `" `)); lifetime < 0 || age < lifetime {
					lifetime = age
				}
			}
		}
	}
	if lifetime < 0 {
		lifetime = expiresIn(r)
	}
	f.explicit = lifetime > 0 && !noCache
	f.remaining = max(0, lifetime-currentAge(r))
	return f
}

func deltaSeconds(value string) time.Duration {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil || seconds > maxDeltaSeconds {
		seconds = maxDeltaSeconds
	}
	return time.Duration(seconds) * time.Second
}

// expiresIn returns the lifetime that Expires gives, zero if it is over or unreadable, negative if there is none.
func expiresIn(r Response) time.Duration {
	value := r.Header.Get("Expires")
	if value == "" {
		return -1
	}
	expires, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, min(expires.Sub(dateOf(r)), maxDeltaSeconds*time.Second))
}

func currentAge(r Response) time.Duration {
	age := r.ReceivedAt.Sub(dateOf(r))
	if value := strings.TrimSpace(r.Header.Get("Age")); value != "" {
		age = max(age, deltaSeconds(value))
	}
	return max(0, age)
}

// dateOf is the Date field, else the time of receipt.
func dateOf(r Response) time.Time {
	if date, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		return date
	}
	return r.ReceivedAt
}

// interval is how long an accepted representation is not asked for again: the floor of its role, or its
// own longer lifetime up to seven days. A shorter one counts only by the operator's leave (LC-121).
func (f freshness) interval(role Role, p Policy) time.Duration {
	floor := indexFloor
	if role == Detail {
		floor = detailFloor
	}
	switch {
	case !f.explicit:
		return floor
	case f.remaining >= floor:
		return min(f.remaining, intervalCap)
	case p.MinInterval > 0:
		return min(floor, max(p.MinInterval, leastFloor, f.remaining))
	}
	return floor
}

// retryAfter reads Retry-After in both forms, capped at 24 hours. A time that is over says nothing.
func retryAfter(r Response) (time.Duration, bool) {
	value := strings.TrimSpace(r.Header.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		wait := min(deltaSeconds(value), retryCap)
		return wait, wait > 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	wait := min(at.Sub(r.ReceivedAt), retryCap)
	return wait, wait > 0
}

// backOff is the wait after the given number of failures in a row: one hour doubling to 24, and up to a
// tenth more so that origins that failed together are not asked together (LC-119).
func backOff(attempts int, jitter float64) time.Duration {
	wait := retryFirst
	for range min(attempts-1, 8) {
		wait = min(2*wait, retryCap)
	}
	return min(wait+time.Duration(jitter*float64(wait)/10), retryCap)
}

// undeterminedWait is when to try again after a failure that may pass.
func undeterminedWait(r Response, reason Reason, attempts int, jitter float64) time.Duration {
	told, isTold := retryAfter(r)
	if reason == RateLimited {
		if isTold {
			return told
		}
		return max(retryFirst, backOff(attempts, jitter))
	}
	return max(told, backOff(attempts, jitter))
}
