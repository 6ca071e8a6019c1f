package main

import (
	"context"
	"errors"
	"fmt"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
)

type seedsVerb struct {
	Add seedsAddVerb `cmd:"" help:"Add seeds. A running crawl takes them up at once; else the next one does."`
}

type seedsAddVerb struct {
	Seeds0 []string `arg:"" optional:"" name:"seed" help:"URLs or bare domains."`
	jobFlags
	idleFlags
	Seeds  []string `help:"File with one seed a line, optionally URL<TAB>score; - is standard input. Repeatable." sep:"none" placeholder:"FILE" group:"Job"`
	Strict bool     `help:"A bad line in a seed file ends the command." group:"Job"`
}

func (v *seedsAddVerb) run(ctx context.Context, s *session) (err error) {
	seeds, err := s.seeds(v.Seeds0)
	if err != nil {
		return err
	}
	if len(seeds) == 0 {
		return fmt.Errorf("%w: give a URL or a domain, or --seeds FILE", app.ErrNoSeeds)
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	var total api.SeedsAnswer
	for len(seeds) > 0 {
		n := min(len(seeds), api.MaxSeeds)
		answer, err := door.AddSeeds(ctx, api.SeedsRequest{Seeds: seeds[:n]})
		if err != nil {
			return err
		}
		total.Given, total.Added = total.Given+answer.Given, total.Added+answer.Added
		seeds = seeds[n:]
	}
	if s.config.JSON {
		return s.printJSON(total)
	}
	fmt.Fprintf(s.stdout, "%s: %d seeds given, %d new\n", s.config.Job, total.Given, total.Added)
	return nil
}
