package pace

import (
	"hash/maphash"
	"sync"
	"time"
)

// shardCount spreads hosts over mutexes so that workers seldom meet at one.
const shardCount = 64

type shard struct {
	mu    sync.Mutex
	hosts map[string]*host
	stats Stats
	sweep int // size at which idle hosts are dropped next
}

func (p *Pacer) shard(name string) *shard {
	return &p.shards[maphash.String(p.seed, name)%shardCount]
}

// touch returns the state of a host, reading it from the shelf the first time.
// The shard's mutex is held: a first touch costs one read under it, and saves
// two readers of one host from each taking a slot. An error means that nothing
// is known; the host is not kept, so the next touch reads again.
func (p *Pacer) touch(s *shard, name string, now time.Time) (*host, error) {
	if h := s.hosts[name]; h != nil {
		h.settleClock(&p.opts, now)
		return h, nil
	}
	h, err := p.load(s, name, now)
	if err != nil {
		s.stats.ShelfErrors++
		return nil, err
	}
	if len(s.hosts) >= s.sweep {
		p.dropIdle(s, now)
	}
	s.hosts[name] = h
	return h, nil
}

// dropIdle forgets hosts that a reload would bring back as they are. Where the
// shard has grown to twice its share it also forgets idle hosts with counts or
// a Crawl-delay that nobody has stored: a stranger with endless host names must
// not fill the memory, and no next time is lost.
func (p *Pacer) dropIdle(s *shard, now time.Time) {
	share := max(1, p.opts.MaxHosts/shardCount)
	full := len(s.hosts) >= 2*share
	for name, h := range s.hosts {
		if h.inFlight > 0 || (h.unsaved && !full) {
			continue
		}
		if h.quiet(&p.opts, now) {
			delete(s.hosts, name)
		}
	}
	// A sweep that freed little is not repeated for every new host.
	s.sweep = max(share, len(s.hosts)+share/4+1)
}
