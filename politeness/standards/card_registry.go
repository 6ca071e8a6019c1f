package standards

import (
	"time"

	"heed/politeness"
	"heed/registry/card"
)

// registryPause is how long a host waits for a card that its registry lists and
// nobody has read yet. The mirror reads wanted cards first, so it is short.
const registryPause = 5 * time.Second

// Registry is the source that speaks for the registries themselves. While a card
// that may restrict us is listed and unread, the host waits. A registry that was
// asked and cannot answer is evidence of nothing: retrieval goes on, and Closes
// names it where train or act stay without a grant (BC-C-914).
func Registry(shelf CardShelf, o CardOptions) politeness.Source {
	return registries{cardHosts{shelf, o}}
}

type registries struct{ cardHosts }

func (registries) Name() string                                                  { return "registry" }
func (registries) Where(string) []politeness.Place                               { return nil }
func (s registries) Read(politeness.Place, politeness.Document) politeness.Rules { return s }

func (s registries) Judge(q politeness.Question) politeness.Opinion {
	o := politeness.Quiet(s.Name())
	for held := range s.of(q.Host) {
		switch held.Status {
		case card.Unread:
			o.Verdict, o.Reason, o.Until = politeness.Wait, politeness.RegistryUnavailable, q.Now.Add(registryPause)
		case card.Unavailable:
			o.Reason = politeness.RegistryUnavailable
			if q.Purposes.Has(politeness.Train) || q.Purposes.Has(politeness.Act) {
				o.Closes = politeness.RegistryUnavailable
			}
		default:
			continue
		}
		o.Rule = politeness.Rule{Text: held.Registry}
	}
	return o
}
