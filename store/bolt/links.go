package bolt

import (
	"slices"

	"heed/frontier"
)

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
	if h.aside && frontier.IsPage(l.URL) {
		h.aside = false
		b.meta.hosts++
	}
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
	name := frontier.HostKey(url)
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

func clampScore(score int) byte { return byte(min(max(score, 0), 100)) }

func clampDepth(depth int) uint32 { return uint32(min(max(depth, 0), 1<<20)) }

// pathMax is the number of letters of a discovery path that are kept.
const pathMax = 32

func lastLetters(path string) string { return path[max(len(path)-pathMax, 0):] }
