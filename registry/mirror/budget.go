package mirror

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// budget bounds the requests to one registry: at most budgetRequests in any
// budgetWindow. That is the average and the longest burst in one rule. Times
// are in milliseconds since 1970, as they are stored.
type budget struct {
	Sent []int64 `json:"sent,omitempty"` // newest last, at most budgetRequests
}

// ready is when the next request may be sent, at the earliest now.
func (b *budget) ready(now time.Time) time.Time {
	if len(b.Sent) < budgetRequests {
		return now
	}
	if next := time.UnixMilli(b.Sent[0] + 1).Add(budgetWindow); next.After(now) {
		return next
	}
	return now
}

// spend counts a request that is about to be sent.
func (b *budget) spend(now time.Time) {
	ms := now.UnixMilli()
	// A clock that was set back must not lock the budget for the difference.
	for i, sent := range b.Sent {
		b.Sent[i] = min(sent, ms)
	}
	if len(b.Sent) >= budgetRequests {
		b.Sent = append(b.Sent[:0], b.Sent[len(b.Sent)-budgetRequests+1:]...)
	}
	b.Sent = append(b.Sent, ms)
}

// backOff is the pause after the n-th failure in a row, counted from 1. fortune
// in [0,1) makes it up to a tenth longer, so that clients do not come back in
// step.
func backOff(n int, fortune float64) time.Duration {
	pause := backOffMax
	if n < 7 {
		pause = min(backOffBase<<max(n-1, 0), backOffMax)
	}
	return pause + time.Duration(fortune*float64(pause)/10)
}

// askedPause is the pause that an answer asks for, zero if it asks for none: by
// Retry-After, or by a count of remaining requests that has reached 0 (BC-C-018).
func askedPause(a Answer, now time.Time) time.Duration {
	if v := strings.TrimSpace(a.Header.Get("Retry-After")); v != "" {
		if seconds, err := strconv.ParseInt(v, 10, 64); err == nil {
			return ofSeconds(seconds)
		}
		if t, err := http.ParseTime(v); err == nil {
			return min(max(t.Sub(now), 0), retryAfterMax)
		}
	}
	for _, name := range []string{"RateLimit-Remaining", "X-RateLimit-Remaining"} {
		if strings.TrimSpace(a.Header.Get(name)) != "0" {
			continue
		}
		reset := strings.TrimSuffix(name, "Remaining") + "Reset"
		seconds, err := strconv.ParseInt(strings.TrimSpace(a.Header.Get(reset)), 10, 64)
		if err != nil || seconds <= 0 || seconds > int64(budgetWindow/time.Second) {
			return budgetWindow // not said, or a moment in time rather than a span
		}
		return ofSeconds(seconds)
	}
	return 0
}

// ofSeconds bounds what a server asks for: then one request is due.
func ofSeconds(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(retryAfterMax/time.Second))) * time.Second
}
