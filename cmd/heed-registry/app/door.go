package app

import (
	"context"
	"errors"
	"io"
	"os"

	"heed/cmd/heed-registry/admin"
	"heed/registry"
)

// sentinels relate the registry's errors to those of the door.
func sentinels() []struct{ from, to error } {
	return []struct{ from, to error }{
		{registry.ErrNotFound, admin.ErrNotFound},
		{registry.ErrExists, admin.ErrExists},
		{registry.ErrInvalid, admin.ErrInvalid},
		{registry.ErrDamaged, admin.ErrDamaged},
		{registry.ErrLocked, ErrInUse},
	}
}

// translated is err, also as the error of the door that it means.
func translated(err error) error {
	for _, s := range sentinels() {
		if errors.Is(err, s.from) {
			return &meaning{err, s.to}
		}
	}
	return err
}

// meaning is an error with the words of one and the identity of two.
type meaning struct{ said, meant error }

func (m *meaning) Error() string   { return m.said.Error() }
func (m *meaning) Unwrap() []error { return []error{m.said, m.meant} }

// Status implements admin.Door.
func (a *App) Status(context.Context) (admin.Status, error) {
	stats := a.registry.Stats()
	return admin.Status{PID: os.Getpid(), Version: a.options.Version, StartedAt: a.startedAt.UTC(), PublicURL: a.settings.BaseURL(),
		Cards: stats.Cards, Listed: stats.Listed}, nil
}

// AddPublisher implements admin.Door.
func (a *App) AddPublisher(ctx context.Context, p admin.NewPublisher) (admin.Credentials, error) {
	c, err := a.registry.Admin().AddPublisher(ctx, p.ID, p.Name, p.Domains)
	return admin.Credentials(c), translated(err)
}

// Publishers implements admin.Door.
func (a *App) Publishers(context.Context) ([]admin.Publisher, error) {
	list := a.registry.Admin().Publishers()
	publishers := make([]admin.Publisher, len(list))
	for i, p := range list {
		publishers[i] = admin.Publisher{ID: p.ID, Name: p.Name, Domains: p.Domains, Disabled: p.Disabled, CreatedAt: p.Created}
	}
	return publishers, nil
}

// RotatePublisher implements admin.Door.
func (a *App) RotatePublisher(ctx context.Context, id string) (admin.Credentials, error) {
	c, err := a.registry.Admin().RotatePublisher(ctx, id)
	return admin.Credentials(c), translated(err)
}

// SetDomains implements admin.Door.
func (a *App) SetDomains(ctx context.Context, id string, domains []string) error {
	return translated(a.registry.Admin().SetDomains(ctx, id, domains))
}

// DisablePublisher implements admin.Door.
func (a *App) DisablePublisher(ctx context.Context, id string) error {
	return translated(a.registry.Admin().DisablePublisher(ctx, id))
}

// RevokePublisher implements admin.Door.
func (a *App) RevokePublisher(ctx context.Context, domain, publisher string) error {
	return translated(a.registry.Admin().Revoke(ctx, domain, publisher))
}

// RestorePublisher implements admin.Door.
func (a *App) RestorePublisher(ctx context.Context, domain, publisher string) error {
	return translated(a.registry.Admin().Restore(ctx, domain, publisher))
}

// Check implements admin.Door.
func (a *App) Check(ctx context.Context, domain string) (admin.Proof, error) {
	r, err := a.registry.Admin().Check(ctx, domain)
	if err != nil {
		return admin.Proof{}, translated(err)
	}
	return admin.Proof{Domain: r.Domain, Publisher: r.Publisher, Found: r.Found, Note: r.Note, Method: r.Method, State: r.State,
		Checked: r.Checked, Listed: r.Listed}, nil
}

// RegistrationChanged implements admin.Door.
func (a *App) RegistrationChanged(ctx context.Context, domain string) error {
	return translated(a.registry.Admin().RegistrationChanged(ctx, domain))
}

// Verify implements admin.Door.
func (a *App) Verify(ctx context.Context) (admin.Verification, error) {
	r, err := a.registry.Admin().Verify(ctx)
	if err != nil {
		return admin.Verification{}, translated(err)
	}
	return admin.Verification{Sound: len(r.Faults) == 0, Cards: r.Cards, Listed: r.Listed, LogLines: r.LogLines, Faults: r.Faults}, nil
}

// Export implements admin.Door.
func (a *App) Export(ctx context.Context, w io.Writer) error {
	return translated(a.registry.Admin().Export(ctx, w))
}

// Import implements admin.Door.
func (a *App) Import(ctx context.Context, r io.Reader) (admin.Imported, error) {
	n, err := a.registry.Admin().Import(ctx, r)
	return admin.Imported{Lines: n}, translated(err)
}

// Backup implements admin.Door.
func (a *App) Backup(ctx context.Context, w io.Writer) error {
	return translated(a.registry.Admin().Backup(ctx, w))
}
