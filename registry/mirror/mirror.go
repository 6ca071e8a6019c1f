package mirror

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"heed/registry/card"
)

// Mirror is the local copy of all configured registries. It is safe for
// concurrent use.
type Mirror struct {
	o          Options
	registries []*registry
}

// New makes a mirror. It starts nothing and asks nobody. The error is an
// ErrRegistry.
func New(o Options) (*Mirror, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Mirror{o: o}
	for _, origin := range o.Registries {
		m.registries = append(m.registries, newRegistry(&m.o, origin))
	}
	return m, nil
}

// Load reads what former processes stored. It comes before everything else.
func (m *Mirror) Load(ctx context.Context) error {
	for _, r := range m.registries {
		if err := r.load(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Sync does what is due and can be done now: a poll, and the reading of cards
// that Want named. It asks at most as many requests as the budgets have left
// and waits for none. The error is one of the store or of ctx; what a registry
// fails to answer is in Status.
func (m *Mirror) Sync(ctx context.Context) error {
	return m.each(func(r *registry) error {
		_, err := r.advance(ctx, true)
		return err
	})
}

// Run keeps the mirror up to date until ctx ends. It returns nil then, or the
// error of the store that stopped it.
func (m *Mirror) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err := m.each(func(r *registry) error {
		defer stop() // one store serves all
		return r.run(ctx)
	})
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// each calls f for all registries at once and waits for all of them.
func (m *Mirror) each(f func(*registry) error) error {
	errs := make([]error, len(m.registries))
	var wg sync.WaitGroup
	for i, r := range m.registries {
		wg.Go(func() { errs[i] = f(r) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Want says that decisions about a domain are coming: its card is read before
// those of others. Call it whenever a host comes into the queue and when it is
// claimed. It asks nobody, and a domain that no registry lists costs no request.
func (m *Mirror) Want(domain string) {
	for _, r := range m.registries {
		r.want(domain)
	}
}

// Lookup gives the cards that bear the name of a domain, at most one for each
// registry, and for registries that cannot say whether there is one a Held
// without a card. Nothing means that all registries are known to have no card.
// It reads memory only, and the result must not be changed.
func (m *Mirror) Lookup(domain string) []card.Held {
	if len(m.registries) == 1 {
		return m.registries[0].lookup(domain)
	}
	var all []card.Held
	for _, r := range m.registries {
		held := r.lookup(domain)
		if all == nil {
			all = slices.Clip(held)
			continue
		}
		all = append(all, held...)
	}
	return all
}

// Counts is how many domains have a card in each state.
type Counts struct{ Fresh, Stale, Unproven, None int }

// States counts domains by the best state among their cards. An unread card
// counts as none.
func (m *Mirror) States(domains iter.Seq[string]) Counts {
	var n Counts
	now := m.o.Clock()
	for domain := range domains {
		best, found := card.Unverified, false
		for _, h := range m.Lookup(domain) {
			if h.HasCard() {
				best, found = max(best, h.State(now)), true
			}
		}
		switch {
		case !found:
			n.None++
		case best.Unproven():
			n.Unproven++
		case best == card.Stale:
			n.Stale++
		default:
			n.Fresh++
		}
	}
	return n
}
