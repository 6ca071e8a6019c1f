package crawler

import "sync"

// once remembers for which names something was done in this process.
type once struct {
	mu   sync.Mutex
	done map[string]struct{}
}

// onceLimit bounds the names; beyond it they are forgotten all at once, and the
// thing is done again.
const onceLimit = 50_000

// forget makes every name new again.
func (o *once) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = nil
}

// first is true the first time it is asked about a name.
func (o *once) first(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, done := o.done[name]; done {
		return false
	}
	if o.done == nil || len(o.done) >= onceLimit {
		o.done = map[string]struct{}{}
	}
	o.done[name] = struct{}{}
	return true
}
