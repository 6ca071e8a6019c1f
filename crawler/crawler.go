package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"heed/frontier"
	"heed/politeness"
)

// Crawler conducts one job. Make it with New; it is safe for concurrent use.
type Crawler struct {
	Options
	Rooms

	closed    *closedOrigins // origins whose TLS failed lately
	context   *contextDesk   // llm-context cycles under way
	pagesOf   once           // hosts whose cards' pages were offered to the queue
	contested contestedURLs
	listsOf   once                           // origins whose sitemaps were offered to the queue
	scoped    atomic.Pointer[frontier.Scope] // replaced by a wider one when seeds are added

	traps      *frontier.Traps
	spent      *expenses
	domainURLs *domainURLs
	throttle   throttle

	ending atomic.Pointer[Ending] // why the run is ending; nil while it is not
	paused *gateway
	pages  atomic.Int64 // pages of this run, reserved or stored; counted only under a limit
	stored atomic.Int64 // of them, those stored
	wire   atomic.Int64 // octets of this run
	active atomic.Int64 // visits under way

	mu        sync.Mutex
	decisions map[politeness.Reason]int64 // of this run
	started   time.Time
	first     frontier.Tally // totals when the run began
}

// New makes a crawler. It starts nothing.
func New(o Options, r Rooms) (*Crawler, error) {
	switch {
	case o.Purposes == 0:
		return nil, errors.New("crawler: new: no purpose is given")
	case o.Clock == nil || o.Rand == nil || o.Log == nil:
		return nil, errors.New("crawler: new: Clock, Rand and Log are needed")
	case r.Queue == nil || r.Gate == nil || r.Pace == nil || r.Fetcher == nil || r.Notes == nil || r.Sink == nil:
		return nil, errors.New("crawler: new: a room is missing")
	}
	c := &Crawler{Options: o, Rooms: r, closed: newClosedOrigins(), context: newContextDesk(), paused: newGateway(),
		throttle: throttle{rate: o.MaxRate}, traps: frontier.NewTraps(o.Traps), spent: newExpenses(o.Budget), domainURLs: newDomainURLs(), decisions: map[politeness.Reason]int64{}}
	c.scoped.Store(r.Scope)
	return c, nil
}

// Seed is a URL to start from.
type Seed struct {
	URL   string `json:"url"`   // canonical
	Score int    `json:"score"` // 0 to 100; negative is unscored
}

// AddSeeds makes seeds known to the frontier. It returns how many were new.
func (c *Crawler) AddSeeds(ctx context.Context, seeds []Seed) (int, error) {
	candidates := make([]frontier.Candidate, 0, len(seeds))
	for _, s := range seeds {
		score := s.Score
		if score < 0 {
			score = c.Score
		}
		if c.Context == ContextOnly {
			candidates = append(candidates, contextCandidate(frontier.Origin(s.URL), ""))
			continue
		}
		url := c.URLs.Apply(s.URL)
		candidates = append(candidates, frontier.Candidate{URL: url, Host: frontier.HostKey(url), Score: score})
	}
	n, err := c.Queue.Discover(ctx, candidates)
	if err != nil {
		return n, fmt.Errorf("crawler: add %d seeds: %w", len(seeds), err)
	}
	return n, nil
}

// scope is the part of the web that the job takes now; nil where no job says so.
func (c *Crawler) scope() *frontier.Scope { return c.scoped.Load() }

// Scoped tells whether a scope was given: without one every URL is inside.
func (c *Crawler) Scoped() bool { return c.scope() != nil }

// WidenScope takes more seeds into the scope, in a running crawl too: every URL is
// judged by the scope of the moment when its turn comes. Without a scope it does
// nothing. The errors are [frontier.ErrScope].
func (c *Crawler) WidenScope(seeds []Seed) error {
	urls := make([]string, len(seeds))
	for i, s := range seeds {
		urls[i] = s.URL
	}
	for {
		now := c.scoped.Load()
		if now == nil {
			return nil
		}
		wider, err := now.With(urls)
		if err != nil {
			return fmt.Errorf("crawler: widen the scope: %w", err)
		}
		if c.scoped.CompareAndSwap(now, wider) {
			return nil
		}
	}
}

// Pause stops new visits until Resume; those under way end as usual.
func (c *Crawler) Pause() { c.paused.close() }

// Resume ends a pause.
func (c *Crawler) Resume() { c.paused.open() }

// Paused tells whether the crawl is paused.
func (c *Crawler) Paused() bool { return c.paused.closed() }

// count notes a decision for the summary.
func (c *Crawler) count(r politeness.Reason) {
	c.mu.Lock()
	c.decisions[r]++
	c.mu.Unlock()
}

// Decisions are the decisions of this run by reason.
func (c *Crawler) Decisions() map[politeness.Reason]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[politeness.Reason]int64, len(c.decisions))
	for r, n := range c.decisions {
		out[r] = n
	}
	return out
}

// gateway holds workers back during a pause.
type gateway struct {
	mu   sync.Mutex
	wait chan struct{} // not nil while closed
}

func newGateway() *gateway { return &gateway{} }

func (g *gateway) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.wait == nil {
		g.wait = make(chan struct{})
	}
}

func (g *gateway) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.wait != nil {
		close(g.wait)
		g.wait = nil
	}
}

func (g *gateway) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wait != nil
}

// pass returns a channel that is closed when the gateway is open again, nil if
// it is open now.
func (g *gateway) pass() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wait
}
