package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"heed/frontier"
)

// compactChild makes the test binary one that packs the file it names, over and
// over.
const compactChild = "HEED_BOLT_COMPACT"

func compactUntilKilled(path string) error {
	fmt.Println("R")
	for {
		if _, err := Compact(path); err != nil {
			return err
		}
	}
}

// loose makes a file with much free space in it.
func loose(t *testing.T) string {
	t.Helper()
	path := filled(t)
	e := openAt(t, path, Options{})
	for i := range 200 {
		if err := e.SaveNote(context.Background(), "k", fmt.Sprint(i), make([]byte, 50_000)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 200 {
		if err := e.SaveNote(context.Background(), "k", fmt.Sprint(i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompactKeepsEverythingInLessSpace(t *testing.T) {
	path := loose(t)
	before := verify(t, path)
	p, err := Compact(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != p.AfterBytes || p.AfterBytes > p.BeforeBytes/2 || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v, file of %d octets, mode %v, %v", p, info.Size(), info.Mode(), err)
	}
	if after := verify(t, path); after.URLs != before.URLs || after.URLs != 3000 {
		t.Errorf("%d URLs before, %d after", before.URLs, after.URLs)
	}
	e := openAt(t, path, Options{Delay: noDelay})
	if !e.Clean() {
		t.Error("packing passes for an unclean stop")
	}
	claimOne(t, e)
}

func TestCompactWantsAFileOfItsOwn(t *testing.T) {
	path := loose(t)
	e := openAt(t, path, Options{})
	_, err := Compact(path)
	wantErr(t, err, frontier.ErrInUse, path)
	discover(t, e, candidate("new.test", "/"))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + packedSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a copy of a file in use: %v", err)
	}
	_, err = Compact(filepath.Join(t.TempDir(), "none"))
	wantErr(t, err, fs.ErrNotExist, "none")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no state file"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Compact(text)
	wantErr(t, err, frontier.ErrDamaged, "restore")
}

// Whoever waits for the lock while a file is packed gets the new one: the old one
// has no name any more, and what was written to it would be lost.
func TestAnOpenThatWaitedForACompactionGetsTheNewFile(t *testing.T) {
	path := loose(t)
	replaced := false
	e := openAt(t, path, Options{openFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if !replaced && err == nil {
			replaced = true
			if _, err := Compact(path); err != nil {
				t.Error(err)
			}
		}
		return f, err
	}})
	discover(t, e, candidate("new.test", "/"))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if c := verify(t, path); c.URLs != 3001 {
		t.Errorf("%d URLs", c.URLs)
	}
}

func TestAKilledCompactionLeavesAWholeFile(t *testing.T) {
	kills := 8
	if os.Getenv("HEED_SLOW") != "" {
		kills = 100
	}
	path := loose(t)
	for range kills {
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), compactChild+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(rand.IntN(40))*time.Millisecond, func() { child.Process.Kill() })
		child.Wait()
		if code := child.ProcessState.ExitCode(); code >= 0 {
			t.Fatalf("the child ended by itself: %d", code)
		}
		if c := verify(t, path); c.URLs != 3000 {
			t.Fatalf("%d URLs", c.URLs)
		}
	}
	openAt(t, path, Options{})
	if left, err := filepath.Glob(path + "?*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
