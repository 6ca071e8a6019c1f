package frontier

import "time"

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
