package app

import (
	"context"
	"fmt"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/frontier"
)

// AddSeeds implements api.Door: the seeds are remembered with the job, a running
// crawl takes them into its scope, and what is new is queued. When it returns
// without an error all of it is durable; adding the same again does nothing.
func (a *App) AddSeeds(ctx context.Context, r api.SeedsRequest) (api.SeedsAnswer, error) {
	answer := api.SeedsAnswer{Given: len(r.Seeds)}
	if len(r.Seeds) > api.MaxSeeds {
		return answer, fmt.Errorf("app: add seeds: %d in one call, at most %d: %w", len(r.Seeds), api.MaxSeeds, ErrSeed)
	}
	for i, s := range r.Seeds {
		url, err := frontier.Canonical(s.URL)
		if err != nil {
			return answer, fmt.Errorf("app: add seeds: %w: %q: %w", ErrSeed, clip(s.URL), err)
		}
		r.Seeds[i] = crawler.Seed{URL: a.crawler.Load().URLs.Apply(url), Score: min(max(s.Score, -1), 100)}
	}
	a.jobMu.Lock()
	defer a.jobMu.Unlock()
	a.job.remember(r.Seeds)
	if err := a.saveJob(ctx); err != nil {
		return answer, err
	}
	c := a.crawler.Load()
	if err := c.WidenScope(r.Seeds); err != nil {
		return answer, err
	}
	var err error
	answer.Added, err = c.AddSeeds(ctx, r.Seeds)
	return answer, err
}
