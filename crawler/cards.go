package crawler

import (
	"context"
	"fmt"

	"heed/frontier"
)

// Cards are the consent cards that registries hold for us. A nil Cards means
// that no registry is configured.
type Cards interface {
	// Want says that decisions about a host are coming. It does no I/O.
	Want(host string)
	// Prepare brings what is known about a host up to date, as far as the
	// budgets of the registries allow now.
	Prepare(ctx context.Context, host string) error
	// Pages are the pages that fresh cards declare for a host, with their scores;
	// negative is unscored.
	Pages(ctx context.Context, host string) ([]Seed, error)
	// Lists are the sitemaps that fresh cards name for a host, canonical.
	Lists(ctx context.Context, host string) ([]string, error)
	// Attribution is how the owner of a host wants to be named; false if no card
	// says it. It does no I/O.
	Attribution(host string) (Attribution, bool)
}

const hopCard = "D"

// wantCard asks for the card of a host that decisions are about.
func (c *Crawler) wantCard(host string) {
	if c.Cards != nil {
		c.Cards.Want(host)
	}
}

// prepareCard does the same for a caller who waits for the decision.
func (c *Crawler) prepareCard(ctx context.Context, host string) error {
	if c.Cards == nil {
		return nil
	}
	return c.Cards.Prepare(ctx, host)
}

// cardLinks makes candidates of the pages that cards declare for the host of a
// page: where they lie is for the scope to judge, whether they may be asked for is
// for the gate, like with any link.
func (c *Crawler) cardLinks(ctx context.Context, e *ending, host string) {
	if c.Cards == nil || c.Context == ContextOnly || !c.pagesOf.first(host) {
		return
	}
	pages, err := c.Cards.Pages(ctx, host)
	if err != nil {
		c.Log.Error("pages of a card cannot be read", "host", host, "err", err)
		return
	}
	for _, p := range pages {
		before := len(e.links)
		c.discover(ctx, e, p.URL, 1, hopCard)
		if len(e.links) > before && p.Score >= 0 {
			e.links[before].Score = p.Score
		}
	}
}

// AddCardPages queues the pages that the cards at hand declare for hosts, before
// the first of them is visited: scores can order only what is queued.
func (c *Crawler) AddCardPages(ctx context.Context, hosts []string) error {
	for _, host := range hosts {
		e := ending{visit: Visit{Item: frontier.Item{Candidate: frontier.Candidate{Score: c.Score}}}}
		c.cardLinks(ctx, &e, host)
		if len(e.links) == 0 {
			continue
		}
		if _, err := c.Queue.Discover(ctx, e.links); err != nil {
			return fmt.Errorf("crawler: queue the pages of the card of %s: %w", host, err)
		}
	}
	return nil
}
