package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heed/politeness/pace"
)

func (a *App) openPace(ctx context.Context, existed bool) error {
	o := pace.Defaults()
	o.Delay, o.PerHost = defaultDelay, 1
	o.Floor = a.floor
	o.PerAddress = a.config.PerAddress
	o.MaxCrawlDelay = a.config.Limits.CrawlDelay.Std()
	o.BackOffBase, o.BackOffMax = a.config.BackOff.Std(), a.config.BackOffMax.Std()
	o.Clock, o.Shelf, o.StartedAt = a.options.Clock, a.engine, a.options.Clock()
	settled, err := a.engine.LoadNote(ctx, paceNote, "settled")
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	// A new state has nothing to wait for. Any other start waits unless the last
	// stop was clean for the state and for the pacer alike.
	o.Restarted = existed && (!a.engine.Clean() || settled == nil)
	a.pacer = pace.New(o)
	a.push("pace", func() error {
		clean, err := a.pacer.Flush(context.Background())
		var note []byte
		if clean && err == nil {
			note = []byte{1}
		}
		return errors.Join(err, a.engine.SaveNote(context.Background(), paceNote, "settled", note))
	})
	return nil
}

// paceNote keeps whether the pacer could vouch for its state at the last stop.
const paceNote = "pace"

// defaultDelay is the smallest pause between requests to a host whose addresses
// are not all opened, unless an operator rule with a reason says otherwise.
const defaultDelay = time.Second
