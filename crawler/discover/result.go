package discover

import "time"

// Attempt is one candidate that gave no index.
type Attempt struct {
	URI        string    `json:"uri"`
	Mechanism  Mechanism `json:"mechanism"`
	State      State     `json:"state"`
	Reason     Reason    `json:"reason"`
	Remembered bool      `json:"remembered,omitempty"` // not asked now: an earlier answer still holds
}

// Request is one request that was answered.
type Request struct {
	URI       string    `json:"uri"`
	Mechanism Mechanism `json:"mechanism"`
	Hop       int       `json:"hop"`
	Status    int       `json:"status"`
	Reason    Reason    `json:"reason,omitempty"` // empty for a redirect that was followed
}

// Result is what a cycle found out.
type Result struct {
	Origin        string    `json:"origin"` // that was asked for
	State         State     `json:"state"`
	Reason        Reason    `json:"reason"`
	Mechanism     Mechanism `json:"mechanism,omitempty"`
	AdvertisedBy  string    `json:"advertised_by"`
	ContentOrigin string    `json:"content_origin,omitempty"` // whose words the index is (LC-070)
	AdvertisedURI string    `json:"advertised_uri,omitempty"`
	FinalURI      string    `json:"final_uri,omitempty"`
	Redirects     int       `json:"redirects"`
	Status        int       `json:"status,omitempty"` // of the last answer
	ETag          string    `json:"etag,omitempty"`
	LastModified  string    `json:"last_modified,omitempty"`
	WireBytes     int64     `json:"bytes_wire"`
	DecodedBytes  int64     `json:"bytes_decoded"`
	Coding        string    `json:"coding,omitempty"`
	Language      string    `json:"language,omitempty"`
	SHA256        string    `json:"sha256,omitempty"`
	NextAllowed   time.Time `json:"next_allowed,omitzero"`
	Stale         bool      `json:"stale,omitempty"` // Copy is served past its time (LC-119)

	Candidates []Candidate `json:"candidates,omitempty"`
	Attempts   []Attempt   `json:"attempts,omitempty"`
	Requests   []Request   `json:"requests,omitempty"`
	Findings   []string    `json:"findings,omitempty"`

	// Copy is the representation that may be served now, if any.
	Copy *Copy `json:"-"`
	// Text is set if this cycle transferred an index: its bytes without byte order mark, unchanged otherwise.
	Text []byte `json:"-"`
}

// Result is complete once Next answered false.
func (c *Cycle) Result() Result { return c.result }

// Stored tells whether the last answer became the copy and may be kept: a representation that is no index is
// discarded (LC-004, LC-013), one with no-store leaves nothing but its time (LC-122).
func (c *Cycle) Stored() bool { return c.result.Text != nil && !c.memory.Copy.NoStore }

// Memory is what to persist, in one commit with the result. Before the end of the cycle it is what Begin was given.
func (c *Cycle) Memory() Memory { return c.memory }

func (c *Cycle) log(r Response, outcome Outcome) {
	c.result.Requests = append(c.result.Requests, Request{
		URI: c.step.URI, Mechanism: c.step.Mechanism, Hop: c.step.Hop, Status: r.Status, Reason: outcome.Reason,
	})
	c.result.Status = r.Status
	c.result.WireBytes += r.WireBytes
}
