package politeness

import (
	"net/http"
	"time"
)

// Place is where a policy document is found.
type Place struct {
	URL      string        // absolute; empty for a place in the response
	Kind     string        // "robots", "response": tells a source's places apart
	Response bool          // the response to the question itself is the document
	MaxBytes int64         // octets read; the rest is cut and Document.Truncated set
	MaxAge   time.Duration // longest freshness of a copy, whatever its headers say
	MinAge   time.Duration // shortest freshness of a copy; zero: long enough for one request
	Accept   string        // value of the Accept field

	// BoundBy names the source that decides whether the document may be asked
	// for at all; it stands earlier in the table. Empty: nobody does.
	BoundBy string

	// For are the purposes that depend on the document. It is asked for only
	// where a question has one of them. Zero: all.
	For Purposes

	// Pauses are the waits after the first failures in a row, instead of the
	// library's own. A zero ends the list.
	Pauses [3]time.Duration
}

// Document is the copy of a policy document that is held: the last answer that
// was an answer, and what went wrong since. It is persisted as it was
// received, so that a decision can be replayed.
type Document struct {
	URL       string      // as in Place
	FinalURL  string      // after redirects
	Status    int         // 0 if no answer was ever received; 3xx if redirects led nowhere
	Header    http.Header // of the final answer
	Body      []byte      // decoded content
	Truncated bool        // Body was cut at Place.MaxBytes
	SHA256    string      // of Body, lower-case hex
	FetchedAt time.Time   // when the answer was received, or confirmed by a 304
	Expires   time.Time   // end of freshness
	Failure   *Failure    // set while the document is unreachable

	// Forbidden is set while the source that binds the document does not let
	// us ask for it. The gate sets it on the copy it hands to Read; it is not
	// persisted.
	Forbidden bool

	// Chain is the redirect that was answered last, while the document is
	// still being looked for: the next request goes there.
	Chain *Chain
}

// Failure tells since when a document cannot be read.
type Failure struct {
	Kind     string    // "status", or the kind of the transport error
	Status   int       // of the last answer, 0 if none
	Since    time.Time // first failure in a row
	At       time.Time // last one
	Next     time.Time // not asked again before
	Attempts int       // in a row, at least 1
}

// Chain is the state of a redirected document between two hops.
type Chain struct {
	Next string // absolute URL of the next hop
	Hops int    // redirects answered so far
}

// Held tells whether there ever was an answer.
func (d *Document) Held() bool { return d.Status != 0 }

// Due tells whether the document should be asked for at now: no copy, a stale
// one, or a failure whose pause is over.
func (d *Document) Due(now time.Time) bool {
	if d.Failure != nil {
		return !now.Before(d.Failure.Next)
	}
	return !d.Held() || !now.Before(d.Expires)
}

// Ref names the copy for an opinion.
func (d *Document) Ref() *DocumentRef {
	ref := &DocumentRef{URL: d.URL, Status: d.Status, SHA256: d.SHA256, FetchedAt: d.FetchedAt.UTC()}
	if d.Failure != nil && d.Status == 0 {
		ref.Status, ref.FetchedAt = d.Failure.Status, d.Failure.At.UTC()
	}
	if d.Failure != nil && d.Failure.Status == 0 {
		ref.Failure = d.Failure.Kind
	}
	return ref
}
