package crawler

import (
	"sync"
	"time"

	"heed/frontier"
	"heed/politeness"
)

// Budget bounds what a day may cost, from midnight to midnight UTC. Zero is no
// bound. What is used up is known to this process only: a new start has a whole
// day's budget.
type Budget struct {
	HostPages int64 // answers for pages of one host, 304 included
	HostBytes int64 // on the wire, for pages of one host
	JobPages  int64 // of the job
	JobBytes  int64
}

// maxSpenders bounds the hosts whose day is counted. Beyond it a host that was not
// counted yet waits for the next day: it fails closed.
const maxSpenders = 200_000

// expenses is what the day has cost so far.
type expenses struct {
	budget Budget

	mu    sync.Mutex
	day   time.Time
	job   expense
	hosts map[string]expense
}

type expense struct{ pages, octets int64 }

func newExpenses(b Budget) *expenses { return &expenses{budget: b, hosts: map[string]expense{}} }

func (e *expenses) perHost() bool { return e.budget.HostPages > 0 || e.budget.HostBytes > 0 }

// today begins a new day if there is one. mu is held.
func (e *expenses) today(now time.Time) {
	if day := now.UTC().Truncate(24 * time.Hour); !day.Equal(e.day) {
		e.day, e.job = day, expense{}
		clear(e.hosts)
	}
}

// until tells whether a host has used up its budget, or the job, and when the next
// one begins. What is in flight is not counted yet, so a day may overshoot by it.
func (e *expenses) until(host string, now time.Time) (time.Time, bool) {
	if e.budget == (Budget{}) {
		return time.Time{}, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.today(now)
	h, counted := e.hosts[host]
	used := over(e.job.pages, e.budget.JobPages) || over(e.job.octets, e.budget.JobBytes) ||
		over(h.pages, e.budget.HostPages) || over(h.octets, e.budget.HostBytes) ||
		e.perHost() && !counted && len(e.hosts) >= maxSpenders
	return e.day.Add(24 * time.Hour), used
}

func over(used, budget int64) bool { return budget > 0 && used >= budget }

// add counts an answer.
func (e *expenses) add(host string, pages, octets int64, now time.Time) {
	if e.budget == (Budget{}) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.today(now)
	e.job.pages, e.job.octets = e.job.pages+pages, e.job.octets+octets
	if h, counted := e.hosts[host]; e.perHost() && (counted || len(e.hosts) < maxSpenders) {
		e.hosts[host] = expense{h.pages + pages, h.octets + octets}
	}
}

// overBudget gives a URL back until the next day, its host with it: the reason is
// there for whoever asks why it waits.
func (c *Crawler) overBudget(g frontier.Grant, until time.Time) frontier.Settlement {
	c.count(politeness.ScopeBudget)
	item := g.URLs[0]
	return frontier.Settlement{Grant: g.GrantRef, HostNext: until, Outcomes: []frontier.Outcome{{
		URL: item.URL, State: frontier.Future, Due: until, Attempts: item.Attempts, Reason: string(politeness.ScopeBudget),
	}}}
}
