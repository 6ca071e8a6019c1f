package politeness

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The README promises a closed list: the table in it is that of the code.
func TestTheReadmeListsEveryReasonWithItsSentence(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n| reason | means |\n")
	if !found {
		t.Fatal("README.md has no table of reasons")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+(?:\\.[a-z-]+)?)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		listed[row[1]] = row[2]
	}
	for _, r := range Reasons() {
		if listed[string(r)] != r.Sentence() {
			t.Errorf("README.md: want %s, not %q", fmt.Sprintf("| `%s` | %s |", r, r.Sentence()), listed[string(r)])
		}
		delete(listed, string(r))
	}
	for name := range listed {
		t.Errorf("README.md lists %s, which is no reason", name)
	}
}
