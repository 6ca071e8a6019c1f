package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// etag identifies the served octets of a card: the first 16 octets of their
// SHA-256, written as 32 hex digits (BC-R-903).
type etag [16]byte

func etagOf(served []byte) etag {
	sum := sha256.Sum256(served)
	return etag(sum[:16])
}

// String is the form of the change feed; the ETag field has it in quotes.
func (e etag) String() string { return hex.EncodeToString(e[:]) }

// quoted is the value of the field.
func (e etag) quoted() string { return `"` + e.String() + `"` }

// site is everything known about a domain but the text of its card. A site
// never changes once it is in the catalog: the writer replaces it.
type site struct {
	domain  string
	etag    etag
	rev     uint64  // of the stored card, 0 if there is none
	seq     uint64  // of the last change in the feed, 0 if it was never in it
	listed  bool    // has a card that was proven once (BC-R-907)
	stale   bool    // the served card says so
	removed instant // when it left the list, for the feed

	publisher string  // wrote the card (listed_by)
	updated   instant // of that write
	window    time.Duration
	facts     facts
	proof     proofState
	admitted  *admission // never changed; nil for most sites
	next      instant    // of the next proof check
}

// admission is the passed check of another publisher, the zero one for none.
func (s *site) admission() *admission {
	if s.admitted == nil {
		return new(admission)
	}
	return s.admitted
}

// hasCard tells whether there is something to serve.
func (s *site) hasCard() bool { return s.rev != 0 }

// inFeed tells whether the change feed has an entry: a card, or the word that
// it is gone.
func (s *site) inFeed() bool { return s.seq != 0 }

// expires is when time alone turns the proof stale, zero for never.
func (s *site) expires() instant {
	if !s.hasCard() || s.stale || !s.proof.method.Proven() {
		return 0
	}
	return s.proof.checked.add(s.window) + 1 // the window itself is still fresh (BC-P-023)
}

// instant is a time in whole seconds since 1970, zero for none. Cards say
// nothing finer.
type instant int64

func instantOf(t time.Time) instant { return instant(t.Unix()) }

func (i instant) time() time.Time { return time.Unix(int64(i), 0).UTC() }

func (i instant) add(d time.Duration) instant { return i + instant(d/time.Second) }

func (i instant) since(earlier instant) time.Duration { return time.Duration(i-earlier) * time.Second }

// append writes the RFC 3339 form in UTC.
func (i instant) append(dst []byte) []byte { return i.time().AppendFormat(dst, time.RFC3339) }

func (i instant) String() string { return string(i.append(nil)) }

// admission is a passed check of a publisher that did not write the card: the
// owner has planted its token, so its next write is let in (BC-R-912, product
// §9). It carries the finding over, because that write proves nothing itself.
type admission struct {
	publisher string
	method    Method
	at        instant
	validated bool
	crawl     CrawlHealth
}
