package api

import "time"

// Registry is how a registry of consent cards fares.
type Registry struct {
	Registry         string    `json:"registry"`
	Listed           int       `json:"listed"` // domains
	Cards            int       `json:"cards"`  // copies held
	Polled           time.Time `json:"polled,omitzero"`
	Requests         int64     `json:"requests"`                   // of this process
	UnavailableSince time.Time `json:"unavailable_since,omitzero"` // zero while it answers
	NotBefore        time.Time `json:"not_before,omitzero"`        // it is left alone until then
	Problem          string    `json:"problem,omitempty"`          // the last failure, while it lasts
}
