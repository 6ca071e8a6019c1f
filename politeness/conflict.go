package politeness

import (
	"fmt"
	"slices"
)

// Conflict is a contradiction between two voices about one URL. It changes no
// decision, since the stricter voice counts anyway; it is shown so that somebody
// can ask the site what it means.
type Conflict struct {
	Between  [2]string `json:"between"` // sources, in table order; twice the same for one that contradicts itself
	Kind     string    `json:"kind"`    // one of the Conflict… kinds
	Sentence string    `json:"sentence"`
}

// Kinds of conflicts.
const (
	ConflictAccess      = "access"      // one allows by a line of its own what the other denies
	ConflictUse         = "use"         // one grants a purpose that the other refuses
	ConflictReservation = "reservation" // a reservation beside a grant, or against the origin's own word
	ConflictReplaced    = "replaced"    // a response contradicts what its source said before
	ConflictAdvertised  = "advertised"  // what the site advertises may not be asked for
)

// clash is a conflict before it is put into words.
type clash struct {
	a, b    *Opinion // the earlier in the table first
	kind    string
	purpose Purpose // of a use or a reservation between two sources
}

// clashes finds the contradictions between opinions. It allocates nothing, so
// that it can be asked about every decision that is recorded.
func clashes(opinions []Opinion, found func(clash)) {
	for i := range opinions {
		a := &opinions[i]
		if a.mute() {
			continue
		}
		if a.Weak[Train] == No && a.Uses[Train] == Yes {
			found(clash{a, a, ConflictReservation, Train})
		}
		for j := i + 1; j < len(opinions); j++ {
			if b := &opinions[j]; !b.mute() {
				between(a, b, found)
			}
		}
	}
}

// mute tells whether an opinion contradicts nobody, whatever the others say. Most
// opinions about most URLs are mute.
func (o *Opinion) mute() bool {
	return (o.Verdict == Silent || o.Verdict == NotAsked) && o.Uses == (Uses{}) && o.Weak == (Uses{}) && o.Lifts == 0 && !o.Supersedes && !o.Superseded
}

// between compares two opinions, the first of them earlier in the table.
func between(a, b *Opinion, found func(clash)) {
	if a.Source == b.Source && (a.Superseded || b.Superseded) {
		said := a.Uses != (Uses{}) || a.Lifts != 0
		if said && (a.Uses != b.Uses || a.Lifts != b.Lifts) {
			found(clash{a: a, b: b, kind: ConflictReplaced})
		}
		return
	}
	if opener, _ := accessConflict(a, b); opener != nil {
		found(clash{a: a, b: b, kind: ConflictAccess})
	}
	if a.Superseded || b.Superseded {
		return
	}
	for p := range purposeCount {
		switch {
		case a.Uses[p] == Yes && b.Uses[p] == No, a.Uses[p] == No && b.Uses[p] == Yes:
			found(clash{a, b, ConflictUse, p})
		case a.Weak[p] == No && b.Lifts.Has(p), b.Weak[p] == No && a.Lifts.Has(p):
			found(clash{a, b, ConflictReservation, p})
		}
	}
}

// conflict puts a clash into words.
func (c clash) conflict() Conflict {
	said := Conflict{Between: [2]string{c.a.Source, c.b.Source}, Kind: c.kind}
	switch c.kind {
	case ConflictReplaced:
		said.Sentence = fmt.Sprintf("The response contradicts what %s said before.", c.a.Source)
	case ConflictAccess:
		opener, denier := accessConflict(c.a, c.b)
		said.Sentence = fmt.Sprintf("%s allows by %q what %s denies (%s).", opener.Source, opener.Rule.Text, denier.Source, denier.Reason)
	case ConflictUse:
		yes, no := c.a, c.b
		if c.a.Uses[c.purpose] == No {
			yes, no = c.b, c.a
		}
		said.Sentence = fmt.Sprintf("%s grants %s and %s refuses it (%s).", yes.Source, c.purpose, no.Source, closing(no))
	case ConflictReservation:
		said.Sentence = fmt.Sprintf("%s and %s disagree whether %s is reserved.", c.a.Source, c.b.Source, c.purpose)
		if c.a == c.b {
			said.Sentence = fmt.Sprintf("%s grants %s and reserves it at once.", c.a.Source, c.purpose)
		}
	}
	return said
}

// Conflicts lists the contradictions between opinions. It is pure, and meant for
// reports: nothing computes it while a decision is made.
func Conflicts(opinions []Opinion) []Conflict {
	var list []Conflict
	clashes(opinions, func(c clash) { list = append(list, c.conflict()) })
	return list
}

// ConflictKinds lists the kinds of the conflicts that a decision shows, those it
// carries and those between its opinions, sorted, each once; nil if there is none.
func ConflictKinds(d Decision) []string {
	var kinds []string
	note := func(kind string) {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	for _, c := range d.Conflicts {
		note(c.Kind)
	}
	clashes(d.Opinions, func(c clash) { note(c.kind) })
	slices.Sort(kinds)
	return kinds
}

// accessConflict tells which of two opinions opens by a line of its own what the
// other denies, nil if neither does.
func accessConflict(a, b *Opinion) (opener, denier *Opinion) {
	for _, pair := range [...][2]*Opinion{{a, b}, {b, a}} {
		if pair[0].Verdict == Allow && pair[0].Rule != (Rule{}) && (pair[1].Verdict == Deny || pair[1].Uses == Everything(No)) {
			return pair[0], pair[1]
		}
	}
	return nil, nil
}

// Advertised lists the conflict of a document that a site advertises by a record
// (a context file, a sitemap) and the decision about asking for it, none where it
// is not denied, or where the operator and not the site denies it.
func Advertised(record string, d Decision) []Conflict {
	switch d.Reason.Area() {
	case OperatorDeny.Area(), ScopeHost.Area(), GuardScheme.Area():
		return nil
	}
	if d.Verdict != Deny {
		return nil
	}
	return []Conflict{{Between: [2]string{record, d.Source}, Kind: ConflictAdvertised,
		Sentence: fmt.Sprintf("%s advertises %s, which %s denies (%s).", record, d.URL, d.Source, d.Reason)}}
}
