package main

import (
	"context"
	"errors"
	"fmt"

	"heed/cmd/heed/app"
	"heed/frontier"
)

type compactVerb struct {
	jobFlags
	idleFlags
}

func (v *compactVerb) run(_ context.Context, s *session) error {
	c, err := app.Compact(s.config)
	if errors.Is(err, frontier.ErrInUse) {
		return s.inUse(err)
	}
	if err != nil {
		return err
	}
	if s.config.JSON {
		return s.printJSON(c)
	}
	fmt.Fprintf(s.stdout, "job %s: the state file had %s, it has %s\n", c.Job, octets(c.BeforeBytes), octets(c.AfterBytes))
	return nil
}
