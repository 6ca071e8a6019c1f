package bolt

import (
	"slices"

	"heed/frontier"
)

// applyHosts changes the hosts that settlements and updates name.
func (b *batch) applyHosts(group []*op) {
	for _, o := range group {
		for i := range o.tally {
			b.meta.tally[i] += o.tally[i]
		}
		if o.name == "" {
			continue
		}
		if o.kind == opUpdate {
			b.update(o)
			continue
		}
		if o.next == 0 && o.pace == nil {
			continue
		}
		h := b.row(b.idOf(o))
		if h == nil {
			return
		}
		h.dirty = true
		if o.next != 0 {
			h.next = o.next
		}
		if o.pace != nil {
			h.pace = o.pace
		}
	}
}

// idOf is the id of the host an operation names.
func (b *batch) idOf(o *op) uint32 {
	if o.host != nil {
		return o.host.id
	}
	return b.hostID(o.name)
}

// update is UpdateHost: nothing, if the version is another one.
func (b *batch) update(o *op) {
	id, known := b.lookup(o.name)
	if !known {
		if o.refused = o.version != 0; o.refused {
			return
		}
		id = b.hostID(o.name)
	}
	h := b.row(id)
	if h == nil {
		return
	}
	if o.refused = h.version != o.version; o.refused {
		return
	}
	h.version++
	h.dirty = true
	if o.next != 0 {
		h.next = o.next
	}
	if o.paused != nil {
		h.paused = *o.paused
	}
	if o.pace != nil {
		h.pace = o.pace
	}
}

// linkRef is a link of the group, to be sorted.
type linkRef struct {
	host uint32
	seq  int
	hash uint64
	op   *op
	link *link
}

// applyLinks makes candidates known.
func (b *batch) applyLinks(group []*op) {
	n := 0
	for _, o := range group {
		n += len(o.links)
	}
	if n == 0 {
		return
	}
	refs := make([]linkRef, 0, n)
	var name string
	var id uint32
	for _, o := range group {
		for i := range o.links {
			l := &o.links[i]
			if id == 0 || l.Host != name { // links of a page come in runs of a host
				name, id = l.Host, b.hostID(l.Host)
			}
			refs = append(refs, linkRef{id, len(refs), l.hash, o, l})
		}
	}
	slices.SortFunc(refs, func(x, y linkRef) int { return byHostAndHash(x.host, x.hash, x.seq, y.host, y.hash, y.seq) })
	b.parents = map[string]parentRef{}
	var r record
	for i := range refs {
		l := &refs[i]
		form, rest := splitURL(l.link.URL, l.link.Host)
		at, found := b.find(l.host, l.hash, form, rest, &r)
		if b.err != nil {
			return
		}
		if found {
			b.improve(l.host, at, &r, l.link)
		} else {
			b.add(l.host, at, form, rest, l.link)
			l.op.added++
		}
	}
}

// add makes an unknown URL known.
func (b *batch) add(id uint32, hash uint64, form byte, rest string, l *link) {
	h := b.row(id)
	if h == nil {
		return
	}
	r := record{
		state: frontier.Ready, form: form, rest: []byte(rest), since: b.now,
		score: clampScore(l.Score), depth: clampDepth(l.Depth), pass: b.meta.pass,
		path: []byte(lastLetters(l.Path)), parent: b.parent(id, l.Parent),
	}
	if due := millisUp(l.NotBefore); due > b.now {
		r.state, r.due, r.since = frontier.Future, due, due
	}
	h.known++
	b.enter(id, h, hash, &r)
	b.store(id, hash, &r)
	if r.state == frontier.Ready {
		b.offered = append(b.offered, move{host: id, hash: hash, rank: r.rank()})
	}
	if hash == l.hash {
		b.seen = append(b.seen, seenURL{hash, r.score, r.depth})
	}
}

// improve raises the score and lowers the depth of a known URL.
func (b *batch) improve(id uint32, hash uint64, r *record, l *link) {
	score, depth := max(r.score, clampScore(l.Score)), min(r.depth, clampDepth(l.Depth))
	if hash == l.hash {
		b.seen = append(b.seen, seenURL{hash, score, depth})
	}
	if score == r.score && depth == r.depth {
		return
	}
	h := b.row(id)
	if h == nil {
		return
	}
	old := r.rank()
	if r.state != frontier.Ready {
		r.score, r.depth = score, depth
	} else {
		b.leave(id, h, hash, r)
		r.score, r.depth = score, depth
		b.enter(id, h, hash, r)
	}
	if !r.state.Settled() {
		b.moved = append(b.moved, move{host: id, hash: hash, rank: r.rank(), old: old, future: r.state == frontier.Future})
	}
	b.store(id, hash, r)
}

// parent names the linking page by its key if it is known: 8 octets instead of
// some 80.
func (b *batch) parent(id uint32, url string) parentRef {
	if url == "" {
		return parentRef{}
	}
	p, ok := b.parents[url]
	if !ok {
		p = b.findParent(url)
		b.parents[url] = p
	}
	if p.kind == parentFar && p.host == id {
		p.kind = parentNear
	}
	return p
}

func (b *batch) findParent(url string) parentRef {
	spelt := parentRef{kind: parentSpelt, text: url}
	name := hostOf(url)
	id, ok := b.lookup(name)
	if !ok {
		return spelt
	}
	form, rest := splitURL(url, name)
	var r record
	hash, found := b.find(id, b.e.key.sum(url), form, rest, &r)
	if !found {
		return spelt
	}
	return parentRef{kind: parentFar, host: id, hash: hash}
}

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

// applyValues writes documents and notes.
func (b *batch) applyValues(group []*op) {
	for _, o := range group {
		if o.kind != opPut {
			continue
		}
		bucket := b.tx.Bucket(o.bucket)
		if o.value == nil {
			b.delete(bucket, o.key)
		} else {
			b.put(bucket, o.key, o.value)
		}
	}
}

func clampScore(score int) byte { return byte(min(max(score, 0), 100)) }

func clampDepth(depth int) uint32 { return uint32(min(max(depth, 0), 1<<20)) }

// pathMax is the number of letters of a discovery path that are kept.
const pathMax = 32

func lastLetters(path string) string { return path[max(len(path)-pathMax, 0):] }
