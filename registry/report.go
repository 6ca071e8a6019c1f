package registry

import "time"

// CheckReport is the outcome of a proof check and the state it leads to.
type CheckReport struct {
	Domain string `json:"domain"`
	// Publisher is the one whose tokens were looked for.
	Publisher string `json:"publisher"`
	// Found is well-known-file or dns-txt, unverified if neither was found,
	// pending if the check could not tell.
	Found string `json:"found"`
	Note  string `json:"note,omitempty"`
	// Admitted says that the publisher did not write the card and may do so now.
	Admitted bool `json:"admitted,omitempty"`
	// The card's own state after the check.
	Method  string     `json:"method"`
	State   string     `json:"state"` // fresh, stale or unproven
	Checked *time.Time `json:"checked"`
	Listed  bool       `json:"listed"`
}

// state is the word of the draft for the state of a card.
func (s *site) state() string {
	switch {
	case !s.proof.method.Proven():
		return "unproven"
	case s.stale:
		return "stale"
	}
	return "fresh"
}

func reportOf(s *site, publisher string, f Finding) CheckReport {
	r := CheckReport{Domain: s.domain, Publisher: publisher, Found: f.Method.String(), Note: clipNote(f.Note),
		Admitted: publisher != s.publisher && f.Method.Proven(),
		Method:   s.proof.method.String(), State: s.state(), Listed: s.listed}
	if s.stale {
		r.Method = "stale"
	}
	if s.proof.checked != 0 {
		at := s.proof.checked.time()
		r.Checked = &at
	}
	return r
}
