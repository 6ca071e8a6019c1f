package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/lmittmann/tint"
	"github.com/willabides/kongplete"
	"golang.org/x/term"

	"heed/cmd/heed-registry/admin"
	"heed/cmd/heed-registry/app"
	"heed/cmd/heed-registry/settings"
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
	parser, err := kong.New(&cli, kong.Name("heed-registry"), kong.Description("A registry of consent cards."),
		kong.Writers(env.stdout, env.stderr), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": env.version}, kong.Exit(func(code int) { panic(kongExit(code)) }))
	if err != nil {
		return env.fail(err)
	}
	kongplete.Complete(parser)
	parsed, code, err := parse(parser, env.args)
	switch {
	case err != nil:
		fmt.Fprintln(env.stderr, "heed-registry:", usage(err))
		return exitUsage
	case parsed == nil:
		return code
	}
	s := &session{environment: env}
	if s.settings, err = settings.Load(settings.Sources{File: settingsFile(parsed), Environ: env.environ, Flags: given(parsed)}); err != nil {
		return env.fail(err)
	}
	s.log = s.logger()
	return env.fail(parsed.Selected().Target.Addr().Interface().(verb).run(ctx, s))
}

// kongExit carries --help out of the parser.
type kongExit int

func parse(parser *kong.Kong, args []string) (parsed *kong.Context, code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			exit, ok := r.(kongExit)
			if !ok {
				panic(r)
			}
			parsed, code = nil, int(exit)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err = parser.Parse(args)
	return parsed, 0, err
}

func usage(err error) string {
	text := err.Error()
	if !strings.Contains(text, "--help") {
		text += " (see heed-registry --help)"
	}
	return text
}

// given collects the flags that are settings, in the form of the settings.
// Flags of one command alone are no settings.
func given(parsed *kong.Context) []config.Setting {
	var list []config.Setting
	seen := make(map[string]bool)
	known := make(map[string]bool)
	for _, key := range settings.Keys() {
		known[key] = true
	}
	for _, p := range parsed.Path {
		if p.Flag == nil || p.Flag.Group == nil || seen[p.Flag.Name] {
			continue
		}
		seen[p.Flag.Name] = true
		s := config.Setting{Key: strings.ReplaceAll(p.Flag.Name, "-", "_")}
		if !known[s.Key] {
			continue
		}
		switch v := parsed.FlagValue(p.Flag).(type) {
		case []string:
			s.Values = v
		case string:
			s.Values = []string{v}
		case bool:
			s.Values = []string{fmt.Sprint(v)}
		}
		list = append(list, s)
	}
	return list
}

func settingsFile(parsed *kong.Context) string {
	for _, f := range parsed.Flags() {
		if f.Name == "config" {
			text, _ := parsed.FlagValue(f).(string)
			return text
		}
	}
	return ""
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

// logger writes to standard error: for people on a terminal, else as set.
func (s *session) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.settings.LogLevel)) // validated by settings
	if s.settings.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.stderr, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(tint.NewTextHandler(s.stderr, &tint.Options{Level: level, NoColor: !term.IsTerminal(int(s.stderr.Fd())), TimeFormat: "15:04:05"}))
}
