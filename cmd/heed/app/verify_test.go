package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heed/config"
)

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func verifySound(t *testing.T, c config.Config) {
	t.Helper()
	v, err := Verify(t.Context(), c)
	if err != nil || !v.Sound {
		t.Errorf("verify: %+v, %v", v, err)
	}
}

// theFile is the one file that a pattern below the job's folder matches.
func theFile(t *testing.T, c config.Config, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(c.Data, "jobs", c.Job, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v, %v", pattern, list, err)
	}
	return list[0]
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(bytes.Clone(text)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	s := newSite(t, shop())
	whole := s.settings(t)
	crawl(t, whole, options(), "http://shop.test/")
	verifySound(t, whole)

	flip := func(at func(text []byte) int) func([]byte) []byte {
		return func(text []byte) []byte { text[at(text)] ^= 0x10; return text }
	}
	middle := func(text []byte) int { return len(text) / 2 }
	dropLine := func(n int) func([]byte) []byte {
		return func(text []byte) []byte {
			lines := bytes.SplitAfter(text, []byte("\n"))
			return bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
		}
	}
	for _, row := range []struct {
		name, file, part string
		change           func([]byte) []byte
	}{
		{"a bit of a WARC file", "archive/*.warc.gz*", "archive", flip(middle)},
		{"a WARC file cut short", "archive/*.warc.gz*", "archive", func(b []byte) []byte { return b[:len(b)-20] }},
		{"a record less, whole as the rest is", "archive/*.warc.gz*", "archive", dropMember},
		{"a line of the ledger is missing", "ledger/*.jsonl", "ledger", dropLine(2)},
		{"the last line of the ledger is missing", "ledger/*.jsonl", "ledger", func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }},
		{"a word of the ledger", "ledger/*.jsonl", "ledger", func(b []byte) []byte {
			return bytes.Replace(b, []byte("robots.disallow"), []byte("robots.disalloW"), 1)
		}},
		{"a ledger cut in a line", "ledger/*.jsonl", "ledger", func(b []byte) []byte { return b[:len(b)-7] }},
		{"state cut short", "state.db", "state", func(b []byte) []byte { return b[:3*4096] }},
		{"state that is something else", "state.db", "state", func([]byte) []byte { return []byte("hello") }},
		{"state full of zeros", "state.db", "state", func(b []byte) []byte { clear(b); return b }},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := whole
			c.Data = t.TempDir()
			copyTree(t, whole.Data, c.Data)
			verifySound(t, c)
			edit(t, theFile(t, c, row.file), row.change)
			v, err := Verify(t.Context(), c)
			if err != nil {
				t.Fatalf("verify: %v; damage is a finding, not an error", err)
			}
			if v.Sound {
				t.Fatalf("called sound: %+v", v)
			}
			for _, p := range v.Parts {
				if damaged := len(p.Problems) > 0; damaged != (p.Name == row.part) {
					t.Errorf("%s: problems %q", p.Name, p.Problems)
				}
			}
		})
	}
	t.Run("the archive is gone", func(t *testing.T) {
		c := whole
		c.Data = t.TempDir()
		copyTree(t, whole.Data, c.Data)
		if err := os.Remove(theFile(t, c, "archive/*.warc.gz*")); err != nil {
			t.Fatal(err)
		}
		if v, err := Verify(t.Context(), c); err != nil || v.Sound {
			t.Errorf("%+v, %v", v, err)
		}
	})
	t.Run("there is no such job", func(t *testing.T) {
		c := whole
		c.Job = "other"
		if _, err := Verify(t.Context(), c); !errors.Is(err, ErrNoJob) {
			t.Errorf("%v, want ErrNoJob", err)
		}
	})
	t.Run("verify changes nothing", func(t *testing.T) {
		before := tree(t, whole.Data)
		verifySound(t, whole)
		if after := tree(t, whole.Data); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	})
}

// dropMember cuts the second gzip member out of a file.
func dropMember(text []byte) []byte {
	magic := []byte{0x1f, 0x8b, 0x08}
	second := bytes.Index(text[1:], magic) + 1
	third := bytes.Index(text[second+1:], magic) + second + 1
	return append(text[:second:second], text[third:]...)
}

// tree lists files with their sizes and times of change.
func tree(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(" " + info.ModTime().String() + " " + digest(text))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
