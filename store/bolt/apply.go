package bolt

// applyHosts changes the hosts that settlements and updates name.
func (b *batch) applyHosts(group []*op) {
	for _, o := range group {
		for i := range o.tally {
			b.meta.tally[i] += o.tally[i]
		}
		if !o.spent.IsZero() {
			b.meta.spent = b.meta.spent.Add(o.spent)
		}
		if o.name == "" {
			continue
		}
		if o.kind == opUpdate {
			b.update(o)
			continue
		}
		if o.next == 0 && o.pace == nil && o.spent.IsZero() {
			continue
		}
		h := b.row(b.idOf(o))
		if h == nil {
			return
		}
		h.dirty = true
		if o.next != 0 {
			h.next = o.next
		}
		if o.pace != nil {
			h.pace = o.pace
		}
		if !o.spent.IsZero() {
			h.spent = h.spent.Add(o.spent)
		}
	}
}

// idOf is the id of the host an operation names.
func (b *batch) idOf(o *op) uint32 {
	if o.host != nil {
		return o.host.id
	}
	return b.hostID(o.name)
}

// update is UpdateHost: nothing, if the version is another one.
func (b *batch) update(o *op) {
	id, known := b.lookup(o.name)
	if !known {
		if o.refused = o.version != 0; o.refused {
			return
		}
		id = b.hostID(o.name)
	}
	h := b.row(id)
	if h == nil {
		return
	}
	if o.refused = h.version != o.version; o.refused {
		return
	}
	h.version++
	h.dirty = true
	if o.next != 0 {
		h.next = o.next
	}
	if o.paused != nil {
		h.paused = *o.paused
	}
	if o.pace != nil {
		h.pace = o.pace
	}
}

// applyValues writes documents and notes.
func (b *batch) applyValues(group []*op) {
	for _, o := range group {
		if o.kind != opPut {
			continue
		}
		bucket := b.tx.Bucket(o.bucket)
		if o.value == nil {
			b.delete(bucket, o.key)
		} else {
			b.put(bucket, o.key, o.value)
		}
	}
}
