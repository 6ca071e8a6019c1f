package fetch

import (
	"net/http"
	"strings"
	"time"
)

// MaxRetryAfter is the longest wait a Retry-After is believed for. A site that
// means more is asked once a day.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter returns the moment before which a server asked not to be asked
// again (RFC 9110 10.2.3): delay-seconds or an HTTP date in any of its three
// formats. Of several fields the latest moment counts. It is never before now
// and never more than MaxRetryAfter ahead; negative numbers and anything else
// that does not parse are ignored. ok is false if nothing is left.
func RetryAfter(h http.Header, now time.Time) (at time.Time, ok bool) {
	for _, v := range h["Retry-After"] {
		if t, valid := retryAt(strings.Trim(v, " \t"), now); valid && (!ok || t.After(at)) {
			at, ok = t, true
		}
	}
	return at, ok
}

func retryAt(v string, now time.Time) (time.Time, bool) {
	latest := now.Add(MaxRetryAfter)
	if seconds, ok := deltaSeconds(v); ok {
		return earlier(now.Add(time.Duration(seconds)*time.Second), latest), true
	}
	t, ok := parseDate(v)
	if !ok {
		return time.Time{}, false
	}
	if t.Before(now) {
		return now, true
	}
	return earlier(t, latest), true
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// maxDeltaSeconds is what larger numbers count as (RFC 9111 1.2.2).
const maxDeltaSeconds = 1 << 31

// deltaSeconds reads a non-negative decimal integer of any length.
func deltaSeconds(v string) (int64, bool) {
	if v == "" {
		return 0, false
	}
	var n int64
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return 0, false
		}
		if n = n*10 + int64(v[i]-'0'); n > maxDeltaSeconds {
			n = maxDeltaSeconds
		}
	}
	return n, true
}
