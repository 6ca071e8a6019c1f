package mirror

import "time"

// scanEvery is how often the table is searched for cards that are due. It is
// also the shortest cache life within a process: a max-age below it does not
// let a registry draw all requests to one card.
const scanEvery = time.Minute

// scan finds the cards that are due: the wanted ones go to the urgent queue, the
// others are mixed, so that their order tells the registry nothing.
func (r *registry) scan(now time.Time) {
	r.scanAt = now.Add(scanEvery)
	r.rest = r.rest[:0]
	r.mu.Lock()
	defer r.mu.Unlock()
	for domain, e := range r.entries {
		switch {
		case !e.isDue(now) || e.queued:
		case e.wanted:
			e.queued = true
			r.urgent = append(r.urgent, domain)
		default:
			r.rest = append(r.rest, domain)
		}
	}
	for i := len(r.rest) - 1; i > 0; i-- {
		j := min(int(r.o.Fortune()*float64(i+1)), i)
		r.rest[i], r.rest[j] = r.rest[j], r.rest[i]
	}
}

// isDue tells whether the card should be read at now.
func (e *entry) isDue(now time.Time) bool {
	if !e.listed {
		return false
	}
	if e.wanted {
		return !e.due.After(now)
	}
	return !e.expires.After(now)
}

// nextCard takes the next card that is due, "" if there is none.
func (r *registry) nextCard(now time.Time, brief bool) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.urgent) > 0 {
		domain := r.urgent[0]
		if r.urgent = r.urgent[1:]; len(r.urgent) == 0 {
			r.urgent = nil // let go of what the queue has grown to
		}
		if e := r.entries[domain]; e != nil {
			e.queued = false
			if e.isDue(now) {
				return domain
			}
		}
	}
	for !brief && len(r.rest) > 0 {
		domain := r.rest[len(r.rest)-1]
		r.rest = r.rest[:len(r.rest)-1]
		if e := r.entries[domain]; e != nil && e.isDue(now) {
			return domain
		}
	}
	return ""
}

// recent remembers at least the last maxMissed names and at most twice as many.
// A domain that comes on the list is read soon if decisions about it were made
// not long before.
type recent struct{ young, old map[string]struct{} }

func (r *recent) has(name string) bool {
	if _, ok := r.young[name]; ok {
		return true
	}
	_, ok := r.old[name]
	return ok
}

func (r *recent) add(name string) {
	if r.young == nil || len(r.young) >= maxMissed {
		r.young, r.old = make(map[string]struct{}), r.young
	}
	r.young[name] = struct{}{}
}
