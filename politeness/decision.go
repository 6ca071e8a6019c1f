package politeness

import (
	"fmt"
	"net/http"
	"time"
)

// Decision is the joined answer to a question, with its explanation. It is
// kept for ever: in the ledger, beside each record, and in every output.
type Decision struct {
	ID        string
	URL       string
	Method    string
	Purposes  Purposes
	Mode      Mode
	Opinion             // the decisive one
	Opinions  []Opinion // all, in table order
	DecidedAt time.Time

	// Conflicts are contradictions between the site's signals, where somebody
	// looked for them: see the function of the same name.
	Conflicts []Conflict
	// Notes are oddities in the site's policy documents, where somebody asked for
	// them: see Gate.Notes.
	Notes []Note
}

// ReasonOf is why a source denied, empty if it did not.
func (d Decision) ReasonOf(source string) Reason {
	for i := range d.Opinions {
		if o := &d.Opinions[i]; o.Source == source && o.Verdict == Deny {
			return o.Reason
		}
	}
	return ""
}

// Vote is what one of the opinions of d comes to for the purposes of d: deny, if it
// leaves none of them open or gives the reason of the denial, allow, if it grants
// all of them. What a source says about the request itself goes first.
func (d Decision) Vote(o *Opinion) Verdict {
	asked := (&Question{Method: d.Method, Purposes: d.Purposes}).served()
	switch {
	case o.Verdict != Silent || o.Superseded:
		return o.Verdict
	case d.Verdict == Deny && d.Source == o.Source && o.Closes != "" && d.Reason == o.Closes:
		return Deny
	case asked == 0:
		return Silent
	}
	yes, no := true, true
	for p := range purposeCount {
		if asked.Has(p) {
			yes = yes && o.Uses[p] == Yes && o.Weak[p] != No
			no = no && (o.Uses[p] == No || o.Weak[p] == No && d.Uses[p] == No)
		}
	}
	switch {
	case no:
		return Deny
	case yes:
		return Allow
	}
	return Silent
}

// Open lists the purposes that the decision leaves open, whatever it was asked
// for. silentTrain is the operator's word that silence about training is enough.
func (d Decision) Open(silentTrain bool) Purposes {
	var open Purposes
	if d.Verdict != Allow {
		return open
	}
	for p := range purposeCount {
		if one := PurposesOf(p); !closed(one, d.Uses, silentTrain) {
			open |= one
		}
	}
	return open
}

// DeniedError is a decision seen as an error.
type DeniedError struct{ Decision Decision }

func (e *DeniedError) Error() string {
	d := e.Decision
	text := fmt.Sprintf("%s %s: %s (%s)", d.Method, d.URL, d.Verdict, d.Reason)
	if d.Rule.Text != "" {
		text += fmt.Sprintf(", line %d: %s", d.Rule.Line, d.Rule.Text)
	}
	return text
}

// Err is nil for Allow and a *DeniedError for everything else.
func (d Decision) Err() error {
	if d.Verdict == Allow {
		return nil
	}
	return &DeniedError{d}
}

// Combine joins opinions into the answer to q. It is pure, and it is the only
// combination rule there is:
//
//   - any Deny denies; the first one in the given order is decisive;
//   - else, if every purpose of q is refused by an explicit No, it denies;
//   - else any Wait waits, until the latest Until: a grant may still arrive;
//   - else, if every purpose of q is closed, it denies: a purpose is closed by a
//     No, weak or strong, and train and act also by silence;
//   - else it allows.
//
// A method other than GET and HEAD serves no purpose but act (AP-143). A denial
// closes every use. The delay is the longest that anybody asks for.
func Combine(q Question, opinions []Opinion) Decision {
	d := Decision{URL: q.URL, Method: q.Method, Purposes: q.Purposes, Mode: q.Mode, Opinions: opinions, DecidedAt: q.Now}
	d.Opinion = Opinion{Source: "", Verdict: Allow, Reason: Allowed}
	decisive, latest := -1, -1
	t := tally{delay: q.Rate.Delay}
	for i := range opinions {
		o := &opinions[i]
		switch o.Verdict {
		case Allow, Silent, NotAsked:
		case Wait:
			if latest < 0 || o.Until.After(opinions[latest].Until) {
				latest = i
			}
		default: // Deny, and anything that is no verdict
			if decisive < 0 {
				decisive = i
			}
		}
		t.add(o)
	}
	uses := t.uses()
	asked := q.served()
	switch {
	case decisive >= 0:
		d.Opinion = opinions[decisive]
		d.Verdict = Deny
	case asked != 0 && refused(asked, t.strong):
		d.Opinion = refusal(asked, uses, opinions)
	case latest >= 0:
		d.Opinion = opinions[latest]
	case closed(asked, uses, q.SilentTrain):
		d.Opinion = refusal(asked, uses, opinions)
	}
	if d.Verdict == Deny {
		uses = Everything(No)
	}
	if d.Verdict == Allow && q.SilentTrain && asked.Has(Train) && uses[Train] == Unsaid {
		d.Because = q.SilentBecause
	}
	d.Uses, d.Weak, d.Lifts, d.Unread, d.Delay = uses, Uses{}, 0, 0, t.delay
	d.Declare, d.DropLinks, d.DropImages, d.NoCopy = t.declare, t.dropLinks, t.dropImages, t.noCopy
	return d
}

// served lists the purposes that the request of q can serve at all.
func (q *Question) served() Purposes {
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		return q.Purposes
	}
	return q.Purposes & PurposesOf(Act)
}

// refused tells whether every purpose of a set is refused. Nothing but an
// explicit No counts.
func refused(set Purposes, uses Uses) bool {
	for p := range purposeCount {
		if set.Has(p) && uses[p] != No {
			return false
		}
	}
	return true
}

// closed tells whether no purpose of a set may be served. Silence is enough for
// index and answer only.
func closed(set Purposes, uses Uses, silentTrain bool) bool {
	for p := range purposeCount {
		silence := p == Index || p == Answer || p == Train && silentTrain
		if set.Has(p) && (uses[p] == Yes || uses[p] == Unsaid && silence) {
			return false
		}
	}
	return true
}

// refusal says by whose word no purpose of a set is open: the first source that
// refuses one of them, else whoever says why there is no grant, or nobody.
func refusal(set Purposes, uses Uses, opinions []Opinion) Opinion {
	for i := range opinions {
		o := &opinions[i]
		if o.Superseded {
			continue
		}
		for p := range purposeCount {
			if set.Has(p) && (o.Uses[p] == No || o.Weak[p] == No && uses[p] == No) {
				by := *o
				by.Verdict, by.Reason, by.Until = Deny, closing(o), time.Time{}
				if o.UseRule != (Rule{}) {
					by.Rule = o.UseRule
				}
				return by
			}
		}
	}
	// Silence closed the rest. A source that was asked for a grant and has none
	// may say why (a card that is stale); else nobody gave one.
	for i := range opinions {
		if o := &opinions[i]; o.Closes != "" && !o.Superseded && o.silentOn(set) {
			by := *o
			by.Verdict, by.Reason, by.Until = Deny, o.Closes, time.Time{}
			return by
		}
	}
	return Opinion{Source: PurposeNoGrant.Area(), Verdict: Deny, Reason: PurposeNoGrant}
}

// silentOn tells whether an opinion says nothing about the uses of a set.
func (o *Opinion) silentOn(set Purposes) bool {
	for p := range purposeCount {
		if set.Has(p) && (o.Uses[p] != Unsaid || o.Weak[p] != Unsaid) {
			return false
		}
	}
	return true
}
