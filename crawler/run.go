package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"heed/frontier"
)

const (
	grantTTL  = 10 * time.Minute       // far above the longest visit: a fetch ends after a minute
	idleCheck = 200 * time.Millisecond // how long a worker waits for work before it looks whether the run is over
)

// Run works until the job is done, a limit is reached or somebody stops it. When
// ctx ends, requests under way are cut off. It returns how the run ended; all that
// was settled is durable then.
func (c *Crawler) Run(ctx context.Context) (Ending, error) {
	stats, err := c.Queue.Stats(ctx)
	if err != nil {
		c.fail(ctx, fmt.Errorf("crawler: run: %w", err))
		return c.ended()
	}
	if err := errors.Join(c.spent.load(ctx, c.Queue, c.Clock()), c.countDomains(ctx)); err != nil {
		c.fail(ctx, err)
		return c.ended()
	}
	c.mu.Lock()
	c.started, c.first = c.Clock(), stats.Totals
	c.mu.Unlock()
	if c.TimeLimit > 0 {
		timer := time.AfterFunc(c.TimeLimit, func() { c.Stop(EndTime, nil) })
		defer timer.Stop()
	}
	var wg sync.WaitGroup
	for range c.Workers {
		wg.Go(func() {
			if err := c.work(ctx); err != nil {
				c.fail(ctx, err)
			}
		})
	}
	if c.KeepFresh != nil {
		wg.Go(func() {
			if err := c.keepFresh(ctx); err != nil {
				c.fail(ctx, err)
			}
		})
	}
	wg.Wait()
	if err := c.Queue.Flush(context.WithoutCancel(ctx)); err != nil {
		c.fail(ctx, err)
	}
	return c.ended()
}

// ended is how the run ended, and the error of our own if that was why.
func (c *Crawler) ended() (Ending, error) {
	end := c.ending.Load()
	if end == nil {
		end = &Ending{Code: EndDone}
	}
	return *end, end.Err
}

// fail ends the run for an error of our own.
func (c *Crawler) fail(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		c.Stop(EndForced, nil)
	case errors.Is(err, frontier.ErrFull) || errors.Is(err, syscall.ENOSPC):
		c.Stop(EndFull, err)
	default:
		c.Stop(EndError, err)
	}
}

// work is one worker: it claims one URL after the other.
func (c *Crawler) work(ctx context.Context) error {
	for !c.Stopping() {
		if open := c.paused.pass(); open != nil {
			select {
			case <-open:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		if waited, err := c.payOff(ctx); err != nil {
			return err
		} else if waited {
			continue
		}
		grants, outlook, err := c.Queue.Claim(ctx, frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: grantTTL, MaxWait: idleCheck})
		if err != nil {
			return err
		}
		if len(grants) == 0 {
			if code, over := c.settled(outlook); over {
				c.Stop(code, nil)
			}
			continue
		}
		c.active.Add(1)                        // before the look at the gate: nobody active and paused is quiet
		if c.paused.closed() || c.Stopping() { // while this worker waited for a grant
			err = c.Queue.Release(ctx, []frontier.GrantRef{grants[0].GrantRef})
		} else {
			err = c.visit(ctx, grants[0])
		}
		c.active.Add(-1)
		if err != nil {
			return err
		}
	}
	return nil
}

// takePage reserves one page of the run's budget; false when none is left.
func (c *Crawler) takePage() bool {
	if c.MaxPages <= 0 {
		return true
	}
	if c.pages.Add(1) > c.MaxPages {
		c.pages.Add(-1)
		return false
	}
	return true
}

// settlePage gives a reservation back that became no page, and ends the run
// once the last page was stored.
func (c *Crawler) settlePage(stored bool) {
	switch {
	case c.MaxPages <= 0:
	case !stored:
		c.pages.Add(-1)
	case c.stored.Add(1) >= c.MaxPages:
		c.Stop(EndPages, nil)
	}
}

// spend counts octets of the run against its budget.
func (c *Crawler) spend(octets int64) {
	c.throttle.spend(octets, c.Clock())
	if c.wire.Add(octets) >= c.MaxBytes && c.MaxBytes > 0 {
		c.Stop(EndSize, nil)
	}
}
