package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// The shells ask the program itself for candidates (COMP_LINE), so the set-up
// is one line.
func (v *completionVerb) run(_ context.Context, s *session) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	name := filepath.Base(path)
	switch v.Shell {
	case "bash":
		fmt.Fprintf(s.stdout, "complete -C %q %s\n", path, name)
	case "zsh":
		fmt.Fprintf(s.stdout, "autoload -U +X bashcompinit && bashcompinit\ncomplete -C %q %s\n", path, name)
	case "fish":
		fmt.Fprintf(s.stdout, "function __complete_%s\n    set -lx COMP_LINE (commandline -cp)\n    test -z (commandline -ct); and set COMP_LINE \"$COMP_LINE \"\n    %q\nend\ncomplete -f -c %s -a \"(__complete_%s)\"\n",
			shellName(name), path, name, shellName(name))
	}
	return nil
}

// shellName is a name that a function of a shell can have.
func shellName(name string) string { return strings.ReplaceAll(name, "-", "_") }
