package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
	"heed/crawler"
)

type hostsVerb struct {
	jobFlags
	idleFlags
	Limit string `help:"Lines at most, up to 10000 (default 50)." placeholder:"N" group:"Output"`
	Sort  string `help:"next (default: ready, waiting, blocked, later, each by its time), queued, failures or name." placeholder:"ORDER" group:"Output"`
}

func (v *hostsVerb) run(ctx context.Context, s *session) (err error) {
	if !app.Exists(s.config) {
		return &exitError{app.ExitNone, fmt.Errorf("there is no job %s in %s", s.config.Job, s.config.Data)}
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	answer, err := door.Hosts(ctx, crawler.HostQuery{Limit: s.config.Limit, Sort: s.config.Sort})
	if err != nil {
		return err
	}
	if s.config.JSON {
		return s.printJSON(answer)
	}
	s.printHosts(answer, time.Now().Add(s.config.NowOffset.Std()))
	return nil
}

// printHosts shows what each host waits for.
func (s *session) printHosts(a api.HostsAnswer, now time.Time) {
	fmt.Fprintf(s.stdout, "job %s: %d hosts ready, %d waiting, %d blocked, %d with nothing due yet\n", a.Job, a.Ready, a.Waiting, a.Blocked, a.Later)
	if len(a.Hosts) == 0 {
		return
	}
	t := s.newTable("host", "is", "because of", "next in", "queued", "delay", "failures")
	for _, h := range a.Hosts {
		reason, next := h.Reason, ""
		if h.Paused {
			reason = "paused"
		}
		if h.Next != nil {
			next = max(h.Next.Sub(now), 0).Round(time.Second).String()
		}
		t.AppendRow(table.Row{plain(h.Host), h.State, plain(reason), next, h.Queued,
			(time.Duration(h.DelayMS) * time.Millisecond).String(), h.Failures})
	}
	t.Render()
	if a.More > 0 {
		fmt.Fprintf(s.stdout, "and %d more; --limit shows up to %d\n", a.More, crawler.MaxHostLines)
	}
}
