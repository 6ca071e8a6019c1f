package standards

import (
	"iter"
	"strings"

	"heed/politeness"
	"heed/registry/card"
)

// CardShelf is where held consent cards are found; registry/mirror implements
// it. It reads memory only: no file, no request, no wait.
type CardShelf interface {
	// Lookup gives what each registry holds under a name: a card, or a Held
	// without one where the registry cannot say. Nothing means that every
	// configured registry is known to have no card. The result is not changed.
	Lookup(domain string) []card.Held
}

// CardOptions are the choices of the operator about cards. The zero value takes
// the strict readings of the ledger, with every host as its own domain.
type CardOptions struct {
	// Registrable gives the registrable domain of a host name in A-labels and
	// lower case, private suffixes counted (BC-C-901). Nil means the host itself.
	Registrable func(host string) string

	// Licensed tells whether the operator has a licence on record for the
	// mining of a domain whose cards say that one is needed. Nil means none.
	Licensed func(domain string) bool

	// IgnoreUnverified drops the restrictions of cards without a proof, which
	// are honoured otherwise (BC-C-904).
	IgnoreUnverified bool

	// TrainDespiteTDM takes train=true for enough. Otherwise the reservation
	// that the card itself states must be open besides, or lifted by the origin
	// (BC-C-923).
	TrainDespiteTDM bool
}

// Card is the source of consent cards (Internet-Draft botcentral-card-00). It
// has no place to be read from: its documents are on the shelf, and each
// judgement looks there. It never loosens what another source says (BC-C-007).
//
// Restrictions of a card bind every host of its domain; grants stay with the
// hosts that are surely the owner's (BC-C-902). Of several cards the most
// restrictive word counts for each purpose, and a grant needs a fresh card that
// gives it (BC-C-915). A purpose of train or act that nobody refused and nobody
// granted is left in silence: Closes says why, for the case that it stays so.
func Card(shelf CardShelf, o CardOptions) politeness.Source {
	return cards{cardHosts{shelf, o}}
}

type cards struct{ cardHosts }

func (cards) Name() string                                                  { return "card" }
func (cards) Where(string) []politeness.Place                               { return nil }
func (s cards) Read(politeness.Place, politeness.Document) politeness.Rules { return s }

func (s cards) Judge(q politeness.Question) politeness.Opinion {
	r := cardReading{options: &s.options, host: q.Host, now: q.Now}
	for held := range s.of(q.Host) {
		r.take(held)
	}
	return r.opinion(q.Purposes)
}

// cardHosts finds the cards that have a say about a host.
type cardHosts struct {
	shelf   CardShelf
	options CardOptions
}

// of gives the held cards of a host, from its own name up to its registrable
// domain, because registries hold cards of single hosts too (BC-C-901). An
// address and a name of one label have no domain, so no card.
func (s *cardHosts) of(host string) iter.Seq[*card.Held] {
	return func(yield func(*card.Held) bool) {
		if !strings.Contains(host, ".") || strings.Contains(host, ":") || isDigit(host[len(host)-1]) {
			return
		}
		domain := host
		if s.options.Registrable != nil {
			domain = s.options.Registrable(host)
		}
		for name := host; ; {
			held := s.shelf.Lookup(name)
			for i := range held {
				if !yield(&held[i]) {
					return
				}
			}
			_, parent, ok := strings.Cut(name, ".")
			if !ok || len(parent) < len(domain) {
				return
			}
			name = parent
		}
	}
}

// isDigit tells a top label of an IPv4 address from that of a name.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
