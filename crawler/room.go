package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"heed/frontier"
)

// rooms is what the budgets of known URLs leave for the links of one answer.
type rooms struct {
	hosts   map[string]room
	domains map[string]*int64
	job     *int64
}

// room is what they leave for one host.
type room struct {
	none   bool   // the host would be one too many of its domain
	domain string // "" if its URLs are not counted
	left   []*int64
}

// scarce is the room below which every URL is looked up, so that only new ones use
// it up. It is above the links that one answer may have.
const scarce = 1 << 16

// roomFor tells whether the budgets of the host, its domain and the job leave room
// for a URL. One that is known already needs none. What other visits add at the same
// time is not counted, so a budget may be overshot by that.
func (c *Crawler) roomFor(ctx context.Context, e *ending, url string) bool {
	if c.MaxHostURLs <= 0 && c.MaxDomainURLs <= 0 && c.MaxJobURLs <= 0 && c.Traps.Hosts <= 0 {
		return true
	}
	host := frontier.HostKey(url)
	r, seen := e.rooms.hosts[host]
	if !seen {
		r = c.room(ctx, &e.rooms, host)
	}
	if r.none {
		return false
	}
	plenty, used := true, false
	for _, left := range r.left {
		plenty, used = plenty && *left >= scarce, used || *left <= 0
	}
	if plenty {
		return true
	}
	if _, err := c.Queue.Why(ctx, url); err == nil {
		return true
	}
	if used {
		return false
	}
	for _, left := range r.left {
		*left--
	}
	if r.domain != "" {
		c.domainURLs.grow(host, r.domain)
	}
	return true
}

// room looks up what is left for a host.
func (c *Crawler) room(ctx context.Context, all *rooms, host string) room {
	if all.hosts == nil {
		all.hosts, all.domains = map[string]room{}, map[string]*int64{}
	}
	h, err := c.Queue.Host(ctx, host)
	r := room{none: c.traps.NewHost(host) != "" && errors.Is(err, frontier.ErrUnknown)}
	if c.MaxHostURLs > 0 {
		left := c.MaxHostURLs - int64(h.Known)
		r.left = append(r.left, &left)
	}
	if c.MaxDomainURLs > 0 {
		r.domain = frontier.Domain(host)
		known, counted := c.domainURLs.note(host, r.domain, int64(h.Known))
		r.none = r.none || !counted
		left := all.domains[r.domain]
		if left == nil {
			left = new(int64)
			all.domains[r.domain] = left
		}
		*left = c.MaxDomainURLs - known // every host that is looked up makes the sum better
		r.left = append(r.left, left)
	}
	if c.MaxJobURLs > 0 {
		if all.job == nil {
			left := c.MaxJobURLs
			if s, err := c.Queue.Stats(ctx); err == nil {
				left -= s.Known
			}
			all.job = &left
		}
		r.left = append(r.left, all.job)
	}
	all.hosts[host] = r
	return r
}

// domainURLs counts the known URLs of registrable domains: the frontier counts those
// of hosts.
type domainURLs struct {
	mu    sync.Mutex
	hosts map[string]int64
	sums  map[string]int64
}

func newDomainURLs() *domainURLs {
	return &domainURLs{hosts: map[string]int64{}, sums: map[string]int64{}}
}

// note takes down how many URLs of a host are known, unless more are on their way,
// and returns how many of its domain are. Beyond maxSpenders hosts it counts no
// others: counted is false.
func (d *domainURLs) note(host, domain string, known int64) (sum int64, counted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, there := d.hosts[host]
	if !there && len(d.hosts) >= maxSpenders {
		return d.sums[domain], false
	}
	known = max(known, before)
	d.hosts[host] = known
	d.sums[domain] += known - before
	return d.sums[domain], true
}

// grow counts a URL that is about to become known.
func (d *domainURLs) grow(host, domain string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts[host]++
	d.sums[domain]++
}

// countDomains reads how many URLs of each host are known, if that is bounded.
func (c *Crawler) countDomains(ctx context.Context) error {
	for cursor := ""; c.MaxDomainURLs > 0; {
		hosts, next, err := c.Queue.ListHosts(ctx, cursor, 1000)
		if err != nil {
			return fmt.Errorf("crawler: count the URLs of domains: %w", err)
		}
		for i := range hosts {
			c.domainURLs.note(hosts[i].Name, frontier.Domain(hosts[i].Name), int64(hosts[i].Known))
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	return nil
}
