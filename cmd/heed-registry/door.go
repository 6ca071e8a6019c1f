package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heed/cmd/heed-registry/admin"
	"heed/cmd/heed-registry/app"
)

// startPatience is how long another process may have the state open without
// answering: it starts or stops.
const startPatience = 5 * time.Second

// through calls do with the door of the registry: that of the process that has
// it open, else one of our own. create begins a registry where there is none.
func (s *session) through(ctx context.Context, create bool, do func(admin.Door) error) error {
	deadline := time.Now().Add(startPatience)
	for {
		client, err := admin.Dial(ctx, s.settings.Data)
		if err == nil {
			defer client.Close()
			return do(client)
		}
		a, err := app.Open(s.settings, app.Options{Version: s.version, Log: s.log, Create: create})
		if err == nil {
			return errors.Join(do(a), a.Close())
		}
		if !errors.Is(err, app.ErrInUse) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the process that has the registry open: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
