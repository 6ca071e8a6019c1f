package main

import (
	"context"

	"heed/cmd/heed-registry/admin"
)

type ownerVerb struct {
	Revoke  ownerRevokeVerb  `cmd:"" help:"End a publisher's authority for a domain."`
	Restore ownerRestoreVerb `cmd:"" help:"Take a revocation back."`
	Changed ownerChangedVerb `cmd:"" help:"Check a domain within a day, because its registration changed."`
}

type ownerRevokeVerb struct {
	Domain    string `arg:"" help:"Registrable domain."`
	Publisher string `arg:"" help:"Publisher."`
	dataFlags
}

func (v *ownerRevokeVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error { return d.RevokePublisher(ctx, v.Domain, v.Publisher) })
}

type ownerRestoreVerb struct {
	Domain    string `arg:"" help:"Registrable domain."`
	Publisher string `arg:"" help:"Publisher."`
	dataFlags
}

func (v *ownerRestoreVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error { return d.RestorePublisher(ctx, v.Domain, v.Publisher) })
}

type ownerChangedVerb struct {
	Domain string `arg:"" help:"Registrable domain."`
	dataFlags
}

func (v *ownerChangedVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error { return d.RegistrationChanged(ctx, v.Domain) })
}
