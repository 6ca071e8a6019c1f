package politeness

import (
	"context"
	"fmt"
)

// Records collects the records of a name, in lower case, from documents of the
// origin that are at hand.
func (g *Gate) Records(ctx context.Context, origin, name string) ([]Record, error) {
	var all []Record
	err := g.eachRules(ctx, origin, func(_ *gateSource, rules Rules) {
		if r, ok := rules.(Recorder); ok {
			all = append(all, r.Records(name)...)
		}
	})
	return all, err
}

// Notes collects what sources have to show about documents of the origin that
// are at hand, in table order.
func (g *Gate) Notes(ctx context.Context, origin string) ([]Note, error) {
	var all []Note
	err := g.eachRules(ctx, origin, func(s *gateSource, rules Rules) {
		if n, ok := rules.(Noter); ok {
			for _, note := range n.Notes() {
				note.Source = s.name
				all = append(all, note)
			}
		}
	})
	return all, err
}

// eachRules yields the rules of every document of an origin that is at hand.
func (g *Gate) eachRules(ctx context.Context, origin string, yield func(*gateSource, Rules)) error {
	places := g.agendas.of(g.sources, origin)
	for i := range g.sources {
		for _, p := range places[i] {
			held, err := g.library.look(ctx, p.URL)
			if err != nil {
				return fmt.Errorf("politeness: records of %s: %w", origin, err)
			}
			if held != nil {
				yield(&g.sources[i], held.read(&g.sources[i], p))
			}
		}
	}
	return nil
}
