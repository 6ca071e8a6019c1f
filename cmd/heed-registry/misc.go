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
		return s.printJSON(map[string]string{"name": "heed-registry", "version": s.version})
	}
	fmt.Fprintln(s.stdout, "heed-registry", s.version)
	return nil
}

type configVerb struct {
	Check configCheckVerb `cmd:"" help:"Load and validate the settings; say nothing if they are good."`
	Print configPrintVerb `cmd:"" help:"Print the settings as they would be used."`
}

type configCheckVerb struct {
	dataFlags
	serveFlags
	proofFlags
}

func (v *configCheckVerb) run(context.Context, *session) error { return nil }

type configPrintVerb struct {
	dataFlags
	serveFlags
	proofFlags
}

func (v *configPrintVerb) run(_ context.Context, s *session) error {
	text, err := s.settings.YAML()
	if err != nil {
		return err
	}
	if _, err := s.stdout.Write(text); err != nil {
		return fmt.Errorf("config print: %w", err)
	}
	return nil
}

type completionVerb struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (v *completionVerb) run(_ context.Context, s *session) error {
	return terminal.Completion(s.stdout, v.Shell)
}
