package archive

import "sync"

// dedup remembers the payloads appended lately, host by host, so that the same
// payload under another URL becomes a revisit. It holds at most dedupEntries:
// two generations, the older one dropped whole when the younger is full; a hit
// moves an entry into the younger one. So what is asked for stays.
type dedup struct {
	mu         sync.Mutex // guards the maps
	young, old map[payloadKey]Reference
	half       int
}

type payloadKey struct {
	host   string // SURT form, with port
	sha256 [32]byte
}

func newDedup(entries int) *dedup {
	return &dedup{young: make(map[payloadKey]Reference), half: max(1, entries/2)}
}

func (d *dedup) find(k payloadKey) (Reference, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ref, ok := d.young[k]; ok {
		return ref, true
	}
	ref, ok := d.old[k]
	if ok {
		d.put(k, ref)
	}
	return ref, ok
}

// add keeps the first place in which a payload was stored.
func (d *dedup) add(k payloadKey, ref Reference) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.young[k]; ok {
		return
	}
	if first, ok := d.old[k]; ok {
		ref = first
	}
	d.put(k, ref)
}

func (d *dedup) put(k payloadKey, ref Reference) {
	if len(d.young) >= d.half {
		d.old, d.young = d.young, make(map[payloadKey]Reference, d.half)
	}
	d.young[k] = ref
}
