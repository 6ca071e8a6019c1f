package registry

import (
	"fmt"
	"sync"

	"go.etcd.io/bbolt"
)

// cacheBytes bounds the prepared cards in memory, their coded forms included.
const cacheBytes = 16 << 20

// prepared is the cache of served cards in front of the state file. It holds no
// card in two states: an entry of another ETag is replaced.
type prepared struct {
	mu    sync.Mutex
	docs  map[string]preparedCard
	bytes int64
}

type preparedCard struct {
	doc   *document
	bytes int64 // counted for it
}

func newPrepared() *prepared { return &prepared{docs: make(map[string]preparedCard)} }

// find gives the document of a domain if it is that of the ETag.
func (p *prepared) find(domain string, tag etag) *document {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.docs[domain].doc; d != nil && d.tag == tag {
		return d
	}
	return nil
}

// documentOverhead is about what a cached document costs beside its octets.
const documentOverhead = 384

// keep puts a new document into the cache. When it is full, entries go in no
// particular order: a catalog is read from end to end as often as not, and
// nothing beats chance then.
func (p *prepared) keep(domain string, d *document) {
	cost := int64(len(d.octets)) + documentOverhead
	d.onGrow = func(n int64) { p.grow(domain, d, n) }
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += cost - p.docs[domain].bytes
	p.docs[domain] = preparedCard{d, cost}
	p.shrink()
}

// grow counts a coded form that a document has made, if it is still here.
func (p *prepared) grow(domain string, d *document, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.docs[domain]; e.doc == d {
		p.docs[domain] = preparedCard{d, e.bytes + n}
		p.bytes += n
		p.shrink()
	}
}

func (p *prepared) shrink() {
	for domain, e := range p.docs {
		if p.bytes <= cacheBytes {
			return
		}
		p.bytes -= e.bytes
		delete(p.docs, domain)
	}
}

// served gives the document of a card, nil if there is none. A commit is visible
// in the state file a moment before it is in the catalog; who comes upon that
// moment waits for its end and looks again.
func (s *Server) served(domain string) (*site, *document, error) {
	for {
		known := s.shelf.lookup(domain)
		if known == nil || !known.hasCard() {
			return known, nil, nil
		}
		if d := s.prepared.find(domain, known.etag); d != nil {
			return known, d, nil
		}
		octets, err := s.shelf.render(known)
		if err == nil {
			d := newDocument(jsonType, octets)
			d.cache = cardCache(known)
			s.prepared.keep(domain, d)
			return known, d, nil
		}
		s.shelf.settle()
		if s.shelf.lookup(domain) == known {
			return nil, nil, err
		}
	}
}

// render gives the octets of a card as the catalog knows it.
func (s *shelf) render(known *site) (octets []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		rev, raw, err := readCard(tx, known.domain)
		if err == nil && rev != known.rev {
			err = fmt.Errorf("%w: card of %q has revision %d, not %d", ErrDamaged, known.domain, rev, known.rev)
		}
		if err == nil {
			octets = render(make([]byte, 0, len(raw)+512), raw, known)
		}
		return err
	})
	return octets, err
}
