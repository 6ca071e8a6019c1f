package main

import (
	"context"
	"fmt"
	"time"

	"heed/cmd/heed-registry/admin"
)

type checkVerb struct {
	Domain string `arg:"" help:"Registrable domain."`
	dataFlags
	proofFlags
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

// The exit code is that of the check: 0 proven, 20 surely not, 24 not known.
func (v *checkVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error {
		p, err := d.Check(ctx, v.Domain)
		if err != nil {
			return err
		}
		if v.JSON {
			err = s.printJSON(p)
		} else {
			s.printProof(p)
		}
		if err != nil {
			return err
		}
		return ended(checkCode(p))
	})
}

func checkCode(p admin.Proof) int {
	switch p.Found {
	case "well-known-file", "dns-txt":
		return exitDone
	case "unverified":
		return exitRefused
	}
	return exitLater
}

func (s *session) printProof(p admin.Proof) {
	checked := "never"
	if p.Checked != nil {
		checked = p.Checked.Local().Format(time.DateTime)
	}
	listed := "not listed"
	if p.Listed {
		listed = "listed"
	}
	fmt.Fprintf(s.stdout, "%s: this check found %s (tokens of %s)\n  %s\n  the card is %s by %s, %s, checked %s\n",
		p.Domain, p.Found, p.Publisher, plain(p.Note), p.State, p.Method, listed, checked)
}

type verifyVerb struct {
	dataFlags
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

func (v *verifyVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error {
		r, err := d.Verify(ctx)
		if err != nil {
			return err
		}
		if v.JSON {
			if err := s.printJSON(r); err != nil {
				return err
			}
		} else {
			mark := "sound"
			if !r.Sound {
				mark = "DAMAGED"
			}
			fmt.Fprintf(s.stdout, "%s: %d cards, %d of them listed, %d lines of the write log\n", mark, r.Cards, r.Listed, r.LogLines)
			for _, fault := range r.Faults {
				fmt.Fprintf(s.stdout, "  %s\n", plain(fault))
			}
		}
		if !r.Sound {
			return ended(exitDamaged)
		}
		return nil
	})
}

type statusVerb struct {
	dataFlags
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

// The status of nobody is none: it is not made up by opening the state.
func (v *statusVerb) run(ctx context.Context, s *session) error {
	client, err := admin.Dial(ctx, s.settings.Data)
	if err != nil {
		fmt.Fprintln(s.stderr, "heed-registry: no server runs in", s.settings.Data)
		return ended(exitNone)
	}
	defer client.Close()
	st, err := client.Status(ctx)
	if err != nil {
		return err
	}
	if v.JSON {
		return s.printJSON(st)
	}
	fmt.Fprintf(s.stdout, "%s, version %s, pid %d, since %s\n  %d cards, %d of them listed\n",
		st.PublicURL, st.Version, st.PID, st.StartedAt.Local().Format(time.DateTime), st.Cards, st.Listed)
	return nil
}
