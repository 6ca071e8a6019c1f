package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/standards"
	"heed/registry/card"
	"heed/registry/mirror"
	"heed/store/bolt"
)

// cards is the mirror as the crawler and the sources see it: by host, where the
// registries speak of domains.
type cards struct {
	mirror *mirror.Mirror
	clock  func() time.Time
	middle int // score of a page that nobody scored
}

var _ crawler.Cards = (*cards)(nil)

// domains are the names whose cards may say something about a host: the host
// itself and every name above it, up to the registrable domain.
func domains(host string) []string {
	top := frontier.Domain(host)
	list := []string{host}
	for host != top {
		_, parent, ok := strings.Cut(host, ".")
		if !ok {
			break
		}
		host = parent
		list = append(list, host)
	}
	return list
}

// sources are the voices of cards and registries in decisions.
func (c *cards) sources() []politeness.Source {
	how := standards.CardOptions{Registrable: frontier.Domain}
	return []politeness.Source{standards.Card(c.mirror, how), standards.Registry(c.mirror, how)}
}

// Want implements crawler.Cards.
func (c *cards) Want(host string) {
	for _, d := range domains(host) {
		c.mirror.Want(d)
	}
}

// Prepare implements crawler.Cards.
func (c *cards) Prepare(ctx context.Context, host string) error { return c.prepare(ctx, host) }

// prepare polls what is due, which may be the list of domains itself, and then
// reads the cards of hosts as far as the budgets allow.
func (c *cards) prepare(ctx context.Context, hosts ...string) error {
	if err := c.mirror.Sync(ctx); err != nil {
		return err
	}
	for _, host := range hosts {
		c.Want(host)
	}
	return c.mirror.Sync(ctx)
}

// Pages implements crawler.Cards.
func (c *cards) Pages(ctx context.Context, host string) ([]crawler.Seed, error) {
	var seeds []crawler.Seed
	for _, d := range domains(host) {
		copies, err := c.mirror.Copies(ctx, d)
		if err != nil {
			return nil, err
		}
		for _, held := range copies {
			for _, p := range card.Candidates(held.Card, c.clock(), c.middle) {
				if url, err := frontier.Canonical(p.URL); err == nil {
					seeds = append(seeds, crawler.Seed{URL: url, Score: p.Score})
				}
			}
		}
	}
	return slices.Clip(seeds), nil
}

// Lists implements crawler.Cards.
func (c *cards) Lists(ctx context.Context, host string) ([]string, error) {
	var lists []string
	for _, d := range domains(host) {
		copies, err := c.mirror.Copies(ctx, d)
		if err != nil {
			return nil, err
		}
		for _, held := range copies {
			if url, err := frontier.Canonical(card.List(held.Card, c.clock())); err == nil && !slices.Contains(lists, url) {
				lists = append(lists, url)
			}
		}
	}
	return lists, nil
}

// Attribution implements crawler.Cards. The cards of the nearest name count.
func (c *cards) Attribution(host string) (crawler.Attribution, bool) {
	for _, d := range domains(host) {
		if a, ok := card.Attribute(c.mirror.Lookup(d), c.clock()); ok {
			return crawler.Attribution(a), true
		}
	}
	return crawler.Attribution{}, false
}

// openCards opens the local copy of the configured registries, if there are any.
func (a *App) openCards(ctx context.Context) error {
	if len(a.config.Registry) == 0 {
		return nil
	}
	m, err := mirror.New(mirror.Options{Registries: a.config.Registry, Tokens: []string{a.config.Token}, Getter: registryGetter{a.client},
		Store: registryStore{a.engine}, Forbids: forbids(a.config.Token), Clock: a.options.Clock, Log: a.options.Log})
	if err != nil {
		return fmt.Errorf("%w: registry: %w", ErrSetting, err)
	}
	if err := m.Load(ctx); err != nil {
		return fmt.Errorf("app: load the cards: %w", err)
	}
	a.cards = &cards{mirror: m, clock: a.options.Clock, middle: a.config.Unscored}
	return nil
}

// firstCards polls the registries once before the run, cards of the seeds first.
func (a *App) firstCards(ctx context.Context) error {
	if a.cards == nil {
		return nil
	}
	var hosts []string
	for _, url := range a.job.Seeds[:min(len(a.job.Seeds), wantedSeeds)] {
		hosts = append(hosts, frontier.HostKey(url))
	}
	if err := a.cards.prepare(ctx, hosts...); err != nil {
		return fmt.Errorf("app: read the registries: %w", err)
	}
	return a.crawler.Load().AddCardPages(ctx, hosts)
}

