package bolt

import (
	"slices"

	"heed/frontier"
)

// outcomeRef is an outcome of the group, to be sorted.
type outcomeRef struct {
	host uint32
	seq  int
	hash uint64
	op   *op
	*outcome
	first bool // of its settlement: gets the location of the attachment
}

// applyOutcomes closes URLs.
func (b *batch) applyOutcomes(group []*op) {
	var refs []outcomeRef
	for _, o := range group {
		if len(o.outcomes) == 0 {
			continue
		}
		var id uint32
		if o.live {
			id = o.host.id
		} else {
			var known bool
			if id, known = b.lookup(o.name); !known {
				continue
			}
		}
		for i := range o.outcomes {
			out := &o.outcomes[i]
			refs = append(refs, outcomeRef{id, len(refs), out.hash, o, out, i == 0})
		}
	}
	slices.SortFunc(refs, func(x, y outcomeRef) int { return byHostAndHash(x.host, x.hash, x.seq, y.host, y.hash, y.seq) })
	for i := range refs {
		b.settle(&refs[i])
		if b.err != nil {
			return
		}
	}
}

// settle applies one outcome. One from outside of any grant changes only a URL
// that is known and not in flight.
func (b *batch) settle(o *outcomeRef) {
	var r record
	k := urlKeyOf(o.host, o.hash)
	if o.op.live {
		if !r.decode(b.urls.Get(k[:])) {
			b.damaged("the record of %s is gone", o.URL)
			return
		}
	} else {
		form, rest := splitURL(o.URL, o.op.name)
		at, found := b.find(o.host, o.hash, form, rest, &r)
		if !found || b.err != nil {
			return
		}
		switch b.e.withdraw(o.host, entry{r.rank(), at}, r.state) {
		case inFlight:
			return
		case notTracked:
			if r.state == frontier.Ready { // it became known in this very group
				b.withdrawn = append(b.withdrawn, move{host: o.host, hash: at, rank: r.rank()})
			}
		}
		o.hash = at
	}
	h := b.row(o.host)
	if h == nil {
		return
	}
	b.leave(o.host, h, o.hash, &r)
	r.state, r.attempts, r.reason = o.State, uint32(max(o.Attempts, 0)), []byte(o.Reason)
	if r.state == frontier.Future || r.state == frontier.Ready {
		r.state, r.since = frontier.Ready, b.now
		if due := millisUp(o.Due); due > b.now {
			r.state, r.due, r.since = frontier.Future, due, due
		}
	}
	if location := o.location(); o.Page != nil || location != "" {
		b.setPage(&r, o.Page, location)
	}
	b.enter(o.host, h, o.hash, &r)
	b.store(o.host, o.hash, &r)
	b.landed = append(b.landed, move{host: o.host, hash: o.hash})
	if r.state == frontier.Ready {
		b.offered = append(b.offered, move{host: o.host, hash: o.hash, rank: r.rank()})
	}
}

// location is where the attachments of the settlement stored the body.
func (o *outcomeRef) location() string {
	if o.first {
		for _, a := range o.op.attach {
			if l := a.Location(); l != "" {
				return l
			}
		}
	}
	return ""
}

// setPage replaces the page, or its location only. A page without a location
// keeps the one that was held.
func (b *batch) setPage(r *record, page *frontier.Page, location string) {
	held, ok := decodePage(r.page)
	if !ok {
		b.damaged("a page cannot be read")
		return
	}
	next := held
	if page != nil {
		next = *page
	}
	if location != "" {
		next.Location = location
	} else if next.Location == "" {
		next.Location = held.Location
	}
	r.page = appendPage(nil, &next)
}
