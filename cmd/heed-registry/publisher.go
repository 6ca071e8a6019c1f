package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"heed/cmd/heed-registry/admin"
)

type publisherVerb struct {
	Add     publisherAddVerb     `cmd:"" help:"Add a publisher and print its credentials, once."`
	List    publisherListVerb    `cmd:"" help:"List all publishers."`
	Rotate  publisherRotateVerb  `cmd:"" help:"Give a publisher another secret and print it, once."`
	Domains publisherDomainsVerb `cmd:"" help:"Replace the domains that a publisher may write."`
	Disable publisherDisableVerb `cmd:"" help:"End what a publisher may do. Its cards stay."`
}

type publisherAddVerb struct {
	ID string `arg:"" help:"1 to 64 of a-z, 0-9, dot, hyphen and underscore; shown as listed_by."`
	dataFlags
	JSON    bool     `name:"json" help:"One JSON object on standard output."`
	Title   string   `name:"name" help:"Name for people." placeholder:"TEXT"`
	Domains []string `help:"Registrable domains it may write, * for any; none by default. Repeat or comma list." placeholder:"LIST"`
}

func (v *publisherAddVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, true, func(d admin.Door) error {
		c, err := d.AddPublisher(ctx, admin.NewPublisher{ID: v.ID, Name: v.Title, Domains: v.Domains})
		if err != nil {
			return err
		}
		if len(v.Domains) == 0 {
			fmt.Fprintf(s.stderr, "It may write no domain yet: heed-registry publisher domains %s DOMAIN… says which.\n", v.ID)
		}
		return s.printCredentials(c, v.JSON)
	})
}

type publisherDomainsVerb struct {
	ID      string   `arg:"" help:"Publisher."`
	Domains []string `arg:"" optional:"" help:"Registrable domains it may write from now on, * for any; none takes all away."`
	dataFlags
}

func (v *publisherDomainsVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error { return d.SetDomains(ctx, v.ID, v.Domains) })
}

type publisherListVerb struct {
	dataFlags
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

func (v *publisherListVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error {
		list, err := d.Publishers(ctx)
		if err != nil {
			return err
		}
		if v.JSON {
			return s.printJSON(map[string]any{"publishers": list})
		}
		t := s.newTable("publisher", "name", "domains", "since", "state")
		for _, p := range list {
			state := "enabled"
			if p.Disabled {
				state = "disabled"
			}
			t.AppendRow([]any{p.ID, plain(p.Name), strings.Join(p.Domains, " "), p.CreatedAt.Local().Format(time.DateOnly), state})
		}
		t.Render()
		return nil
	})
}

type publisherRotateVerb struct {
	ID string `arg:"" help:"Publisher."`
	dataFlags
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

func (v *publisherRotateVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error {
		c, err := d.RotatePublisher(ctx, v.ID)
		if err != nil {
			return err
		}
		return s.printCredentials(c, v.JSON)
	})
}

type publisherDisableVerb struct {
	ID string `arg:"" help:"Publisher."`
	dataFlags
}

func (v *publisherDisableVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error { return d.DisablePublisher(ctx, v.ID) })
}

func (s *session) printCredentials(c admin.Credentials, asJSON bool) error {
	if asJSON {
		return s.printJSON(c)
	}
	fmt.Fprintf(s.stdout, "client_id      %s\nclient_secret  %s\n", c.ClientID, c.ClientSecret)
	fmt.Fprintln(s.stderr, "The secret is stored as a hash only: this is the one time it is shown.")
	return nil
}
