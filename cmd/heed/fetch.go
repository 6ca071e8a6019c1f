package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
	"heed/politeness"
)

type fetchVerb struct {
	URL string `arg:"" help:"URL to fetch."`
	jobFlags
	netFlags
	Out      string `help:"Write the body to a file." placeholder:"FILE" group:"Output"`
	Envelope bool   `help:"Print the provenance envelope instead of the body." group:"Output"`
}

func (v *fetchVerb) run(ctx context.Context, s *session) (err error) {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	if err := readable(v.URL); err != nil {
		return err
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	f, err := door.Fetch(ctx, api.FetchRequest{URL: v.URL, Purpose: s.config.Purpose, Patience: s.patience()})
	if err != nil {
		return err
	}
	if f.Envelope == nil {
		return s.noBody(f)
	}
	if s.config.Envelope || s.config.JSON {
		return s.printJSON(f.Envelope)
	}
	if s.config.Out != "" {
		if err := os.WriteFile(s.config.Out, f.Body, 0o644); err != nil {
			return fmt.Errorf("fetch: write the body: %w", err)
		}
		return nil
	}
	if _, err := s.stdout.Write(f.Body); err != nil {
		return fmt.Errorf("fetch: write the body: %w", err)
	}
	return nil
}

// noBody says why there is nothing to print.
func (s *session) noBody(f api.FetchAnswer) error {
	switch {
	case f.Decision.Verdict != politeness.Allow:
		s.explainRefusal(f.Decision)
		return ended(verdictCode(f.Decision.Verdict))
	case f.Failure != "":
		return errors.New(f.Failure)
	case f.Later:
		return &exitError{app.ExitUndecided, fmt.Errorf("%s answered %d; try later", f.FinalURL, f.Status)}
	}
	return fmt.Errorf("%s answered %d", f.FinalURL, f.Status)
}
