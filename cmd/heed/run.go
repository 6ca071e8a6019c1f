package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"heed/cmd/heed/app"
	"heed/cmd/terminal"
	"heed/config"
	"heed/frontier"
	"heed/politeness"
)

// environment is all that a command sees of the process.
type environment struct {
	args           []string
	stdin          io.Reader
	stdout, stderr *os.File
	environ        []string
	version        string
}

// exitError ends a command with a code of its own. The error may be nil: then
// everything there is to say has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// verb is one command line, parsed.
type verb interface {
	run(ctx context.Context, s *session) error
}

// session is one command under way.
type session struct {
	environment
	sources config.Sources // what config was read from
	config  config.Config
	log     *slog.Logger
}

// run parses the command line, loads the configuration and runs the verb. It
// returns the exit code.
func (env environment) run(ctx context.Context) int {
	var cli commands
	parsed, code, err := terminal.Parse(&cli, "heed", "A crawler that does what the site asked.", env.args, env.stdout, env.stderr)
	switch {
	case err != nil:
		return env.fail(&exitError{app.ExitUsage, err})
	case parsed == nil:
		return code
	}
	s := &session{environment: env, sources: config.Sources{File: terminal.ConfigFile(parsed), Environ: env.environ, Flags: terminal.Settings(parsed, isSetting)}}
	if s.config, err = config.Load(s.sources); err != nil {
		return env.fail(err)
	}
	s.log = terminal.Logger(s.stderr, s.config.LogLevel, s.config.LogFormat)
	slog.SetLogLoggerLevel(slog.LevelDebug)
	slog.SetDefault(s.log) // what libraries print (net/http on broken answers) is for debugging
	return env.fail(parsed.Selected().Target.Addr().Interface().(verb).run(ctx, s))
}

// isSetting leaves out what says where the settings are.
func isSetting(_ *kong.Flag, key string) bool { return key != "config" && key != "help" }

// fail prints an error, if there is one to print, and returns its exit code.
func (env environment) fail(err error) int {
	if err == nil {
		return app.ExitDone
	}
	code := exitCode(err)
	var exit *exitError
	if errors.As(err, &exit) && exit.err == nil {
		return code
	}
	fmt.Fprintln(env.stderr, "heed:", err)
	return code
}

func exitCode(err error) int {
	var exit *exitError
	var bad *config.Error
	switch {
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &bad) && bad.Usage:
		return app.ExitUsage
	case errors.As(err, &bad), errors.Is(err, app.ErrSetting):
		return app.ExitConfig
	case errors.Is(err, app.ErrNoJob):
		return app.ExitNone
	case errors.Is(err, app.ErrSeed), errors.Is(err, app.ErrNoSeeds), errors.Is(err, app.ErrJobName), errors.Is(err, politeness.ErrPurpose),
		errors.Is(err, frontier.ErrURL), errors.Is(err, frontier.ErrTooLong), errors.Is(err, frontier.ErrUserinfo), errors.Is(err, frontier.ErrScope):
		return app.ExitUsage
	case errors.Is(err, frontier.ErrScheme):
		return app.ExitRefused
	case errors.Is(err, frontier.ErrFull):
		return app.ExitFull
	case errors.Is(err, frontier.ErrDamaged):
		return app.ExitDamaged
	}
	return app.ExitFailure
}

// width is how many columns a line of the progress may take.
func (s *session) width() int { return terminal.Columns(s.stderr, 100) }

// outWidth is how many columns a table may take.
func (s *session) outWidth() int { return terminal.Columns(s.stdout, 140) }
