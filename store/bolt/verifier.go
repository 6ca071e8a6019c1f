package bolt

import (
	"encoding/binary"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// hostCount counts what belongs to a host, against what its row says.
type hostCount struct {
	name                 string
	row                  hostRow
	known, ready, future uint64
	pages                uint64 // of known
	head                 uint64
}

// verifier holds one counter a host in memory.
type verifier struct {
	Check
	e      *Engine
	tx     *bbolt.Tx
	hosts  map[uint32]*hostCount
	states [frontier.Failed + 1]int64
}

func (v *verifier) readHosts() {
	c := v.tx.Bucket(bucketHosts).Cursor()
	for k, b := c.First(); k != nil; k, b = c.Next() {
		h := &hostCount{head: maxU48}
		if len(k) != len(hostKey{}) || !h.row.decode(b) {
			v.problem("The record of host %x cannot be read.", k)
			continue
		}
		h.name = string(h.row.name)
		id := binary.BigEndian.Uint32(k)
		v.hosts[id] = h
		if !h.row.aside {
			v.Hosts++
		}
		if string(v.tx.Bucket(bucketNames).Get(h.row.name)) != string(k) {
			v.problem("Host %s is not listed under its name.", h.name)
		}
		if id >= v.e.meta.nextHost {
			v.problem("Host %s has a number that is still to be given.", h.name)
		}
	}
	names := v.tx.Bucket(bucketNames).Cursor()
	for k, b := names.First(); k != nil; k, b = names.Next() {
		id := reader{b: b}
		if h := v.hosts[id.u32()]; h == nil || h.name != string(k) {
			v.problem("The name %q leads to no host.", k)
		}
	}
}

func (v *verifier) readURLs() {
	ready, future := v.tx.Bucket(bucketReady), v.tx.Bucket(bucketFuture)
	urls := v.tx.Bucket(bucketURLs)
	c := urls.Cursor()
	var r record
	for k, b := c.First(); k != nil; k, b = c.Next() {
		v.URLs++
		key := reader{b: k}
		id, hash := key.u32(), key.u64()
		h := v.hosts[id]
		if h == nil || key.bad {
			v.problem("Record %x belongs to no host.", k)
			continue
		}
		if !r.decode(b) || !readable(r.page) {
			v.problem("Record %x of host %s cannot be read.", k, h.name)
			continue
		}
		h.known++
		v.states[r.state]++
		url := joinURL(r.form, h.name, r.rest)
		if frontier.IsPage(url) {
			h.pages++
		}
		v.probe(urls, id, hash, url)
		switch r.state {
		case frontier.Ready:
			want := readyKeyOf(id, r.rank(), hash)
			if ready.Get(want[:]) == nil {
				v.problem("%s is ready and not in the ready queue.", url)
			}
		case frontier.Future:
			want := futureKeyOf(r.due, id, hash)
			if future.Get(want[:]) == nil {
				v.problem("%s is due later and not in the future queue.", url)
			}
		}
	}
}

func readable(page []byte) bool {
	_, ok := decodePage(page)
	return ok
}

// probe checks that a look-up of the URL ends at this record.
func (v *verifier) probe(urls *bbolt.Bucket, id uint32, hash uint64, url string) {
	for at := v.e.key.sum(url); at != hash; at++ {
		k := urlKeyOf(id, at)
		if urls.Get(k[:]) == nil {
			v.problem("%s cannot be found under its own key.", url)
			return
		}
	}
}

func (v *verifier) readReady() {
	c := v.tx.Bucket(bucketReady).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		v.Ready++
		if len(k) != len(readyKey{}) {
			v.problem("Entry %x of the ready queue is malformed.", k)
			continue
		}
		rank, hash := splitReadyKey(k)
		id := binary.BigEndian.Uint32(k)
		r, ok := v.record(id, hash)
		if !ok || r.state != frontier.Ready || r.rank() != rank {
			v.problem("Entry %x of the ready queue has no URL that is ready with its rank.", k)
			continue
		}
		h := v.hosts[id]
		h.ready++
		h.head = min(h.head, rank)
	}
}

func (v *verifier) readFuture() {
	c := v.tx.Bucket(bucketFuture).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		v.Future++
		if len(k) != len(futureKey{}) {
			v.problem("Entry %x of the future queue is malformed.", k)
			continue
		}
		due, id, hash := splitFutureKey(k)
		r, ok := v.record(id, hash)
		if !ok || r.state != frontier.Future || r.due != due {
			v.problem("Entry %x of the future queue has no URL that is due then.", k)
			continue
		}
		v.hosts[id].future++
	}
}

// record reads the record of a known host.
func (v *verifier) record(id uint32, hash uint64) (r record, ok bool) {
	k := urlKeyOf(id, hash)
	ok = r.decode(v.tx.Bucket(bucketURLs).Get(k[:])) && v.hosts[id] != nil
	return r, ok
}

// compare checks the counters.
func (v *verifier) compare() {
	for _, h := range v.hosts {
		if h.known != h.row.known || h.ready != h.row.ready || h.future != h.row.future {
			v.problem("Host %s counts %d URLs, %d ready, %d future; there are %d, %d, %d.", h.name,
				h.row.known, h.row.ready, h.row.future, h.known, h.ready, h.future)
		}
		if h.row.aside && h.pages > 0 {
			v.problem("Host %s counts as one without pages; there are %d.", h.name, h.pages)
		}
		if h.ready > 0 && h.row.head > h.head {
			v.problem("Host %s promises no rank below %d, and has %d.", h.name, h.row.head, h.head)
		}
	}
	if v.states != v.e.meta.states {
		v.problem("URLs by state are counted as %v; there are %v.", v.e.meta.states, v.states)
	}
	if uint64(v.Hosts) != v.e.meta.hosts {
		v.problem("%d hosts with pages are counted; there are %d.", v.e.meta.hosts, v.Hosts)
	}
}

func (v *verifier) readValues() {
	c := v.tx.Bucket(bucketDocuments).Cursor()
	for k, b := c.First(); k != nil; k, b = c.Next() {
		v.Documents++
		if decodeDocument(string(k), b) == nil {
			v.problem("The policy document %s cannot be read.", k)
		}
	}
	notes := v.tx.Bucket(bucketNotes).Cursor()
	for k, _ := notes.First(); k != nil; k, _ = notes.Next() {
		v.Notes++
	}
}
