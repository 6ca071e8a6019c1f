package pace

import (
	"math/rand/v2"
	"time"
)

// Options say how a Pacer behaves. Start from Defaults: Delay, PerAddress,
// AddressRate and AdaptiveFactor are taken literally, because zero means "none"
// there. All other zero or negative values are replaced by their defaults.
type Options struct {
	// Delay is the floor between two request starts of a host. Default 1s.
	// Zero or less is no floor, and no adaptive delay either.
	Delay time.Duration
	// PerHost is how many requests of a host may run at once. Default 1.
	PerHost int
	// PerAddress is how many requests may run at once to one address, over all
	// host names it serves. Default 4, zero or less counts no addresses.
	PerAddress int
	// AddressRate is how many requests a second may start to one address over
	// all its host names, with bursts of as many (at least 1): a thousand names
	// on one machine must not add up to a thousand requests a second. Default
	// 20, zero or less is no bound. Without PerAddress it has no effect.
	AddressRate float64

	// MaxCrawlDelay cuts what a site asks for by Crawl-delay. Default 60s.
	MaxCrawlDelay time.Duration
	// RetryAfterMax cuts Retry-After, counted from the answer. Default 24h.
	RetryAfterMax time.Duration
	// BackOffBase is the first back-off; each further one doubles it, up to
	// BackOffMax. Defaults 30s and 1h.
	BackOffBase, BackOffMax time.Duration
	// DeadAfter is how many requests in a row a host must have left without an
	// answer to count as dead, default 20: some hours of back-offs. From then on it
	// is asked once in DeadWait, give or take half, default 24h and never more than
	// RetryAfterMax. One answer revives it.
	DeadAfter int
	DeadWait  time.Duration

	// AdaptiveFactor keeps the delay at or above this many times the smoothed
	// latency, so that a struggling server is busy with us for at most
	// 1/AdaptiveFactor of the time. Default 2, zero or less switches it off.
	AdaptiveFactor float64
	// MaxAdaptive cuts the adaptive delay and every latency that goes into
	// it. Default 10s.
	MaxAdaptive time.Duration

	// Floor, if set, replaces Delay and PerHost for a host. A negative delay
	// or a perHost below 1 leaves the general value. It is called under a lock
	// on every decision: it must be fast, safe for concurrent use, and must not
	// call the Pacer.
	Floor func(host string) (delay time.Duration, perHost int)

	// MaxHosts is how many hosts are held before idle ones are dropped: those
	// not asked within MaxCrawlDelay. More busy ones than that stay.
	// Default 200,000 (about 50 MB).
	MaxHosts int

	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Rand yields numbers in [0,1) for jitter. Default math/rand/v2.
	Rand func() float64

	// Shelf keeps state over restarts. Without one nothing is persisted.
	Shelf Shelf
	// Restarted says that the previous process did not stop cleanly.
	Restarted bool
	// StartedAt is the start of this process, used with Restarted. Default:
	// the time of New.
	StartedAt time.Time
}

// Defaults are the options of a crawl of the open web.
func Defaults() Options {
	return Options{
		Delay:          time.Second,
		PerHost:        1,
		PerAddress:     4,
		AddressRate:    20,
		MaxCrawlDelay:  60 * time.Second,
		RetryAfterMax:  24 * time.Hour,
		BackOffBase:    30 * time.Second,
		BackOffMax:     time.Hour,
		DeadAfter:      20,
		DeadWait:       24 * time.Hour,
		AdaptiveFactor: 2,
		MaxAdaptive:    10 * time.Second,
		MaxHosts:       200_000,
		Clock:          time.Now,
		Rand:           rand.Float64,
	}
}

// withDefaults fills what the caller left out.
func (o Options) withDefaults() Options {
	d := Defaults()
	o.Delay = max(o.Delay, 0)
	o.PerAddress = max(o.PerAddress, 0)
	positive(&o.PerHost, d.PerHost)
	positive(&o.MaxHosts, d.MaxHosts)
	positive(&o.MaxCrawlDelay, d.MaxCrawlDelay)
	positive(&o.RetryAfterMax, d.RetryAfterMax)
	positive(&o.BackOffBase, d.BackOffBase)
	positive(&o.BackOffMax, d.BackOffMax)
	positive(&o.MaxAdaptive, d.MaxAdaptive)
	positive(&o.DeadAfter, d.DeadAfter)
	positive(&o.DeadWait, d.DeadWait)
	o.DeadWait = min(o.DeadWait, o.RetryAfterMax)
	o.BackOffBase = min(o.BackOffBase, o.BackOffMax)
	if o.Clock == nil {
		o.Clock = d.Clock
	}
	if o.Rand == nil {
		o.Rand = d.Rand
	}
	if o.StartedAt.IsZero() {
		o.StartedAt = o.Clock()
	}
	return o
}

func positive[T int | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}
