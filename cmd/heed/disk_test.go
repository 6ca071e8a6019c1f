package main_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk lets a small file system run full: the crawl stops cleanly with 3,
// nothing it settled is lost, and with space it goes on.
func TestFullDisk(t *testing.T) {
	data := t.TempDir()
	mount := func(options string) ([]byte, error) {
		return exec.Command("mount", "-t", "tmpfs", "-o", options, "heed-test", data).CombinedOutput()
	}
	if out, err := mount("size=6m"); err != nil {
		t.Skipf("no file system of a known size can be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", data).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	const pages = 60 // of 200,000 octets that cannot be compressed
	f := newFarm(t, bulkySites(pages))
	args := []string{"crawl", "h00.test", "--json", "--context", "off", "--commit-window", "50ms", "--min-free", "0B"}
	var sum summary
	p := start(t, f.environ(data), args...).expect(t, 3)
	p.json(t, &sum)
	if sum.Exit != 3 || sum.Pages == 0 || sum.Pages >= pages {
		t.Errorf("summary of the run that filled the disk: %+v", sum)
	}
	if !strings.Contains(p.err.String(), "no space left") {
		t.Errorf("standard error does not say why: %q", p.err.String())
	}
	if out, err := mount("remount,size=64m"); err != nil {
		t.Fatalf("remount: %s", out)
	}
	start(t, f.environ(data), "verify").expect(t, 0)
	start(t, f.environ(data), args...).expect(t, 0).json(t, &sum)
	if sum.Total.Pages != pages+1 {
		t.Errorf("the job has %d pages, want %d", sum.Total.Pages, pages+1)
	}
	start(t, f.environ(data), "verify").expect(t, 0)
	archived(t, data, "default", isFarmPage) // fails on a page that is stored twice
}

// TestLittleSpaceLeft ends a run before the disk is full.
func TestLittleSpaceLeft(t *testing.T) {
	t.Parallel()
	f := newFarm(t, &politeSites{hosts: 1, pages: endless})
	data := t.TempDir()
	p := start(t, f.environ(data), "crawl", "h00.test", "--delay", "20ms", "--min-free", "1000TiB", "--json").expect(t, 3)
	if !strings.Contains(p.err.String(), "min-free") {
		t.Errorf("standard error does not say why: %q", p.err.String())
	}
	start(t, f.environ(data), "verify").expect(t, 0)
}

// TestStateOfAnotherVersion refuses a state file that a later version has
// written, and leaves it as it is.
func TestStateOfAnotherVersion(t *testing.T) {
	t.Parallel()
	f := newFarm(t, &politeSites{hosts: 1, pages: 2})
	data := t.TempDir()
	start(t, f.environ(data), "crawl", "h00.test").expect(t, 0)
	state := filepath.Join(data, "jobs", "default", "state.db")
	text, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	// The value follows its key in the page; only pages that list pages have a
	// check sum.
	key := []byte("schema\x00\x00\x00")
	if !bytes.Contains(text, key) {
		t.Fatal("the state file does not name its schema")
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], key)
		if i < 0 {
			break
		}
		at += i + len(key)
		text[at] = 99
	}
	if err := os.WriteFile(state, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range [][]string{{"crawl"}, {"status"}, {"verify"}, {"check", "https://h00.test/"}} {
		p := start(t, f.environ(data), verb...).expect(t, 1)
		if !strings.Contains(p.err.String(), "another version") || !strings.Contains(p.err.String(), "schema 99") {
			t.Errorf("%v: %q does not say what is wrong", verb, p.err.String())
		}
	}
	if after, err := os.ReadFile(state); err != nil || !bytes.Equal(after, text) {
		t.Errorf("the state file was touched: %v", err)
	}
}

func bulkySites(pages int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := pageNumber(r.URL.Path)
		if !ok || p > pages {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>")
		if p == 0 {
			for i := 1; i <= pages; i++ {
				fmt.Fprintf(w, "<a href=%s>%d</a>", farmPath(i), i)
			}
			return
		}
		noise := make([]byte, 100_000)
		random := rand.NewChaCha8([32]byte{byte(p)})
		_, _ = random.Read(noise) // never fails
		fmt.Fprint(w, hex.EncodeToString(noise))
	})
}
