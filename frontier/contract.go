package frontier

import (
	"context"
	"errors"
	"time"
)

// Errors that callers branch on. Engines wrap them.
var (
	ErrClosed  = errors.New("frontier: engine is closed")
	ErrUnknown = errors.New("frontier: not known")
	ErrVersion = errors.New("frontier: state was written by another version")
	ErrInUse   = errors.New("frontier: state is in use by another process")
	ErrDamaged = errors.New("frontier: state is damaged")
	ErrFull    = errors.New("frontier: no space left on disk")
	ErrStale   = errors.New("frontier: token is no longer current")
)

// Engine stores the frontier of one job. Every method is safe for concurrent
// use. A method that returns nil, and a done function called with nil, mean
// committed and fsynced. Times are compared with the engine's own clock.
//
// Invariants, tested for every engine by store/enginetest:
//
//	(1) every known URL is in exactly one of ready, future, leased, settled
//	(2) one record per canonical URL
//	(3) at most one live grant per slot of a host, across processes
//	(4) no grant of a host before its next time, also across a crash: after an
//	    unclean stop every host waits one full delay from the start
//	(5) what was acknowledged is there after kill -9
//	(6) a lapsed grant returns with its URLs unchanged
//	(7) a stale settlement changes nothing but discovery
//	(8) no URL is handed out while one of lower Rank of the same host is due
//	(9) memory is bounded by configuration, not by the number of URLs
type Engine interface {
	// Discover makes URLs known, all or none of them. An unknown one gets one
	// record and one queue entry; for a known one only its score may rise and
	// its depth fall, its state never changes. It returns how many were new.
	Discover(ctx context.Context, candidates []Candidate) (added int, err error)

	// Claim takes due URLs of hosts that may be asked now, best rank first
	// between hosts and within a host. With nothing due it waits up to
	// req.MaxWait and then returns no grant and the outlook.
	Claim(ctx context.Context, req ClaimRequest) ([]Grant, Outlook, error)

	// Settle closes grants and waits for the commit. One unit per settlement:
	// outcomes, links, host and attachments together or not at all.
	Settle(ctx context.Context, settlements []Settlement) ([]Verdict, error)

	// SettleAsync queues one settlement and returns; done is called after the
	// commit (from the engine's writer: it must return at once). It blocks
	// only when more is queued than two groups hold.
	SettleAsync(ctx context.Context, s Settlement, done func(Verdict, error)) error

	// Extend moves the deadline of grants to now+ttl. ErrStale if one of them
	// has lapsed.
	Extend(ctx context.Context, grants []GrantRef, ttl time.Duration) error

	// Release gives grants back unused: their URLs are ready again at once and
	// unchanged, and the host's next time is not moved.
	Release(ctx context.Context, grants []GrantRef) error

	// Host returns the record of a host, ErrUnknown if there is none.
	Host(ctx context.Context, host string) (Host, error)

	// UpdateHost changes a host if its record still has this version,
	// otherwise it answers ErrStale. An unknown host has version 0.
	UpdateHost(ctx context.Context, host string, version uint64, patch HostPatch) error

	// Why tells all that is known about a URL. ErrUnknown if it is not known.
	Why(ctx context.Context, url string) (Report, error)

	// ListHost lists the URLs of a host after a cursor ("" first), at most limit. The
	// returned cursor is "" at the end. It holds no transaction between calls.
	ListHost(ctx context.Context, host, cursor string, limit int) ([]Report, string, error)

	// ListHosts lists hosts by name, likewise.
	ListHosts(ctx context.Context, cursor string, limit int) ([]Host, string, error)

	// Renew makes settled URLs due again, a new pass over the job: all whose
	// FreshUntil is not after now, or all if refresh is set. It survives a
	// kill in the middle: calling it again with the same pass number goes on,
	// and a pass that is complete is not made twice. It returns how many URLs
	// were queued.
	Renew(ctx context.Context, pass uint64, now time.Time, refresh bool) (queued int, err error)

	// Stats counts, in constant time.
	Stats(ctx context.Context) (Stats, error)

	// Flush returns when everything acknowledged or queued so far is durable.
	Flush(ctx context.Context) error

	// Close flushes, marks a clean stop and closes.
	Close() error
}

// Candidate is a URL somebody found.
type Candidate struct {
	URL       string // canonical
	Host      string // HostKey of URL
	Score     int    // 0 to 100
	Depth     int    // links from a seed
	NotBefore time.Time
	Parent    string // canonical URL of the page that named it, "" for a seed
	Path      string // discovery path, one letter per hop: L link, R redirect, E requisite of a page, S sitemap, F feed that a page names, C context file, D consent card; "" for a seed; the last 32 are kept
}

// ClaimRequest asks for work.
type ClaimRequest struct {
	MaxHosts int           // grants at most
	PerGrant int           // URLs in a grant at most
	TTL      time.Duration // life of the grants
	MaxWait  time.Duration // how long to wait for something due
}

// Outlook tells a worker without work what there is to wait for.
type Outlook struct {
	Next   time.Time // earliest time at which something is due; zero if nothing is queued
	Queued int       // URLs ready or future
	Leased int       // URLs in live grants
}

