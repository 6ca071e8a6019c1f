package politeness

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares got with a file of testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

func TestReasonsAreAClosedListWithASentenceEach(t *testing.T) {
	var lines []string
	for _, r := range Reasons() {
		s := r.Sentence()
		if !strings.HasSuffix(s, ".") || s[0] < 'A' || s[0] > 'Z' && s[0] != 'r' {
			t.Errorf("%s: %q is not a sentence", r, s)
		}
		if r != Allowed && (r.Area() == string(r) || r.Area() == "") {
			t.Errorf("%q is not area.detail", r)
		}
		lines = append(lines, string(r)+"\n")
	}
	slices.Sort(lines)
	golden(t, "reasons.golden", strings.Join(lines, ""))
	if s := Reason("robots.unheard-of").Sentence(); s != "" {
		t.Errorf("an unknown reason has the sentence %q", s)
	}
}
