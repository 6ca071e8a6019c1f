package bolt

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// Why tells all that is known about a URL.
func (e *Engine) Why(ctx context.Context, url string) (frontier.Report, error) {
	var report frontier.Report
	err := e.read(ctx, func(tx *bbolt.Tx) error {
		name := frontier.HostKey(url)
		id, row, err := readHost(tx, name)
		if err != nil {
			return err
		}
		form, rest := splitURL(url, name)
		urls := tx.Bucket(bucketURLs)
		var r record
		for hash := e.key.sum(url); ; hash++ {
			k := urlKeyOf(id, hash)
			v := urls.Get(k[:])
			if v == nil {
				return frontier.ErrUnknown
			}
			if !r.decode(v) {
				return fmt.Errorf("%w: its record cannot be read; %s", frontier.ErrDamaged, advice)
			}
			if r.form == form && string(r.rest) == rest {
				report, err = e.report(tx, id, &row, hash, &r)
				return err
			}
		}
	})
	if err != nil {
		return frontier.Report{}, fmt.Errorf("bolt: why %s: %w", url, err)
	}
	return report, nil
}

// report joins the record of a URL with the schedule. The caller holds mu.
func (e *Engine) report(tx *bbolt.Tx, id uint32, row *hostRow, hash uint64, r *record) (frontier.Report, error) {
	g := granter{e: e, urls: tx.Bucket(bucketURLs), hosts: tx.Bucket(bucketHosts)}
	item, ok := g.item(id, string(row.name), r)
	if !ok {
		return frontier.Report{}, fmt.Errorf("%w: the page of %s cannot be read; %s", frontier.ErrDamaged, item.URL, advice)
	}
	report := frontier.Report{Item: item, State: r.state, Reason: string(r.reason), Host: e.hostReport(id, row)}
	if r.state == frontier.Future {
		report.Due = fromMillis(r.due)
		if r.due <= e.now() {
			report.State = frontier.Ready
		}
	}
	h := e.byID[id]
	if h == nil || h.flight(hash) == nil {
		return report, nil
	}
	report.State = frontier.Leased
	for _, l := range h.slots {
		if l == nil {
			continue
		}
		for _, u := range l.urls {
			if u.hash == hash {
				report.Until = fromMillis(l.deadline)
			}
		}
	}
	return report, nil
}

// ListHost lists the URLs of a host, at most 1,000 at a time, in an order of
// their own. A URL that was settled and is not committed is listed as leased.
func (e *Engine) ListHost(ctx context.Context, host, cursor string, limit int) ([]frontier.Report, string, error) {
	var reports []frontier.Report
	var next string
	err := e.read(ctx, func(tx *bbolt.Tx) error {
		id, row, err := readHost(tx, host)
		if err != nil {
			return err
		}
		var after uint64
		if cursor != "" {
			if after, err = strconv.ParseUint(cursor, 16, 64); err != nil {
				return fmt.Errorf("%w: cursor %q", errRequest, cursor)
			}
		}
		c := tx.Bucket(bucketURLs).Cursor()
		start := urlKeyOf(id, after)
		k, v := c.Seek(start[:])
		if cursor != "" && string(k) == string(start[:]) {
			k, v = c.Next()
		}
		var last uint64
		for ; k != nil && string(k[:4]) == string(start[:4]); k, v = c.Next() {
			if len(reports) >= pageLimit(limit) {
				next = strconv.FormatUint(last, 16)
				return nil
			}
			last = binary.BigEndian.Uint64(k[4:])
			var r record
			if !r.decode(v) {
				return fmt.Errorf("%w: record %x cannot be read; %s", frontier.ErrDamaged, k, advice)
			}
			report, err := e.report(tx, id, &row, last, &r)
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("bolt: list host %s: %w", host, err)
	}
	return reports, next, nil
}

// Stats counts from memory. Future URLs that came due, and settled ones that
// are not committed, are counted as they stand in the file.
func (e *Engine) Stats(ctx context.Context) (frontier.Stats, error) {
	if err := ctx.Err(); err != nil {
		return frontier.Stats{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return frontier.Stats{}, fmt.Errorf("bolt: stats: %w", frontier.ErrClosed)
	}
	if err := e.advance(e.now()); err != nil {
		return frontier.Stats{}, fmt.Errorf("bolt: stats: %w", err)
	}
	s := frontier.Stats{
		Known: e.totals.known(), States: e.totals.states, Hosts: int64(e.totals.hosts), Totals: e.totals.tally, Spent: e.totals.spent,
		Queued: e.totals.states[frontier.Ready] + e.totals.states[frontier.Future], Leased: int64(e.flying),
		HostsReady: e.classes[classReady], HostsWaiting: e.classes[classWaiting], HostsBlocked: e.classes[classBlocked],
	}
	s.States[frontier.Leased] = s.Leased
	s.States[frontier.Ready] -= s.Leased
	if over := -s.States[frontier.Ready]; over > 0 { // some of the leased ones stand in the future queue still
		s.States[frontier.Ready] = 0
		s.States[frontier.Future] -= over
	}
	return s, nil
}
