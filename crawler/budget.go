package crawler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"heed/frontier"
	"heed/politeness"
)

// Budget bounds what a day may cost, from midnight to midnight UTC. Zero is no
// bound. What is used up stands in the frontier and survives a restart. A domain is
// a registrable one, with all its hosts.
type Budget struct {
	HostPages   int64 // answers for pages of one host, 304 included
	HostBytes   int64 // on the wire, for pages of one host
	DomainPages int64
	DomainBytes int64
	JobPages    int64 // of the job
	JobBytes    int64
}

// maxSpenders bounds the hosts, and the domains, whose day is counted. Beyond it one
// that was not counted yet waits for the next day: it fails closed.
const maxSpenders = 200_000

// expenses is what the day has cost so far: what the frontier knew when they were
// loaded, and everything since.
type expenses struct {
	budget Budget

	mu      sync.Mutex
	loaded  bool
	day     int32
	job     frontier.Spent
	hosts   map[string]frontier.Spent
	domains map[string]frontier.Spent
}

func newExpenses(b Budget) *expenses {
	return &expenses{budget: b, hosts: map[string]frontier.Spent{}, domains: map[string]frontier.Spent{}}
}

func (b *Budget) perHost() bool   { return b.HostPages > 0 || b.HostBytes > 0 }
func (b *Budget) perDomain() bool { return b.DomainPages > 0 || b.DomainBytes > 0 }

// load reads, once, what the day has cost before this process. Only budgets of
// hosts and domains need a look at every host.
func (e *expenses) load(ctx context.Context, queue frontier.Engine, now time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loaded || e.budget == (Budget{}) {
		return nil
	}
	e.today(now)
	stats, err := queue.Stats(ctx)
	if err != nil {
		return fmt.Errorf("crawler: load the day's budget: %w", err)
	}
	e.job = stats.Spent.On(e.day)
	for cursor := ""; e.budget.perHost() || e.budget.perDomain(); {
		hosts, next, err := queue.ListHosts(ctx, cursor, 1000)
		if err != nil {
			return fmt.Errorf("crawler: load the day's budget: %w", err)
		}
		for i := range hosts {
			if s := hosts[i].Spent.On(e.day); !s.IsZero() {
				e.charge(hosts[i].Name, s)
			}
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	e.loaded = true
	return nil
}

// today begins a new day if there is one. mu is held.
func (e *expenses) today(now time.Time) {
	if day := frontier.Day(now); day != e.day && day+1 != e.day { // a clock set back has been in the later day
		e.day, e.job = day, frontier.Spent{Day: day}
		clear(e.hosts)
		clear(e.domains)
	}
}

// charge counts for a host and its domain. mu is held.
func (e *expenses) charge(host string, s frontier.Spent) {
	s.Day = e.day
	if e.budget.perHost() {
		charge(e.hosts, host, s)
	}
	if e.budget.perDomain() {
		charge(e.domains, frontier.Domain(host), s)
	}
}

func charge(all map[string]frontier.Spent, name string, s frontier.Spent) {
	if old, counted := all[name]; counted || len(all) < maxSpenders {
		all[name] = old.Add(s)
	}
}

// until tells whether a host has used up its budget, or its domain, or the job, and
// when the next one begins. What is in flight is not counted yet, so a day may
// overshoot by it.
func (e *expenses) until(host string, now time.Time) (time.Time, bool) {
	b := &e.budget
	if *b == (Budget{}) {
		return time.Time{}, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.today(now)
	used := over(e.job, b.JobPages, b.JobBytes) ||
		b.perHost() && spent(e.hosts, host, b.HostPages, b.HostBytes) ||
		b.perDomain() && spent(e.domains, frontier.Domain(host), b.DomainPages, b.DomainBytes)
	return frontier.DayEnd(now), used
}

func spent(all map[string]frontier.Spent, name string, pages, octets int64) bool {
	s, counted := all[name]
	return over(s, pages, octets) || !counted && len(all) >= maxSpenders
}

func over(s frontier.Spent, pages, octets int64) bool {
	return pages > 0 && s.Pages >= pages || octets > 0 && s.Bytes >= octets
}

// add counts an answer, and says what its settlement has to carry.
func (e *expenses) add(host string, pages, octets int64, now time.Time) frontier.Spent {
	s := frontier.Spent{Day: frontier.Day(now), Pages: pages, Bytes: octets}
	if e.budget == (Budget{}) {
		return s
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.today(now)
	e.job = e.job.Add(s)
	e.charge(host, s)
	return s
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
