package terminal

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"heed/config"
)

type line struct {
	Go goVerb `cmd:""`
}

type goVerb struct {
	Config string   `help:"file"`
	Fast   bool     `help:"fast"`
	Via    []string `sep:"none"`
	Other  string
}

func TestParseGivesTheFlagsThatAreSettings(t *testing.T) {
	var cli line
	parsed, code, err := Parse(&cli, "walk", "Walks.", []string{"go", "--fast", "--via", "a,b", "--via", "c", "--config", "f.yaml", "--other", "x"}, os.Stdout, os.Stderr)
	if err != nil || parsed == nil || code != 0 {
		t.Fatal(parsed, code, err)
	}
	got := Settings(parsed, func(_ *kong.Flag, key string) bool { return key == "fast" || key == "via" })
	same := func(a, b config.Setting) bool { return a.Key == b.Key && slices.Equal(a.Values, b.Values) }
	if want := []config.Setting{{Key: "fast", Values: []string{"true"}}, {Key: "via", Values: []string{"a,b", "c"}}}; !slices.EqualFunc(got, want, same) {
		t.Errorf("settings %v, want %v", got, want)
	}
	if f := ConfigFile(parsed); f != "f.yaml" {
		t.Errorf("file %q", f)
	}
}

func TestParseNamesTheHelpInAMistake(t *testing.T) {
	var cli line
	if _, _, err := Parse(&cli, "walk", "", []string{"go", "--no-such"}, os.Stdout, os.Stderr); err == nil || !strings.Contains(err.Error(), "walk --help") {
		t.Error(err)
	}
}

func TestPlainTakesWhatATerminalWouldObey(t *testing.T) {
	if got := Plain("a\x1b[31mb\u202ec\u0085d"); strings.ContainsAny(got, "\x1b\u202e\u0085") || !strings.HasPrefix(got, "a") {
		t.Errorf("%q", got)
	}
}

func TestCompletionNamesTheProgram(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var out bytes.Buffer
		if err := Completion(&out, shell); err != nil || !strings.Contains(out.String(), "complete ") {
			t.Errorf("%s: %v %q", shell, err, out.String())
		}
	}
}
