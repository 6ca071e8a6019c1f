package bolt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

var errNoTTL = errors.New("bolt: claim: a grant needs a time to live")

// Claim hands out due URLs. See [frontier.Engine].
func (e *Engine) Claim(ctx context.Context, req frontier.ClaimRequest) ([]frontier.Grant, frontier.Outlook, error) {
	if req.TTL < time.Millisecond {
		return nil, frontier.Outlook{}, errNoTTL
	}
	req.MaxHosts, req.PerGrant = max(req.MaxHosts, 1), max(req.PerGrant, 1)
	giveUp := time.Now().Add(req.MaxWait)
	for {
		grants, outlook, wait, bell, err := e.tryClaim(ctx, &req, giveUp)
		if err != nil {
			return nil, outlook, fmt.Errorf("bolt: claim: %w", err)
		}
		if bell == nil {
			return grants, outlook, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-bell:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		e.stopWaiting(bell)
	}
}

// tryClaim claims what there is. With nothing due it enlists the caller as a
// waiter, to be woken by bell or to look again after wait.
func (e *Engine) tryClaim(ctx context.Context, req *frontier.ClaimRequest, giveUp time.Time) (
	grants []frontier.Grant, outlook frontier.Outlook, wait time.Duration, bell chan struct{}, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		if bell == nil {
			e.wake() // whoever leaves lets the next one look
		}
	}()
	if err = ctx.Err(); err == nil {
		err = e.usable()
	}
	now := e.now()
	if err == nil {
		err = e.advance(now)
	}
	if err == nil && e.ready.Len() > 0 {
		err = e.view(func(tx *bbolt.Tx) error {
			grants, err = e.grant(tx, req, now)
			return err
		})
	}
	if err != nil {
		return nil, outlook, 0, nil, err
	}
	outlook = e.outlook(now)
	if len(grants) > 0 {
		return grants, outlook, 0, nil, nil
	}
	next := e.nextLook()
	e.feed(now, next)
	left := time.Until(giveUp)
	if left <= 0 {
		return nil, outlook, 0, nil, nil
	}
	bell = make(chan struct{})
	e.waiters = append(e.waiters, bell)
	return nil, outlook, min(left, untilMillis(next, now)), bell, nil
}

// untilMillis is the time from now to next, at least 1 ms and at most an hour.
func untilMillis(next, now int64) time.Duration {
	ms := int64(math.MaxInt64)
	if next < math.MaxInt64 {
		ms = next - now
	}
	return time.Duration(min(max(ms, 1), time.Hour.Milliseconds())) * time.Millisecond
}

func (e *Engine) stopWaiting(bell chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.waiters, bell); i >= 0 {
		e.waiters = slices.Delete(e.waiters, i, i+1)
	}
}

// outlook tells what there is to wait for. The caller holds mu.
func (e *Engine) outlook(now int64) frontier.Outlook {
	queued := int(e.totals.states[frontier.Ready]+e.totals.states[frontier.Future]) - e.flying
	o := frontier.Outlook{Queued: max(queued, 0), Leased: e.flying}
	if o.Queued == 0 {
		return o
	}
	next := e.nextLook()
	if e.ready.Len() > 0 {
		next = now
	}
	if next < math.MaxInt64 {
		o.Next = fromMillis(next)
	}
	return o
}

// nextLook is the earliest time at which something may become claimable
// without anybody doing anything.
func (e *Engine) nextLook() int64 {
	return min(e.waiting.first(), e.due, e.leases.first())
}

// feed asks for a commit at once when workers are idle and only the commit can
// bring them work: a host that may be asked waits for the links of its own
// pages, or nothing else comes due within the commit window. A polite crawl,
// where some host always comes due soon, keeps its large commits.
func (e *Engine) feed(now, next int64) {
	if e.starving.first() <= now || next > now+e.o.CommitWindow.Milliseconds() {
		e.queue.hurry()
	}
}
