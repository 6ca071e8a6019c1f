package discover

import (
	"slices"
	"strings"
	"time"
)

// Inputs is what a cycle needs to know besides the memory. Resolve and Policy are required.
type Inputs struct {
	Resolve Resolve
	Policy  Policy
	// Records are the values of the robots.txt records as written, in file order. They speak for the
	// origin whose robots.txt was asked for, even if it was redirected (LC-133).
	Records []string
	// DescribedBy are the resolved rel=describedby targets of pages of this origin.
	DescribedBy []string
	// RobotsUnreachable: nothing but robots.txt may be asked of the origin (LC-046, LC-134).
	RobotsUnreachable bool
	// RequestFields are the fields that may vary a response, in lower case, as they will be sent (LC-129).
	RequestFields map[string]string
	// BodyEvicted: the text of Memory.Copy is gone, so nothing may be asked conditionally (LC-122).
	BodyEvicted bool
	// Jitter in [0,1) spreads retries; it is the caller's random number.
	Jitter float64
}

// Candidate is one URI that a mechanism names.
type Candidate struct {
	URI       string      `json:"uri"`
	Mechanism Mechanism   `json:"mechanism"`
	Also      []Mechanism `json:"also,omitempty"` // lower mechanisms that name the same resource (LC-105)
	// Declined is set if the candidate may not be asked for at all: CrossOrigin.
	Declined Reason `json:"declined,omitempty"`
}

// Rank lists the candidates of an origin in the order of 4.4: Links (home document first, then newest),
// well-known URI, robots.txt records in file order, then the optional guesses. A URI named twice is one
// candidate. Declined candidates are listed in their place; nothing asks for them.
func Rank(m Memory, in Inputs, now time.Time) []Candidate {
	r := ranking{memory: m, in: in, places: map[string]int{}}
	if in.Policy.uses(Link) {
		for _, seen := range m.Links {
			if usable(seen, now) {
				r.add(seen.URI, Link)
			}
		}
	}
	if in.Policy.uses(WellKnown) {
		r.add(m.Origin+WellKnownPath, WellKnown)
	}
	if in.Policy.uses(Robots) {
		for _, value := range in.Records[:min(len(in.Records), maxRecords)] {
			if uri, ok := RobotsRecord(value); ok {
				r.add(uri, Robots)
			}
		}
	}
	if in.Policy.uses(DescribedBy) {
		for _, uri := range in.DescribedBy[:min(len(in.DescribedBy), maxPageLinks)] {
			r.add(uri, DescribedBy)
		}
	}
	if in.Policy.uses(Guess) {
		r.add(m.Origin+GuessPath, Guess)
	}
	return r.list
}

// ranking collects candidates; places finds the one that names an equivalent URI.
type ranking struct {
	memory Memory
	in     Inputs
	list   []Candidate
	places map[string]int
}

func (r *ranking) add(uri string, mechanism Mechanism) {
	canonical, ok := r.in.Resolve(r.memory.Origin+"/", uri)
	canonical, _, _ = strings.Cut(canonical, "#")
	if !ok || OriginOf(canonical) == "" || len(canonical) > maxURIBytes {
		return
	}
	key := equivalent(canonical)
	if place, named := r.places[key]; named {
		first := &r.list[place]
		if first.Mechanism != mechanism && !slices.Contains(first.Also, mechanism) {
			first.Also = append(first.Also, mechanism)
		}
		return
	}
	candidate := Candidate{URI: canonical, Mechanism: mechanism}
	if !r.in.Policy.accepts(r.memory.Origin, "", canonical) {
		candidate.Declined = CrossOrigin
	}
	r.places[key] = len(r.list)
	r.list = append(r.list, candidate)
}

// RecordFindings audits robots.txt records: values that are no absolute URI (LC-035).
func RecordFindings(records []string) []string {
	for _, value := range records {
		if _, ok := RobotsRecord(value); !ok {
			return []string{FindingRelativeRecord}
		}
	}
	return nil
}
