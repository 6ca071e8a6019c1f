package card

import (
	"strings"
	"time"
)

// Status is what a copy of a card rests on. The zero value rests on nothing.
type Status uint8

const (
	// Unread: the registry lists the domain, or has not said yet which domains
	// it lists, and nobody has asked it in vain. A restriction may be there.
	Unread Status = iota
	// Unavailable: the registry was asked and could not answer, and there is no
	// former answer. That is evidence of nothing (BC-C-914).
	Unavailable
	// Read: the registry answered with the card, now or before.
	Read
	// Invalid: the registry answered with a card that cannot be taken. What the
	// former card restricted stays; nothing is granted (BC-C-933).
	Invalid
)

var statusNames = [...]string{"unread", "unavailable", "read", "invalid"}

// String gives the name used in output.
func (s Status) String() string { return statusNames[s] }

// Held is a card of one registry as it is kept for decisions. It does not grow
// with the document. A copy is a value and does not change.
type Held struct {
	Registry  string // origin of the registry
	URL       string // where the card was read
	SHA256    string // of the octets, lower-case hex; empty if there are none
	FetchedAt time.Time
	Skew      time.Duration // clock of the registry minus ours, zero within SkewTolerance
	Status    Status
	SeenProof bool // a proven card of the domain was seen here at some time

	Domain    string
	Canonical string // origin, or empty
	Name      string
	DeniedAs  string // the entry of deny that names us, empty if none does
	AllowBots bool
	Known     bool // the version is one whose grants can be taken
	Sound     bool // nothing in it was unreadable that could have restricted us
	Consent   Consent
	Proof     Proof
}

// Hold keeps what a decision needs of c. ours are our product tokens.
func (c Card) Hold(ours []string) Held {
	denied, _ := namedIn(c.Deny, ours)
	return Held{Status: Read, SHA256: c.SHA256, SeenProof: c.Proof.Proven(),
		Domain: c.Domain, Canonical: c.Canonical, Name: c.Name, DeniedAs: denied, AllowBots: c.AllowBots,
		Known: c.known, Sound: c.sound, Consent: c.Consent, Proof: c.Proof}
}

// HasCard tells whether there is a card behind h, be it a former one.
func (h *Held) HasCard() bool { return h.SHA256 != "" }

// State is the state of the proof at now.
func (h *Held) State(now time.Time) State { return h.Proof.State(now, h.Skew) }

// Grants tells whether grants of the card reach a host (BC-C-902): they stay
// with the bare domain, its www host and the canonical host, because other
// names below the domain may be run by somebody else. host is in lower case.
func (h *Held) Grants(host string) bool {
	if host == h.Domain || strings.HasPrefix(host, "www.") && host[4:] == h.Domain {
		return h.Domain != ""
	}
	canonical := strings.TrimPrefix(h.Canonical, "https://")
	if i := strings.LastIndexByte(canonical, ':'); i >= 0 {
		canonical = canonical[:i]
	}
	return canonical != "" && host == canonical
}

// Attribution is how the owner of a domain wants to be named beside what is used
// of it (BC-C-011, BC-C-930).
type Attribution struct {
	Name      string
	Canonical string // origin, or empty
	Expected  bool   // false takes the expectation away and forbids nothing
}

// Attribute gives the attribution of a domain from the cards that are held for
// it. It is expected if one card expects it; the names are those of the card
// with the best proof. There is none without a card, or with only cards that a
// stranger may have written.
func Attribute(held []Held, now time.Time) (a Attribution, ok bool) {
	best := Unverified
	for i := range held {
		h := &held[i]
		state := h.State(now)
		if !h.HasCard() || state == Pending && !h.SeenProof {
			continue
		}
		a.Expected = a.Expected || h.Consent.Cite
		if !ok || state > best {
			a.Name, a.Canonical, best, ok = h.Name, h.Canonical, state, true
		}
	}
	return a, ok
}
