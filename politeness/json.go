package politeness

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrUse is returned for a use that is not yes, no or unsaid of a purpose that
// is known.
var ErrUse = errors.New("politeness: unknown use")

// wireOpinion and wireDecision are the JSON forms that scripts rely on. Fields
// are only ever added.
type wireOpinion struct {
	Source   string       `json:"source"`
	Verdict  Verdict      `json:"verdict"`          // the vote on the question, in a decision
	Access   *Verdict     `json:"access,omitempty"` // what the source says about the request itself, where that differs
	Reason   Reason       `json:"reason,omitempty"`
	Rule     *Rule        `json:"rule,omitempty"`
	Document *DocumentRef `json:"document,omitempty"`
	Until    *time.Time   `json:"until,omitempty"`
	DelayMS  int64        `json:"delay_ms,omitempty"`
	Uses     *Uses        `json:"uses,omitempty"`
	Weak     *Uses        `json:"weak,omitempty"`
	Because  string       `json:"because,omitempty"`

	// With these a decision can be joined again from its opinions.
	Closes  Reason   `json:"closes,omitempty"`
	UseRule *Rule    `json:"use_rule,omitempty"`
	Lifts   []string `json:"lifts,omitempty"`
	Unread  []string `json:"unread,omitempty"`

	Declare    bool `json:"declare,omitempty"`
	DropLinks  bool `json:"drop_links,omitempty"`
	DropImages bool `json:"drop_images,omitempty"`
	NoCopy     bool `json:"no_copy,omitempty"`
	Supersedes bool `json:"supersedes,omitempty"`
	Superseded bool `json:"superseded,omitempty"`
}

type wireDecision struct {
	ID        string        `json:"decision_id"`
	URL       string        `json:"url"`
	Method    string        `json:"method"`
	Purposes  []string      `json:"purposes"`
	Mode      Mode          `json:"mode"`
	Verdict   Verdict       `json:"verdict"`
	Reason    Reason        `json:"reason"`
	Source    string        `json:"source"`
	Rule      *Rule         `json:"rule"`
	Document  *DocumentRef  `json:"document"`
	Until     *time.Time    `json:"until"`
	DelayMS   int64         `json:"delay_ms"`
	Uses      Uses          `json:"uses"`
	Because   string        `json:"because,omitempty"`
	Declare   bool          `json:"declare,omitempty"`
	DropLinks bool          `json:"drop_links,omitempty"`
	DropImg   bool          `json:"drop_images,omitempty"`
	NoCopy    bool          `json:"no_copy,omitempty"`
	Opinions  []wireOpinion `json:"opinions"`
	Conflicts []Conflict    `json:"conflicts,omitempty"`
	Notes     []Note        `json:"notes,omitempty"`
	DecidedAt time.Time     `json:"decided_at"`
}

