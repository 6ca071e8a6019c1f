package bolt

import (
	"bytes"
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// maxPage bounds a listing, so that a read transaction stays short.
const maxPage = 1000

func damagedHost(key []byte) error {
	return fmt.Errorf("%w: the record of host %x cannot be read; %s", frontier.ErrDamaged, key, advice)
}

// readHost finds the row of a host, which aliases tx.
func readHost(tx *bbolt.Tx, name string) (id uint32, row hostRow, err error) {
	k := tx.Bucket(bucketNames).Get([]byte(name))
	if len(k) != len(hostKey{}) {
		return 0, row, frontier.ErrUnknown
	}
	if !row.decode(tx.Bucket(bucketHosts).Get(k)) {
		return 0, row, damagedHost(k)
	}
	d := reader{b: k}
	return d.u32(), row, nil
}

// hostReport makes the report on a host from its row and the schedule. The caller
// holds mu.
func (e *Engine) hostReport(id uint32, row *hostRow) frontier.Host {
	r := frontier.Host{
		Name: string(row.name), Version: row.version, Next: fromMillis(e.earliest(row, e.now())), Paused: row.paused,
		Known: int(row.known), Ready: int(row.ready), Future: int(row.future), Pace: bytes.Clone(row.pace), Spent: row.spent,
	}
	h := e.byID[id]
	if h == nil {
		if p, ok := e.pinned[r.Name]; ok {
			r.Next = fromMillis(p.next)
		}
		return r
	}
	future := 0
	for i := range h.flying {
		if h.flying[i].future {
			future++
		}
	}
	r.Next = fromMillis(h.next)
	r.Leased = len(h.flying)
	r.Ready = max(r.Ready-(r.Leased-future)+h.found, 0)
	r.Future = max(r.Future-future-h.found, 0)
	return r
}

// Host returns what is known of a host. URLs whose settlement is not committed
// count as leased.
func (e *Engine) Host(ctx context.Context, name string) (frontier.Host, error) {
	var host frontier.Host
	err := e.read(ctx, func(tx *bbolt.Tx) error {
		id, row, err := readHost(tx, name)
		if err != nil {
			return err
		}
		host = e.hostReport(id, &row)
		return nil
	})
	if err != nil {
		return host, fmt.Errorf("bolt: host %s: %w", name, err)
	}
	return host, nil
}

// UpdateHost changes a host if its version is this one. The version counts the
// calls of UpdateHost; settlements do not raise it, so that a host that is
// being crawled can be paused.
func (e *Engine) UpdateHost(ctx context.Context, name string, version uint64, patch frontier.HostPatch) error {
	if len(name) == 0 || len(name) > maxHost {
		return fmt.Errorf("bolt: update host %q: %w", name, errRequest)
	}
	o := &op{kind: opUpdate, name: name, version: version, pace: bytes.Clone(patch.Pace)}
	if patch.Next != nil {
		o.next = max(millisUp(*patch.Next), 1)
	}
	if patch.Paused != nil {
		paused := *patch.Paused
		o.paused = &paused
	}
	err := e.do(ctx, o)
	if err == nil && o.refused {
		err = frontier.ErrStale
	}
	if err != nil {
		return fmt.Errorf("bolt: update host %s: %w", name, err)
	}
	return nil
}

// ListHosts lists hosts by name, at most 1,000 at a time. The cursor is the
// last name.
func (e *Engine) ListHosts(ctx context.Context, cursor string, limit int) ([]frontier.Host, string, error) {
	var hosts []frontier.Host
	var more bool
	err := e.read(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketNames).Cursor()
		k, v := c.Seek([]byte(cursor))
		if string(k) == cursor {
			k, v = c.Next()
		}
		for ; k != nil; k, v = c.Next() {
			if more = len(hosts) >= pageLimit(limit); more {
				return nil
			}
			var row hostRow
			if !row.decode(tx.Bucket(bucketHosts).Get(v)) {
				return damagedHost(v)
			}
			id := reader{b: v}
			hosts = append(hosts, e.hostReport(id.u32(), &row))
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("bolt: list hosts: %w", err)
	}
	if !more {
		return hosts, "", nil
	}
	return hosts, hosts[len(hosts)-1].Name, nil
}

func pageLimit(limit int) int {
	if limit <= 0 {
		return maxPage
	}
	return min(limit, maxPage)
}
