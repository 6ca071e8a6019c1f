package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/politeness"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 5e6, time.UTC)

func content(t testing.TB, n int) []byte {
	t.Helper()
	b, err := Marshal(Entry{Type: Visit, At: start, URL: fmt.Sprintf("https://shop.test/p/%d?a=1&b=2", n),
		Decision: &politeness.Decision{ID: fmt.Sprintf("01J%d", n)}, Outcome: map[string]int{"status": 200}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func mustOpen(t failer, dir string, limit int64, marks map[string]int64) *Ledger {
	t.Helper()
	l, err := Open(dir, marks)
	if err != nil {
		t.Fatal(err)
	}
	if limit > 0 {
		l.limit = limit
	}
	return l
}

func mustAppend(t failer, l *Ledger, c []byte) Position {
	t.Helper()
	at, err := l.Append(c)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// commit does what the storage engine does after a group: marks are added to
// those that are there.
func commit(t failer, l *Ledger, marks map[string]int64) {
	t.Helper()
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	l.Marks(marks)
}

func mustVerify(t failer, dir string, marks map[string]int64) Report {
	t.Helper()
	r, err := Verify(context.Background(), dir, marks)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// write makes a ledger of groups of lines, one segment per limit octets.
func write(t testing.TB, dir string, lines, group int, limit int64) map[string]int64 {
	t.Helper()
	marks := map[string]int64{}
	l := mustOpen(t, dir, limit, nil)
	for i := range lines {
		mustAppend(t, l, content(t, i))
		if i%group == group-1 || i == lines-1 {
			commit(t, l, marks)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return marks
}

func collect(t testing.TB, dir string, q Query) []Line {
	t.Helper()
	var list []Line
	for line, err := range Read(dir, q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, line)
	}
	return list
}

func TestAChainGoesOnAcrossSegmentsAndProcesses(t *testing.T) {
	dir := t.TempDir()
	marks := map[string]int64{}
	for run := range 4 {
		l := mustOpen(t, dir, 2000, marks)
		for i := range 10 {
			at := mustAppend(t, l, content(t, run*10+i))
			if at.Seq != uint64(run*10+i+1) {
				t.Fatalf("seq %d for line %d", at.Seq, run*10+i+1)
			}
			if i%2 == 1 {
				commit(t, l, marks)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := mustVerify(t, dir, marks)
	if r.Broken != nil || r.Entries != 40 || r.First != 1 || r.Last != 40 || r.TailBytes != 0 || r.Segments < 3 {
		t.Fatalf("%+v %v", r, r.Broken)
	}
	small, _ := filepath.Glob(filepath.Join(dir, "*.zst"))
	plain, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(small) != r.Segments-1 || len(plain) != 1 {
		t.Errorf("%d closed segments, %d open ones of %d", len(small), len(plain), r.Segments)
	}
}

func TestALineHoldsTheEntryWordForWord(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, 0, nil)
	url := "https://shop.test/a\"b\\c?x=<1>&y=ü\u2028\x01\xff"
	b, err := Marshal(Entry{Type: Operator, At: start, URL: url, Outcome: json.RawMessage("{\"a\":\n1}")})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, b)
	commit(t, l, map[string]int64{})
	text, err := os.ReadFile(filepath.Join(dir, "000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"seq":1,"prev":"` + strings.Repeat("0", 64) + `","type":"operator","at":"2026-11-30T12:00:00.005Z","url":"https://shop.test/a\"b\\c?x=<1>&y=ü` + "\u2028" + `\u0001` + "\ufffd" + `","outcome":{"a":1},"hash":"`
	if got := string(text); !strings.HasPrefix(got, want) || len(got) != len(want)+hashBytes+3 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if list := collect(t, dir, Query{URL: url}); len(list) != 0 {
		t.Errorf("a URL that was not UTF-8 is found under its broken form")
	}
	if list := collect(t, dir, Query{URL: strings.ToValidUTF8(url, "\ufffd")}); len(list) != 1 {
		t.Errorf("found %d lines", len(list))
	}
}

func TestMarshalRefusesWhatCannotBeALine(t *testing.T) {
	for name, e := range map[string]Entry{
		"no type":             {At: start},
		"unknown type":        {Type: "rumour", At: start},
		"no time":             {Type: Visit},
		"outcome not JSON":    {Type: Visit, At: start, Outcome: make(chan int)},
		"outcome torn":        {Type: Visit, At: start, Outcome: json.RawMessage("{")},
		"more than a line":    {Type: Visit, At: start, URL: strings.Repeat("a", maxLineBytes)},
		"escapes to too much": {Type: Visit, At: start, URL: strings.Repeat("\x01", maxLineBytes/3)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Marshal(e); !errors.Is(err, ErrEntry) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAppendRefusesContentThatWouldBreakTheFormAndGoesOn(t *testing.T) {
	l := mustOpen(t, t.TempDir(), 0, nil)
	for _, bad := range []string{"", "{}", "[1]", "null", "{\"a\":1}\n", "{\"a\":\n1}", "{ }", "x" + string(content(t, 1))} {
		if _, err := l.Append([]byte(bad)); !errors.Is(err, ErrEntry) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if at := mustAppend(t, l, content(t, 1)); at.Seq != 1 || at.Offset != 0 || at.Segment != 1 {
		t.Errorf("%+v", at)
	}
}

func TestReadSelectsInBothDirections(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 30, 3, 1500)
	forward := collect(t, dir, Query{})
	backward := collect(t, dir, Query{NewestFirst: true})
	slices.Reverse(backward)
	if len(forward) != 30 || len(backward) != 30 {
		t.Fatalf("%d forward, %d backward", len(forward), len(backward))
	}
	for i := range forward {
		if forward[i].Seq != uint64(i+1) || backward[i].Hash != forward[i].Hash {
			t.Fatalf("line %d: %+v, %+v", i, forward[i], backward[i])
		}
	}
	for name, q := range map[string]Query{
		"by URL":      {URL: "https://shop.test/p/7?a=1&b=2"},
		"by decision": {DecisionID: "01J7"},
		"by all":      {URL: "https://shop.test/p/7?a=1&b=2", Type: Visit, DecisionID: "01J7"},
	} {
		for _, q.NewestFirst = range []bool{false, true} {
			if list := collect(t, dir, q); len(list) != 1 || list[0].Seq != 8 {
				t.Errorf("%s: %+v", name, list)
			}
		}
	}
	if list := collect(t, dir, Query{Type: Policy}); len(list) != 0 {
		t.Errorf("by type: %d lines", len(list))
	}
	if list := collect(t, filepath.Join(dir, "nowhere"), Query{}); len(list) != 0 {
		t.Errorf("a folder that is not there has %d lines", len(list))
	}
	for range Read(dir, Query{}) {
		break // must not go on after the caller has enough
	}
}

func TestVerifyNamesTheFirstBrokenLine(t *testing.T) {
	edit := func(f func(lines [][]byte) [][]byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, "000001.jsonl")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, bytes.Join(f(bytes.SplitAfter(text, []byte("\n"))), nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		line  int
		what  string
	}{
		{"a flipped bit in a URL", edit(func(l [][]byte) [][]byte { l[3][160] ^= 1; return l }), 4, "hash"},
		{"a flipped bit in a hash", edit(func(l [][]byte) [][]byte { l[3][len(l[3])-5] ^= 1; return l }), 4, "hash"},
		{"the last line changed", edit(func(l [][]byte) [][]byte { l[9][160] ^= 1; return l }), 10, "hash"},
		{"the first line dropped", edit(func(l [][]byte) [][]byte { return l[1:] }), 1, "seq"},
		{"a line dropped", edit(func(l [][]byte) [][]byte { return slices.Delete(l, 4, 5) }), 5, "seq"},
		{"a line doubled", edit(func(l [][]byte) [][]byte { return slices.Insert(l, 4, l[4]) }), 6, "seq"},
		{"lines swapped", edit(func(l [][]byte) [][]byte { l[4], l[5] = l[5], l[4]; return l }), 5, "seq"},
		{"a line of our own", edit(func(l [][]byte) [][]byte { l[4] = []byte("{}\n"); return l }), 5, "not a chained line"},
		{"a line rewritten with a right hash", edit(func(l [][]byte) [][]byte {
			forged := link{seq: 4}
			l[4] = forged.appendLine(nil, []byte(`{"type":"visit"}`))
			return l
		}), 5, "prev"},
		{"the end cut at a line", edit(func(l [][]byte) [][]byte { return l[:8] }), 9, "the file ends"},
		{"the end cut inside a line", edit(func(l [][]byte) [][]byte { l[9] = l[9][:50]; return l[:10] }), 10, "the file ends"},
		{"the file gone", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "000001.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, 0, "missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			marks := write(t, dir, 10, 5, 0)
			if r := mustVerify(t, dir, marks); r.Broken != nil {
				t.Fatal(r.Broken)
			}
			c.spoil(t, dir)
			r := mustVerify(t, dir, marks)
			if r.Broken == nil || r.Broken.File != "000001.jsonl" || r.Broken.Line != c.line || !strings.Contains(r.Broken.What, c.what) {
				t.Errorf("got %v", r.Broken)
			}
		})
	}
}

func TestVerifySeesSegmentsCutLostOrExchanged(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(dir string) error
		file  string
	}{
		{"a closed segment cut", func(dir string) error { return os.Truncate(filepath.Join(dir, "000002.jsonl.zst"), 300) }, "000002.jsonl.zst"},
		{"a closed segment lost", func(dir string) error { return os.Remove(filepath.Join(dir, "000002.jsonl.zst")) }, "000002.jsonl"},
		{"the first one lost is seen by its number only", func(dir string) error { return os.Remove(filepath.Join(dir, "000001.jsonl.zst")) }, ""},
		{"two exchanged", func(dir string) error {
			a, b := filepath.Join(dir, "000001.jsonl.zst"), filepath.Join(dir, "000002.jsonl.zst")
			return errors.Join(os.Rename(a, a+"x"), os.Rename(b, a), os.Rename(a+"x", b))
		}, "000001.jsonl.zst"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			marks := write(t, dir, 30, 3, 2000)
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
			r := mustVerify(t, dir, marks)
			switch {
			case c.file == "" && (r.Broken != nil || r.First == 1):
				t.Errorf("first %d, %v", r.First, r.Broken)
			case c.file != "" && (r.Broken == nil || r.Broken.File != c.file):
				t.Errorf("got %v", r.Broken)
			}
		})
	}
}

// TestOpenRestoresExactlyWhatWasCommitted writes groups, kills at any octet
// behind the mark, at random with the files of an interrupted rotation, and
// goes on; in the end the ledger must hold the committed lines and no others.
func TestOpenRestoresExactlyWhatWasCommitted(t *testing.T) {
	base := t.TempDir()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		dir := filepath.Join(base, fmt.Sprint(run))
		limit := rapid.Int64Range(300, 4000).Draw(rt, "segment bytes")
		marks := map[string]int64{}
		// An engine may keep the marks of all commits or those of the last one.
		lastOnly := rapid.Bool().Draw(rt, "marks of the last commit only")
		var committed []string
		next := 0
		for range rapid.IntRange(1, 4).Draw(rt, "processes") {
			l := mustOpen(rt, dir, limit, marks)
			for range rapid.IntRange(0, 3).Draw(rt, "groups") {
				for range rapid.IntRange(0, 4).Draw(rt, "lines") {
					mustAppend(rt, l, content(t, next))
					committed = append(committed, fmt.Sprintf("https://shop.test/p/%d?a=1&b=2", next))
					next++
				}
				if lastOnly {
					clear(marks)
				}
				commit(rt, l, marks)
			}
			// A group that is never committed, and a kill while it is written.
			for range rapid.IntRange(0, 4).Draw(rt, "lost lines") {
				mustAppend(rt, l, content(t, next))
				next++
			}
			if err := l.Close(); err != nil {
				rt.Fatal(err)
			}
			newest, mark := newestMark(marks)
			plain := filepath.Join(dir, plainName(max(newest, l.number)))
			if info, err := os.Stat(plain); err == nil {
				least := int64(0)
				if l.number == newest {
					least = mark
				}
				cut := rapid.Int64Range(least, info.Size()).Draw(rt, "cut at")
				if err := os.Truncate(plain, cut); err != nil {
					rt.Fatal(err)
				}
			}
			if l.number > 1 && rapid.Bool().Draw(rt, "compression interrupted") {
				interrupt(rt, dir, l.number-1)
			}
		}
		l := mustOpen(rt, dir, limit, marks)
		if err := l.Close(); err != nil {
			rt.Fatal(err)
		}
		if r := mustVerify(rt, dir, marks); r.Broken != nil || r.Entries != uint64(len(committed)) || r.TailBytes != 0 {
			rt.Fatalf("%d committed, %+v, %v", len(committed), r, r.Broken)
		}
		var got []string
		for line, err := range Read(dir, Query{}) {
			if err != nil {
				rt.Fatal(err)
			}
			got = append(got, line.URL)
		}
		if !slices.Equal(got, committed) {
			rt.Fatalf("got %d lines, committed %d", len(got), len(committed))
		}
	})
}

// interrupt makes a closed segment look as if the process had been killed
// after the compressed form was renamed, before the plain one was removed.
func interrupt(t failer, dir string, number int) {
	t.Helper()
	small := filepath.Join(dir, plainName(number)+suffixZstd)
	kept, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Ledger{dir: dir}).unpack(number); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(small, kept, 0o644), os.WriteFile(small+suffixTemp, kept[:len(kept)/2], 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesAFileShorterThanItsMark(t *testing.T) {
	for name, spoil := range map[string]func(dir string, marks map[string]int64) error{
		"shorter": func(dir string, marks map[string]int64) error {
			return os.Truncate(filepath.Join(dir, "000001.jsonl"), marks["ledger/000001.jsonl"]-1)
		},
		"gone": func(dir string, _ map[string]int64) error { return os.Remove(filepath.Join(dir, "000001.jsonl")) },
		"mark inside a line": func(_ string, marks map[string]int64) error {
			marks["ledger/000001.jsonl"]--
			return nil
		},
		"last line changed": func(dir string, marks map[string]int64) error {
			f, err := os.OpenFile(filepath.Join(dir, "000001.jsonl"), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("~"), marks["ledger/000001.jsonl"]-80)
			return errors.Join(err, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			marks := write(t, dir, 3, 1, 0)
			if err := spoil(dir, marks); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, marks); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestASegmentThatNoMarkKnowsIsSetAsideNotDeleted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 3, 1, 0)
	for i, want := range []string{"000001.jsonl.unmarked", "000001.jsonl.unmarked.2"} {
		l := mustOpen(t, dir, 0, nil)
		if got := l.Recovered().Unmarked; !slices.Equal(got, []string{want}) {
			t.Fatalf("run %d: %v", i, got)
		}
		if at := mustAppend(t, l, content(t, 1)); at.Seq != 1 {
			t.Errorf("the chain goes on with seq %d", at.Seq)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnOlderStateCutsAClosedSegmentToo(t *testing.T) {
	dir := t.TempDir()
	marks := map[string]int64{}
	l := mustOpen(t, dir, 2000, nil)
	mustAppend(t, l, content(t, 0))
	commit(t, l, marks)
	old := maps.Clone(marks)
	for i := range 20 {
		mustAppend(t, l, content(t, i+1))
		commit(t, l, marks)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = mustOpen(t, dir, 2000, old)
	if at := mustAppend(t, l, content(t, 1)); at.Seq != 2 || at.Segment != 1 {
		t.Errorf("%+v", at)
	}
	commit(t, l, old)
	if r := mustVerify(t, dir, old); r.Broken != nil || r.Entries != 2 {
		t.Errorf("%+v %v", r, r.Broken)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAChainIsAnchoredAlsoWhileNoSegmentIsOpen(t *testing.T) {
	dir := t.TempDir()
	marks := write(t, dir, 4, 4, 0)
	if err := compress(dir, 1); err != nil { // as a kill after compression, before the next segment, leaves it
		t.Fatal(err)
	}
	l := mustOpen(t, dir, 0, marks)
	again := map[string]int64{}
	commit(t, l, again)
	if !maps.Equal(again, marks) {
		t.Errorf("marks are %v, were %v", again, marks)
	}
	if at := mustAppend(t, l, content(t, 5)); at.Seq != 5 || at.Segment != 2 || at.Offset != 0 {
		t.Errorf("%+v", at)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskIsToldAndSticks(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	l := mustOpen(t, t.TempDir(), 0, nil)
	mustAppend(t, l, content(t, 1))
	real := l.file
	defer real.Close()
	l.file = full
	l.out.Reset(full)
	mustAppend(t, l, content(t, 2))
	if err := l.Sync(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Sync: %v", err)
	}
	if _, err := l.Append(content(t, 3)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Append after that: %v", err)
	}
	marks := map[string]int64{}
	if l.Marks(marks); marks["ledger/000001.jsonl"] != 0 {
		t.Errorf("marks say %v", marks)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Append(content(t, 3)); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
}
