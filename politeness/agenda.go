package politeness

import "sync"

// agendasMax is how many origins have their places remembered in one
// generation. A place list is about a kilobyte.
const agendasMax = 2_048

// agendas remembers where each source speaks about an origin, so that a
// decision does not spell out the same addresses again. The zero value is
// ready, and it is safe for concurrent use.
type agendas struct {
	mu         sync.Mutex
	young, old map[string][][]Place
}

// of lists the documents of each source for an origin, in table order.
func (a *agendas) of(sources []gateSource, origin string) [][]Place {
	a.mu.Lock()
	defer a.mu.Unlock()
	if places, ok := a.young[origin]; ok {
		return places
	}
	places, ok := a.old[origin]
	if !ok {
		places = make([][]Place, len(sources))
		for i := range sources {
			if sources[i].constant == nil {
				places[i] = documents(sources[i].Where(origin))
			}
		}
	}
	if a.young == nil || len(a.young) >= agendasMax {
		a.old, a.young = a.young, make(map[string][][]Place)
	}
	a.young[origin] = places
	return places
}

// documents leaves out the places that are the response.
func documents(places []Place) []Place {
	kept := make([]Place, 0, len(places))
	for _, p := range places {
		if !p.Response {
			kept = append(kept, p)
		}
	}
	return kept
}
