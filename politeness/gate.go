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
	agendas agendas
	id      func() string
}

// gateSource is a source with its position known; rules of a source without
// documents are read once.
type gateSource struct {
	Source
	name      string
	constant  Rules
	responses []Place // those of its places that are the response
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
		gs := gateSource{Source: s, name: s.Name()}
		places := s.Where("https://origin.invalid")
		if len(places) == 0 {
			gs.constant = s.Read(Place{}, Document{})
		}
		for _, p := range places {
			if p.Response {
				gs.responses = append(gs.responses, p)
			}
		}
		g.sources = append(g.sources, gs)
	}
	return g
}

// Library is where the gate reads documents.
func (g *Gate) Library() *Library { return g.library }

// NewID makes an id for a decision that was made elsewhere.
func (g *Gate) NewID() string { return g.id() }

// Before decides whether q may be asked. When a document is needed first, the
// Need is not nil and the decision must not be used. Documents are needed in
// table order and only while nothing before them denies, waits, or refuses
// every purpose of q.
func (g *Gate) Before(ctx context.Context, q Question) (Decision, *Need, error) {
	d, need, err := g.inquire(ctx, q, false)
	if err != nil {
		return Decision{}, nil, fmt.Errorf("politeness: decide %s: %w", q.URL, err)
	}
	return d, need, nil
}

// inquire asks the sources in order. With atHand nothing is needed.
func (g *Gate) inquire(ctx context.Context, q Question, atHand bool) (Decision, *Need, error) {
	in := inquiry{gate: g, q: &q, places: g.agendas.of(g.sources, q.Origin), opinions: make([]Opinion, 0, len(g.sources)+1), atHand: atHand}
	for i := range g.sources {
		s := &g.sources[i]
		if s.constant != nil {
			o := s.constant.Judge(q)
			in.note(s, &o)
			continue
		}
		for _, p := range in.places[i] {
			if need, err := in.ask(ctx, s, p); need != nil || err != nil {
				return Decision{}, need, err
			}
		}
	}
	d := Combine(q, in.opinions)
	d.ID = g.id()
	return d, nil, nil
}

// After shows the response in q to the sources that read responses. What a
// source says now may supersede what the same source said before, within its
// own uses; the verdict on access never gets softer than d's.
func (g *Gate) After(d Decision, q Question) Decision {
	opinions := d.Opinions
	for i := range g.sources {
		s := &g.sources[i]
		for _, p := range s.responses {
			o := s.Read(p, Document{URL: q.URL, Status: q.Response.Status, Header: q.Response.Header, FetchedAt: q.Now}).Judge(q)
			if !o.speaks() {
				continue
			}
			o.Source = s.name
			if o.Doc == nil {
				o.Doc = &DocumentRef{URL: q.URL, Status: q.Response.Status, FetchedAt: q.Now.UTC()}
			}
			if len(opinions) == len(d.Opinions) {
				opinions = slices.Clone(d.Opinions)
			}
			if o.Supersedes {
				supersede(opinions, s.name)
			}
			opinions = append(opinions, o)
		}
	}
	return tighten(d, q, opinions)
}

// Recall joins what the response said to a recorded decision, as it was recorded,
// to today's decision d about the same question. So a decision is replayed where
// the response itself was not kept.
func (g *Gate) Recall(d Decision, q Question, recorded Decision) Decision {
	opinions := d.Opinions
	for _, o := range recorded.Opinions {
		if !o.ofResponse(recorded.URL) {
			continue
		}
		if len(opinions) == len(d.Opinions) {
			opinions = slices.Clone(d.Opinions)
		}
		if o.Supersedes {
			supersede(opinions, o.Source)
		}
		opinions = append(opinions, o)
	}
	return tighten(d, q, opinions)
}

// ofResponse tells whether o is what the response of url itself said: no policy
// document lies at the URL of a page, and what does carries its digest.
func (o *Opinion) ofResponse(url string) bool {
	return o.Doc != nil && o.Doc.URL == url && o.Doc.SHA256 == ""
}

// tighten joins opinions that begin with those of d. The verdict on access never
// gets softer than d's.
func tighten(d Decision, q Question, opinions []Opinion) Decision {
	if len(opinions) == len(d.Opinions) {
		return d
	}
	after := Combine(q, opinions)
	if d.Verdict < after.Verdict {
		kept := d.Opinion
		if d.Verdict != Deny {
			kept.Uses = after.Uses
		}
		kept.Declare, kept.DropLinks, kept.DropImages, kept.NoCopy = after.Declare, after.DropLinks, after.DropImages, after.NoCopy
		after.Opinion = kept
	}
	after.ID = d.ID
	return after
}

// supersede marks what a source has said so far about uses.
func supersede(opinions []Opinion, source string) {
	for i := range opinions {
		if opinions[i].Source == source {
			opinions[i].Superseded = true
		}
	}
}

// speaks tells whether an opinion about a response says anything at all.
func (o *Opinion) speaks() bool {
	return o.Verdict != Silent || o.Reason != "" || o.Uses != (Uses{}) || o.Weak != (Uses{}) ||
		o.Lifts != 0 || o.DropLinks || o.DropImages || o.NoCopy || o.Supersedes
}
