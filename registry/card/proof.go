package card

import "time"

// State is how far the proof behind a card reaches. The zero value grants
// nothing and restricts.
type State uint8

const (
	Unverified State = iota // no proof: the check failed, or nothing usable is said about it
	Pending                 // no check was completed yet, so anybody may have written the card
	Stale                   // proven once, not confirmed inside the window
	Fresh                   // proven, and confirmed inside the window
)

var stateNames = [...]string{"unverified", "pending", "stale", "fresh"}

// String gives the name used in output.
func (s State) String() string { return stateNames[s] }

// Unproven tells whether the draft calls the state unproven: unlisted for every
// purpose that depends on the owner's consent (BC-C-014).
func (s State) Unproven() bool { return s < Stale }

// Freshness gives the draft's word for the state: fresh, stale or unproven
// (BC-P-023).
func (s State) Freshness() string {
	if s.Unproven() {
		return "unproven"
	}
	return s.String()
}

// Method is the word of the registry about the proof.
type Method uint8

const (
	MethodUnknown Method = iota // absent, malformed, or a word the draft does not have (BC-C-934)
	MethodPending
	MethodUnverified
	MethodStale
	MethodFile // well-known-file
	MethodDNS  // dns-txt
)

var methodNames = [...]string{"unknown", "pending", "unverified", "stale", "well-known-file", "dns-txt"}

// String gives the word of the draft, "unknown" if it was none.
func (m Method) String() string { return methodNames[m] }

// maxWindow is the default window and the longest one for grants (BC-C-908): a
// grant outlives no week without a proof, whatever the card says.
const maxWindow = 168 * time.Hour

// SkewTolerance is how far clocks may be apart before it matters (BC-C-907).
const SkewTolerance = 300 * time.Second

// Proof is what a card says about its own proof.
type Proof struct {
	Method  Method
	Checked time.Time     // of the last check; zero for null, absent or unreadable
	Window  time.Duration // for grants
	vote    vote          // the member freshness, a further vote if it is served
}

// vote is the word of a member freshness.
type vote uint8

const (
	noVote vote = iota
	voteStale
	voteUnproven
)

// readProof reads the members verification, crawl and freshness.
func readProof(verification, crawl, freshness JSON) Proof {
	p := Proof{Method: readMethod(verification.Member("method")), Window: maxWindow}
	if text, ok := verification.Member("checked").Text(); ok {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			p.Checked = t.UTC()
		}
	}
	if hours, ok := crawl.Member("revalidate_hours").Integer(); ok && 0 < hours && hours < int64(maxWindow/time.Hour) {
		p.Window = time.Duration(hours) * time.Hour
	}
	switch word, _ := freshness.Text(); word {
	case "stale":
		p.vote = voteStale
	case "unproven":
		p.vote = voteUnproven
	}
	return p
}

func readMethod(v JSON) Method {
	word, _ := v.Text()
	for m, name := range methodNames {
		if name == word {
			return Method(m)
		}
	}
	return MethodUnknown
}

// Proven tells whether the card says that a proof was found at some time.
func (p Proof) Proven() bool {
	switch p.Method {
	case MethodFile, MethodDNS, MethodStale:
		return !p.Checked.IsZero()
	}
	return false
}

// State is the worst of what the registry says and what follows from the time
// of the check and the window (BC-C-906). skew is the clock of the registry
// minus ours, zero if they agree within SkewTolerance.
//
// The later of the two clocks tells the age, so that neither a slow clock of
// ours nor an old answer of a registry keeps a grant alive. Whether a check
// lies in the future is told by the clock of whoever wrote it down (BC-C-907).
func (p Proof) State(now time.Time, skew time.Duration) State {
	switch {
	case p.Method == MethodPending:
		return Pending
	case !p.Proven(), p.vote == voteUnproven:
		return Unverified
	case p.Method == MethodStale, p.vote == voteStale:
		return Stale
	}
	theirs := now.Add(skew)
	if p.Checked.After(theirs.Add(SkewTolerance)) || p.Age(now, skew) > p.Window {
		return Stale
	}
	return Fresh
}

// Age is the time since the last check, by the later of the two clocks. It is
// zero for a check in the future.
func (p Proof) Age(now time.Time, skew time.Duration) time.Duration {
	return max(now.Add(max(skew, 0)).Sub(p.Checked), 0)
}
