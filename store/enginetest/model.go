package enginetest

import (
	"cmp"
	"slices"
	"time"

	"heed/frontier"
)

// model is a frontier as simple as can be: maps, and a scan for everything.
type model struct {
	now   time.Time
	urls  map[string]*modelURL
	hosts map[string]*modelHost
	tally frontier.Tally
	pass  uint64
	token uint64
	soft  time.Time // hosts that become known may be held back until then, after a crash
}

type modelURL struct {
	frontier.Item
	state  frontier.State // Ready, Future or settled
	since  time.Time
	due    time.Time
	reason string
	grant  *modelGrant // live one, nil if there is none
}

type modelHost struct {
	next   time.Time // not granted before
	soft   time.Time // an engine may hold it back until then
	paused bool
	pace   string
	grant  *modelGrant
}

type modelGrant struct {
	ref      frontier.GrantRef
	deadline time.Time
	urls     []*modelURL
}

func newModel(now time.Time) *model {
	return &model{now: now, urls: map[string]*modelURL{}, hosts: map[string]*modelHost{}}
}

func (m *model) host(name string) *modelHost {
	h := m.hosts[name]
	if h == nil {
		h = &modelHost{soft: m.soft}
		m.hosts[name] = h
	}
	return h
}

// hostsWithPages counts the hosts of the job: those that have a page.
func (m *model) hostsWithPages() int64 {
	hosts := map[string]struct{}{}
	for url := range m.urls {
		if frontier.IsPage(url) {
			hosts[frontier.HostKey(url)] = struct{}{}
		}
	}
	return int64(len(hosts))
}

// advance moves the time: future URLs come due, grants lapse.
func (m *model) advance(now time.Time) {
	m.now = now
	for _, h := range m.hosts {
		if g := h.grant; g != nil && !g.deadline.After(now) {
			m.end(h)
			h.soft = later(h.soft, g.deadline.Add(Delay))
		}
	}
	for _, u := range m.urls {
		if u.state == frontier.Future && !u.due.After(now) {
			u.state = frontier.Ready
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// end ends the grant of a host; its URLs are what they were.
func (m *model) end(h *modelHost) {
	for _, u := range h.grant.urls {
		u.grant = nil
	}
	h.grant = nil
}

func (m *model) discover(cs []frontier.Candidate) (added int) {
	for _, c := range cs {
		u := m.urls[c.URL]
		if u == nil {
			u = &modelURL{state: frontier.Ready, since: m.now, Item: frontier.Item{Candidate: c, Pass: m.pass}}
			if u.NotBefore.After(m.now) {
				u.state, u.due, u.since = frontier.Future, u.NotBefore, u.NotBefore
			}
			u.NotBefore = time.Time{}
			m.urls[c.URL] = u
			m.host(c.Host)
			added++
			continue
		}
		u.Score, u.Depth = max(u.Score, c.Score), min(u.Depth, c.Depth)
	}
	return added
}

// rank is the place of a URL in the queue.
func (u *modelURL) rank() uint64 { return frontier.Rank(u.Score, u.Depth, u.since) }

// claimable lists the URLs of a host that are due, best rank first.
func (m *model) claimable(name string) []*modelURL {
	var due []*modelURL
	for _, u := range m.urls {
		if u.Host == name && u.state == frontier.Ready && u.grant == nil {
			due = append(due, u)
		}
	}
	slices.SortFunc(due, func(a, b *modelURL) int { return cmp.Compare(a.rank(), b.rank()) })
	return due
}

// may tells whether a host may be granted, and whether an engine may hold it
// back all the same.
func (m *model) may(h *modelHost) (may, maybe bool) {
	may = !h.paused && h.grant == nil && !h.next.After(m.now)
	return may, h.soft.After(m.now)
}

// settle applies a settlement.
func (m *model) settle(s *frontier.Settlement) (v frontier.Verdict) {
	h := m.hosts[s.Grant.Host]
	live := s.Grant.Token == 0
	if h != nil && h.grant != nil && h.grant.ref == s.Grant {
		live = true
		m.end(h)
	}
	v.Stale = !live
	v.Added = m.discover(s.Links)
	if !live {
		return v
	}
	if !s.HostNext.IsZero() {
		m.host(s.Grant.Host).next = s.HostNext
	}
	if s.Pace != nil {
		m.host(s.Grant.Host).pace = string(s.Pace)
	}
	for i, n := range s.Tally {
		m.tally[i] += n
	}
	for i := range s.Outcomes {
		if u := m.urls[s.Outcomes[i].URL]; u != nil && u.grant == nil {
			m.close(u, &s.Outcomes[i])
		}
	}
	return v
}

func (m *model) close(u *modelURL, o *frontier.Outcome) {
	u.state, u.Attempts, u.reason = o.State, o.Attempts, o.Reason
	if o.State == frontier.Future {
		u.since = later(o.Due, m.now)
		u.due = o.Due
		if !o.Due.After(m.now) {
			u.state = frontier.Ready
		}
	}
	if o.Page != nil {
		location := u.Page.Location
		if u.Page = *o.Page; u.Page.Location == "" {
			u.Page.Location = location
		}
	}
}

// renew makes a pass.
func (m *model) renew(pass uint64, refresh bool) (queued int) {
	if pass <= m.pass {
		return 0
	}
	m.pass = pass
	for _, u := range m.urls {
		if u.state.Settled() && u.Pass < pass && (refresh || !u.Page.FreshUntil.After(m.now)) {
			u.state, u.since, u.Attempts, u.Pass = frontier.Ready, m.now, 0, pass
			queued++
		}
	}
	return queued
}

// restart forgets all grants; after a crash every host waits one delay.
func (m *model) restart(unclean bool) {
	if unclean {
		m.soft = m.now.Add(Delay)
	}
	for _, h := range m.hosts {
		if h.grant != nil {
			m.end(h)
		}
		if unclean {
			h.next = later(h.next, m.now.Add(Delay))
		}
		h.soft = m.soft
	}
}

// shown is the state of a URL as reported.
func (u *modelURL) shown() frontier.State {
	if u.grant != nil {
		return frontier.Leased
	}
	return u.state
}
