package politeness

import (
	"context"
	"fmt"
	"slices"
)

// Gate asks the sources, in table order, and joins what they say.
type Gate struct {
	sources []gateSource
	library *Library
	id      func() string
}

// gateSource is a source with its position known; rules of a source without
// documents are read once.
type gateSource struct {
	Source
	constant Rules
}

// Need is a policy document that a decision waits for. It is an answer, not an
// error: whoever asked fetches the one document and asks again.
type Need struct {
	Source string
	Place  Place
	Held   *Document // the stale or failed copy, nil if there is none
}

// NewGate makes a gate over sources in table order. id makes decision ids.
func NewGate(sources []Source, library *Library, id func() string) *Gate {
	g := &Gate{library: library, id: id}
	for _, s := range sources {
		gs := gateSource{Source: s}
		if len(s.Where("https://origin.invalid")) == 0 {
			gs.constant = s.Read(Place{}, Document{})
		}
		g.sources = append(g.sources, gs)
	}
	return g
}

// Library is where the gate reads documents.
func (g *Gate) Library() *Library { return g.library }

// Before decides whether q may be asked. When a document is needed first, the
// Need is not nil and the decision must not be used. Documents are needed in
// table order and only while nothing before them denies or waits.
func (g *Gate) Before(ctx context.Context, q Question) (Decision, *Need, error) {
	opinions := make([]Opinion, 0, len(g.sources))
	shut := false // an opinion so far denies or waits
	for i := range g.sources {
		s := &g.sources[i]
		if s.constant != nil {
			o := s.constant.Judge(q)
			o.Source = s.Name()
			opinions = append(opinions, o)
			shut = shut || o.Verdict == Deny || o.Verdict == Wait
			continue
		}
		for _, p := range s.Where(q.Origin) {
			if p.Response {
				continue
			}
			o, need, err := g.ask(ctx, s, p, q, shut)
			if need != nil || err != nil {
				return Decision{}, need, err
			}
			opinions = append(opinions, o)
			shut = shut || o.Verdict == Deny || o.Verdict == Wait
		}
	}
	d := Combine(q, opinions)
	d.ID = g.id()
	return d, nil, nil
}

// ask gets the opinion of s from its document at p. Once the door is shut, a
// document that is not at hand is not asked for any more.
func (g *Gate) ask(ctx context.Context, s *gateSource, p Place, q Question, shut bool) (Opinion, *Need, error) {
	held, err := g.library.look(ctx, p.URL)
	if err != nil {
		return Opinion{}, nil, fmt.Errorf("politeness: decide %s: %w", q.URL, err)
	}
	if held == nil || held.doc.Due(q.Now) {
		if !shut {
			need := &Need{Source: s.Name(), Place: p}
			if held != nil {
				need.Held = &held.doc
			}
			return Opinion{}, need, nil
		}
		if held == nil || !held.doc.Held() && held.doc.Failure == nil {
			return Opinion{Source: s.Name(), Verdict: NotAsked}, nil, nil
		}
	}
	o := held.read(s.Source, p).Judge(q)
	o.Source = s.Name()
	if o.Doc == nil {
		o.Doc = held.ref
	}
	return o, nil, nil
}

// After shows the response in q to the sources that read responses. What a
// source says now replaces what the same source said before only within its
// own uses; the verdict on access never gets softer than d's.
func (g *Gate) After(d Decision, q Question) Decision {
	opinions := d.Opinions
	for i := range g.sources {
		s := &g.sources[i]
		if s.constant != nil {
			continue
		}
		for _, p := range s.Where(q.Origin) {
			if !p.Response {
				continue
			}
			o := s.Read(p, Document{URL: q.URL, Status: q.Response.Status, Header: q.Response.Header, FetchedAt: q.Now}).Judge(q)
			o.Source = s.Name()
			if o.Verdict == Silent && o.Uses == (Uses{}) && o.Weak == (Uses{}) {
				continue
			}
			if len(opinions) == len(d.Opinions) {
				opinions = slices.Clone(d.Opinions)
			}
			opinions = append(opinions, o)
		}
	}
	if len(opinions) == len(d.Opinions) {
		return d
	}
	after := Combine(q, opinions)
	if d.Verdict < after.Verdict {
		uses := after.Uses
		if d.Verdict == Deny {
			uses = d.Uses
		}
		after.Opinion, after.Uses = d.Opinion, uses
	}
	after.ID = d.ID
	return after
}

// Records collects the records of a name, in lower case, from documents of the
// origin that are at hand.
func (g *Gate) Records(ctx context.Context, origin, name string) ([]Record, error) {
	var all []Record
	for i := range g.sources {
		s := &g.sources[i]
		if s.constant != nil {
			continue
		}
		for _, p := range s.Where(origin) {
			if p.Response {
				continue
			}
			held, err := g.library.look(ctx, p.URL)
			if err != nil {
				return nil, fmt.Errorf("politeness: records of %s: %w", origin, err)
			}
			if held == nil {
				continue
			}
			if r, ok := held.read(s.Source, p).(Recorder); ok {
				all = append(all, r.Records(name)...)
			}
		}
	}
	return all, nil
}

// NewID makes an id for a decision that was made elsewhere.
func (g *Gate) NewID() string { return g.id() }
