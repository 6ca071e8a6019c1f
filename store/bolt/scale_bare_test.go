package bolt

import (
	"bytes"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// barePlace is a URL that is ready: the bare crawl goes through them as they came.
type barePlace struct {
	host, n uint32
	since   int64
}

// bareWrite is a key to be written, or deleted.
type bareWrite struct {
	bucket int // in the order of bare.names
	key    []byte
	value  []byte // nil deletes
}

// bareGroup is what the pages of one commit write.
type bareGroup struct {
	writes []bareWrite
	hosts  map[uint32]struct{}
}

// bare writes what the engine writes, and does nothing else.
type bare struct {
	db    *bbolt.DB
	key   hashKey
	web   *web
	queue []barePlace
	group bareGroup
	known int64
}

var bareBuckets = [][]byte{bucketURLs, bucketReady, bucketHosts, bucketMeta}

// growBare makes the same pages as growEngine into the same layout.
func growBare(path string) (func(int64, *progress) error, error) {
	db, err := openFile(path, Options{}.withDefaults())
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range bareBuckets {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x := &bare{db: db, key: hashKey{1, 2}, web: newWeb(), group: bareGroup{hosts: map[uint32]struct{}{}}}
	now := time.Now().UnixMilli()
	for i := range scaleHosts {
		x.add(uint32(i), 0, 0, now)
	}
	return func(urls int64, p *progress) error {
		groups, written := make(chan bareGroup), make(chan error, 1)
		go func() {
			var err error
			for g := range groups {
				if err == nil {
					err = x.commit(g)
				}
			}
			written <- err
		}()
		begun := time.Now()
		for n := 0; x.known < urls; {
			x.page(p.Pages)
			p.Pages++
			if n++; n%defaultSettlements == 0 || time.Since(begun) > defaultWindow {
				groups <- x.group
				x.group, begun = bareGroup{hosts: map[uint32]struct{}{}}, time.Now()
			}
		}
		groups <- x.group
		x.group = bareGroup{hosts: map[uint32]struct{}{}}
		close(groups)
		p.Known = x.known
		return <-written
	}, nil
}

func (x *bare) hash(host, n uint32) uint64 { return x.key.sum(x.web.article(int(host), n).URL) }

func (x *bare) put(bucket int, key, value []byte) {
	x.group.writes = append(x.group.writes, bareWrite{bucket, key, value})
}

// add makes a URL known.
func (x *bare) add(host, n uint32, parent uint64, now int64) {
	c := x.web.article(int(host), n)
	hash := x.key.sum(c.URL)
	form, rest := splitURL(c.URL, c.Host)
	r := record{state: frontier.Ready, form: form, rest: []byte(rest), since: now, score: 50, depth: 3, path: []byte("LLL"),
		parent: parentRef{kind: parentNear, hash: parent}}
	u, q := urlKeyOf(host, hash), readyKeyOf(host, r.rank(), hash)
	x.put(0, u[:], r.append(nil))
	x.put(1, q[:], []byte{})
	x.group.hosts[host] = struct{}{}
	x.queue = append(x.queue, barePlace{host, n, now})
	x.known++
}

// page settles the next URL as fetched, with its new links.
func (x *bare) page(number int64) {
	at := x.queue[0]
	x.queue = x.queue[1:]
	now := time.Now()
	hash := x.hash(at.host, at.n)
	x.web.links(int(at.host), func(h int, n uint32, isNew bool) {
		if isNew {
			x.add(uint32(h), n, hash, now.UnixMilli())
		}
	})
	c := x.web.article(int(at.host), at.n)
	form, rest := splitURL(c.URL, c.Host)
	r := record{state: frontier.Fetched, form: form, rest: []byte(rest), since: at.since, score: 50, depth: 3, path: []byte("LLL"),
		parent: parentRef{kind: parentNear, hash: hash}}
	u, q := urlKeyOf(at.host, hash), readyKeyOf(at.host, r.rank(), hash)
	r.page = appendPage(nil, scalePage(now, number))
	x.put(0, u[:], r.append(nil))
	x.put(1, q[:], nil)
	x.group.hosts[at.host] = struct{}{}
}

// commit writes a group, sorted as the engine sorts.
func (x *bare) commit(g bareGroup) error {
	for host := range g.hosts {
		k := hostKeyOf(host)
		row := hostRow{next: time.Now().UnixMilli(), known: 1000, ready: 1000, name: []byte(x.web.names[host]), pace: make([]byte, scalePace)}
		g.writes = append(g.writes, bareWrite{2, k[:], row.append(nil)})
	}
	g.writes = append(g.writes, bareWrite{3, keyState, make([]byte, 100)})
	slices.SortStableFunc(g.writes, func(a, b bareWrite) int {
		if a.bucket != b.bucket {
			return a.bucket - b.bucket
		}
		return bytes.Compare(a.key, b.key)
	})
	return x.db.Update(func(tx *bbolt.Tx) error {
		var buckets [4]*bbolt.Bucket
		for i, name := range bareBuckets {
			buckets[i] = tx.Bucket(name)
		}
		for i := range g.writes {
			w := &g.writes[i]
			var err error
			if w.value == nil {
				err = buckets[w.bucket].Delete(w.key)
			} else {
				err = buckets[w.bucket].Put(w.key, w.value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
