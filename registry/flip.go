package registry

import (
	"context"
	"fmt"
)

// maxFlips bounds the cards that one operation turns stale.
const maxFlips = 512

// current makes the catalog say what is true now: cards whose proof has run out
// are turned stale, with a new ETag and a place in the feed (BC-R-902, BC-R-903,
// BC-P-017). Readers call it before they answer, so it holds with no scheduler
// running. It costs a look at one number when nothing is due.
func (s *Server) current(ctx context.Context) error {
	for {
		now := instantOf(s.clock())
		domains := s.shelf.expired(now)
		if len(domains) == 0 {
			return nil
		}
		err := s.shelf.update(ctx, func(b *batch) error {
			for _, domain := range domains {
				if err := b.turnStale(domain, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("registry: turn cards stale: %w", err)
		}
	}
}

// expired gives some of the domains whose proof has run out but is still shown.
func (s *shelf) expired(now instant) []string {
	s.mu.RLock()
	idle := len(s.catalog.expiry) == 0 || s.catalog.expiry[0].at > now
	s.mu.RUnlock()
	if idle {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.catalog.expired(now)
}

// expired looks at the head of the timetable and drops what no longer stands.
// What stands stays in it until its site is replaced, so that a failed commit
// loses nothing.
func (c *catalog) expired(now instant) []string {
	domains := c.expiry.due(now, maxFlips, c.expires)
	for _, domain := range domains {
		c.expiry.set(domain, c.sites[domain].expires(), true)
	}
	return domains
}

func (b *batch) turnStale(domain string, now instant) error {
	known := b.site(domain)
	if known == nil || known.expires() == 0 || known.expires() > now {
		return nil
	}
	next := *known
	next.stale = true
	return b.put(&next)
}
