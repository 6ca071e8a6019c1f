package politeness

import "fmt"

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

// Conflicts lists the contradictions between opinions. It is pure, and meant for
// reports: nothing computes it while a decision is made.
func Conflicts(opinions []Opinion) []Conflict {
	var list []Conflict
	for i := range opinions {
		a := &opinions[i]
		if a.Weak[Train] == No && a.Uses[Train] == Yes {
			list = append(list, conflict(a, a, ConflictReservation, "%s grants train and reserves it at once.", a.Source))
		}
		for j := i + 1; j < len(opinions); j++ {
			list = append(list, between(a, &opinions[j])...)
		}
	}
	return list
}

// between compares two opinions, the first of them earlier in the table.
func between(a, b *Opinion) []Conflict {
	if a.Source == b.Source && (a.Superseded || b.Superseded) {
		said := a.Uses != (Uses{}) || a.Lifts != 0
		if said && (a.Uses != b.Uses || a.Lifts != b.Lifts) {
			return []Conflict{conflict(a, b, ConflictReplaced, "The response contradicts what %s said before.", a.Source)}
		}
		return nil
	}
	var list []Conflict
	if opener, denier := accessConflict(a, b); opener != nil {
		list = append(list, conflict(a, b, ConflictAccess, "%s allows by %q what %s denies (%s).",
			opener.Source, opener.Rule.Text, denier.Source, denier.Reason))
	}
	if a.Superseded || b.Superseded {
		return list
	}
	for p := range purposeCount {
		yes, no := a, b
		if a.Uses[p] == No {
			yes, no = b, a
		}
		switch {
		case yes.Uses[p] == Yes && no.Uses[p] == No:
			list = append(list, conflict(a, b, ConflictUse, "%s grants %s and %s refuses it (%s).", yes.Source, p, no.Source, closing(no)))
		case a.Weak[p] == No && b.Lifts.Has(p), b.Weak[p] == No && a.Lifts.Has(p):
			list = append(list, conflict(a, b, ConflictReservation, "%s and %s disagree whether %s is reserved.", a.Source, b.Source, p))
		}
	}
	return list
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

func conflict(a, b *Opinion, kind, format string, args ...any) Conflict {
	return Conflict{Between: [2]string{a.Source, b.Source}, Kind: kind, Sentence: fmt.Sprintf(format, args...)}
}

// Advertised lists the conflict of a document that a site advertises by a record
// (a context file, a sitemap) and the decision about asking for it, none where it
// is not denied.
func Advertised(record string, d Decision) []Conflict {
	if d.Verdict != Deny {
		return nil
	}
	return []Conflict{{Between: [2]string{record, d.Source}, Kind: ConflictAdvertised,
		Sentence: fmt.Sprintf("%s advertises %s, which %s denies (%s).", record, d.URL, d.Source, d.Reason)}}
}
