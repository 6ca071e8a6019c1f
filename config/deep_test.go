package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A parser that recurses must not be led to the end of its stack, which no
// recover catches.
func TestTheDeepestTextOfLegalLengthIsRefused(t *testing.T) {
	var stairs strings.Builder
	for i := 0; stairs.Len()+i+3 < maxFileBytes; i++ {
		stairs.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	texts := map[string]string{"stairs": stairs.String()}
	for _, unit := range []string{"- ", "? ", "[", "{a: ", "- ? ", "! ", "&a ", "<<: ", "a: - "} {
		texts[unit] = strings.Repeat(unit, maxFileBytes/len(unit)-1)
	}
	path := filepath.Join(t.TempDir(), "heed.yaml")
	for name, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(Sources{File: path}); err == nil {
			t.Errorf("%q repeated is taken for a configuration", name)
		}
	}
}
