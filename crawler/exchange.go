package crawler

import (
	"context"
	"errors"
	"net/http"
	"time"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// exchange sends one request in a slot of its host and gives the slot back. The
// next time of the host is the pacer's; the exchange may be partial when err is
// not nil. d is the decision behind the request, nil for a policy document.
func (c *Crawler) exchange(ctx context.Context, slot *pace.Slot, host string, r fetch.Request, d *politeness.Decision) (*fetch.Exchange, pace.Next, error) {
	var retryAfter time.Time
	r.OnHead = func(x *fetch.Exchange) { retryAfter = c.hear(slot, x) }
	x, err := c.Fetcher.Do(ctx, r)
	res := pace.Result{At: c.Clock(), Err: err != nil && !ours(err), Access: access(d, x, err), RetryAfter: retryAfter}
	if x != nil {
		// The delay counts from the first octet of the answer: only then is it sure
		// that the server has seen the request, however long it was on its way.
		res.Status, res.Start = x.Status, x.RespondedAt
		if !x.RespondedAt.IsZero() {
			res.Latency = x.RespondedAt.Sub(x.RequestedAt)
		} else {
			res.Start = res.At
		}
		c.spend(x.WireBytes)
	}
	if sentNothing(err) {
		c.Pace.Release(slot)
		return x, pace.Next{At: c.Pace.Next(host).Until}, err
	}
	if ours(err) && res.Status == 0 {
		res.Status = 200 // the page was too much for us; the host did nothing wrong
	}
	return x, c.Pace.Observe(slot, res), err
}

// hear tells the pacer at once what the head of an answer asks for: the body may be
// long in coming, and who is killed meanwhile must not have forgotten it.
func (c *Crawler) hear(slot *pace.Slot, x *fetch.Exchange) (retryAfter time.Time) {
	now := c.Clock()
	retryAfter, _ = fetch.RetryAfter(x.Header, now)
	if err := c.Pace.Hear(slot, pace.Result{Status: x.Status, RetryAfter: retryAfter, At: now}); err != nil {
		c.Log.Warn("a wait that a host asks for could not be stored", "url", x.URL, "error", err)
	}
	return retryAfter
}

// sentNothing tells whether no octet can have left for the host.
func sentNothing(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.KindAddress, fetch.KindPort, fetch.KindScheme, fetch.KindRequest:
		return true
	}
	return false
}

// ours tells whether an exchange ended because of our own limits or our own
// will, not because the host failed.
func ours(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.KindTooLarge, fetch.KindRatio, fetch.KindHeaders, fetch.KindCoding, fetch.KindCancelled, fetch.KindSpool,
		fetch.KindAddress, fetch.KindPort, fetch.KindScheme, fetch.KindRequest:
		return true
	}
	return errors.Is(err, context.Canceled)
}

// retryable tells whether another attempt may help.
func retryable(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.KindDNS, fetch.KindConnect, fetch.KindReset, fetch.KindTimeout, fetch.KindSlow, fetch.KindTruncated, fetch.KindProxy:
		return true
	}
	return false
}

// retryStatus tells whether a status asks for another attempt later.
func retryStatus(status int) bool {
	switch status {
	case 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// retryAt says when a URL is tried again after its n-th failed attempt, n from
// 1: when the site says so, else after a pause that doubles, with full jitter
// in its upper half.
func (c *Crawler) retryAt(n int, x *fetch.Exchange, now time.Time) time.Time {
	if x != nil {
		if at, ok := fetch.RetryAfter(x.Header, now); ok && at.After(now) {
			return at
		}
	}
	pause := c.RetryBase
	for i := 1; i < n && pause < c.RetryMax; i++ {
		pause *= 2
	}
	pause = min(pause, c.RetryMax)
	return now.Add(pause/2 + time.Duration(c.Rand()*float64(pause/2)))
}

// failureReason names a failed exchange: the reason code where there is one,
// else the kind of the failure.
func failureReason(err error) string {
	if r := fetch.Reason(err); r != "" {
		return r
	}
	return fetch.KindOf(err).String()
}

// settleBack returns a grant without an outcome: the URL is as it was, the host
// waits until next.
func settleBack(g frontier.Grant, next time.Time) frontier.Settlement {
	return frontier.Settlement{Grant: g.GrantRef, HostNext: next}
}

// Declaration says when a request declares the purposes it serves.
type Declaration string

const (
	DeclareAlways   Declaration = "always"        // policy documents included (AP-136)
	DeclareRequired Declaration = "when-required" // where the site wants to know
	DeclareNever    Declaration = "never"         // a site that requires it is left alone
)

// declare says with a request which purposes it serves (AP-135).
func (c *Crawler) declare(r *fetch.Request, purposes politeness.Purposes, required bool) {
	if c.Declare == DeclareNever || c.Declare == DeclareRequired && !required {
		return
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(politeness.PurposeHeader, politeness.Declaration(purposes))
}
