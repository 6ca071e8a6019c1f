package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nlnwa/gowarc/v3"
	"pgregory.net/rapid"
)

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func mustVerify(t failer, o Options, marks map[string]int64) Report {
	t.Helper()
	r, err := Verify(context.Background(), o.Dir, o.IndexDir, marks)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// targets lists the target of every response of the final files.
func targets(t failer, dir string) []string {
	t.Helper()
	var list []string
	files, _ := filepath.Glob(filepath.Join(dir, "*"+suffixWARC))
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		err = scan(path, 0, info.Size(), strict(), func(rec found) error {
			if rec.WarcRecord.Type() == gowarc.Response {
				list = append(list, rec.WarcRecord.WarcHeader().Get(gowarc.WarcTargetURI))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestOpenRestoresExactlyWhatWasCommitted appends groups, kills at any octet
// behind the marks, spoils the unfinished index as a crash may, and goes on;
// in the end the files must hold the committed visits and no others.
func TestOpenRestoresExactlyWhatWasCommitted(t *testing.T) {
	base := t.TempDir()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		o := options(t, filepath.Join(base, fmt.Sprint(run)), byte(run))
		o.MaxFileBytes = rapid.Int64Range(1000, 6000).Draw(rt, "file bytes")
		o.SpoolBytes = rapid.SampledFrom([]int64{10, 1 << 20}).Draw(rt, "spool bytes")
		marks := map[string]int64{}
		// An engine may keep the marks of all commits or those of the last one.
		lastOnly := rapid.Bool().Draw(rt, "marks of the last commit only")
		var committed []string
		next := 0
		visit := func(a *Archive) string {
			next++
			url := fmt.Sprintf("https://shop.test/%d", next)
			p, err := a.Build(page(url, strings.Repeat("body ", next%50)))
			if err != nil {
				rt.Fatal(err)
			}
			if _, err := a.Append(p); err != nil {
				rt.Fatal(err)
			}
			return url
		}
		for range rapid.IntRange(1, 3).Draw(rt, "processes") {
			a, err := Open(o, marks)
			if err != nil {
				rt.Fatal(err)
			}
			for range rapid.IntRange(0, 3).Draw(rt, "groups") {
				for range rapid.IntRange(0, 4).Draw(rt, "visits") {
					committed = append(committed, visit(a))
				}
				if err := a.Sync(); err != nil {
					rt.Fatal(err)
				}
				if lastOnly {
					clear(marks)
				}
				a.Marks(marks)
			}
			if rapid.Bool().Draw(rt, "clean end") {
				if err := a.Close(); err != nil {
					rt.Fatal(err)
				}
				continue
			}
			for range rapid.IntRange(0, 4).Draw(rt, "lost visits") {
				visit(a)
			}
			if rapid.Bool().Draw(rt, "killed after the sync") {
				if err := a.Sync(); err != nil {
					rt.Fatal(err)
				}
			}
			if err := a.Abandon(); err != nil {
				rt.Fatal(err)
			}
			crash(rt, o, marks)
		}
		a, err := Open(o, marks)
		if err != nil {
			rt.Fatal(err)
		}
		if err := a.Close(); err != nil {
			rt.Fatal(err)
		}
		if r := mustVerify(rt, o, marks); r.Faults != 0 || r.Captures != len(committed) || r.OpenBytes != 0 {
			rt.Fatalf("%d committed, %+v", len(committed), r)
		}
		if got := targets(rt, o.Dir); !slices.Equal(got, committed) {
			rt.Fatalf("got %v, committed %v", got, committed)
		}
		if stray, _ := filepath.Glob(filepath.Join(o.Dir, "..", "*", "*[np]")); len(stray) != 0 { // .open .tmp
			rt.Fatalf("left behind: %v", stray)
		}
	})
}

// crash cuts unfinished files anywhere behind their marks and leaves their
// indexes torn, zeroed or gone.
func crash(rt *rapid.T, o Options, marks map[string]int64) {
	open, _ := filepath.Glob(filepath.Join(o.Dir, "*"+suffixOpen))
	for _, path := range open {
		info, err := os.Stat(path)
		if err != nil {
			rt.Fatal(err)
		}
		mark := marks[markPrefix+strings.TrimSuffix(filepath.Base(path), suffixOpen)]
		size := rapid.Int64Range(mark, max(mark, info.Size())).Draw(rt, "cut at")
		if err := os.Truncate(path, size); err != nil {
			rt.Fatal(err)
		}
	}
	open, _ = filepath.Glob(filepath.Join(o.IndexDir, "*"+suffixOpen))
	for _, path := range open {
		text, err := os.ReadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		at := rapid.IntRange(0, len(text)).Draw(rt, "index sound up to")
		switch rapid.SampledFrom([]string{"as it is", "torn", "zeroed", "gone"}).Draw(rt, "index") {
		case "torn":
			err = os.Truncate(path, int64(at))
		case "zeroed":
			clear(text[at:])
			err = os.WriteFile(path, text, 0o644)
		case "gone":
			err = os.Remove(path)
		}
		if err != nil {
			rt.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "spool-1.tmp"), []byte("left"), 0o644); err != nil {
		rt.Fatal(err)
	}
}

func TestAKillBetweenTheStepsOfFinishingIsMended(t *testing.T) {
	for _, c := range []struct {
		name string
		undo func(t *testing.T, o Options, stem string, index []byte)
	}{
		{"index renamed, WARC not", func(t *testing.T, o Options, stem string, index []byte) {
			rename(t, filepath.Join(o.Dir, stem+suffixWARC), filepath.Join(o.Dir, stem+suffixWARC+suffixOpen))
		}},
		{"both renamed, unfinished index still there", func(t *testing.T, o Options, stem string, index []byte) {
			put(t, filepath.Join(o.IndexDir, stem+suffixIndex+suffixOpen), index)
		}},
		{"index half written", func(t *testing.T, o Options, stem string, index []byte) {
			rename(t, filepath.Join(o.Dir, stem+suffixWARC), filepath.Join(o.Dir, stem+suffixWARC+suffixOpen))
			rename(t, filepath.Join(o.IndexDir, stem+suffixIndex), filepath.Join(o.IndexDir, stem+suffixIndex+suffixOpen))
			lines := slices.Collect(bytes.Lines(index))
			slices.Reverse(lines) // in this test the order of writing
			put(t, filepath.Join(o.IndexDir, stem+suffixIndex+suffixOpen), bytes.Join(lines, nil))
			put(t, filepath.Join(o.IndexDir, stem+suffixIndex+".tmp"), index[:10])
		}},
		{"index lost", func(t *testing.T, o Options, stem string, index []byte) {
			if err := os.Remove(filepath.Join(o.IndexDir, stem+suffixIndex)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t, t.TempDir(), 3)
			a := mustOpen(t, o, nil)
			for i := range 5 {
				r := page(fmt.Sprintf("https://shop.test/%d", 9-i), "body")
				if i == 2 {
					r.RequestHead = []byte("HEAD / HTTP/1.1\r\n\r\n")
				}
				mustAppend(t, a, r)
			}
			marks := mustCommit(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(o.IndexDir, "*"))
			index, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			stem := strings.TrimSuffix(filepath.Base(files[0]), suffixIndex)
			c.undo(t, o, stem, index)
			if err := mustOpen(t, o, marks).Close(); err != nil {
				t.Fatal(err)
			}
			if r := mustVerify(t, o, marks); r.Faults != 0 || r.Captures != 5 {
				t.Errorf("%+v", r)
			}
			again, err := os.ReadFile(files[0])
			if err != nil || string(again) != string(index) {
				t.Errorf("the index changed: %v\n%s\n%s", err, index, again)
			}
			left, _ := filepath.Glob(filepath.Join(o.IndexDir, "*"))
			if len(left) != 1 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpenTellsWhatItFound(t *testing.T) {
	o := options(t, t.TempDir(), 4)
	a := mustOpen(t, o, nil)
	mustAppend(t, a, page("https://shop.test/1", "one"))
	marks := mustCommit(t, a)
	old := maps.Clone(marks)
	mustAppend(t, a, page("https://shop.test/2", "two"))
	mustCommit(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	final := filepath.Base(firstMatch(t, filepath.Join(o.Dir, "*"+suffixWARC)))

	a = mustOpen(t, o, nil) // the state lost its memory: nothing is touched
	if r := a.Recovered(); !slices.Equal(r.Unmarked, []string{final}) || len(r.Cut)+len(r.Removed) != 0 {
		t.Errorf("without marks: %+v", r)
	}
	if got := targets(t, o.Dir); len(got) != 2 {
		t.Errorf("without marks: %v", got)
	}
	mustAppend(t, a, page("https://shop.test/3", "three"))
	if err := a.Sync(); err != nil { // durable, never committed
		t.Fatal(err)
	}
	if err := a.Abandon(); err != nil {
		t.Fatal(err)
	}

	old["archive/heed-20250101000000-00007-00000000.warc.gz"] = 5
	a = mustOpen(t, o, old) // the state is older than the file
	r := a.Recovered()
	if r.Cut[final] == 0 || len(r.Removed) != 1 || !slices.Equal(r.Reindexed, []string{final}) || len(r.Missing) != 1 || a.serial != 8 {
		t.Errorf("with older marks: %+v, serial %d", r, a.serial)
	}
	if got := targets(t, o.Dir); !slices.Equal(got, []string{"https://shop.test/1"}) {
		t.Errorf("with older marks: %v", got)
	}

	marks = map[string]int64{markPrefix + final: 1 << 20}
	if _, err := Open(o, marks); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file shorter than its mark: %v", err)
	}
}

func firstMatch(t *testing.T, pattern string) string {
	t.Helper()
	list, _ := filepath.Glob(pattern)
	if len(list) == 0 {
		t.Fatalf("nothing matches %s", pattern)
	}
	return list[0]
}

func TestAFullDiskIsToldAndSticks(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	o := options(t, t.TempDir(), 5)
	a := mustOpen(t, o, nil)
	mustAppend(t, a, page("https://shop.test/1", "one"))
	marks := mustCommit(t, a)
	a.current.warc.Close()
	a.current.warc = full
	a.current.out.Reset(full)
	mustAppend(t, a, page("https://shop.test/2", "two"))
	if err := a.Sync(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Sync: %v", err)
	}
	p, err := a.Build(page("https://shop.test/3", "three"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(p); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Append after that: %v", err)
	}
	p.Discard()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := mustOpen(t, o, marks).Close(); err != nil {
		t.Fatal(err)
	}
	if got := targets(t, o.Dir); !slices.Equal(got, []string{"https://shop.test/1"}) {
		t.Errorf("after it: %v", got)
	}
}