func ruleOrNil(r Rule) *Rule {
	if r == (Rule{}) {
		return nil
	}
	return &r
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func usesOrNil(u Uses) *Uses {
	if u == (Uses{}) {
		return nil
	}
	return &u
}

// MarshalJSON writes an opinion that stands alone.
func (o Opinion) MarshalJSON() ([]byte, error) { return json.Marshal(o.wire()) }

func (o *Opinion) wire() wireOpinion {
	w := wireOpinion{Source: o.Source, Verdict: o.Verdict, Reason: o.Reason, Rule: ruleOrNil(o.Rule),
		Document: o.Doc, Until: timeOrNil(o.Until), DelayMS: o.Delay.Milliseconds(), Because: o.Because,
		Uses: usesOrNil(o.Uses), Weak: usesOrNil(o.Weak), Closes: o.Closes, UseRule: ruleOrNil(o.UseRule),
		Declare: o.Declare, DropLinks: o.DropLinks, DropImages: o.DropImages, NoCopy: o.NoCopy,
		Supersedes: o.Supersedes, Superseded: o.Superseded}
	if o.Lifts != 0 {
		w.Lifts = o.Lifts.Names()
	}
	if o.Unread != 0 {
		w.Unread = o.Unread.Names()
	}
	return w
}

// MarshalJSON writes the decision as `check --json` shows it. Each visit is one line
// of the ledger, so its opinions are not left to their own MarshalJSON, whose text
// encoding/json would scan and copy again.
func (d Decision) MarshalJSON() ([]byte, error) {
	opinions := make([]wireOpinion, len(d.Opinions))
	for i := range d.Opinions {
		o := &d.Opinions[i]
		opinions[i] = o.wire()
		if vote := d.Vote(o); vote != o.Verdict {
			opinions[i].Verdict, opinions[i].Access = vote, &o.Verdict
		}
	}
	return json.Marshal(wireDecision{
		ID: d.ID, URL: d.URL, Method: d.Method, Purposes: d.Purposes.Names(), Mode: d.Mode,
		Verdict: d.Verdict, Reason: d.Reason, Source: d.Source, Rule: ruleOrNil(d.Rule), Document: d.Doc,
		Until: timeOrNil(d.Until), DelayMS: d.Delay.Milliseconds(), Uses: d.Uses, Because: d.Because,
		Declare: d.Declare, DropLinks: d.DropLinks, DropImg: d.DropImages, NoCopy: d.NoCopy, Opinions: opinions, Conflicts: d.Conflicts, Notes: d.Notes, DecidedAt: d.DecidedAt.UTC(),
	})
}

// UnmarshalJSON reads what MarshalJSON wrote: a remote answer, or a line of the
// ledger.
func (o *Opinion) UnmarshalJSON(b []byte) error {
	var w wireOpinion
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	var err error
	*o, err = w.opinion()
	return err
}

func (w *wireOpinion) opinion() (o Opinion, err error) {
	o = w.plain()
	if w.Access != nil {
		o.Verdict = *w.Access
	}
	if len(w.Lifts) > 0 {
		o.Lifts, err = ParsePurposes(w.Lifts...)
	}
	if err == nil && len(w.Unread) > 0 {
		o.Unread, err = ParsePurposes(w.Unread...)
	}
	return o, err
}

// plain is the part that decisions have, too.
func (w *wireOpinion) plain() Opinion {
	o := Opinion{Source: w.Source, Verdict: w.Verdict, Reason: w.Reason, Doc: w.Document, Because: w.Because,
		Delay: time.Duration(w.DelayMS) * time.Millisecond, Declare: w.Declare,
		DropLinks: w.DropLinks, DropImages: w.DropImages, NoCopy: w.NoCopy, Supersedes: w.Supersedes, Superseded: w.Superseded}
	o.Closes = w.Closes
	if w.Rule != nil {
		o.Rule = *w.Rule
	}
	if w.UseRule != nil {
		o.UseRule = *w.UseRule
	}
	if w.Until != nil {
		o.Until = *w.Until
	}
	if w.Uses != nil {
		o.Uses = *w.Uses
	}
	if w.Weak != nil {
		o.Weak = *w.Weak
	}
	return o
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Decision) UnmarshalJSON(b []byte) error {
	var w wireDecision
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	purposes := Purposes(0)
	if len(w.Purposes) > 0 {
		var err error
		if purposes, err = ParsePurposes(w.Purposes...); err != nil {
			return err
		}
	}
	var opinions []Opinion
	for i := range w.Opinions {
		o, err := w.Opinions[i].opinion()
		if err != nil {
			return err
		}
		opinions = append(opinions, o)
	}
	joined := wireOpinion{Source: w.Source, Verdict: w.Verdict, Reason: w.Reason, Rule: w.Rule, Document: w.Document, Until: w.Until,
		DelayMS: w.DelayMS, Uses: &w.Uses, Because: w.Because,
		Declare: w.Declare, DropLinks: w.DropLinks, DropImages: w.DropImg, NoCopy: w.NoCopy}
	*d = Decision{ID: w.ID, URL: w.URL, Method: w.Method, Purposes: purposes, Mode: w.Mode, Opinions: opinions, Conflicts: w.Conflicts, Notes: w.Notes, DecidedAt: w.DecidedAt,
		Opinion: joined.plain()}
	return nil
}

// UnmarshalJSON reads {"index":"yes",…}. A purpose that is missing is unsaid; a
// value or a purpose that nobody knows is an error.
func (u *Uses) UnmarshalJSON(b []byte) error {
	var w map[string]string
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("politeness: uses: %w", err)
	}
	var read Uses
	for name, value := range w {
		p := slices.Index(purposeNames[:], name)
		v := slices.Index(useNames[:], value)
		if p < 0 || v < 0 {
			return fmt.Errorf("%w: %q of purpose %q", ErrUse, value, name)
		}
		read[p] = Use(v)
	}
	*u = read
	return nil
}
