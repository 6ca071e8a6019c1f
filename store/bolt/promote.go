package bolt

import (
	"math"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// foundMax bounds the future URLs that have been found due and whose move to
// the ready queue is not committed. When more come due at once, the order
// within a host is exact among those found.
const foundMax = 4096

// findDue looks for future URLs that came due. They are claimable at once; the
// move of their queue entries rides on the next commit. The caller holds mu.
func (e *Engine) findDue(now int64) error {
	if e.due > now {
		return nil
	}
	if len(e.found) >= foundMax {
		e.queue.hurry()
		return nil
	}
	var keys []futureKey
	err := e.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketFuture).Cursor()
		urls, hosts := tx.Bucket(bucketURLs), tx.Bucket(bucketHosts)
		k, _ := c.Seek(e.peeked[:])
		for ; k != nil; k, _ = c.Next() {
			due, id, hash := splitFutureKey(k)
			if due > now || len(e.found) >= foundMax {
				e.due = due
				return nil
			}
			copy(e.peeked[:], k)
			if e.findOne(urls, hosts, id, hash, now) {
				keys = append(keys, futureKey(k))
			}
		}
		e.due = math.MaxInt64
		return nil
	})
	if err == nil && len(keys) > 0 && !e.o.ReadOnly && !e.closed {
		e.push(&op{kind: opPromote, due: keys}, len(e.found) >= foundMax)
	}
	return err
}

// findOne offers one future URL, unless that was done before.
func (e *Engine) findOne(urls, hosts *bbolt.Bucket, id uint32, hash uint64, now int64) bool {
	key := urlKeyOf(id, hash)
	if _, done := e.found[key]; done {
		return false
	}
	var r record
	if !r.decode(urls.Get(key[:])) || r.state != frontier.Future {
		return false
	}
	h := e.byID[id]
	if h == nil {
		var row hostRow
		k := hostKeyOf(id)
		if !row.decode(hosts.Get(k[:])) {
			return false
		}
		h = e.addHost(id, &row, now)
	}
	if h.flight(hash) != nil {
		return false
	}
	e.found[key] = r.rank()
	h.found++
	h.offer(entry{r.rank(), hash})
	e.place(h, now)
	return true
}

// promote moves entries from the future queue to the ready one. Those that
// were settled meanwhile are left alone.
func (b *batch) promote(keys []futureKey) {
	for _, k := range keys {
		due, id, hash := splitFutureKey(k[:])
		key := urlKeyOf(id, hash)
		var r record
		if !r.decode(b.urls.Get(key[:])) || r.state != frontier.Future || r.due != due {
			continue
		}
		h := b.row(id)
		if h == nil {
			return
		}
		b.leave(id, h, hash, &r)
		r.state = frontier.Ready
		b.enter(id, h, hash, &r)
		b.store(id, hash, &r)
		b.promoted = append(b.promoted, move{host: id, hash: hash, rank: r.rank()})
	}
}

// publishPromoted notes that the entry of a URL stands in the ready queue now.
func (e *Engine) publishPromoted(h *host, m move) {
	if h == nil {
		return
	}
	if f := h.flight(m.hash); f != nil {
		f.future = false
		return
	}
	key := urlKeyOf(m.host, m.hash)
	if _, due := e.found[key]; due {
		delete(e.found, key)
		h.found--
		h.buf.insert(entry{m.rank, m.hash})
	}
}

// noteFuture makes sure that a new future entry is found, even one that was
// written behind the place looked at last.
func (e *Engine) noteFuture(due int64) {
	if due == math.MaxInt64 {
		return
	}
	if at, _, _ := splitFutureKey(e.peeked[:]); due <= at {
		e.peeked = futureKeyOf(due, 0, 0)
	}
	e.due = min(e.due, due)
}
