package politeness

import "time"

// tally sums up what opinions say besides their verdicts. The sum does not
// depend on their order.
type tally struct {
	strong, weak          Uses
	lifts, unread         Purposes
	delay                 time.Duration
	declare               bool
	dropLinks, dropImages bool
	noCopy                bool
}

func (t *tally) add(o *Opinion) {
	t.delay = max(t.delay, o.Delay)
	t.declare = t.declare || o.Declare
	t.dropLinks, t.dropImages = t.dropLinks || o.DropLinks, t.dropImages || o.DropImages
	t.noCopy = t.noCopy || o.NoCopy
	if o.Superseded {
		return
	}
	t.strong, t.weak = t.strong.Join(o.Uses), t.weak.Join(o.Weak)
	t.lifts, t.unread = t.lifts|o.Lifts, t.unread|o.Unread
}

// uses is the joined statement: the strictest strong one; a weak No unless it is
// lifted; a weak Yes where nobody else speaks. What depends on a document that
// was not read is not granted.
func (t *tally) uses() Uses {
	u := t.strong
	for p := range purposeCount {
		switch {
		case t.weak[p] == No && !t.lifts.Has(p):
			u[p] = No
		case t.weak[p] == Yes && u[p] == Unsaid:
			u[p] = Yes
		}
		if u[p] == Yes && t.unread.Has(p) {
			u[p] = Unsaid
		}
	}
	return u
}
