package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// memoryVersion is the layout of an encoded Memory.
const memoryVersion = 1

// ErrMemory reports an encoded Memory that cannot be read: damaged, or of a version this program does not know.
var ErrMemory = errors.New("discover: unreadable memory")

// Memory is what is kept about one origin between cycles. It holds no text; the copy is found by its digest.
// It is a value: its methods change the one they are called on and none that was copied from it before.
type Memory struct {
	Version int    `json:"version"`
	Origin  string `json:"origin"`
	CycleID uint64 `json:"cycle_id"` // counts committed cycles

	State         State     `json:"state,omitempty"`
	Reason        Reason    `json:"reason,omitempty"`
	Mechanism     Mechanism `json:"mechanism,omitempty"`
	AdvertisedURI string    `json:"advertised_uri,omitempty"`
	FinalURI      string    `json:"final_uri,omitempty"`
	Redirects     int       `json:"redirects,omitempty"`
	NextAllowed   time.Time `json:"next_allowed,omitzero"`
	Attempts      int       `json:"attempts,omitempty"`  // failed cycles in a row
	Withdrawn     bool      `json:"withdrawn,omitempty"` // a copy was held and must no longer be served

	Copy      *Copy            `json:"copy,omitempty"`
	Negatives []Negative       `json:"negatives,omitempty"`
	Links     []LinkSeen       `json:"links,omitempty"`
	Sample    Sample           `json:"sample,omitzero"`
	Details   map[string]Known `json:"details,omitempty"` // by canonical URI

	Divergence *Divergence `json:"divergence,omitempty"` // nil if nobody has sampled; the value does not change
}

// Copy describes a stored representation: its validators, identity and times. It is dropped as a whole.
type Copy struct {
	URI          string            `json:"uri"`
	ETag         string            `json:"etag,omitempty"`
	LastModified string            `json:"last_modified,omitempty"`
	Date         time.Time         `json:"date"` // of the Date field, else of receipt
	FetchedAt    time.Time         `json:"fetched_at"`
	FreshUntil   time.Time         `json:"fresh_until"`
	SHA256       string            `json:"sha256"` // of the decoded text without byte order mark, hex
	DecodedBytes int64             `json:"decoded_bytes"`
	Language     string            `json:"language,omitempty"`
	Vary         map[string]string `json:"vary,omitempty"` // request field in lower case → value sent
	VaryAny      bool              `json:"vary_any,omitempty"`
	// Fields are the fields of the answer that say what may be done with the text: they bind whoever uses it
	// later.
	Fields http.Header `json:"fields,omitempty"`
	// NoStore marks a representation that may not be kept: only its time is (LC-122).
	NoStore bool `json:"no_store,omitempty"`
}

// Negative says that a candidate was tried and is not asked again before Until (LC-115).
type Negative struct {
	Mechanism Mechanism `json:"mechanism"`
	URI       string    `json:"uri"`
	Reason    Reason    `json:"reason"`
	Until     time.Time `json:"until"`
}

// Known is the memory of one detail resource.
type Known struct {
	State       State     `json:"state"`
	Reason      Reason    `json:"reason"`
	NextAllowed time.Time `json:"next_allowed"`
	Attempts    int       `json:"attempts,omitempty"`
	Copy        *Copy     `json:"copy,omitempty"`
}

// NewMemory is the state of an origin nothing is known about.
func NewMemory(origin string) Memory { return Memory{Version: memoryVersion, Origin: origin} }

// Encode writes the memory as JSON.
func (m Memory) Encode() ([]byte, error) {
	m.Version = memoryVersion
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("discover: encode memory of %s: %w", m.Origin, err)
	}
	return data, nil
}

// DecodeMemory reads what Encode wrote. It returns ErrMemory for anything else, because floors that
// cannot be read may not be taken for none.
func DecodeMemory(data []byte) (Memory, error) {
	var m Memory
	if err := json.Unmarshal(data, &m); err != nil {
		return Memory{}, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	if m.Version != memoryVersion || OriginOf(m.Origin) != m.Origin || m.Origin == "" {
		return Memory{}, fmt.Errorf("%w: version %d, origin %.100q", ErrMemory, m.Version, m.Origin)
	}
	return m, nil
}

// clone copies what a cycle changes, so that an abandoned cycle leaves no trace.
func (m Memory) clone() Memory {
	if m.Copy != nil {
		held := *m.Copy
		m.Copy = &held
	}
	m.Negatives = append([]Negative(nil), m.Negatives...)
	return m
}

// barred returns the entry that keeps a candidate from being tried, if there is one.
func (m *Memory) barred(c Candidate, now time.Time) (Negative, bool) {
	for _, entry := range m.Negatives {
		if entry.Mechanism == c.Mechanism && entry.Until.After(now) && equivalent(entry.URI) == equivalent(c.URI) {
			return entry, true
		}
	}
	return Negative{}, false
}

// bar records a failed candidate and forgets entries that are over; beyond the bound the one that ends
// first goes, except that the well-known entry is never pushed out by others.
func (m *Memory) bar(entry Negative, now time.Time) {
	kept := m.Negatives[:0]
	for _, old := range m.Negatives {
		if old.Until.After(now) && !(old.Mechanism == entry.Mechanism && old.URI == entry.URI) {
			kept = append(kept, old)
		}
	}
	for len(kept) >= maxNegatives {
		first := -1
		for i, old := range kept {
			if old.Mechanism != WellKnown && (first < 0 || old.Until.Before(kept[first].Until)) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		kept = append(kept[:first], kept[first+1:]...)
	}
	m.Negatives = append(kept, entry)
}
