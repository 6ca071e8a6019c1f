package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A fixture archive holds cases as folders: CASE/heed.yaml, CASE/environ (one
// NAME=VALUE a line), CASE/flags (one flag a line, "key value" or "key"). A
// case of good_*.txtar has CASE/want: lines that the printed configuration must
// contain. A case of bad_*.txtar has CASE/error: the whole message, and
// begins it with "usage: " where the command line is to blame.

type fixture struct {
	sources Sources
	yaml    []byte
	want    string
}

func readFixtures(t *testing.T, path string) map[string]*fixture {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*fixture)
	for _, f := range archive.Files {
		name, part, ok := strings.Cut(f.Name, "/")
		if !ok {
			t.Fatalf("%s: %s is not CASE/PART", path, f.Name)
		}
		if all[name] == nil {
			all[name] = &fixture{}
		}
		lines := strings.Split(strings.TrimRight(string(f.Data), "\n"), "\n")
		switch part {
		case "heed.yaml":
			all[name].yaml = f.Data
		case "environ":
			all[name].sources.Environ = lines
		case "flags":
			all[name].sources.Flags = readFlags(lines)
		case "want", "error":
			all[name].want = strings.TrimRight(string(f.Data), "\n")
		default:
			t.Fatalf("%s: unknown part %s", path, f.Name)
		}
	}
	return all
}

func readFlags(lines []string) []Setting {
	var flags []Setting
	for _, line := range lines {
		key, value, ok := strings.Cut(line, " ")
		last := len(flags) - 1
		if last < 0 || flags[last].Key != key {
			flags = append(flags, Setting{Key: key})
			last++
		}
		if ok {
			flags[last].Values = append(flags[last].Values, value)
		}
	}
	return flags
}

func eachFixture(t *testing.T, pattern string, run func(*testing.T, *fixture)) {
	paths, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures %s: %v", pattern, err)
	}
	for _, path := range paths {
		for name, f := range readFixtures(t, path) {
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				if f.want == "" {
					t.Fatal("the case expects nothing")
				}
				t.Chdir(t.TempDir())
				if f.yaml != nil {
					if err := os.WriteFile("heed.yaml", f.yaml, 0o600); err != nil {
						t.Fatal(err)
					}
					f.sources.File = "heed.yaml"
				}
				run(t, f)
			})
		}
	}
}

func TestGoodFixturesGiveTheValuesTheyState(t *testing.T) {
	eachFixture(t, "good_*.txtar", func(t *testing.T, f *fixture) {
		c, err := Load(f.sources)
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		printed := "\n" + string(text)
		for line := range strings.SplitSeq(f.want, "\n") {
			if !strings.Contains(printed, "\n"+line+"\n") {
				t.Errorf("the printed configuration lacks the line %q", line)
			}
		}
		if t.Failed() {
			t.Logf("printed:\n%s", text)
		}
	})
}

func TestBadFixturesGiveTheMessageTheyState(t *testing.T) {
	eachFixture(t, "bad_*.txtar", func(t *testing.T, f *fixture) {
		_, err := Load(f.sources)
		var found *Error
		if !errors.As(err, &found) {
			t.Fatalf("Load: %v, want an *Error", err)
		}
		got := found.Error()
		if found.Usage {
			got = "usage: " + got
		}
		if got != f.want {
			t.Errorf("message\n%s\nwant\n%s", got, f.want)
		}
	})
}