// GrantRef names a grant.
type GrantRef struct {
	Host  string
	Slot  int    // 0 to PerHost-1
	Token uint64 // fencing token; rises with each grant of the host
}

// Grant is the right to ask one host for some URLs until a deadline.
type Grant struct {
	GrantRef
	Deadline time.Time
	URLs     []Item // best rank first
}

// Item is a URL with what is known of it.
type Item struct {
	Candidate
	Attempts int    // failed attempts in a row
	Pass     uint64 // pass in which it was queued
	Page     Page   // the last answer; zero if there was none
}

// Page is what the frontier remembers of the last good answer to a URL.
type Page struct {
	Status       int
	FetchedAt    time.Time // zero if never
	FreshUntil   time.Time // end of explicit freshness, zero if none
	ETag         string    // word for word; kept together with what it validates
	LastModified string    // word for word
	Digest       [32]byte  // SHA-256 of the decoded payload
	Location     string    // where the body is stored: file:offset:length; "" if nowhere
	WireBytes    int64     // of the body, content-coded, when it was last transferred
	Changes      uint32    // answers whose digest differed from the one before
	Checks       uint32    // answers in all
}

// State is how the story of a URL stands.
type State uint8

const (
	Unknown     State = iota // never heard of
	Ready                    // due
	Future                   // due later
	Leased                   // in a live grant
	Fetched                  // settled: 2xx with a body stored or noted
	NotModified              // settled: 304
	Redirected               // settled: the target is a URL of its own
	Gone                     // settled: 404 or 410
	Refused                  // settled: a decision denied it
	Failed                   // settled: unreachable after its retries, or an answer of no use
)

var stateNames = [...]string{"unknown", "ready", "future", "leased", "fetched", "not-modified", "redirected", "gone", "refused", "failed"}

// String gives the name used in reports.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return stateNames[Unknown]
}

// Settled tells whether the URL waits for nothing but a later pass.
func (s State) Settled() bool { return s >= Fetched && s <= Failed }

// Outcome closes one URL of a grant. State Future queues it again for Due with
// Attempts; a URL of the grant without an outcome is ready again, unchanged.
type Outcome struct {
	URL      string
	State    State
	Due      time.Time // for Future
	Attempts int
	Reason   string // reason code or kind of failure, "" for none
	Page     *Page  // nil keeps the page that was held
}

// Attachment is what must be durable before a settlement is: archive records
// and ledger lines. The engine hands the attachments of a group to
// [BeforeCommit] and afterwards stores Location as the Page.Location of the
// settlement's first outcome.
type Attachment interface {
	// Location is "" if the body was not stored anew; then the page keeps the
	// location it had.
	Location() string
}

// Marks are the committed ends of append-only files: name to length in octets.
type Marks map[string]int64

// BeforeCommit makes the attachments of one group durable, in order, and
// returns the marks to be stored in the same commit. After a crash whatever
// stands behind the marks is cut off, so the files hold exactly what the
// committed settlements wrote. An error fails the group and every later one.
type BeforeCommit func(attachments []Attachment) (Marks, error)

// Settlement reports on a grant, or, with a zero Token, on something that was
// done to a host outside of any grant (a policy document, an on-demand fetch).
type Settlement struct {
	Grant    GrantRef
	Outcomes []Outcome
	Links    []Candidate
	HostNext time.Time // the host is not claimed before; zero leaves it
	Pace     []byte    // opaque state of the pacer; nil leaves it
	Attach   []Attachment
	Tally    Tally // added to the totals of the job
	Spent    Spent // added to what the day of the host, and of the job, has cost
}

// Tally is a set of counters, added up durably in the commit of the settlement
// that carries it. The caller gives the indices their meaning.
type Tally [24]int64

// Verdict tells what became of a settlement.
type Verdict struct {
	Stale bool // the token was no longer current: outcomes dropped, links kept
	Added int  // links that were new
}

// Host is what is known of a host.
type Host struct {
	Name    string
	Version uint64
	Next    time.Time // not claimed before
	Paused  bool
	Ready   int // URLs due
	Future  int // URLs due later
	Leased  int
	Known   int
	Pace    []byte
	Spent   Spent // of the last day on which anything was
}

// HostPatch changes a host. Nil leaves a member as it is.
type HostPatch struct {
	Next   *time.Time
	Paused *bool
	Pace   []byte
}

// Report explains one URL.
type Report struct {
	Item
	State  State
	Due    time.Time // for Future
	Reason string    // of the last outcome
	Until  time.Time // deadline of the grant, for Leased
	Host   Host
}

// Stats are counts over the whole job.
type Stats struct {
	Known                                  int64
	Queued                                 int64 // ready, future and leased
	Leased                                 int64
	States                                 [Failed + 1]int64 // Ready and Future are counted together under Ready where telling them apart would need a scan
	Hosts                                  int64
	HostsReady, HostsWaiting, HostsBlocked int64 // may be asked now; waits for its delay; waits longer or is paused
	Totals                                 Tally
	Spent                                  Spent // of the last day on which anything was
}
