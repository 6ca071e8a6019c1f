package politeness

import (
	"context"
	"net/http"
	"strings"
)

// inquiry is one walk along the sources.
type inquiry struct {
	gate     *Gate
	q        *Question
	places   [][]Place
	opinions []Opinion
	strong   Uses // joined so far
	shut     bool // no further document is asked for
	atHand   bool // none is at all: what is held counts, however old
}

// note takes an opinion in.
func (in *inquiry) note(s *gateSource, o *Opinion) {
	o.Source = s.name
	in.opinions = append(in.opinions, *o)
	in.strong = in.strong.Join(o.Uses)
	asked := in.q.served()
	in.shut = in.shut || o.Verdict == Deny && !o.Inquire || o.Verdict == Wait ||
		asked != 0 && refused(asked, in.strong)
}

// ask notes the opinion of s from its document at p, and from those that this
// document refers to.
func (in *inquiry) ask(ctx context.Context, s *gateSource, p Place) (*Need, error) {
	rules, need, err := in.hear(ctx, s, p)
	if need != nil || err != nil {
		return need, err
	}
	if r, ok := rules.(Referrer); ok {
		for _, further := range r.Refers() {
			if _, need, err = in.hear(ctx, s, further); need != nil || err != nil {
				return need, err
			}
		}
	}
	return nil, nil
}

// hear notes the opinion of s from its document at p. Once the door is shut, a
// document that is not at hand is not asked for any more. The rules are nil if
// it was not read.
func (in *inquiry) hear(ctx context.Context, s *gateSource, p Place) (Rules, *Need, error) {
	held, err := in.gate.library.look(ctx, p.URL)
	if err != nil {
		return nil, nil, err
	}
	barred, err := in.bar(ctx, p, held)
	if err != nil {
		return nil, nil, err
	}
	unread := Purposes(0)
	switch {
	case barred != nil:
		held = barred
	case held != nil && !held.doc.Due(in.q.Now):
	case p.For != 0 && p.For&in.q.Purposes == 0:
		unread = p.For
	case !in.shut && !in.atHand:
		need := &Need{Source: s.name, Place: p}
		if held != nil {
			need.Held = &held.doc
		}
		return nil, need, nil
	}
	if held == nil || !held.readable() {
		if in.atHand {
			unread |= AllPurposes
		}
		in.note(s, &Opinion{Verdict: NotAsked, Unread: unread})
		return nil, nil, nil
	}
	rules := held.read(s, p)
	o := rules.Judge(*in.q)
	o.Unread |= unread
	if o.Doc == nil {
		o.Doc = held.ref
	}
	in.note(s, &o)
	return rules, nil, nil
}

// readable tells whether there is anything to read: an answer, a failure, or
// the fact that the document may not be asked for.
func (s *shelf) readable() bool {
	return s.doc.Held() || s.doc.Failure != nil || s.doc.Forbidden
}

// bar gives the document at p as its source sees it while the source that binds
// it lets nobody ask for it, nil where it may be asked for. The answer lives as
// long as the binding document.
func (in *inquiry) bar(ctx context.Context, p Place, held *shelf) (*shelf, error) {
	if p.BoundBy == "" {
		return nil, nil
	}
	for i := range in.gate.sources {
		s := &in.gate.sources[i]
		if s.name != p.BoundBy || len(in.places[i]) == 0 {
			continue
		}
		own := in.places[i][0]
		binding, err := in.gate.library.look(ctx, own.URL)
		if binding == nil || err != nil {
			return nil, err
		}
		if barred, known := binding.bars(p.URL); known {
			return barred, nil
		}
		var barred *shelf
		switch in.verdict(binding.read(s, own), p.URL) {
		case Wait:
			return nil, nil // for now; nothing is asked for meanwhile
		case Deny:
			d := Document{URL: p.URL}
			if held != nil {
				d = held.doc
			}
			d.Forbidden = true
			barred = newShelf(&d)
		}
		binding.bar(p.URL, barred)
		return barred, nil
	}
	return nil, nil
}

// verdict judges a request for a policy document. One of another origin is not
// covered by the rules at hand, and is denied.
func (in *inquiry) verdict(rules Rules, url string) Verdict {
	path, own := strings.CutPrefix(url, in.q.Origin)
	if !own || !strings.HasPrefix(path, "/") {
		return Deny
	}
	return rules.Judge(Question{URL: url, Origin: in.q.Origin, Host: in.q.Host, Path: path,
		Method: http.MethodGet, Purposes: in.q.Purposes, Mode: in.q.Mode, Now: in.q.Now}).Verdict
}
