package frontier

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// whatwgCase is one of the 820 cases of the URL Standard that come with the parser's
// module. Comments between them are plain texts.
type whatwgCase struct {
	Input    string  `json:"input"`
	Base     *string `json:"base"`
	Href     string  `json:"href"`
	Protocol string  `json:"protocol"`
	Username string  `json:"username"`
	Password string  `json:"password"`
	Hostname string  `json:"hostname"`
	Failure  bool    `json:"failure"`
}

func whatwgCases(t *testing.T) []whatwgCase {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	if err != nil {
		t.Fatalf("where is the module: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "urltestdata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	var cases []whatwgCase
	for _, r := range raw {
		if r[0] != '{' {
			continue
		}
		var c whatwgCase
		if err := json.Unmarshal(r, &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// TestTheCasesOfTheURLStandard holds keys against the standard: what it refuses is
// refused, what it reads is read alike, but for the fragment. Schemes of no web page,
// credentials, and hosts that no HTTP client sends are refused besides.
func TestTheCasesOfTheURLStandard(t *testing.T) {
	cases := whatwgCases(t)
	if len(cases) != 820 {
		t.Errorf("%d cases, want 820", len(cases))
	}
	alike, refused, stricter := 0, 0, 0
	for _, c := range cases {
		url, ok := resolveCase(c)
		want, _, _ := strings.Cut(c.Href, "#")
		name := c.Input
		if c.Base != nil {
			name += " at " + *c.Base
		}
		switch {
		case c.Failure || c.Protocol != "http:" && c.Protocol != "https:" || c.Username+c.Password != "":
			if refused++; ok {
				t.Errorf("%q is %q, want a refusal", name, url)
			}
		case ok && url != want:
			t.Errorf("%q is %q, want %q", name, url, want)
		case ok:
			alike++
			checkCanonical(t, url)
		case strictlyRefused(c):
			stricter++
		default:
			t.Errorf("%q is refused, want %q", name, want)
		}
	}
	t.Logf("%d read alike, %d refused by the standard, its schemes or for credentials, %d more by us", alike, refused, stricter)
	if alike < 180 || stricter > 20 {
		t.Errorf("%d cases are read, %d refused beyond the standard", alike, stricter)
	}
}

// resolveCase reads the input as a reference of a page, or on its own where the base
// can be no page.
func resolveCase(c whatwgCase) (string, bool) {
	if c.Base != nil {
		if b, err := NewBase(*c.Base); err == nil {
			return b.Resolve(c.Input)
		}
	}
	url, err := Canonical(c.Input)
	return url, err == nil
}

// strictlyRefused names what Canonical documents as stricter than the standard.
func strictlyRefused(c whatwgCase) bool {
	return !plainHost(c.Hostname) || strings.Contains(strings.SplitN(strings.TrimLeft(c.Input, " /\\"), "?", 2)[0], "@") || len(c.Href) > MaxURLBytes
}
