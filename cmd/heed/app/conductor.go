package app

import (
	"fmt"
	"math/rand/v2"
	"time"

	"heed/config"
	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

// openCrawler makes the conductor for the scope; nil is no scope.
func (a *App) openCrawler(scope *frontier.Scope) error {
	purposes, err := politeness.ParsePurposes(a.config.Purpose...)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	c := a.config
	silent, because := silentTrain(c)
	policy, err := contextPolicy(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	rules, err := frontier.NewURLRules(a.rules())
	if err != nil {
		return fmt.Errorf("%w: url: %w", ErrSetting, err)
	}
	rooms := crawler.Rooms{Queue: a.engine, Gate: a.gate, Pace: a.pacer, Fetcher: a.client, Notes: a.engine, Sink: a.book, Scope: scope}
	if a.cards != nil {
		rooms.Cards = a.cards
	}
	next, err := crawler.New(crawler.Options{
		Purposes: purposes, SilentTrain: silent, SilentBecause: because, Declare: crawler.Declaration(c.DeclarePurpose), Workers: c.Workers, Score: c.Unscored,
		Retries: c.Retries, RetryBase: c.BackOff.Std(), RetryMax: c.BackOffMax.Std(), MaxRedirects: c.MaxRedirects, Delay: a.nominalDelay(), Patience: a.patience(5 * time.Minute),
		MaxPages: c.MaxPages, MaxBytes: c.SizeLimit.Bytes(), TimeLimit: c.TimeLimit.Std(),
		MaxBodyBytes: c.PageBytes(), MaxLinks: c.Limits.Links, MaxURLBytes: c.Limits.URL, MaxHostURLs: c.Limits.HostURLs, MaxDomainURLs: c.Limits.DomainURLs, MaxJobURLs: c.Limits.JobURLs, TrapRepeat: c.Limits.TrapRepeat, URLs: rules, Context: crawler.ContextMode(c.Context), Discover: policy, AcceptLanguage: c.AcceptLanguage,
		Lists:     crawler.ListOptions{On: c.Sitemaps == "auto", MaxBytes: c.Limits.Sitemap.Bytes(), MaxEntries: c.Limits.SitemapURLs, MaxDepth: c.Limits.SitemapDepth},
		KeepFresh: schedule(c),
		Types:     c.Types, Requisites: c.Requisites, MaxRate: c.MaxRate.Bytes(),
		Traps:   frontier.TrapLimits{Queries: c.Limits.PathQueries, Dates: c.Limits.PathDates, Hosts: c.Limits.DomainHosts, Bodies: c.Limits.SameBody},
		Budget:  crawler.Budget{HostPages: c.Budget.HostPages, HostBytes: c.Budget.HostBytes.Bytes(), DomainPages: c.Budget.DomainPages, DomainBytes: c.Budget.DomainBytes.Bytes(), JobPages: c.Budget.JobPages, JobBytes: c.Budget.JobBytes.Bytes()},
		Archive: c.Archive == "warc", Whole: a.job.Whole, Clock: a.options.Clock, Rand: rand.Float64, Log: a.options.Log,
	}, rooms)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	a.crawler.Store(next)
	if a.stopping.Load() {
		next.Stop(crawler.EndSignal, nil)
	}
	return nil
}

// schedule says when a job that keeps fresh asks again; nil for one that ends.
func schedule(c config.Config) *frontier.Schedule {
	if !c.KeepFresh {
		return nil
	}
	r := c.Recrawl
	return &frontier.Schedule{First: r.First.Std(), Min: r.Min.Std(), Max: r.Max.Std(), Gone: r.Gone.Std()}
}

func (a *App) patience(otherwise time.Duration) time.Duration {
	if a.config.Patience != nil {
		return a.config.Patience.Std()
	}
	return otherwise
}

// nominalDelay is the delay of a host that nothing special is known about: below
// the default only where addresses were opened.
func (a *App) nominalDelay() time.Duration {
	if len(a.config.AllowAddress) > 0 {
		return a.config.Delay.Std()
	}
	return max(a.config.Delay.Std(), defaultDelay)
}
