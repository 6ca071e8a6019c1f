package crawler

import (
	"sync"
	"time"
)

// closedOrigins remembers for a while which origins could not prove who they
// are. Their other URLs are refused without another handshake.
type closedOrigins struct {
	mu    sync.Mutex
	until map[string]time.Time
}

const (
	closedFor   = 10 * time.Minute
	closedLimit = 10_000 // origins; beyond it the memory starts anew, at the price of a handshake each
)

func newClosedOrigins() *closedOrigins { return &closedOrigins{until: map[string]time.Time{}} }

func (o *closedOrigins) add(origin string, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.until) >= closedLimit {
		clear(o.until)
	}
	o.until[origin] = now.Add(closedFor)
}

func (o *closedOrigins) has(origin string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return now.Before(o.until[origin])
}
