package crawler

import (
	"context"
	"sync"
	"time"
)

// throttle keeps all hosts together below a rate. Octets are counted as they come;
// what was transferred too fast has to be paid for before another visit begins. A
// transfer under way is never slowed down: its server would look slow for our sake.
// So the rate holds on average, and a peak is what the workers have in flight.
type throttle struct {
	rate int64 // octets a second; 0 is no bound

	mu   sync.Mutex
	paid time.Time // when all that was transferred is paid for
}

func (t *throttle) spend(octets int64, now time.Time) {
	if t.rate <= 0 || octets <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paid.Before(now) {
		t.paid = now
	}
	// In two steps: octets times a second would overflow above 9 GB.
	t.paid = t.paid.Add(time.Duration(octets/t.rate)*time.Second + time.Duration(octets%t.rate)*time.Second/time.Duration(t.rate))
}

// owed is how long the next visit has to wait.
func (t *throttle) owed(now time.Time) time.Duration {
	if t.rate <= 0 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.paid.Sub(now), 0)
}

// payOff waits a moment if the next visit may not begin yet. Nobody holds a host
// meanwhile.
func (c *Crawler) payOff(ctx context.Context) (waited bool, err error) {
	owed := c.throttle.owed(c.Clock())
	if owed <= 0 {
		return false, nil
	}
	return true, c.sleep(ctx, c.Clock().Add(min(owed, idleCheck)))
}
