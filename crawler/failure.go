package crawler

import (
	"time"

	"heed/crawler/fetch"
)

// retryPause stretches the pause before the next attempt by what went wrong: a lost
// connection may be there again in a moment, a name without address or a host that
// does not answer hardly. Doubling it keeps three attempts after the default
// back-off within the default patience.
func (c *Crawler) retryPause(pause time.Duration, failed error) time.Duration {
	switch fetch.KindOf(failed) {
	case fetch.KindDNS, fetch.KindTimeout, fetch.KindConnect:
		return min(2*pause, c.RetryMax)
	}
	return min(pause, c.RetryMax)
}

// nextAttempt is when a URL of a crawl is tried again: when the site says so, else
// after the pause for its kind of failure.
func (c *Crawler) nextAttempt(e *ending, x *fetch.Exchange, now time.Time) time.Time {
	if x != nil {
		if at, ok := fetch.RetryAfter(x.Header, now); ok && at.After(now) {
			return at
		}
	}
	return now.Add(c.retryPause(c.retryAt(e.outcome.Attempts, nil, now).Sub(now), e.visit.Err))
}
