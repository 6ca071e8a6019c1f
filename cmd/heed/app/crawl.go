package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/frontier"
)

// ErrNoSeeds is returned for a job without a single seed, old or new.
var ErrNoSeeds = errors.New("app: the job has no seeds")

// discoverBatch is how many seeds become known in one transaction: each call waits
// for a commit window.
const discoverBatch = 50_000

// Crawl runs the job to its end in the foreground: an unfinished job goes on, a
// finished one makes a new pass, and so does an unfinished one if newPass is set.
// While it runs, the control socket answers. When ctx ends, requests under way
// are cut off.
func (a *App) Crawl(ctx context.Context, seeds []crawler.Seed, newPass bool) (Summary, error) {
	// The file is there before the first seed is stored, so that a second crawl can
	// say who has the job however long that takes.
	if err := replaceFile(a.folder.pid(), []byte(strconv.Itoa(os.Getpid()))); err != nil {
		return Summary{}, fmt.Errorf("app: write the pid: %w", err)
	}
	defer os.Remove(a.folder.pid())
	meter := newMeter(a.options.Clock())
	if err := a.prepare(ctx, seeds, newPass); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return a.summary(context.WithoutCancel(ctx), crawler.Ending{Code: crawler.EndForced}, meter)
		}
		return Summary{}, err
	}
	server, err := api.Listen(a.folder.socket(), a)
	if err != nil {
		return Summary{}, err
	}
	defer server.Close()
	side, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { a.measure(side, meter) })
	wg.Go(func() { a.watchInbox(side) })
	if a.cards != nil {
		wg.Go(func() { a.keepCards(side) })
	}
	end, err := a.crawler.Load().Run(ctx)
	stop()
	wg.Wait()
	if err == nil && end.Code == crawler.EndDone {
		err = a.finishJob(context.WithoutCancel(ctx))
	}
	sum, sumErr := a.summary(context.WithoutCancel(ctx), end, meter)
	return sum, errors.Join(err, sumErr)
}

// prepare makes seeds known, begins or resumes the pass and builds the scope.
func (a *App) prepare(ctx context.Context, seeds []crawler.Seed, newPass bool) error {
	files, more := a.takeInbox()
	seeds = slices.Concat(seeds, more)
	if err := a.keepRules(); err != nil {
		return err
	}
	for i := range seeds {
		seeds[i].URL = a.crawler.Load().URLs.Apply(seeds[i].URL)
	}
	a.job.remember(seeds)
	if len(a.job.Seeds) == 0 {
		return fmt.Errorf("%w: give a URL or a domain, or --seeds FILE", ErrNoSeeds)
	}
	scope, err := a.scope()
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	a.beginPass(newPass)
	if err := a.openCrawler(scope); err != nil {
		return err
	}
	// The pass is on disk before anything of it happens: a kill in the middle of
	// Renew goes on with the same pass.
	if err := errors.Join(a.saveJob(ctx), a.writeConfig()); err != nil {
		return err
	}
	if a.job.Pass > 1 && a.renews() {
		if _, err := a.engine.Renew(ctx, a.job.Pass, a.options.Clock(), a.config.Refresh); err != nil {
			return fmt.Errorf("app: begin pass %d: %w", a.job.Pass, err)
		}
	}
	if err := a.firstCards(ctx); err != nil {
		return err
	}
	for from := 0; from < len(seeds); from += discoverBatch {
		if from > 0 && from%(2*discoverBatch) == 0 {
			a.options.Log.Info("taking up seeds", "taken", from, "of", len(seeds))
		}
		if _, err := a.crawler.Load().AddSeeds(ctx, seeds[from:min(len(seeds), from+discoverBatch)]); err != nil {
			return err
		}
	}
	a.closeInbox(files)
	return nil
}

// measure takes the highest rate, and ends the run when the disk runs low.
func (a *App) measure(ctx context.Context, m *meter) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s, err := a.crawler.Load().Status(ctx); err == nil {
			m.take(a.options.Clock(), s.Run.Pages+s.Run.NotModified)
		}
		if free, err := freeBytes(string(a.folder)); err == nil && free < a.config.MinFree.Bytes() {
			a.crawler.Load().Stop(crawler.EndFull, fmt.Errorf("app: %w: %d octets free, min-free is %s", frontier.ErrFull, free, a.config.MinFree))
		}
	}
}
