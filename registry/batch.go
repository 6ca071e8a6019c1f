package registry

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"heed/registry/card"
)

// batch is one group of operations on its way into the state file. Operations
// see what those before them did. An operation that refuses has changed
// nothing: it decides first and changes then.
type batch struct {
	tx     *bbolt.Tx
	shelf  *shelf
	now    instant
	meta   meta
	sites  map[string]*site // nil for a domain that is forgotten
	people map[string]*publisher
	lines  []byte // of the write log
	dirty  bool
	buffer []byte
}

// site is what is known about a domain, nil for nothing.
func (b *batch) site(domain string) *site {
	if s, ok := b.sites[domain]; ok {
		return s
	}
	return b.shelf.catalog.sites[domain] // the writer is the only one that changes it
}

func (b *batch) publisher(id string) *publisher {
	if p, ok := b.people[id]; ok {
		return p
	}
	return b.shelf.people[id]
}

// card is the stored card; its octets belong to the transaction.
func (b *batch) card(domain string) (card.JSON, error) {
	_, raw, err := readCard(b.tx, domain)
	return raw, err
}

// revisionBytes is the length of the revision before a stored card.
const revisionBytes = 8

func readCard(tx *bbolt.Tx, domain string) (rev uint64, raw card.JSON, err error) {
	value := tx.Bucket(bucketCard).Get([]byte(domain))
	if len(value) < revisionBytes+2 {
		return 0, nil, fmt.Errorf("%w: no card of %q", ErrDamaged, domain)
	}
	return binary.BigEndian.Uint64(value), card.JSON(value[revisionBytes:]), nil
}

// setCard stores a new card and gives its revision. A revision is never used
// for two texts that a reader could see.
func (b *batch) setCard(domain string, raw []byte) (uint64, error) {
	rev := uint64(b.tx.ID())
	value := binary.BigEndian.AppendUint64(make([]byte, 0, revisionBytes+len(raw)), rev)
	if err := b.tx.Bucket(bucketCard).Put([]byte(domain), append(value, raw...)); err != nil {
		return 0, fmt.Errorf("registry: put card of %q: %w", domain, err)
	}
	b.dirty = true
	return rev, nil
}

// put stores what is known about a domain from now on: it computes the ETag of
// what will be served and gives a change of the list its place in the feed.
func (b *batch) put(next *site) error {
	if next.hasCard() {
		raw, err := b.card(next.domain)
		if err != nil {
			return err
		}
		b.buffer = render(b.buffer[:0], raw, next)
		next.etag = etagOf(b.buffer)
	}
	old := b.site(next.domain)
	was := old != nil && old.listed
	switch {
	case next.listed && (!was || old.etag != next.etag):
		b.meta.Head++
		next.seq, next.removed = b.meta.Head, 0
	case !next.listed && was:
		b.meta.Head++
		next.seq, next.removed = b.meta.Head, b.now
	}
	return b.store(next)
}

// store puts the record of a domain as it is.
func (b *batch) store(next *site) error {
	b.buffer = appendSite(b.buffer[:0], next)
	if err := b.tx.Bucket(bucketSite).Put([]byte(next.domain), append([]byte(nil), b.buffer...)); err != nil {
		return fmt.Errorf("registry: put record of %q: %w", next.domain, err)
	}
	b.sites[next.domain] = next
	b.dirty = true
	return nil
}

// forget removes all that is known about a domain.
func (b *batch) forget(domain string) error {
	if err := b.dropCard(domain); err != nil {
		return err
	}
	if err := b.tx.Bucket(bucketSite).Delete([]byte(domain)); err != nil {
		return fmt.Errorf("registry: delete record of %q: %w", domain, err)
	}
	b.sites[domain] = nil
	b.dirty = true
	return nil
}

func (b *batch) dropCard(domain string) error {
	if err := b.tx.Bucket(bucketCard).Delete([]byte(domain)); err != nil {
		return fmt.Errorf("registry: delete card of %q: %w", domain, err)
	}
	b.dirty = true
	return nil
}

// log adds a line to the write log.
func (b *batch) log(e logEntry) {
	e.At = b.now.String()
	b.lines = appendEntry(b.lines, e)
}

// finish puts the meta record.
func (b *batch) finish() error {
	b.meta.LogBytes += int64(len(b.lines))
	return putJSON(b.tx.Bucket(bucketMeta), keyMeta, b.meta)
}
