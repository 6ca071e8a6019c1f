package main

import (
	"heed/cmd/heed/app"
	"heed/config"
)

// recall takes the configuration that the job was started with, below environment
// and flags, unless a file was named. Commands that look back do so: today's answer
// is about the job as it ran, with its scope, its purposes and its operator's rules.
// Where and how to print stays this command's own.
func (s *session) recall() {
	path, ok := app.Started(s.config)
	if !ok || s.sources.Path() != "" {
		return
	}
	from := s.sources
	from.File = path
	c, err := config.Load(from)
	if err != nil {
		s.log.Warn("the configuration that the job was started with cannot be used; name one with --config", "err", err)
		return
	}
	own := &s.config
	c.Data, c.Job, c.JSON, c.Out, c.LogLevel, c.LogFormat = own.Data, own.Job, own.JSON, own.Out, own.LogLevel, own.LogFormat
	c.CAFile = nil // nothing is asked, and the file may be gone by now
	s.config = c
}
