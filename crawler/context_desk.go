package crawler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"heed/crawler/discover"
	"heed/frontier"
)

// Notes of llm-context: the memory of an origin, and the text of its index.
const (
	contextNote     = "llm-context"
	contextTextNote = "llm-context-text"
)

// contextMark tells the queue item that stands for the context of an origin
// from the pages of that origin: no canonical URL has a fragment, so no page can
// have its key.
const contextMark = "/#context"

// contextCandidate is that queue item. It goes first on its host.
func contextCandidate(origin, path string) frontier.Candidate {
	url := origin + contextMark
	return frontier.Candidate{URL: url, Host: frontier.HostKey(url), Score: 100, Path: path}
}

// contextOrigin is the origin of such an item.
func contextOrigin(url string) (string, bool) {
	if len(url) > len(contextMark) && url[len(url)-len(contextMark):] == contextMark {
		return url[:len(url)-len(contextMark)], true
	}
	return "", false
}

// contextDesk holds what is known about the context of origins while they are
// being crawled.
type contextDesk struct {
	mu      sync.Mutex
	origins map[string]*contextWork
}

// deskLimit bounds the origins held. Beyond it the idle ones are dropped: their
// memory is on disk but for the sample of the audit findings.
const deskLimit = 20_000

func newContextDesk() *contextDesk { return &contextDesk{origins: map[string]*contextWork{}} }

// contextWork is one origin. mu is held over a step of its cycle, so an origin
// has one cycle at a time (LC-101).
type contextWork struct {
	origin string

	mu       sync.Mutex
	loaded   bool
	queued   bool      // the queue item was offered in this process
	heard    time.Time // when a page of the origin last answered in this process
	hearings int       // how often the cycle has given way to a page since
	refused  []Visit   // candidates that a decision refused, not recorded yet
	memory   discover.Memory
	cycle    *discover.Cycle // under way; nil between cycles
	saved    advert          // what is on disk of the advertisements
}

// takeRefused hands over what is to be recorded. mu of w is held.
func (w *contextWork) takeRefused() []Visit {
	refused := w.refused
	w.refused = nil
	return refused
}

// advert sums up the remembered Links: the one that would be used, and when it
// was seen.
type advert struct {
	uri string
	at  time.Time
}

// of finds the work of an origin.
func (d *contextDesk) of(origin string) *contextWork {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.origins[origin]
	if w == nil {
		if len(d.origins) >= deskLimit {
			d.evict()
		}
		w = &contextWork{origin: origin}
		d.origins[origin] = w
	}
	return w
}

// evict drops half of the idle origins. mu is held.
func (d *contextDesk) evict() {
	dropped := 0
	for origin, w := range d.origins {
		if dropped >= deskLimit/2 {
			return
		}
		if w.mu.TryLock() {
			if w.cycle == nil {
				delete(d.origins, origin)
				dropped++
			}
			w.mu.Unlock()
		}
	}
}

// load reads the memory of the origin once. mu of w is held.
func (c *Crawler) loadContext(ctx context.Context, w *contextWork) error {
	if w.loaded {
		return nil
	}
	text, err := c.Notes.LoadNote(ctx, contextNote, w.origin)
	if err != nil {
		return fmt.Errorf("crawler: context of %s: %w", w.origin, err)
	}
	w.memory = discover.NewMemory(w.origin)
	if text != nil {
		if w.memory, err = discover.DecodeMemory(text); err != nil {
			return fmt.Errorf("crawler: context of %s: %w", w.origin, err)
		}
	}
	w.loaded, w.saved = true, advertOf(w.memory)
	return nil
}

// saveContext makes the memory durable. mu of w is held.
func (c *Crawler) saveContext(ctx context.Context, w *contextWork) error {
	text, err := w.memory.Encode()
	if err == nil {
		err = c.Notes.SaveNote(ctx, contextNote, w.origin, text)
	}
	if err != nil {
		return fmt.Errorf("crawler: save context of %s: %w", w.origin, err)
	}
	w.saved = advertOf(w.memory)
	return nil
}

func advertOf(m discover.Memory) advert {
	if len(m.Links) == 0 {
		return advert{}
	}
	return advert{m.Links[0].URI, m.Links[0].SeenAt}
}

// ContextMemory is what is remembered about the context of an origin.
func (c *Crawler) ContextMemory(ctx context.Context, origin string) (discover.Memory, error) {
	w := c.context.of(origin)
	w.mu.Lock()
	defer w.mu.Unlock()
	err := c.loadContext(ctx, w)
	return w.memory, err
}
