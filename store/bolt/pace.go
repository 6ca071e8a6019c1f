package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// LoadPace returns the pacer's state of a host; false if there is none. If a
// newer state is on its way to the disk, LoadPace waits for it.
func (e *Engine) LoadPace(host string) (state []byte, ok bool, err error) {
	err = e.open(context.Background())
	if err == nil && e.onItsWay(host) {
		err = e.Flush(context.Background())
	}
	if err == nil {
		err = e.view(func(tx *bbolt.Tx) error {
			_, row, err := readHost(tx, host)
			state = bytes.Clone(row.pace)
			return err
		})
	}
	switch {
	case errors.Is(err, frontier.ErrUnknown):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("bolt: load pace of %s: %w", host, err)
	}
	return state, len(state) > 0, nil
}

// onItsWay tells whether an operation of this host is queued.
func (e *Engine) onItsWay(host string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, pinned := e.pinned[host]
	h := e.byName[host]
	return pinned || h != nil && h.pins > 0
}

// SavePace stores the pacer's state of a host and the time before which the
// host is not asked; a zero time leaves that. It is durable on return, and
// claims heed it at once.
func (e *Engine) SavePace(host string, next time.Time, state []byte) error {
	o, err := e.settlement(&frontier.Settlement{Grant: frontier.GrantRef{Host: host}, HostNext: next, Pace: state})
	if err == nil {
		err = e.do(context.Background(), o)
	}
	if err != nil {
		return fmt.Errorf("bolt: save pace of %s: %w", host, err)
	}
	return nil
}

// pace reads the pacer's state of a host, nil if it cannot be read.
func (e *Engine) pace(id uint32) (state []byte) {
	k := hostKeyOf(id)
	e.view(func(tx *bbolt.Tx) error {
		var row hostRow
		if row.decode(tx.Bucket(bucketHosts).Get(k[:])) {
			state = bytes.Clone(row.pace)
		}
		return nil
	})
	return state
}
