package main

import (
	"context"
	"errors"
	"fmt"

	"heed/cmd/heed/app"
	"heed/frontier"
)

type verifyVerb struct {
	jobFlags
	idleFlags
}

func (v *verifyVerb) run(ctx context.Context, s *session) error {
	r, err := app.Verify(ctx, s.config)
	if errors.Is(err, frontier.ErrInUse) {
		return s.inUse(err)
	}
	if err != nil {
		return err
	}
	if s.config.JSON {
		if err := s.printJSON(r); err != nil {
			return err
		}
	} else {
		s.printVerification(r)
	}
	if !r.Sound {
		return ended(app.ExitDamaged)
	}
	return nil
}

func (s *session) printVerification(r app.Verification) {
	for _, p := range r.Parts {
		mark := "sound"
		if len(p.Problems) > 0 {
			mark = "DAMAGED"
		}
		fmt.Fprintf(s.stdout, "%-8s %s: %s\n", p.Name, mark, p.Counted)
		for _, problem := range p.Problems {
			fmt.Fprintf(s.stdout, "         %s\n", plain(problem))
		}
	}
}
