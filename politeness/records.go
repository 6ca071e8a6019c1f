package politeness

import (
	"context"
	"fmt"
)

// Records collects the records of a name, in lower case, from documents of the
// origin that are at hand.
func (g *Gate) Records(ctx context.Context, origin, name string) ([]Record, error) {
	var all []Record
	places := g.agendas.of(g.sources, origin)
	for i := range g.sources {
		s := &g.sources[i]
		for _, p := range places[i] {
			held, err := g.library.look(ctx, p.URL)
			if err != nil {
				return nil, fmt.Errorf("politeness: records of %s: %w", origin, err)
			}
			if held == nil {
				continue
			}
			if r, ok := held.read(s, p).(Recorder); ok {
				all = append(all, r.Records(name)...)
			}
		}
	}
	return all, nil
}
