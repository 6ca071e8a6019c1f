package terminal

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"

	"heed/config"
)

// exit carries --help, and what a shell asks for, out of the parser.
type exit int

// Parse reads a command line into cli, a struct with kong's tags. A nil context
// without an error means that the command line was answered (--help, completion);
// then code is the exit code. Errors are mistakes of the caller.
func Parse(cli any, name, description string, args []string, stdout, stderr *os.File) (parsed *kong.Context, code int, err error) {
	parser, err := kong.New(cli, kong.Name(name), kong.Description(description), kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.Exit(func(code int) { panic(exit(code)) }))
	if err != nil {
		return nil, 0, fmt.Errorf("terminal: %w", err)
	}
	defer func() {
		if r := recover(); r != nil {
			out, ok := r.(exit)
			if !ok {
				panic(r)
			}
			parsed, code = nil, int(out)
		}
	}()
	kongplete.Complete(parser)
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if parsed, err = parser.Parse(args); err != nil {
		text := err.Error()
		if !strings.Contains(text, "--help") {
			text += " (see " + name + " --help)"
		}
		return nil, 0, errors.New(text)
	}
	return parsed, 0, nil
}

// Settings collects the flags that were given and that are settings, each once.
// Keys of settings have underscores where flags have hyphens.
func Settings(parsed *kong.Context, isSetting func(flag *kong.Flag, key string) bool) []config.Setting {
	var list []config.Setting
	seen := map[string]bool{}
	for _, p := range parsed.Path {
		if p.Flag == nil || seen[p.Flag.Name] {
			continue
		}
		seen[p.Flag.Name] = true
		s := config.Setting{Key: strings.ReplaceAll(p.Flag.Name, "-", "_")}
		if !isSetting(p.Flag, s.Key) {
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

// ConfigFile is the value of --config, "" if it was not given.
func ConfigFile(parsed *kong.Context) string {
	for _, f := range parsed.Flags() {
		if f.Name == "config" {
			text, _ := parsed.FlagValue(f).(string)
			return text
		}
	}
	return ""
}
