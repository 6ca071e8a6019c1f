package politeness

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Cache keeps documents across restarts. store/bolt implements it.
type Cache interface {
	// LoadDocument returns the stored copy, or nil if there is none.
	LoadDocument(ctx context.Context, url string) (*Document, error)

	// SaveDocument stores a copy; it is durable when SaveDocument returns.
	SaveDocument(ctx context.Context, url string, d *Document) error
}

// Failures pause a document: the first one for failureBase, doubling up to
// failureMax (policy-facts 10.2). A Retry-After can only lengthen the pause.
const (
	failureBase = 30 * time.Second
	failureMax  = time.Hour

	// retryAfterMax bounds what a site can ask for: then one probe is due.
	retryAfterMax = 24 * time.Hour
)

// Library holds the policy documents that were read, as octets in the Cache and
// as parsed rules in memory. It fetches nothing itself: it says what is
// missing, and takes in what somebody brings. It is safe for concurrent use.
type Library struct {
	cache Cache

	mu      sync.Mutex
	shelves [2]map[string]*shelf // young and old generation of the parsed documents
	limit   int                  // entries of one generation
	reading map[string]bool      // documents somebody is fetching now
}

// shelf is one document in memory with the rules each source read in it. Its
// fields are immutable but for rules, which mu guards.
type shelf struct {
	doc Document
	ref *DocumentRef

	mu     sync.Mutex
	rules  []reading
	barred map[string]*shelf // URLs of documents these rules do not let us ask for
}

// reading is what one source has read in a document, as one of its places. A
// document has a handful of readers, so they are found by looking at each.
type reading struct {
	by    *gateSource
	kind  string
	rules Rules
}

// NewLibrary makes a library that keeps at most twice memory parsed documents
// in RAM; the others are read from the cache again when they are needed.
func NewLibrary(cache Cache, memory int) *Library {
	return &Library{cache: cache, limit: max(memory, 16), reading: map[string]bool{},
		shelves: [2]map[string]*shelf{{}, {}}}
}

// look finds the held copy of a document, nil if there is none. That there is
// none is remembered too: documents come in through Store only.
func (l *Library) look(ctx context.Context, url string) (*shelf, error) {
	l.mu.Lock()
	s := l.shelves[0][url]
	if s == nil {
		if s = l.shelves[1][url]; s != nil {
			l.keep(url, s)
		}
	}
	l.mu.Unlock()
	if s != nil {
		return s.present(), nil
	}
	doc, err := l.cache.LoadDocument(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("politeness: load document %s: %w", url, err)
	}
	if doc == nil {
		doc = &Document{URL: url}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, generation := range l.shelves {
		if newer := generation[url]; newer != nil {
			return newer.present(), nil // brought by somebody else while we were reading
		}
	}
	return l.keep(url, newShelf(doc)).present(), nil
}

// present is nil for the mark of a document that was never asked for.
func (s *shelf) present() *shelf {
	if s.readable() || s.doc.Chain != nil {
		return s
	}
	return nil
}

// keep puts s into the young generation. mu is held.
func (l *Library) keep(url string, s *shelf) *shelf {
	if len(l.shelves[0]) >= l.limit {
		l.shelves[1], l.shelves[0] = l.shelves[0], make(map[string]*shelf, l.limit)
	}
	l.shelves[0][url] = s
	return s
}

func newShelf(d *Document) *shelf {
	return &shelf{doc: *d, ref: d.Ref()}
}

// read gives the rules of one source in the document, parsing it once.
func (s *shelf) read(src *gateSource, p Place) Rules {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.rules {
		if r := &s.rules[i]; r.by == src && r.kind == p.Kind {
			return r.rules
		}
	}
	rules := src.Read(p, s.doc)
	s.rules = append(s.rules, reading{src, p.Kind, rules})
	return rules
}

// bars gives what bar has noted about the document at url.
func (s *shelf) bars(url string) (*shelf, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	barred, known := s.barred[url]
	return barred, known
}

// bar notes that the rules in s do not let us ask for url, or by nil that they
// do. barredMax bounds the notes, since url may come out of a document.
func (s *shelf) bar(url string, barred *shelf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.barred == nil {
		s.barred = map[string]*shelf{}
	}
	if len(s.barred) < barredMax {
		s.barred[url] = barred
	}
}

// barredMax is far above the number of bound documents an origin has.
const barredMax = 64

// Copy returns the held copy of a document, or nil.
func (l *Library) Copy(ctx context.Context, url string) (*Document, error) {
	s, err := l.look(ctx, url)
	if s == nil {
		return nil, err
	}
	d := s.doc
	return &d, nil
}

// Begin claims the right to fetch a document. It is false while somebody else
// has it; then the caller comes back later. Every true needs one End.
func (l *Library) Begin(url string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reading[url] {
		return false
	}
	l.reading[url] = true
	return true
}

// End gives the right back.
func (l *Library) End(url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.reading, url)
}

// Store puts a new copy in place of the held one, durably. The copy is visible
// to decisions only after it is on disk.
func (l *Library) Store(ctx context.Context, d *Document) error {
	if err := l.cache.SaveDocument(ctx, d.URL, d); err != nil {
		return fmt.Errorf("politeness: save document %s: %w", d.URL, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.shelves[1], d.URL)
	l.keep(d.URL, newShelf(d))
	return nil
}

// Unreachable records that the document at p could not be read at now. The
// last good copy stays beside the failure, so that what it forbade stays
// known; retryAfter, if later than our own pause, decides when to ask again.
func (l *Library) Unreachable(ctx context.Context, p Place, kind string, status int, now, retryAfter time.Time) (*Document, error) {
	held, err := l.Copy(ctx, p.URL)
	if err != nil {
		return nil, err
	}
	d := Document{URL: p.URL}
	if held != nil {
		d = *held
	}
	f := Failure{Kind: kind, Status: status, Since: now, At: now, Attempts: 1}
	if d.Failure != nil {
		f.Since, f.Attempts = d.Failure.Since, d.Failure.Attempts+1
	}
	f.Next = now.Add(p.pause(f.Attempts))
	if limit := now.Add(retryAfterMax); retryAfter.After(limit) {
		retryAfter = limit
	}
	if retryAfter.After(f.Next) {
		f.Next = retryAfter
	}
	d.Failure, d.Chain = &f, nil
	return &d, l.Store(ctx, &d)
}

// pause is the wait after a number of failures in a row: the place's own at
// first, where it has any, then the longest.
func (p *Place) pause(attempts int) time.Duration {
	if p.Pauses[0] > 0 {
		if attempts <= len(p.Pauses) && p.Pauses[attempts-1] > 0 {
			return p.Pauses[attempts-1]
		}
		return failureMax
	}
	if n := attempts - 1; n < 7 {
		return min(failureBase<<n, failureMax)
	}
	return failureMax
}
