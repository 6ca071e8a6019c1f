package bolt

import (
	"bytes"
	"container/heap"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// granter reads the queue for one claim.
type granter struct {
	e           *Engine
	urls, hosts *bbolt.Bucket
	ready       *bbolt.Cursor
	now         int64
}

// grant takes up to req.MaxHosts grants from the ready hosts, best head first.
// The caller holds mu.
func (e *Engine) grant(tx *bbolt.Tx, req *frontier.ClaimRequest, now int64) ([]frontier.Grant, error) {
	g := granter{e: e, urls: tx.Bucket(bucketURLs), hosts: tx.Bucket(bucketHosts),
		ready: tx.Bucket(bucketReady).Cursor(), now: now}
	var grants []frontier.Grant
	for len(grants) < req.MaxHosts && e.ready.Len() > 0 {
		h := e.ready.hosts[0]
		best, ok := g.best(h)
		if !ok {
			h.avail = 0 // nothing there after all
			e.place(h, now)
			continue
		}
		if best.rank > h.head { // head was only a bound: is another host better?
			h.head = best.rank
			heap.Fix(&e.ready, 0)
			if e.ready.hosts[0] != h {
				continue
			}
		}
		grant, err := g.take(h, req)
		if err != nil {
			return grants, err
		}
		if len(grant.URLs) > 0 {
			grants = append(grants, grant)
		}
		e.place(h, now)
	}
	return grants, nil
}

// best returns the first claimable place of a host, reading on where the
// buffer is empty.
func (g *granter) best(h *host) (entry, bool) {
	for {
		n, ok := h.buf.best()
		if ok {
			if h.flight(n.hash) == nil {
				return n, true
			}
			h.buf.pop() // stood twice in the queue while its rank changed
			continue
		}
		if h.buf.loaded && h.buf.whole {
			if h.avail > 0 { // counted, but not in the buffer: look once more from the start
				h.buf = buffer{}
				if g.fill(h) {
					continue
				}
			}
			return entry{}, false
		}
		g.fill(h)
	}
}

// fill reads the next places of a host into its empty buffer.
func (g *granter) fill(h *host) (some bool) {
	b := &h.buf
	start := readyKeyOf(h.id, b.bound.rank, b.bound.hash)
	prefix := start[:4]
	k, _ := g.ready.Seek(start[:])
	if b.loaded && bytes.Equal(k, start[:]) {
		k, _ = g.ready.Next()
	}
	b.loaded, b.whole = true, true
	var read [bufferFill]entry
	n := 0
	for ; k != nil && bytes.HasPrefix(k, prefix); k, _ = g.ready.Next() {
		rank, hash := splitReadyKey(k)
		if h.flight(hash) != nil {
			continue
		}
		if n == bufferFill {
			b.whole = false
			break
		}
		read[n] = entry{rank, hash}
		n++
	}
	b.entries = b.entries[:0]
	for i := n - 1; i >= 0; i-- {
		b.entries = append(b.entries, read[i])
	}
	if n > 0 {
		b.bound = read[n-1]
	}
	if h.found > 0 { // not in the ready queue yet
		for key, rank := range g.e.found {
			if hash, ok := key.of(h.id); ok {
				b.insert(entry{rank, hash})
			}
		}
	}
	return len(b.entries) > 0
}

// take makes a grant of the best URLs of a host.
func (g *granter) take(h *host, req *frontier.ClaimRequest) (frontier.Grant, error) {
	e := g.e
	l := &lease{host: h, slot: h.freeSlot(e.o.slots(h.name)), deadline: g.now + req.TTL.Milliseconds()}
	var items []frontier.Item
	for len(items) < req.PerGrant && h.avail > 0 {
		n, ok := g.best(h)
		if !ok {
			h.avail = 0
			break
		}
		h.buf.pop()
		item, f, err := g.read(h, n)
		if err != nil {
			return frontier.Grant{}, err
		}
		if item == nil {
			continue // it was not counted in avail either
		}
		h.avail--
		items = append(items, *item)
		h.flying = append(h.flying, f)
		l.urls = append(l.urls, leased{f.hash, item.URL})
	}
	if next, ok := h.buf.best(); ok {
		h.head = next.rank
	}
	if len(items) == 0 {
		return frontier.Grant{}, nil
	}
	e.flying += len(items)
	e.token++
	l.token = e.token
	h.slots[l.slot] = l
	h.leased++
	heap.Push(&e.leases, l)
	return frontier.Grant{
		GrantRef: frontier.GrantRef{Host: h.name, Slot: l.slot, Token: l.token},
		Deadline: fromMillis(l.deadline), URLs: items,
	}, nil
}

// freeSlot finds a free slot; there is one.
func (h *host) freeSlot(slots int) int {
	for i, l := range h.slots {
		if l == nil && i < slots {
			return i
		}
	}
	h.slots = append(h.slots, nil)
	return len(h.slots) - 1
}
