package politeness

import (
	"fmt"
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
//   - else any Wait waits, until the latest Until;
//   - else, if every purpose of q is closed, it denies: a purpose is closed by a
//     No, and train and act also by silence;
//   - else it allows.
//
// Uses are joined strictly; weak ones fill what is left unsaid. A denial closes
// every use. The delay is the longest that anybody asks for.
func Combine(q Question, opinions []Opinion) Decision {
	d := Decision{URL: q.URL, Method: q.Method, Purposes: q.Purposes, Mode: q.Mode, Opinions: opinions, DecidedAt: q.Now}
	d.Opinion = Opinion{Source: "", Verdict: Allow, Reason: Allowed}
	decisive, latest := -1, -1
	var uses, weak Uses
	delay := q.Rate.Delay
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
		uses, weak, delay = uses.Join(o.Uses), weak.Join(o.Weak), max(delay, o.Delay)
	}
	uses = uses.Fill(weak)
	switch {
	case decisive >= 0:
		d.Opinion = opinions[decisive]
		d.Verdict = Deny
		uses = Everything(No)
	case latest >= 0:
		d.Opinion = opinions[latest]
	default:
		if closed, by := closure(q, uses, opinions); closed {
			d.Opinion = by
			uses = Everything(No)
		}
	}
	d.Uses, d.Weak, d.Delay = uses, Uses{}, delay
	return d
}

// closure tells whether no purpose of q is open under uses, and by whose word:
// the first source that refuses one of them, or nobody's where the purposes are
// closed by silence alone.
func closure(q Question, uses Uses, opinions []Opinion) (bool, Opinion) {
	for p := range purposeCount {
		if q.Purposes.Has(p) && open(p, uses[p], q.SilentTrain) {
			return false, Opinion{}
		}
	}
	for _, o := range opinions {
		for p := range purposeCount {
			if q.Purposes.Has(p) && (o.Uses[p] == No || o.Weak[p] == No && uses[p] == No) {
				o.Verdict, o.Reason = Deny, o.Closes
				if o.UseRule != (Rule{}) {
					o.Rule = o.UseRule
				}
				return true, o
			}
		}
	}
	return true, Opinion{Source: PurposeNoGrant.Area(), Verdict: Deny, Reason: PurposeNoGrant}
}

// open tells whether a purpose may be served under what was said about it.
// Silence is enough for index and answer only.
func open(p Purpose, u Use, silentTrain bool) bool {
	return u == Yes || u == Unsaid && (p == Index || p == Answer || p == Train && silentTrain)
}
