package registry

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
)

// catalog is the state in memory: what is committed, and nothing else. Its
// owner's lock guards it; the sites themselves never change.
type catalog struct {
	sites  map[string]*site
	listed int

	// order holds the sites by domain, but for those in fresh, which wait until
	// somebody asks for the order. Entries of replaced sites are renewed then.
	order []*site
	dirty bool
	fresh []string

	// feed is the change feed in the order of its sequence. An entry is live
	// while its domain still has that sequence; dead ones are dropped when they
	// outnumber the live ones, so a page costs what it shows.
	feed []change
	live int

	expiry timetable // when proofs run out
	checks timetable // when proofs are to be checked
}

type change struct {
	seq    uint64
	domain string
}

func newCatalog() *catalog {
	return &catalog{sites: make(map[string]*site)}
}

// replace puts next, which may be nil for a domain that is forgotten, in the
// place of what is known about the domain.
func (c *catalog) replace(domain string, next *site) {
	old := c.sites[domain]
	if old != nil && old.listed {
		c.listed--
	}
	if old != nil && old.inFeed() && (next == nil || next.seq != old.seq) {
		c.live--
	}
	c.dirty = true
	if next == nil {
		delete(c.sites, domain)
		c.trim()
		return
	}
	c.sites[domain] = next
	if next.listed {
		c.listed++
	}
	if next.inFeed() && (old == nil || old.seq != next.seq) {
		c.live++
		c.feed = append(c.feed, change{next.seq, domain})
	}
	if old == nil {
		c.fresh = append(c.fresh, domain)
	}
	c.expiry.set(domain, next.expires(), old == nil || old.expires() != next.expires())
	c.checks.set(domain, next.next, old == nil || old.next != next.next)
	c.trim()
}

// replaceAll replaces several sites; the feed gets them in their order.
func (c *catalog) replaceAll(sites []*site) {
	slices.SortFunc(sites, func(a, b *site) int { return cmp.Compare(a.seq, b.seq) })
	for _, s := range sites {
		c.replace(s.domain, s)
	}
}

// add puts in a site while the catalog is loaded; they come by domain.
func (c *catalog) add(s *site) {
	c.sites[s.domain] = s
	c.order = append(c.order, s)
	if s.listed {
		c.listed++
	}
	if s.inFeed() {
		c.live++
		c.feed = append(c.feed, change{s.seq, s.domain})
	}
	if at := s.expires(); at != 0 {
		c.expiry = append(c.expiry, appointment{at, s.domain})
	}
	if s.next != 0 {
		c.checks = append(c.checks, appointment{s.next, s.domain})
	}
}

// ready ends the loading.
func (c *catalog) ready() {
	slices.SortFunc(c.feed, func(a, b change) int { return cmp.Compare(a.seq, b.seq) })
	heap.Init(&c.expiry)
	heap.Init(&c.checks)
}

// slack is how many dead entries are kept before they are looked for.
const slack = 1024

// trim drops dead entries of the feed and of the timetables when they outnumber
// the live ones.
func (c *catalog) trim() {
	if len(c.feed) > 2*c.live+slack {
		c.feed = slices.DeleteFunc(c.feed, func(e change) bool { return c.at(e) == nil })
	}
	if len(c.expiry) > 2*len(c.sites)+slack {
		c.expiry = slices.DeleteFunc(c.expiry, func(a appointment) bool { return !c.expires(a) })
		heap.Init(&c.expiry)
	}
	if len(c.checks) > 2*len(c.sites)+slack {
		c.checks = slices.DeleteFunc(c.checks, func(a appointment) bool { return !c.checkDue(a) })
		heap.Init(&c.checks)
	}
}

// expires and checkDue tell whether an appointment still stands.
func (c *catalog) expires(a appointment) bool {
	s := c.sites[a.domain]
	return s != nil && s.expires() == a.at
}

func (c *catalog) checkDue(a appointment) bool {
	s := c.sites[a.domain]
	return s != nil && s.hasCard() && s.next == a.at
}

// at is the site whose last change an entry is, nil if another one followed.
func (c *catalog) at(e change) *site {
	if s := c.sites[e.domain]; s != nil && s.seq == e.seq {
		return s
	}
	return nil
}

// after gives the position in the feed behind a sequence number.
func (c *catalog) after(seq uint64) int {
	i, _ := slices.BinarySearchFunc(c.feed, seq+1, func(e change, seq uint64) int { return cmp.Compare(e.seq, seq) })
	return i
}

// sorted gives all sites by domain. The slice is renewed, never changed, so a
// caller may keep it when it has given the lock back.
func (c *catalog) sorted() []*site {
	if !c.dirty {
		return c.order
	}
	slices.Sort(c.fresh)
	merged := make([]*site, 0, len(c.sites))
	take := func(domain string) {
		if s := c.sites[domain]; s != nil && (len(merged) == 0 || merged[len(merged)-1].domain != domain) {
			merged = append(merged, s)
		}
	}
	i := 0
	for _, s := range c.order {
		for ; i < len(c.fresh) && c.fresh[i] <= s.domain; i++ {
			take(c.fresh[i])
		}
		take(s.domain)
	}
	for _, domain := range c.fresh[i:] {
		take(domain)
	}
	c.order, c.fresh, c.dirty = merged, nil, false
	return merged
}

// timetable tells which domain is due next. An entry that no longer holds is
// dropped when its time comes, see due.
type timetable []appointment

type appointment struct {
	at     instant
	domain string
}

// set adds an appointment if it is a new one; zero is never.
func (t *timetable) set(domain string, at instant, changed bool) {
	if changed && at != 0 {
		heap.Push(t, appointment{at, domain})
	}
}

// due takes out the domains whose time has come, at most limit; holds tells
// whether an appointment still stands.
func (t *timetable) due(now instant, limit int, holds func(appointment) bool) []string {
	var domains []string
	for len(*t) > 0 && (*t)[0].at <= now && len(domains) < limit {
		a := heap.Pop(t).(appointment)
		if holds(a) {
			domains = append(domains, a.domain)
		}
	}
	return domains
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (t timetable) Len() int           { return len(t) }
func (t timetable) Less(i, j int) bool { return t[i].at < t[j].at }
func (t timetable) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timetable) Push(x any)        { *t = append(*t, x.(appointment)) }
func (t *timetable) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = appointment{}
	*t = old[:len(old)-1]
	return last
}

// from gives the position in sorted sites of the first domain behind one.
func from(sites []*site, after string) int {
	i, found := slices.BinarySearchFunc(sites, after, func(s *site, domain string) int { return strings.Compare(s.domain, domain) })
	if found {
		i++
	}
	return i
}
