package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// MaxHostLines is the longest list of [Crawler.HostList].
const MaxHostLines = 10_000

// ErrHostOrder is an order that is none.
var ErrHostOrder = errors.New("crawler: hosts are listed by next, queued, failures or name")

// HostQuery asks for the hosts that have something to do.
type HostQuery struct {
	Limit int    `json:"limit"` // lines at most; 0 is MaxHostLines
	Sort  string `json:"sort"`  // next (or ""), queued, failures, name
}

// HostList is how the hosts of a job stand. The counts are over all of them,
// whatever Limit says.
type HostList struct {
	Ready   int        `json:"ready"`   // may be asked now
	Waiting int        `json:"waiting"` // for their delay, or for a request under way
	Blocked int        `json:"blocked"` // for longer than a minute
	Later   int        `json:"later"`   // have only URLs that are due later
	Hosts   []HostLine `json:"hosts"`
	More    int        `json:"more"` // hosts that are not in the list
}

// HostLine is one host with queued URLs.
type HostLine struct {
	Host     string     `json:"host"`
	State    string     `json:"state"`            // ready, waiting, blocked, later
	Reason   string     `json:"reason,omitempty"` // why it is not ready
	Paused   bool       `json:"paused,omitempty"`
	Next     *time.Time `json:"next,omitempty"` // not asked before
	Queued   int        `json:"queued"`
	Leased   int        `json:"leased"` // of them, those under way
	Known    int        `json:"known"`
	DelayMS  int64      `json:"delay_ms"`
	Failures int        `json:"failures"` // in a row, throttling included

	next time.Time
}

// The states of a host line.
const (
	hostReady   = "ready"
	hostWaiting = "waiting"
	hostBlocked = "blocked"
	hostLater   = "later"
)

// blockedAfter is the wait from which a host counts as blocked, as the counts of
// the frontier do.
const blockedAfter = time.Minute

// HostList lists the hosts that have something to do. It reads every host once, a
// page at a time, and keeps no more than it returns: 100,000 hosts take a moment
// and no memory. It makes no request.
func (c *Crawler) HostList(ctx context.Context, q HostQuery) (HostList, error) {
	order, err := hostOrder(q.Sort)
	if err != nil {
		return HostList{}, err
	}
	limit := min(q.Limit, MaxHostLines)
	if limit <= 0 {
		limit = MaxHostLines
	}
	if err := c.spent.load(ctx, c.Queue, c.Clock()); err != nil {
		return HostList{}, err
	}
	var list HostList
	now, total := c.Clock(), 0
	for cursor := ""; ; {
		hosts, next, err := c.Queue.ListHosts(ctx, cursor, 1000)
		if err != nil {
			return HostList{}, fmt.Errorf("crawler: list hosts: %w", err)
		}
		for i := range hosts {
			line, busy := c.hostLine(&hosts[i], now)
			if !busy {
				continue
			}
			total++
			list.count(line.State)
			list.Hosts = append(list.Hosts, line)
		}
		if len(list.Hosts) > 2*limit || next == "" {
			slices.SortFunc(list.Hosts, order)
			list.Hosts = slices.Clip(list.Hosts[:min(len(list.Hosts), limit)])
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	list.More = total - len(list.Hosts)
	for i := range list.Hosts {
		if err := c.hostDetails(ctx, &list.Hosts[i]); err != nil {
			return HostList{}, err
		}
	}
	slices.SortFunc(list.Hosts, order)
	return list, nil
}

func (l *HostList) count(state string) {
	switch state {
	case hostReady:
		l.Ready++
	case hostWaiting:
		l.Waiting++
	case hostBlocked:
		l.Blocked++
	default:
		l.Later++
	}
}

// hostLine judges a host by its record alone; busy is false if it has nothing
// queued.
func (c *Crawler) hostLine(h *frontier.Host, now time.Time) (line HostLine, busy bool) {
	line = HostLine{Host: h.Name, Paused: h.Paused, Queued: h.Ready + h.Future + h.Leased, Leased: h.Leased, Known: h.Known, next: h.Next}
	p, err := pace.ReadState(h.Pace)
	if err == nil {
		line.Failures = p.Failures + p.Throttles
	}
	ahead := h.Next.Sub(now)
	switch {
	case h.Paused, h.Ready > 0 && ahead > blockedAfter:
		line.State = hostBlocked
	case h.Ready > 0 && ahead <= 0 && h.Leased == 0:
		line.State = hostReady
		return line, true
	case h.Ready > 0 || h.Leased > 0:
		line.State = hostWaiting
	default:
		line.State = hostLater
		return line, h.Future > 0
	}
	switch {
	case h.Paused:
	case ahead <= 0:
		line.Reason = pace.ReasonInFlight
	case err == nil && h.Next.Sub(p.Until) <= time.Millisecond: // the queue keeps whole ones
		line.Reason = p.Reason
	default:
		line.Reason = pace.ReasonNotYet
	}
	return line, true
}

// waitSample is how many URLs of a host are looked at for the reason why none of
// them is due.
const waitSample = 256

// hostDetails fills in what is worth a look-up for a host that is listed.
func (c *Crawler) hostDetails(ctx context.Context, line *HostLine) error {
	line.DelayMS = c.Pace.Delay(line.Host).Milliseconds()
	if line.State == hostLater {
		urls, _, err := c.Queue.ListHost(ctx, line.Host, "", waitSample)
		if err != nil && !errors.Is(err, frontier.ErrUnknown) {
			return fmt.Errorf("crawler: list hosts: %w", err)
		}
		line.next = time.Time{}
		for _, u := range urls {
			if u.State == frontier.Future && (line.next.IsZero() || u.Due.Before(line.next)) {
				line.next, line.Reason = u.Due, u.Reason
			}
		}
	}
	if until, used := c.spent.until(line.Host, c.Clock()); used && line.Reason == pace.ReasonNotYet && !line.next.Before(until) {
		line.Reason = string(politeness.ScopeBudget)
	}
	if line.State != hostReady {
		line.Next = optional(line.next)
	}
	return nil
}

func hostOrder(name string) (func(a, b HostLine) int, error) {
	byName := func(a, b HostLine) int { return cmp.Compare(a.Host, b.Host) }
	byState := func(a, b HostLine) int { return cmp.Compare(stateOrder(a.State), stateOrder(b.State)) }
	switch name {
	case "", "next":
		return func(a, b HostLine) int {
			at := 0
			if a.State != hostReady {
				at = a.next.Compare(b.next)
			}
			return cmp.Or(byState(a, b), at, byName(a, b))
		}, nil
	case "queued":
		return func(a, b HostLine) int { return cmp.Or(cmp.Compare(b.Queued, a.Queued), byName(a, b)) }, nil
	case "failures":
		return func(a, b HostLine) int { return cmp.Or(cmp.Compare(b.Failures, a.Failures), byName(a, b)) }, nil
	case "name":
		return byName, nil
	}
	return nil, fmt.Errorf("%w, not by %q", ErrHostOrder, name)
}

func stateOrder(state string) int {
	return slices.Index([]string{hostReady, hostWaiting, hostBlocked, hostLater}, state)
}
