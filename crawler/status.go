package crawler

import (
	"context"
	"fmt"
	"time"

	"heed/politeness"
)

// Status is a running crawl seen from outside.
type Status struct {
	Running   bool                        `json:"running"`
	Paused    bool                        `json:"paused"`
	Stopping  bool                        `json:"stopping"`
	StartedAt time.Time                   `json:"started_at"`
	Active    int64                       `json:"active"` // visits under way
	Run       Counts                      `json:"run"`
	Total     Counts                      `json:"total"`
	Decisions map[politeness.Reason]int64 `json:"decisions"`

	URLsKnown    int64   `json:"urls_known"`
	URLsQueued   int64   `json:"urls_queued"`
	Hosts        int64   `json:"hosts"`
	HostsReady   int64   `json:"hosts_ready"`
	HostsWaiting int64   `json:"hosts_waiting"`
	HostsBlocked int64   `json:"hosts_blocked"`
	Ceiling      float64 `json:"ceiling"` // pages a second that the hosts and their delay allow; 0 is no bound
}

// Status tells how the run stands.
func (c *Crawler) Status(ctx context.Context) (Status, error) {
	s, err := c.Queue.Stats(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("crawler: status: %w", err)
	}
	c.mu.Lock()
	started, first := c.started, c.first
	c.mu.Unlock()
	known := s.Known - s.Totals[countContextKnown] - s.Totals[countListKnown]
	st := Status{Running: !started.IsZero(), Paused: c.Paused(), Stopping: c.Stopping(), StartedAt: started, Active: c.active.Load(),
		Run: CountsOf(minus(s.Totals, first)), Total: CountsOf(s.Totals), Decisions: c.Decisions(),
		URLsKnown: known, URLsQueued: s.Queued, Hosts: s.Hosts,
		HostsReady: s.HostsReady, HostsWaiting: s.HostsWaiting, HostsBlocked: s.HostsBlocked}
	if c.Delay > 0 {
		st.Ceiling = float64(s.HostsReady+s.HostsWaiting) / c.Delay.Seconds()
	}
	return st, nil
}
