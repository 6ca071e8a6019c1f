package bolt

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// migration brings a file from one schema to the next. It runs in the transaction
// that opens the file, together with all later ones: after a kill the file has
// either the schema it had or the present one. So it must be quick, or else leave
// the work to whoever meets an old record.
type migration struct {
	from uint32
	why  string
	do   func(tx *bbolt.Tx) error // nil if old records stay as they are
}

// migrations are all there are, in order. An added one raises [schema], too.
var migrations = []migration{
	{from: 1, why: "what a day has cost stands in host rows and in the state; where it does not, nothing was counted"},
}

// oldestReadable is the oldest schema whose records are read as they are, so that
// a file can be reported on without writing to it.
const oldestReadable = 1

// migrate brings the schema of a file up to date. A file from a later program, and
// one that is no state file, is left to load, which refuses it.
func migrate(tx *bbolt.Tx, steps []migration) error {
	m := tx.Bucket(bucketMeta)
	if m == nil {
		return nil
	}
	d := reader{b: m.Get(keySchema)}
	found := d.u32()
	if d.bad {
		return nil
	}
	changed := false
	for _, s := range steps {
		if s.from != found {
			continue
		}
		if s.do != nil {
			if err := s.do(tx); err != nil {
				return fmt.Errorf("bring the file from schema %d to %d (%s): %w", s.from, s.from+1, s.why, err)
			}
		}
		found++
		changed = true
	}
	switch {
	case changed:
		return m.Put(keySchema, binary.BigEndian.AppendUint32(nil, found))
	case found < schema:
		return fmt.Errorf("%w: it has schema %d, which this program does not know any more", frontier.ErrVersion, found)
	}
	return nil
}
