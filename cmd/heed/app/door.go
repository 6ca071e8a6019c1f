package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

// Status implements api.Door.
func (a *App) Status(ctx context.Context) (api.Status, error) {
	s, err := a.crawler.Load().Status(ctx)
	return api.Status{Job: a.config.Job, PID: os.Getpid(), Version: a.options.Version, Pass: a.job.Pass, Status: s, Registries: a.registries()}, err
}

// Hosts implements api.Door.
func (a *App) Hosts(ctx context.Context, q crawler.HostQuery) (api.HostsAnswer, error) {
	list, err := a.crawler.Load().HostList(ctx, q)
	return api.HostsAnswer{Job: a.config.Job, HostList: list}, err
}

// Check implements api.Door.
func (a *App) Check(ctx context.Context, r api.CheckRequest) (politeness.Decision, error) {
	url, d, err := demand(r.URL, r.Purpose, 0)
	if err != nil {
		return politeness.Decision{}, err
	}
	d.Method, d.Mode = r.Method, r.Mode
	return a.crawler.Load().Check(ctx, url, d)
}

// Fetch implements api.Door.
func (a *App) Fetch(ctx context.Context, r api.FetchRequest) (api.FetchAnswer, error) {
	url, d, err := demand(r.URL, r.Purpose, r.Patience)
	if err != nil {
		return api.FetchAnswer{}, err
	}
	d.Method = r.Method
	if len(r.Body) > 0 {
		d.Body, d.ContentType = r.Body, r.ContentType
	}
	h, err := a.heldCopy(ctx, url, d)
	if err != nil {
		return api.FetchAnswer{}, fmt.Errorf("app: fetch %s: %w", url, err)
	}
	if h != nil && a.options.Clock().Before(h.NextAllowed) {
		return a.notYet(ctx, url, h, d)
	}
	conditional := h != nil && h.URL == url // validators are of the copy, not of what redirects to it
	if conditional {
		d.Validators = h.Validators
	}
	f, err := a.crawler.Load().Fetch(ctx, url, d)
	if err != nil {
		return api.FetchAnswer{}, err
	}
	defer f.Close()
	if conditional && f.Confirmed() {
		h.Confirm(f.Exchange)
		return a.fromHeld(ctx, url, h, f.Decision, d)
	}
	answer := api.FetchAnswer{Decision: f.Decision, FinalURL: f.URL, Later: f.Decision.Verdict == politeness.Wait}
	if f.Err != nil {
		answer.Failure = f.Err.Error()
	}
	if f.Exchange == nil {
		return answer, nil
	}
	answer.Status = f.Exchange.Status
	switch answer.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		answer.Later = true
	}
	if !f.Kept() {
		return answer, nil
	}
	limit := a.config.PageBytes()
	e, err := f.Envelope(limit)
	if err != nil {
		return answer, fmt.Errorf("app: fetch %s: %w", url, err)
	}
	if err := a.crawler.Load().Attribute(ctx, &e); err != nil {
		return answer, fmt.Errorf("app: fetch %s: %w", url, err)
	}
	answer.Envelope = &e
	answer.Body, err = f.Exchange.Body.Bytes(limit)
	return answer, err
}

// lookBack gives the conductor of a job that is not being crawled the scope of its
// seeds, so that it can tell what lies outside.
func (a *App) lookBack() error {
	a.jobMu.Lock()
	defer a.jobMu.Unlock()
	if a.crawler.Load().Scoped() || len(a.job.Seeds) == 0 {
		return nil
	}
	scope, err := a.scope()
	if err != nil {
		return fmt.Errorf("app: explain: %w", err)
	}
	return a.openCrawler(scope)
}

// Explain implements api.Door.
func (a *App) Explain(ctx context.Context, raw string) (crawler.Explanation, error) {
	url, err := frontier.Canonical(raw)
	if err != nil {
		return crawler.Explanation{}, fmt.Errorf("app: explain: %w", err)
	}
	if err := a.lookBack(); err != nil {
		return crawler.Explanation{}, err
	}
	c, trace := a.crawler.Load(), history{a.folder.ledger()}
	e, err := c.Explain(ctx, trace, url)
	if ruled := c.URLs.Apply(url); err == nil && e.State == frontier.Unknown.String() && ruled != url {
		return c.Explain(ctx, trace, ruled) // the job knows it by this spelling
	}
	return e, err
}

// Context implements api.Door.
func (a *App) Context(ctx context.Context, r api.ContextRequest) (crawler.ContextResult, error) {
	seed, err := ParseSeed(r.Origin)
	if err != nil {
		return crawler.ContextResult{}, err
	}
	_, d, err := demand(seed.URL, r.Purpose, r.Patience)
	if err != nil {
		return crawler.ContextResult{}, err
	}
	return a.crawler.Load().ContextOf(ctx, frontier.Origin(seed.URL), crawler.ContextDemand{Demand: d, Home: r.Home, Sample: r.Sample})
}

// Pause implements api.Door.
func (a *App) Pause(context.Context) error { a.crawler.Load().Pause(); return nil }

// Resume implements api.Door.
func (a *App) Resume(context.Context) error { a.crawler.Load().Resume(); return nil }

// Stop implements api.Door: visits under way finish. It also holds for a run that
// is still being prepared.
func (a *App) Stop(context.Context) error {
	a.stopping.Store(true)
	a.crawler.Load().Stop(crawler.EndSignal, nil)
	return nil
}

// demand reads what a caller wants.
func demand(raw string, purpose []string, patience time.Duration) (string, crawler.Demand, error) {
	d := crawler.Demand{Patience: patience}
	url, err := frontier.Canonical(raw)
	if err != nil {
		return "", d, fmt.Errorf("app: %w", err)
	}
	if len(purpose) > 0 {
		if d.Purposes, err = politeness.ParsePurposes(purpose...); err != nil {
			return "", d, fmt.Errorf("app: %w", err)
		}
	}
	return url, d, nil
}
