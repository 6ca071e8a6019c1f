package main

import (
	"context"
	"errors"
	"fmt"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
)

// errNotRunning is said by commands that only make sense beside a crawl.
var errNotRunning = errors.New("no crawl of this job is running")

type statusVerb struct {
	jobFlags
	idleFlags
}

func (v *statusVerb) run(ctx context.Context, s *session) (err error) {
	if !app.Exists(s.config) {
		return &exitError{app.ExitNone, fmt.Errorf("there is no job %s in %s", s.config.Job, s.config.Data)}
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	st, err := door.Status(ctx)
	if err != nil {
		return err
	}
	if s.config.JSON {
		return s.printJSON(st)
	}
	s.printStatus(st)
	return nil
}

type pauseVerb struct {
	jobFlags
	idleFlags
}

func (v *pauseVerb) run(ctx context.Context, s *session) error {
	return s.steer(ctx, (*api.Client).Pause, "paused")
}

type resumeVerb struct {
	jobFlags
	idleFlags
}

func (v *resumeVerb) run(ctx context.Context, s *session) error {
	return s.steer(ctx, (*api.Client).Resume, "resumed")
}

type stopVerb struct {
	jobFlags
	idleFlags
}

func (v *stopVerb) run(ctx context.Context, s *session) error {
	return s.steer(ctx, (*api.Client).Stop, "stopping: requests under way finish")
}

// steer tells a running crawl something.
func (s *session) steer(ctx context.Context, do func(*api.Client, context.Context) error, said string) error {
	c, err := app.Dial(ctx, s.config)
	if err != nil {
		return fmt.Errorf("%w (%s)", errNotRunning, s.config.Job)
	}
	defer c.Close()
	if err := do(c, ctx); err != nil {
		return err
	}
	if s.config.JSON {
		return s.printJSON(map[string]string{"job": s.config.Job, "state": said})
	}
	fmt.Fprintf(s.stdout, "%s: %s\n", s.config.Job, said)
	return nil
}
