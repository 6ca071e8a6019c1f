package discover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heed/crawler/discover"
)

// The names of the draft stand in one place, so that a later revision changes one line.
func TestLC155NamesOfTheDraftStandOnce(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, file := range files {
		if file == "constants.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{discover.Relation, discover.WellKnownPath, discover.GuessPath} {
			if strings.Contains(string(source), `"`+name) {
				t.Errorf("LC-155 %s spells %q", file, name)
			}
		}
	}
}

func TestAcceptField(t *testing.T) {
	if discover.Accept != "text/markdown, text/plain;q=0.9, */*;q=0.1" {
		t.Errorf("LC-151 %q", discover.Accept)
	}
}
