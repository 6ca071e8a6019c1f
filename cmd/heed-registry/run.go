package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"heed/cmd/heed-registry/admin"
	"heed/cmd/heed-registry/app"
	"heed/cmd/heed-registry/settings"
	"heed/cmd/terminal"
	"heed/config"
)

// Exit codes, those of heed.
const (
	exitDone    = 0
	exitFailure = 1
	exitUsage   = 2
	exitFull    = 3
	exitConfig  = 4
	exitNone    = 9
	exitStopped = 11
	exitForced  = 13
	exitRefused = 20
	exitDamaged = 23
	exitLater   = 24
)

// environment is all that a command sees of the process.
type environment struct {
	args           []string
	stdin          io.Reader
	stdout, stderr *os.File
	environ        []string
	version        string
}

// exitError ends a command with a code of its own, after everything there is to
// say has been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// ended is the end of a command by code.
func ended(code int) error {
	if code == exitDone {
		return nil
	}
	return &exitError{code}
}

// verb is one command line, parsed.
type verb interface {
	run(ctx context.Context, s *session) error
}

// session is one command under way.
type session struct {
	environment
	settings settings.Settings
	log      *slog.Logger
}

// run parses the command line, loads the settings and runs the verb. It returns
// the exit code.
func (env environment) run(ctx context.Context) int {
	var cli commands
	parsed, code, err := terminal.Parse(&cli, "heed-registry", "A registry of consent cards.", env.args, env.stdout, env.stderr)
	switch {
	case err != nil:
		fmt.Fprintln(env.stderr, "heed-registry:", err)
		return exitUsage
	case parsed == nil:
		return code
	}
	s := &session{environment: env}
	if s.settings, err = settings.Load(settings.Sources{File: terminal.ConfigFile(parsed), Environ: env.environ, Flags: terminal.Settings(parsed, isSetting)}); err != nil {
		return env.fail(err)
	}
	s.log = terminal.Logger(s.stderr, s.settings.LogLevel, s.settings.LogFormat)
	return env.fail(parsed.Selected().Target.Addr().Interface().(verb).run(ctx, s))
}

// isSetting leaves out the flags of one command alone: they have no group.
func isSetting(flag *kong.Flag, key string) bool {
	return flag.Group != nil && slices.Contains(settings.Keys(), key)
}

// fail prints an error, if there is one to print, and returns its exit code.
func (env environment) fail(err error) int {
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	}
	fmt.Fprintln(env.stderr, "heed-registry:", err)
	return exitCode(err)
}

func exitCode(err error) int {
	var bad *config.Error
	switch {
	case errors.As(err, &bad) && bad.Usage:
		return exitUsage
	case errors.As(err, &bad):
		return exitConfig
	case errors.Is(err, admin.ErrInvalid):
		return exitUsage
	case errors.Is(err, admin.ErrNotFound), errors.Is(err, app.ErrNoRegistry):
		return exitNone
	case errors.Is(err, admin.ErrDamaged):
		return exitDamaged
	case errors.Is(err, syscall.ENOSPC):
		return exitFull
	}
	return exitFailure
}
