package bolt

import (
	"fmt"

	"heed/frontier"
)

// read makes the item for a place in the queue, nil if the URL is not in the
// queue any more.
func (g *granter) read(h *host, n entry) (*frontier.Item, flight, error) {
	f := flight{entry: n}
	key := urlKeyOf(h.id, n.hash)
	var r record
	if v := g.urls.Get(key[:]); !r.decode(v) {
		return nil, f, fmt.Errorf("%w: a record of host %s cannot be read; %s", frontier.ErrDamaged, h.name, advice)
	}
	if h.found > 0 {
		if _, due := g.e.found[key]; due {
			f.future = r.state == frontier.Future
			delete(g.e.found, key)
			h.found--
		}
	}
	if r.state != frontier.Ready && !f.future {
		return nil, f, nil
	}
	f.rank = r.rank()
	item, ok := g.item(h.id, h.name, &r)
	if !ok {
		return nil, f, fmt.Errorf("%w: the page of %s cannot be read; %s", frontier.ErrDamaged, item.URL, advice)
	}
	return &item, f, nil
}

// item copies what is known of a URL out of its record.
func (g *granter) item(id uint32, host string, r *record) (frontier.Item, bool) {
	page, ok := decodePage(r.page)
	return frontier.Item{
		Candidate: frontier.Candidate{
			URL: joinURL(r.form, host, r.rest), Host: host, Score: int(r.score), Depth: int(r.depth),
			Parent: g.parent(id, host, r), Path: string(r.path),
		},
		Attempts: int(r.attempts), Pass: r.pass, Page: page,
	}, ok
}

// parent spells the URL of the linking page; "" if it is gone.
func (g *granter) parent(id uint32, host string, r *record) string {
	switch r.parent.kind {
	case parentSpelt:
		return r.parent.text
	case parentNone:
		return ""
	case parentFar:
		var row hostRow
		id = r.parent.host
		k := hostKeyOf(id)
		if !row.decode(g.hosts.Get(k[:])) {
			return ""
		}
		host = string(row.name)
	}
	k := urlKeyOf(id, r.parent.hash)
	var p record
	if !p.decode(g.urls.Get(k[:])) {
		return ""
	}
	return joinURL(p.form, host, p.rest)
}
