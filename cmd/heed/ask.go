package main

import (
	"context"
	"errors"
	"time"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
	"heed/frontier"
	"heed/politeness"
)

// defaultPatience is how long a single fetch waits for its host's turn.
const defaultPatience = 20 * time.Second

// openWait is how long a command waits for another short command to let go of
// the job.
const openWait = 10 * time.Second

// openPatiently opens the job, waiting for a command that has it for a moment;
// not for a crawl. Each attempt waits for the lock itself, so this does not spin.
func (s *session) openPatiently(ctx context.Context) (*app.App, error) {
	deadline := time.Now().Add(openWait)
	for {
		a, err := s.open(ctx)
		if !errors.Is(err, frontier.ErrInUse) {
			return a, err
		}
		if app.PID(s.config) > 0 || time.Now().After(deadline) {
			return nil, s.inUse(err)
		}
	}
}

// door is the job's door: of the process that has it open, else of this one. A
// crawl that has only just begun opens its door when its seeds are stored.
func (s *session) door(ctx context.Context) (api.Door, func() error, error) {
	deadline := time.Now().Add(openWait)
	for {
		if c, err := app.Dial(ctx, s.config); err == nil {
			return c, func() error { c.Close(); return nil }, nil
		}
		a, err := s.open(ctx)
		if err == nil {
			return a, a.Close, nil
		}
		if !errors.Is(err, frontier.ErrInUse) {
			return nil, nil, err
		}
		if time.Now().After(deadline) {
			return nil, nil, s.inUse(err)
		}
	}
}

func (s *session) patience() time.Duration {
	if s.config.Patience != nil {
		return s.config.Patience.Std()
	}
	return defaultPatience
}

// verdictCode is the exit code of a decision.
func verdictCode(v politeness.Verdict) int {
	switch v {
	case politeness.Allow:
		return app.ExitDone
	case politeness.Wait:
		return app.ExitUndecided
	}
	return app.ExitRefused
}

// ended turns a code into an error without a message, nil for 0.
func ended(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// readable looks at a URL before anything is opened for it: a mistake is the
// same whether a crawl is running or not, and leaves nothing behind.
func readable(url string) error {
	_, err := frontier.Canonical(url)
	return err
}

type checkVerb struct {
	URL string `arg:"" help:"URL to judge."`
	jobFlags
	netFlags
	Method string `help:"HTTP method to judge (default GET)." placeholder:"NAME" group:"Network"`
	Mode   string `help:"Judge a visit of a crawl or a fetch on demand: crawl or on-demand (default on-demand)." placeholder:"MODE" group:"Network"`
}

func (v *checkVerb) run(ctx context.Context, s *session) (err error) {
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
	d, err := door.Check(ctx, api.CheckRequest{URL: v.URL, Method: s.config.Method, Mode: politeness.Mode(s.config.Mode), Purpose: s.config.Purpose})
	if err != nil {
		return err
	}
	if s.config.JSON {
		err = s.printJSON(d)
	} else {
		s.printDecision(d)
	}
	if err != nil {
		return err
	}
	return ended(verdictCode(d.Verdict))
}

type explainVerb struct {
	URL string `arg:"" help:"URL to explain."`
	jobFlags
	netFlags
}

func (v *explainVerb) run(ctx context.Context, s *session) (err error) {
	if err := readable(v.URL); err != nil {
		return err
	}
	s.recall()
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	e, err := door.Explain(ctx, v.URL)
	if err != nil {
		return err
	}
	if s.config.JSON {
		return s.printJSON(e)
	}
	s.printExplanation(e)
	return nil
}

type contextVerb struct {
	Origin string `arg:"" help:"Origin or domain, like https://shop.example."`
	jobFlags
	netFlags
	Home   bool   `help:"Ask for the home page first, so that its Link counts." group:"Network"`
	Sample string `help:"Ask for up to N pages that the index links to, 0 to 20, and compare their titles with what it calls them (default 0)." placeholder:"N" group:"Network"`
}

func (v *contextVerb) run(ctx context.Context, s *session) (err error) {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	if _, err := app.ParseSeed(v.Origin); err != nil {
		return err
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	r, err := door.Context(ctx, api.ContextRequest{Origin: v.Origin, Home: s.config.Home, Sample: s.config.Sample, Purpose: s.config.Purpose, Patience: s.patience()})
	if err != nil {
		return err
	}
	if s.config.JSON {
		err = s.printJSON(r)
	} else {
		s.printContext(r)
	}
	if err != nil {
		return err
	}
	return ended(contextCode(r))
}
