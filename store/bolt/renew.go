package bolt

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"heed/frontier"
)

// renewStep bounds the records one transaction of Renew looks at.
const renewStep = 5000

// Renew makes settled URLs due again, in transactions of 5,000 records. Where
// it stands is part of each, so a pass that was cut short goes on. It returns
// how many this call queued.
func (e *Engine) Renew(ctx context.Context, pass uint64, now time.Time, refresh bool) (int, error) {
	queued := 0
	for {
		o := &op{kind: opRenew, pass: pass, renewNow: millis(now), refresh: refresh}
		if err := e.do(ctx, o); err != nil {
			return queued, fmt.Errorf("bolt: renew pass %d: %w", pass, err)
		}
		queued += o.renewed
		if o.complete {
			return queued, nil
		}
	}
}

// renew is one step of Renew.
func (b *batch) renew(o *op) {
	m := &b.meta
	if o.pass > m.pass {
		m.pass, m.passDone, m.passCursor = o.pass, false, nil
	}
	if o.complete = o.pass < m.pass || m.passDone; o.complete {
		return
	}
	// Keys are collected first: writing moves the cursor.
	var due []urlKey
	c := b.urls.Cursor()
	k, v := c.Seek(append([]byte{}, m.passCursor...))
	if m.passCursor != nil && bytes.Equal(k, m.passCursor) {
		k, v = c.Next()
	}
	var r record
	for n := 0; k != nil && n < renewStep; n++ {
		if !r.decode(v) {
			b.damaged("record %x cannot be read", k)
			return
		}
		page, ok := decodePage(r.page)
		if !ok {
			b.damaged("the page of record %x cannot be read", k)
			return
		}
		if r.state.Settled() && r.pass < o.pass && (o.refresh || millis(page.FreshUntil) <= o.renewNow) {
			due = append(due, urlKey(k))
		}
		m.passCursor = bytes.Clone(k)
		k, v = c.Next()
	}
	m.passDone = k == nil
	o.complete = m.passDone
	for i := range due {
		b.requeue(&due[i], o.pass, o.renewNow)
		o.renewed++
	}
}

// requeue makes a settled URL ready.
func (b *batch) requeue(key *urlKey, pass uint64, now int64) {
	d := reader{b: key[:]}
	id, hash := d.u32(), d.u64()
	var r record
	h := b.row(id)
	if h == nil || !r.decode(b.urls.Get(key[:])) {
		return
	}
	b.leave(id, h, hash, &r)
	r.state, r.since, r.attempts, r.pass = frontier.Ready, now, 0, pass
	b.enter(id, h, hash, &r)
	b.store(id, hash, &r)
	b.offered = append(b.offered, move{host: id, hash: hash, rank: r.rank()})
}
