package discover

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

var (
	// ErrCeiling reports a size ceiling that is absent or not positive (LC-075).
	ErrCeiling = errors.New("discover: ceiling must be positive")
	// ErrMechanism reports an unknown name in Policy.Mechanisms.
	ErrMechanism = errors.New("discover: unknown mechanism")
	// ErrMinInterval reports an opt-in floor below 300 s (LC-121).
	ErrMinInterval = errors.New("discover: minimum interval below 5m")
)

// Pair lets one origin advertise a context file of another one (LC-107). Origins are as OriginOf writes them.
type Pair struct{ Advertising, Target string }

// Policy is the operator's part of discovery.
type Policy struct {
	// Mechanisms in use; their order is fixed by precedence. Guess and DescribedBy must be named to be used.
	Mechanisms []Mechanism
	// Allow lists the cross-origin references that are accepted; nothing else is a reason to accept one.
	Allow []Pair
	// IndexBytes and DetailBytes are ceilings in octets, of the decoded text and of the wire alike.
	IndexBytes, DetailBytes int64
	// MinInterval, if not zero, lets an explicit shorter lifetime go below the floors of one hour and one
	// day, down to this (LC-121).
	MinInterval time.Duration
}

// DefaultPolicy has the three mechanisms of the draft, no indirection and the default ceilings.
func DefaultPolicy() Policy {
	return Policy{
		Mechanisms: []Mechanism{Link, WellKnown, Robots},
		IndexBytes: DefaultIndexBytes, DetailBytes: DefaultDetailBytes,
	}
}

// Validate returns ErrCeiling, ErrMechanism or ErrMinInterval, wrapped with the value.
func (p Policy) Validate() error {
	if p.IndexBytes <= 0 || p.DetailBytes <= 0 {
		return fmt.Errorf("%w: index %d, detail %d", ErrCeiling, p.IndexBytes, p.DetailBytes)
	}
	for _, mechanism := range p.Mechanisms {
		if !slices.Contains([]Mechanism{Link, WellKnown, Robots, Guess, DescribedBy}, mechanism) {
			return fmt.Errorf("%w: %q", ErrMechanism, mechanism)
		}
	}
	if p.MinInterval != 0 && p.MinInterval < leastFloor {
		return fmt.Errorf("%w: %v", ErrMinInterval, p.MinInterval)
	}
	return nil
}

func (p Policy) uses(mechanism Mechanism) bool { return slices.Contains(p.Mechanisms, mechanism) }

// ceiling never answers "unlimited": a policy that was not validated gets the default.
func (p Policy) ceiling(role Role) int64 {
	limit, standard := p.IndexBytes, DefaultIndexBytes
	if role == Detail {
		limit, standard = p.DetailBytes, DefaultDetailBytes
	}
	if limit <= 0 {
		return standard
	}
	return limit
}
