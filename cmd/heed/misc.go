package main

import (
	"context"
	"fmt"

	"heed/cmd/terminal"
)

type versionVerb struct {
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

func (v *versionVerb) run(_ context.Context, s *session) error {
	if v.JSON {
		return s.printJSON(map[string]string{"name": "heed", "version": s.version})
	}
	fmt.Fprintln(s.stdout, "heed", s.version)
	return nil
}

type configVerb struct {
	Check configCheckVerb `cmd:"" help:"Load and validate the configuration; say nothing if it is good."`
	Print configPrintVerb `cmd:"" help:"Print the configuration as it would be used."`
}

type configCheckVerb struct {
	jobFlags
	netFlags
}

func (v *configCheckVerb) run(context.Context, *session) error { return nil }

type configPrintVerb struct {
	jobFlags
	netFlags
}

func (v *configPrintVerb) run(_ context.Context, s *session) error {
	text, err := s.config.YAML()
	if err != nil {
		return err
	}
	_, err = s.stdout.Write(text)
	return err
}

type completionVerb struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (v *completionVerb) run(_ context.Context, s *session) error {
	return terminal.Completion(s.stdout, v.Shell)
}
