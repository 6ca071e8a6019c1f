package politeness

import (
	"errors"
	"fmt"
	"strings"
)

// Purpose is what the retrieved bytes are for.
type Purpose uint8

const (
	Index  Purpose = iota // search
	Answer                // retrieval for live answers
	Train                 // changing the parameters of a model
	Act                   // anything that changes state on the site
	purposeCount
)

var purposeNames = [purposeCount]string{"index", "answer", "train", "act"}

// String gives the name used on the command line and in JSON.
func (p Purpose) String() string { return purposeNames[p] }

// Purposes is a set of purposes.
type Purposes uint8

// AllPurposes is the set of all purposes.
const AllPurposes Purposes = 1<<purposeCount - 1

// ErrPurpose is returned for a purpose outside index, answer, train, act and
// retrieve (index and answer).
var ErrPurpose = errors.New("politeness: unknown purpose")

// PurposesOf makes a set.
func PurposesOf(list ...Purpose) Purposes {
	var s Purposes
	for _, p := range list {
		s |= 1 << p
	}
	return s
}

// ParsePurposes reads names, each possibly a comma list. At least one is
// needed.
func ParsePurposes(names ...string) (Purposes, error) {
	var s Purposes
	for _, list := range names {
		for name := range strings.SplitSeq(list, ",") {
			one, err := parsePurpose(strings.TrimSpace(name))
			if err != nil {
				return 0, err
			}
			s |= one
		}
	}
	if s == 0 {
		return 0, fmt.Errorf("%w: none given; use index, answer, train, act or retrieve", ErrPurpose)
	}
	return s, nil
}

func parsePurpose(name string) (Purposes, error) {
	if name == "retrieve" {
		return PurposesOf(Index, Answer), nil
	}
	for i, known := range purposeNames {
		if name == known {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("%w %q; use index, answer, train, act or retrieve", ErrPurpose, name)
}

// Has tells whether p is in the set.
func (s Purposes) Has(p Purpose) bool { return s&(1<<p) != 0 }

// Names lists the members in fixed order.
func (s Purposes) Names() []string {
	names := make([]string, 0, purposeCount)
	for p := range purposeCount {
		if s.Has(p) {
			names = append(names, p.String())
		}
	}
	return names
}

// String joins the names with commas.
func (s Purposes) String() string { return strings.Join(s.Names(), ",") }

// Use says whether bytes may serve one purpose.
type Use uint8

const (
	Unsaid Use = iota // nobody said anything
	Yes               // somebody granted it and nobody refused
	No                // somebody refused it
)

var useNames = [...]string{"unsaid", "yes", "no"}

// String gives the name used in JSON.
func (u Use) String() string { return useNames[u] }

// Uses holds one Use for each purpose. The zero value is unsaid throughout.
type Uses [purposeCount]Use

// Everything gives u to all purposes.
func Everything(u Use) Uses {
	var all Uses
	for p := range all {
		all[p] = u
	}
	return all
}

// Join combines two statements, for each purpose the stricter one: No over
// Yes over Unsaid.
func (u Uses) Join(v Uses) Uses {
	for p := range u {
		u[p] = max(u[p], v[p])
	}
	return u
}

// Refuses tells whether one of a set of purposes is refused.
func (u Uses) Refuses(s Purposes) bool {
	for p := range purposeCount {
		if s.Has(p) && u[p] == No {
			return true
		}
	}
	return false
}

// MarshalJSON writes {"index":"yes",…} in fixed order.
func (u Uses) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 64)
	for p := range purposeCount {
		if p == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, purposeNames[p]...)
		b = append(b, `":"`...)
		b = append(b, useNames[u[p]]...)
		b = append(b, '"')
	}
	return append(b, '}'), nil
}
