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
	// between hosts and within a host; of hosts with equal ranks first the one
	// that could have been asked the longest. With nothing due it waits up to
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