// wantedSeeds is how many seeds are named to the mirror before a run; the others
// are when they are claimed.
const wantedSeeds = 10_000

// keepCards keeps the mirror up to date during a run. A mirror that cannot be
// stored ends the run: decisions would rest on cards that a restart forgets.
func (a *App) keepCards(ctx context.Context) {
	if err := a.cards.mirror.Run(ctx); err != nil {
		a.crawler.Load().Stop(crawler.EndError, fmt.Errorf("app: keep the cards: %w", err))
	}
}

// CardCounts is how many domains of a job have a card in each state.
type CardCounts struct {
	Fresh    int `json:"fresh"`
	Stale    int `json:"stale"`
	Unproven int `json:"unproven"`
	None     int `json:"none"`
}

// cardCounts counts the registrable domains of the job's hosts; all zero if no
// registry is configured.
func (a *App) cardCounts(ctx context.Context) (CardCounts, error) {
	if a.cards == nil {
		return CardCounts{}, nil
	}
	seen := map[string]struct{}{}
	for cursor := ""; ; {
		hosts, next, err := a.engine.ListHosts(ctx, cursor, listPage)
		if err != nil {
			return CardCounts{}, fmt.Errorf("app: count cards: %w", err)
		}
		for _, h := range hosts {
			if h.Known > 0 {
				seen[frontier.Domain(h.Name)] = struct{}{}
			}
		}
		if cursor = next; next == "" {
			break
		}
	}
	n := a.cards.mirror.States(maps.Keys(seen))
	return CardCounts{Fresh: n.Fresh, Stale: n.Stale, Unproven: n.Unproven, None: n.None}, nil
}

// registries tells how each configured registry fares.
func (a *App) registries() []api.Registry {
	if a.cards == nil {
		return nil
	}
	var all []api.Registry
	for _, s := range a.cards.mirror.Status() {
		r := api.Registry{Registry: s.Registry, Listed: s.Listed, Cards: s.Cards, Polled: s.Polled, Requests: s.Requests,
			UnavailableSince: s.UnavailableSince, Problem: s.Problem}
		if s.NotBefore.After(a.options.Clock()) {
			r.NotBefore = s.NotBefore
		}
		all = append(all, r)
	}
	return all
}

// registryGetter asks a registry through the guarded client. No crawl is going on
// at the registry's host by this way; its budget is the mirror's.
type registryGetter struct{ client *fetch.Client }

// Get implements mirror.Getter.
func (g registryGetter) Get(ctx context.Context, r mirror.Request) (mirror.Answer, error) {
	x, err := g.client.Do(ctx, fetch.Request{URL: r.URL, Accept: r.Accept, MaxBodyBytes: r.MaxBytes, Validators: fetch.Validators{ETag: r.ETag}})
	if err != nil {
		if k := fetch.KindOf(err); k == fetch.KindTooLarge || k == fetch.KindRatio {
			err = fmt.Errorf("%w: %w", mirror.ErrTooLarge, err)
		}
		return mirror.Answer{}, errors.Join(err, x.Close())
	}
	defer x.Close()
	body, err := x.Body.Bytes(r.MaxBytes)
	if err != nil {
		return mirror.Answer{}, err
	}
	return mirror.Answer{Status: x.Status, Header: x.Header, Body: slices.Clone(body)}, nil
}

// registryStore keeps the mirror's notes in the state of the job.
type registryStore struct{ engine *bolt.Engine }

// LoadNote implements mirror.Store.
func (s registryStore) LoadNote(ctx context.Context, kind, key string) ([]byte, error) {
	return s.engine.LoadNote(ctx, kind, key)
}

// SaveNote implements mirror.Store.
func (s registryStore) SaveNote(ctx context.Context, kind, key string, value []byte) error {
	return s.engine.SaveNote(ctx, kind, key, value)
}

// ListNotes implements mirror.Store.
func (s registryStore) ListNotes(ctx context.Context, kind, cursor string, limit int) ([]mirror.Note, string, error) {
	list, next, err := s.engine.ListNotes(ctx, kind, cursor, limit)
	notes := make([]mirror.Note, len(list))
	for i, n := range list {
		notes[i] = mirror.Note{Key: n.Key, Value: n.Value}
	}
	return notes, next, err
}
