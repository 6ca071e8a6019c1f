package feed

import "bytes"

// passed is an element that is passed over with all it holds.
type passed struct {
	name   []byte // empty: none
	depth  int    // of elements of that name
	nested int    // open elements inside that share their name with an element open outside
}

// passStart notes a start tag inside of an element that is passed over.
func (d *document) passStart(t *token) {
	switch {
	case t.empty:
	case bytes.Equal(t.name, d.over.name):
		d.over.depth++
	case d.find(t.name) >= 0:
		d.over.nested++
	}
}

// passEnd notes an end tag there. It answers false if the tag ends an element outside: then the one
// passed over was never ended, and the tag still has to be dealt with.
func (d *document) passEnd(t *token) bool {
	switch {
	case bytes.Equal(t.name, d.over.name):
		d.over.depth--
		if d.over.depth > 0 {
			return true
		}
		d.over = passed{name: d.over.name[:0]}
		return true
	case d.find(t.name) < 0:
		return true
	case d.over.nested > 0:
		d.over.nested--
		return true
	}
	d.over = passed{name: d.over.name[:0]}
	d.out.note(CodeNesting, t.at)
	return false
}
