package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
)

type cardVerb struct {
	Domain string `arg:"" help:"Domain, like shop.example."`
	jobFlags
	netFlags
	Verify bool `help:"Look for the public proof, too, and say whether the registries agree." group:"Network"`
}

func (v *cardVerb) run(ctx context.Context, s *session) (err error) {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	if _, err := app.ParseSeed(v.Domain); err != nil {
		return err
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	answer, err := door.Card(ctx, api.CardRequest{Domain: v.Domain, Verify: s.config.Verify})
	if err != nil {
		return err
	}
	if s.config.JSON {
		err = s.printJSON(answer)
	} else {
		s.printCard(answer)
	}
	if err != nil {
		return err
	}
	return ended(cardCode(answer))
}

// cardCode is 0 if there is a card, 9 if there is none, 24 if that is not known.
func cardCode(a api.CardAnswer) int {
	code := app.ExitNone
	for _, c := range a.Cards {
		if c.State != "" {
			return app.ExitDone
		}
		code = app.ExitUndecided
	}
	return code
}

// printCard shows what each registry holds, and what follows for each purpose.
func (s *session) printCard(a api.CardAnswer) {
	if len(a.Cards) == 0 {
		fmt.Fprintf(s.stdout, "%s: no registry has a card\n", plain(a.Domain))
	}
	for _, c := range a.Cards {
		if c.State == "" {
			fmt.Fprintf(s.stdout, "%s at %s: %s\n", plain(c.Domain), plain(c.Registry), c.Held)
			continue
		}
		state := c.State
		if c.Freshness != state {
			state = c.Freshness + " (" + state + ")"
		}
		fmt.Fprintf(s.stdout, "%s at %s: %s", plain(c.Domain), plain(c.Registry), state)
		if c.Checked != nil {
			by := ""
			if c.Method == "well-known-file" || c.Method == "dns-txt" {
				by = " by " + c.Method
			}
			fmt.Fprintf(s.stdout, ", proof%s last checked %s", by, c.Checked.Local().Format(time.DateTime))
		}
		fmt.Fprintf(s.stdout, "\n  %s, read %s\n  retrieve %t, train %t, act %t, cite %t, tdm %s; bots %t\n", short(c.Name, 80), c.FetchedAt.Local().Format(time.DateTime),
			c.Consent.Retrieve, c.Consent.Train, c.Consent.Act, c.Consent.Cite, c.Consent.TDM, c.AllowBots)
		if c.DeniedAs != "" {
			fmt.Fprintf(s.stdout, "  denies us as %s\n", plain(c.DeniedAs))
		}
	}
	fmt.Fprintln(s.stdout)
	t := s.newTable("purpose", "by the cards", "reason", "rule")
	for _, p := range []string{"index", "answer", "train", "act"} {
		t.AppendRow(table.Row{p, a.Purposes[p].Verdict.String(), a.Purposes[p].Reason, short(a.Purposes[p].Rule, 60)})
	}
	t.Render()
	if p := a.Proof; p != nil {
		fmt.Fprintf(s.stdout, "\npublic proof: %s (%s)\n", p.Method, plain(p.Note))
		for _, r := range p.Registries {
			fmt.Fprintf(s.stdout, "  %s %s\n", plain(r.Registry), r.Agreement)
		}
	}
}
