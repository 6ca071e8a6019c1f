package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/lmittmann/tint"
	"github.com/willabides/kongplete"
	"golang.org/x/term"

	"heed/cmd/heed/app"
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
	config config.Config
	log    *slog.Logger
}

// run parses the command line, loads the configuration and runs the verb. It
// returns the exit code.
func (env environment) run(ctx context.Context) int {
	var cli commands
	parser, err := kong.New(&cli, kong.Name("heed"), kong.Description("A crawler that does what the site asked."),
		kong.Writers(env.stdout, env.stderr), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": env.version}, kong.Exit(func(code int) { panic(kongExit(code)) }))
	if err != nil {
		return env.fail(err)
	}
	parsed, code, err := parse(parser, env.args)
	switch {
	case err != nil:
		return env.fail(&exitError{app.ExitUsage, usageError(err)})
	case parsed == nil:
		return code
	}
	s := &session{environment: env}
	if s.config, err = config.Load(config.Sources{File: configFile(parsed), Environ: env.environ, Flags: settings(parsed)}); err != nil {
		return env.fail(err)
	}
	s.log = s.logger()
	slog.SetLogLoggerLevel(slog.LevelDebug)
	slog.SetDefault(s.log) // what libraries print (net/http on broken answers) is for debugging
	return env.fail(parsed.Selected().Target.Addr().Interface().(verb).run(ctx, s))
}

// kongExit carries --help, and what a shell asks for, out of the parser.
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
	kongplete.Complete(parser)
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err = parser.Parse(args)
	return parsed, 0, err
}

func usageError(err error) error {
	text := err.Error()
	if !strings.Contains(text, "--help") {
		text += " (see heed --help)"
	}
	return errors.New(text)
}

// settings collects the flags that were given, in the form of the configuration.
func settings(parsed *kong.Context) []config.Setting {
	var list []config.Setting
	seen := map[string]bool{"config": true, "help": true}
	for _, p := range parsed.Path {
		if p.Flag == nil || seen[p.Flag.Name] {
			continue
		}
		seen[p.Flag.Name] = true
		s := config.Setting{Key: strings.ReplaceAll(p.Flag.Name, "-", "_")}
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

func configFile(parsed *kong.Context) string {
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

// logger writes to standard error: for people on a terminal, else as configured.
func (s *session) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.config.LogLevel)) // validated by config
	if s.config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.stderr, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(tint.NewTextHandler(s.stderr, &tint.Options{Level: level, NoColor: !isTerminal(s.stderr), TimeFormat: "15:04:05"}))
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// width is how many columns a line of the progress may take.
func (s *session) width() int { return columns(s.stderr, 100) }

// outWidth is how many columns a table may take.
func (s *session) outWidth() int { return columns(s.stdout, 140) }

func columns(f *os.File, otherwise int) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
		return w - 1
	}
	return otherwise
}
