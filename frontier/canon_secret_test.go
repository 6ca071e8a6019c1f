package frontier

import (
	"strings"
	"testing"
)

func TestAnErrorKeepsThePasswordOfAURLToItself(t *testing.T) {
	for _, raw := range []string{
		"https://user:secret@example.com/", "https://user:secret@/", "https:secret@example.com", "//secret@example.com", "https://user:sec@secret@example.com/",
		"ftp://user:secret@example.com/", "https://user:secret@exa mple.com/",
	} {
		_, err := Canonical(raw)
		if err == nil {
			t.Errorf("%q is taken", raw)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
