package bolt

import (
	"encoding/binary"

	"heed/frontier"
)

// schema is the version of the layout. A file with a later one is refused, one with
// an earlier one is brought up to date by [migrations].
const schema = 2

// Keys of bucket "m".
var (
	keySchema = []byte("schema") // version(4)
	keySecret = []byte("secret") // hashKey(16)
	keyState  = []byte("state")
	keyMarks  = []byte("marks")
)

// meta is what changes with every commit.
type meta struct {
	clean      bool   // the last stop was clean
	epoch      uint64 // times the file was opened; the upper half of a token
	uncleanAt  int64  // ms; when the last unclean stop was noticed, 0 never
	nextHost   uint32
	hosts      uint64
	states     [frontier.Failed + 1]int64 // by stored state
	tally      frontier.Tally
	pass       uint64 // highest pass begun
	passDone   bool   // that pass is complete
	passCursor []byte // last key of bucket "u" that Renew looked at
	spent      frontier.Spent
}

func (m *meta) append(b []byte) []byte {
	var flags byte
	if m.clean {
		flags |= 1
	}
	if m.passDone {
		flags |= 2
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, m.epoch)
	b = appendMillis(b, m.uncleanAt)
	b = binary.AppendUvarint(b, uint64(m.nextHost))
	b = binary.AppendUvarint(b, m.hosts)
	b = binary.AppendUvarint(b, m.pass)
	b = appendBlob(b, m.passCursor)
	b = append(b, byte(len(m.states)), byte(len(m.tally)))
	for _, n := range m.states {
		b = binary.AppendVarint(b, n)
	}
	for _, n := range m.tally {
		b = binary.AppendVarint(b, n)
	}
	return appendSpent(b, m.spent)
}

// decode reads the state; false means it is damaged.
func (m *meta) decode(v []byte) bool {
	d := reader{b: v}
	flags := d.byte()
	*m = meta{clean: flags&1 != 0, passDone: flags&2 != 0, epoch: d.uvarint(), uncleanAt: d.millis(),
		nextHost: uint32(d.uvarint()), hosts: d.uvarint(), pass: d.uvarint(), passCursor: append([]byte(nil), d.blob()...)}
	states, totals := int(d.byte()), int(d.byte())
	if states != len(m.states) || totals > len(m.tally) {
		return false
	}
	for i := range states {
		m.states[i] = d.varint()
	}
	for i := range totals {
		m.tally[i] = d.varint()
	}
	if len(d.b) > 0 || d.bad { // schema 1 ends here
		m.spent = d.spent()
	}
	return !d.bad
}

func (m *meta) known() (n int64) {
	for _, c := range m.states {
		n += c
	}
	return n
}

func appendMarks(b []byte, marks frontier.Marks) []byte {
	b = binary.AppendUvarint(b, uint64(len(marks)))
	for name, end := range marks {
		b = appendBlob(b, name)
		b = binary.AppendVarint(b, end)
	}
	return b
}

func decodeMarks(v []byte) (frontier.Marks, bool) {
	if v == nil {
		return frontier.Marks{}, true
	}
	d := reader{b: v}
	n := d.count()
	marks := make(frontier.Marks, n)
	for range n {
		name := d.text()
		marks[name] = d.varint()
	}
	return marks, !d.bad
}
