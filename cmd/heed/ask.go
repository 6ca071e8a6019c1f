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

// openPatiently opens the job, waiting for a command that has it for a moment.
func (s *session) openPatiently(ctx context.Context) (*app.App, error) {
	deadline := time.Now().Add(openWait)
	for {
		a, err := s.open(ctx)
		if !errors.Is(err, frontier.ErrInUse) {
			return a, err
		}
		if time.Now().After(deadline) {
			return nil, s.inUse(err)
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

type checkVerb struct {
	URL string `arg:"" help:"URL to judge."`
	jobFlags
	netFlags
	Method string `help:"HTTP method to judge (default GET)." placeholder:"NAME" group:"Network"`
}

func (v *checkVerb) run(ctx context.Context, s *session) (err error) {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	d, err := door.Check(ctx, api.CheckRequest{URL: v.URL, Method: s.config.Method, Purpose: s.config.Purpose})
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
	Home bool `help:"Ask for the home page first, so that its Link counts." group:"Network"`
}

func (v *contextVerb) run(ctx context.Context, s *session) (err error) {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	r, err := door.Context(ctx, api.ContextRequest{Origin: v.Origin, Home: s.config.Home, Purpose: s.config.Purpose, Patience: s.patience()})
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
