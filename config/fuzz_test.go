package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzLoadFile(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "-- ") {
			if _, yaml, ok := strings.Cut(part, "heed.yaml --\n"); ok {
				f.Add([]byte(yaml))
			}
		}
	}
	f.Add([]byte("? - - - - a\n: [{x: [}]"))
	f.Add([]byte("a: |2+\n  b\n\t\x00"))
	path := filepath.Join(f.TempDir(), "heed.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Sources{File: path})
		if err == nil {
			if err := c.Validate(); err != nil {
				t.Errorf("what was loaded is not valid: %v", err)
			}
			return
		}
		var found *Error
		if !errors.As(err, &found) {
			t.Fatalf("%v is not an *Error", err)
		}
		if found.Usage || found.Where == "" || found.Where == "default" || found.Problem == "" {
			t.Errorf("%#v does not say what is wrong where", found)
		}
		if n := len(found.Error()); n > 2000 || !utf8.ValidString(found.Error()) {
			t.Errorf("a message of %d octets, or not UTF-8: %q", n, found.Error())
		}
	})
}

func FuzzDurationAndSizeReadWhatTheyWrite(f *testing.F) {
	for _, s := range []string{"1d12h", "90s", "-5m", "10MiB", "1GB", "512000", "0.1d", "1e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d, d2 Duration
		if d.UnmarshalText([]byte(text)) == nil {
			if err := d2.UnmarshalText([]byte(d.String())); err != nil || d2 != d {
				t.Errorf("duration %q: written %q, read as %v, %v", text, d, d2, err)
			}
		}
		var s, s2 Size
		if s.UnmarshalText([]byte(text)) == nil {
			if err := s2.UnmarshalText([]byte(s.String())); err != nil || s2 != s {
				t.Errorf("size %q: written %q, read as %v, %v", text, s, s2, err)
			}
		}
	})
}
