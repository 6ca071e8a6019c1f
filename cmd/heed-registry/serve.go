package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"heed/cmd/heed-registry/app"
)

type serveVerb struct {
	dataFlags
	serveFlags
	proofFlags
}

// The first signal lets answers under way end, the second cuts them off.
func (v *serveVerb) run(ctx context.Context, s *session) error {
	if err := s.settings.CheckServe(); err != nil {
		return err
	}
	a, err := app.Open(s.settings, app.Options{Version: s.version, Log: s.log, Create: true})
	if err != nil {
		return err
	}
	stop, halt := context.WithCancel(ctx)
	defer halt()
	cut, sever := context.WithCancel(ctx)
	defer sever()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	done, watched := make(chan struct{}), make(chan struct{})
	code := exitDone
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			if code == exitDone {
				code = exitStopped
				s.log.Info("stopping: answers under way end, the next signal cuts them off")
				halt()
			} else {
				code = exitForced
				sever()
			}
		}
	}()
	err = a.Serve(stop, cut, s.started)
	close(done)
	<-watched
	if closed := a.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return ended(code)
}

func (s *session) started(at app.Addresses) {
	if offset := s.settings.NowOffset; offset != 0 {
		s.log.Warn("the clock is moved", "offset", offset.String())
	}
	if s.settings.PlainHTTP {
		s.log.Warn("serving without TLS: readers must reach this through a proxy that has it, or over loopback")
	}
	s.log.Info("serving", "address", at.Public, "url", s.settings.BaseURL(), "admin", at.Admin, "data", s.settings.Data, "version", s.version)
}
