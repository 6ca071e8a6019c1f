package feed

import "bytes"

// maxOpen is the depth of the deepest place: urlset, url, news:news, publication_date.
const maxOpen = 4

// element is an open element.
type element struct {
	place  place
	nameAt int // where its name starts in names
	bound  int // how many bindings were in force outside of it
	base   base
}

func (d *document) top() *element { return &d.open[len(d.open)-1] }

func (d *document) push(t *token, p place, bound int) {
	e := element{place: p, nameAt: len(d.names), bound: bound}
	if len(d.open) > 0 {
		e.base = d.top().base
	}
	e.base = e.base.within(t.rest, d.out, t.at)
	d.names = append(d.names, t.name...)
	d.open = append(d.open, e)
}

// pop ends the last open element and takes from it what it says.
func (d *document) pop() error {
	err := d.leave(d.top().place)
	d.drop()
	return err
}

// drop forgets the last open element.
func (d *document) drop() {
	e := d.top()
	d.names = d.names[:e.nameAt]
	d.bound.all = d.bound.all[:e.bound]
	d.open = d.open[:len(d.open)-1]
	d.closed = len(d.open) == 0
}

// find returns the index of the innermost open element of a name, or -1.
func (d *document) find(name []byte) int {
	end := len(d.names)
	for i := len(d.open) - 1; i >= 0; i-- {
		start := d.open[i].nameAt
		if end-start == len(name) && bytes.EqualFold(d.names[start:end], name) {
			return i
		}
		end = start
	}
	return -1
}

// maxLocalBytes is above the longest name known, publication_date.
const maxLocalBytes = 24

// lowerName copies a name in lower case: XML tells case apart, publishers do not. It returns nil for a
// name that is too long to be known.
func lowerName(into *[maxLocalBytes]byte, name []byte) []byte {
	if len(name) > len(into) {
		return nil
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		into[i] = c
	}
	return into[:len(name)]
}
