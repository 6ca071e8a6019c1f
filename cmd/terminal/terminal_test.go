package terminal

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/jedib0t/go-pretty/v6/table"

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

func TestATableIsWrappedToItsLimit(t *testing.T) {
	const url = "https://shop.example/a/path/that/has/no/blank/in/it/and/does/not/end/soon"
	for _, limit := range []int{40, 79, 139, 0} {
		var out bytes.Buffer
		g := TableWithin(&out, limit, "source", "document", "says")
		g.AppendRow(table.Row{"robots", url, "The name does not resolve, and this sentence is longer than a line."})
		g.AppendRow(table.Row{"pace", "", 7})
		g.Render()
		long := 0
		for l := range strings.Lines(out.String()) {
			long = max(long, len([]rune(strings.TrimRight(l, "\n"))))
		}
		if limit > 0 && long > limit {
			t.Errorf("a line of %d columns, want at most %d:\n%s", long, limit, out.String())
		}
		if limit == 0 && !strings.Contains(out.String(), url) {
			t.Errorf("without a limit the text was broken:\n%s", out.String())
		}
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
