package bolt

import "heed/frontier"

type tracking uint8

const (
	notTracked tracking = iota // the schedule does not hold the URL
	inFlight                   // handed out, or settled and not committed
	taken                      // now in flight, on the way to its commit
)

// withdraw takes a URL out of the queue of its host for the writer, so that it
// is not handed out between now and the commit of the outcome.
func (e *Engine) withdraw(id uint32, n entry, state frontier.State) tracking {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	if err := e.loadHosts(now); err != nil {
		return inFlight
	}
	h := e.byID[id]
	if h == nil {
		return notTracked
	}
	if h.flight(n.hash) != nil {
		return inFlight
	}
	key := urlKeyOf(id, n.hash)
	_, due := e.found[key]
	switch {
	case due:
		delete(e.found, key)
		h.found--
		h.avail--
	case state == frontier.Ready:
		h.avail--
	default:
		return notTracked
	}
	h.buf.remove(n)
	h.flying = append(h.flying, flight{entry: n, future: due, pending: true})
	e.flying++
	e.pending++
	e.place(h, now)
	return taken
}

// publish tells the schedule what was committed. The caller holds mu.
func (e *Engine) publish(b *batch, group []*op) {
	now := e.now()
	touched := map[*host]struct{}{}
	touch := func(h *host) {
		if _, done := touched[h]; !done {
			touched[h] = struct{}{}
			h.put(nil) // a heap can be put in order again after one change, not after many
		}
	}
	for _, o := range group {
		e.unpin(o, touch)
	}
	at := func(id uint32, create bool) *host {
		h := e.byID[id]
		if h == nil && create {
			if row := b.rows[id]; row != nil {
				h = e.addHost(id, row, now)
			}
		}
		if h != nil {
			touch(h)
		}
		return h
	}
	for _, m := range b.landed {
		if h := at(m.host, false); h != nil {
			if f, ok := h.land(m.hash); ok {
				e.flying--
				if f.pending {
					e.pending--
				}
			}
		}
	}
	if e.loaded && b.txid > e.loadTx { // else loadHosts has counted them
		for _, m := range b.offered {
			h := at(m.host, true)
			h.avail++
			h.head = min(h.head, m.rank)
			if h.flight(m.hash) == nil {
				h.buf.insert(entry{m.rank, m.hash})
			}
		}
		for _, m := range b.withdrawn {
			if h := at(m.host, false); h != nil && h.flight(m.hash) == nil {
				h.avail--
				h.buf.remove(entry{m.rank, m.hash})
			}
		}
	}
	for _, m := range b.moved { // after the others: a URL may be offered and moved in one group
		if h := at(m.host, false); h != nil {
			e.publishMoved(h, m)
		}
	}
	for _, m := range b.promoted {
		e.publishPromoted(at(m.host, true), m)
	}
	e.noteFuture(b.futureDue)
	for _, s := range b.seen {
		e.seen.put(s.hash, s.score, s.depth)
	}
	for h := range touched {
		e.place(h, now)
	}
	e.wake()
}

// unpin undoes what push did, and applies what only the commit decided.
func (e *Engine) unpin(o *op, touch func(*host)) {
	switch {
	case o.name == "":
		return
	case o.host != nil:
		o.host.pins--
		touch(o.host)
	case o.next != 0 && o.kind != opUpdate:
		if p := e.pinned[o.name]; p.count > 1 {
			p.count--
			e.pinned[o.name] = p
		} else {
			delete(e.pinned, o.name)
		}
	}
	if o.kind != opUpdate || o.refused {
		return
	}
	if h := e.byName[o.name]; h != nil {
		touch(h)
		if o.next != 0 && o.seq > h.nextBy {
			h.next, h.nextBy = o.next, o.seq
		}
		if o.paused != nil {
			h.paused = *o.paused
		}
	}
}

// publishMoved gives a URL its new rank.
func (e *Engine) publishMoved(h *host, m move) {
	if f := h.flight(m.hash); f != nil {
		f.rank = m.rank
		return
	}
	if m.future {
		key := urlKeyOf(m.host, m.hash)
		if _, due := e.found[key]; !due {
			return // not claimable yet
		}
		e.found[key] = m.rank
	}
	h.head = min(h.head, m.rank)
	h.buf.remove(entry{m.old, m.hash})
	h.buf.insert(entry{m.rank, m.hash})
}
