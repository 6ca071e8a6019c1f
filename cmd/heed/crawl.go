package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"heed/cmd/heed/app"
	"heed/crawler"
)

type crawlVerb struct {
	Seeds0 []string `arg:"" optional:"" name:"seed" help:"URLs or bare domains."`
	jobFlags
	netFlags
	Seeds      []string `help:"File with one seed a line, optionally URL<TAB>score; - is standard input. Repeatable." sep:"none" placeholder:"FILE" group:"Job"`
	Strict     bool     `help:"A bad line in a seed file ends the command." group:"Job"`
	Scope      string   `help:"page, prefix, host (default), domain or any." placeholder:"KIND" group:"Scope"`
	Include    []string `help:"Take only URLs that match (RE2). Repeatable." sep:"none" placeholder:"RE" group:"Scope"`
	Exclude    []string `help:"Leave URLs out that match (RE2). Repeatable." sep:"none" placeholder:"RE" group:"Scope"`
	Depth      string   `help:"Links from a seed; 0 is seeds only." placeholder:"N" group:"Scope"`
	MaxPages   string   `help:"Stop after so many pages." placeholder:"N" group:"Scope"`
	TimeLimit  string   `help:"Stop after this time." placeholder:"TIME" group:"Scope"`
	SizeLimit  string   `help:"Stop after so many octets on the wire." placeholder:"SIZE" group:"Scope"`
	Workers    string   `help:"Visits side by side (default 64)." placeholder:"N" group:"Pace"`
	Context    string   `help:"llm-context indexes: auto (default), only or off." placeholder:"MODE" group:"Scope"`
	Sitemaps   string   `help:"Sitemaps that robots.txt and cards name, feeds that pages name: auto (default) or off." placeholder:"MODE" group:"Scope"`
	Requisites bool     `help:"Take images, scripts and style sheets of pages, too." group:"Scope"`
	Types      []string `help:"Keep bodies of these media types alone, text/* for a family. Repeat or comma list." sep:"none" placeholder:"LIST" group:"Scope"`
	MaxRate    string   `help:"Octets a second over all hosts, on average." placeholder:"SIZE" group:"Pace"`
	Once       bool     `help:"Run to the end, once (this is the default)." group:"Job"`
	KeepFresh  bool     `help:"Do not end: ask again when pages are due, until stopped." group:"Job"`
	Refresh    bool     `help:"Make a new pass even if the last one is unfinished, and ask again for pages that said they are still fresh." group:"Job"`
}

func (v *crawlVerb) run(ctx context.Context, s *session) error {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	seeds, err := s.seeds(v.Seeds0)
	if err != nil {
		return err
	}
	a, err := s.openPatiently(ctx)
	if err != nil {
		return err
	}
	sum, err := s.crawl(ctx, a, seeds, s.config.Refresh)
	if closed := a.Close(); err == nil {
		err = closed
	}
	if err != nil && sum.Exit == 0 {
		return err
	}
	return s.finish(sum, err)
}

// crawl runs the job under the signals of a terminal: the first one drains, the
// second cuts off.
func (s *session) crawl(ctx context.Context, a *app.App, seeds []crawler.Seed, newPass bool) (app.Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	show := newProgress(s, a)
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		show.run(done, signals, func() { _ = a.Stop(ctx) }, cancel)
	}()
	sum, err := a.Crawl(ctx, seeds, newPass)
	close(done)
	<-watched
	return sum, err
}

// finish prints the summary and ends with its code.
func (s *session) finish(sum app.Summary, err error) error {
	if s.config.JSON {
		if e := s.printJSON(sum); e != nil {
			return e
		}
	} else {
		s.printSummary(sum)
	}
	if sum.Exit != 0 {
		return &exitError{sum.Exit, err}
	}
	return err
}

// seeds reads the seeds of the command line and of the seed files. A bad line of
// a file is reported; with --strict it ends the command.
func (s *session) seeds(args []string) ([]crawler.Seed, error) {
	var list []crawler.Seed
	for _, arg := range args {
		seed, err := app.ParseSeed(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, seed)
	}
	for _, file := range s.config.Seeds {
		bad := 0
		err := app.ReadSeeds(file, func(seed crawler.Seed) error { list = append(list, seed); return nil }, func(line int, err error) error {
			if s.config.Strict {
				return fmt.Errorf("%s, line %d: %w", file, line, err)
			}
			if bad++; bad <= 20 {
				s.log.Warn("seed skipped", "file", file, "line", line, "err", err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if bad > 0 {
			s.log.Warn("seeds skipped", "file", file, "lines", bad)
		}
	}
	return list, nil
}

// inUse explains who has the job.
func (s *session) inUse(err error) error {
	if pid := app.PID(s.config); pid > 0 {
		return fmt.Errorf("job %s is being crawled by process %d; look with `heed status`, end it with `heed stop`: %w", s.config.Job, pid, err)
	}
	return fmt.Errorf("job %s is in use by another process; try again: %w", s.config.Job, err)
}

// open opens the job in this process.
func (s *session) open(ctx context.Context) (*app.App, error) {
	return app.Open(ctx, s.config, app.Options{Version: s.version, Log: s.log})
}
