package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// filled makes a file with some thousand URLs and returns its path.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	e := openAt(t, path, Options{})
	var all []frontier.Candidate
	for i := range 3000 {
		all = append(all, candidate(fmt.Sprintf("h%d.test", i%50), fmt.Sprint("/", i)))
	}
	discover(t, e, all...)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantErr(t *testing.T, err, want error, words string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
		t.Fatalf("error is %v, want %v with %q", err, want, words)
	}
}

func TestASecondOpenIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	openAt(t, path, Options{})
	for _, readOnly := range []bool{false, true} {
		_, err := Open(path, Options{ReadOnly: readOnly})
		wantErr(t, err, frontier.ErrInUse, path)
	}
}

func TestANewerSchemaIsRefusedWithBothVersions(t *testing.T) {
	path := filled(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketMeta).Put(keySchema, binary.BigEndian.AppendUint32(nil, 7))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, Options{})
	wantErr(t, err, frontier.ErrVersion, "schema 7, this program reads schema 2; open it with a later version")
}

func TestAForeignDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("other")); return err })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, Options{})
	wantErr(t, err, frontier.ErrDamaged, "not a state file")
	_, err = Open(path, Options{ReadOnly: true})
	wantErr(t, err, frontier.ErrDamaged, "not a state file")
}

func TestATruncatedFileIsDamaged(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	used, ok := needed(bytes.NewReader(whole))
	if !ok {
		t.Fatal("a sound file has no valid head")
	}
	for _, size := range []int64{1, 100, 4096, 5000, 8192, used / 2, used - 4096, used - 1} {
		t.Run(fmt.Sprint(size, " octets"), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path, Options{})
			wantErr(t, err, frontier.ErrDamaged, "restore")
			if _, err := Verify(path); !errors.Is(err, frontier.ErrDamaged) {
				t.Errorf("verify says %v", err)
			}
		})
	}
}

// A crash before the first commit leaves an empty file; there is nothing to
// lose in it, and nothing to report on.
func TestAnEmptyFileIsNewForACrawlAndDamagedForAReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Verify(path)
	wantErr(t, err, frontier.ErrDamaged, "empty")
	if e := openAt(t, path, Options{}); !e.Clean() {
		t.Error("a new file is not clean")
	}
}

func TestAReadOnlyEngineReportsAndWritesNothing(t *testing.T) {
	e := openAt(t, filled(t), Options{ReadOnly: true})
	why(t, e, "https://h1.test/1")
	if s, err := e.Stats(context.Background()); err != nil || s.Known != 3000 {
		t.Errorf("%d known, %v", s.Known, err)
	}
	_, err := e.Discover(context.Background(), []frontier.Candidate{candidate("a.test", "/")})
	wantErr(t, err, errReadOnly, "")
	_, _, err = e.Claim(context.Background(), frontier.ClaimRequest{TTL: time.Minute})
	wantErr(t, err, errReadOnly, "")
}

func TestGarbageIsDamaged(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	noise := bytes.Repeat([]byte("garbage "), len(whole)/8)
	path := filepath.Join(t.TempDir(), "state.db")
	for name, content := range map[string][]byte{
		"text from the first octet on": noise,
		"text behind a sound head":     append(bytes.Clone(whole[:8192]), noise[8192:]...),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path, Options{})
			wantErr(t, err, frontier.ErrDamaged, "restore")
			_, err = Open(path, Options{}) // the lock was let go
			wantErr(t, err, frontier.ErrDamaged, "restore")
		})
	}
}

// Pages in the middle are noise: whatever is met says so, and nothing panics.
func TestNoiseInTheMiddleNeverPanics(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	used, _ := needed(bytes.NewReader(whole))
	for page := int64(2); page*4096 < used; page += 3 {
		content := bytes.Clone(whole)
		copy(content[page*4096:(page+1)*4096], bytes.Repeat([]byte{0xa5, 0x5a, 0xff}, 4096/3))
		path := filepath.Join(t.TempDir(), "state.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		check, err := Verify(path)
		if err != nil && !errors.Is(err, frontier.ErrDamaged) {
			t.Errorf("page %d: verify says %v", page, err)
		}
		if err == nil && !check.OK() && check.Advice == "" {
			t.Errorf("page %d: problems without advice", page)
		}
		e, err := Open(path, Options{Delay: noDelay})
		if err != nil {
			if !errors.Is(err, frontier.ErrDamaged) {
				t.Errorf("page %d: open says %v", page, err)
			}
			continue
		}
		ctx := context.Background()
		e.Discover(ctx, []frontier.Candidate{candidate("h1.test", "/new")})
		e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 100, PerGrant: 100, TTL: time.Minute})
		e.ListHosts(ctx, "", 100)
		e.Close()
	}
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	_, err := Open(path, Options{openFile: func(name string, _ int, _ os.FileMode) (*os.File, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}})
	wantErr(t, err, syscall.EROFS, path)
	wantErr(t, err, syscall.EROFS, "must be writable")
	_, err = Open(filepath.Join(path, "no", "such"), Options{})
	wantErr(t, err, fs.ErrNotExist, "no/such")
}

func TestAFailingAttachmentFailsTheGroupAndEverythingAfter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	full := false
	e := openAt(t, path, Options{Delay: noDelay, Before: func([]frontier.Attachment) (frontier.Marks, error) {
		if full {
			return nil, &fs.PathError{Op: "write", Path: "archive", Err: syscall.ENOSPC}
		}
		return frontier.Marks{"archive": 10}, nil
	}})
	discover(t, e, candidate("a.test", "/1"), candidate("a.test", "/2"))
	s := fetched(claimOne(t, e))
	s.Attach = []frontier.Attachment{&line{url: "x"}}
	settle(t, e, s)
	full = true
	second := claimOne(t, e)
	s = fetched(second)
	s.Attach = []frontier.Attachment{&line{url: "x"}}
	_, err := e.Settle(context.Background(), []frontier.Settlement{s})
	wantErr(t, err, frontier.ErrFull, "archive")
	_, err = e.Discover(context.Background(), []frontier.Candidate{candidate("a.test", "/3")})
	wantErr(t, err, frontier.ErrFull, "archive")
	e.Close()

	e = openAt(t, path, Options{Delay: noDelay})
	if e.Clean() || e.Marks()["archive"] != 10 {
		t.Errorf("clean %v, marks %v", e.Clean(), e.Marks())
	}
	if r := why(t, e, second.URLs[0].URL); r.State != frontier.Ready {
		t.Errorf("the URL of the failed group is %s", r.State)
	}
}

func TestClockJumps(t *testing.T) {
	day := 24 * time.Hour
	start := func(t *testing.T) (*Engine, *manual, string) {
		c := newClock()
		path := filepath.Join(t.TempDir(), "state.db")
		e := openAt(t, path, Options{Delay: noDelay, Clock: c.now})
		discover(t, e, candidate("a.test", "/1"), candidate("a.test", "/2"), candidate("a.test", "/3"))
		s := fetched(claimOne(t, e))
		s.HostNext = c.now().Add(10 * time.Second)
		settle(t, e, s)
		return e, c, path
	}
	none := func(t *testing.T, e *Engine) {
		t.Helper()
		if g, _, err := e.Claim(context.Background(), frontier.ClaimRequest{TTL: time.Minute}); err != nil || len(g) > 0 {
			t.Fatalf("%d grants, %v", len(g), err)
		}
	}
	t.Run("a day back takes the waits along", func(t *testing.T) {
		e, c, _ := start(t)
		c.pass(-day)
		none(t, e)
		c.pass(10 * time.Second)
		claimOne(t, e)
	})
	t.Run("a day forward ends waits and grants", func(t *testing.T) {
		e, c, _ := start(t)
		c.pass(10 * time.Second)
		held := claimOne(t, e)
		c.pass(day)
		claimOne(t, e)
		if v := settle(t, e, fetched(held)); !v[0].Stale {
			t.Error("a grant outlived its deadline")
		}
	})
	t.Run("a next time from a wrong clock is cut to 25 hours", func(t *testing.T) {
		e, c, path := start(t)
		if err := e.SavePace("a.test", c.now().Add(1000*day), []byte("p")); err != nil {
			t.Fatal(err)
		}
		e.Close()
		e = openAt(t, path, Options{Delay: noDelay, Clock: c.now})
		none(t, e)
		c.pass(25*time.Hour - time.Second)
		none(t, e)
		c.pass(2 * time.Second)
		claimOne(t, e)
	})
	t.Run("an unclean stop noticed under a later clock does not block", func(t *testing.T) {
		e, c, path := start(t)
		crashable{e}.Crash()
		c.pass(day)
		e = openAt(t, path, Options{Clock: c.now})
		e.Close()
		c.pass(-day)
		e = openAt(t, path, Options{Clock: c.now})
		c.pass(10 * time.Second)
		claimOne(t, e)
	})
}

func TestVerifyNamesWhatIsWrong(t *testing.T) {
	path := filled(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		ready, urls, hosts := tx.Bucket(bucketReady), tx.Bucket(bucketURLs), tx.Bucket(bucketHosts)
		k, _ := ready.Cursor().First()
		u, _ := urls.Cursor().Last()
		id, v := hosts.Cursor().First()
		var row hostRow
		if !row.decode(v) {
			return errors.New("the first host cannot be read")
		}
		row.aside = true
		return errors.Join(ready.Delete(bytes.Clone(k)), urls.Put(bytes.Clone(u), []byte("?")), hosts.Put(bytes.Clone(id), row.append(nil)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	c, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(c.Problems, "\n")
	for _, want := range []string{"not in the ready queue", "cannot be read", "has no URL that is ready", "counts 60 URLs", "counts as one without pages; there are", "hosts with pages are counted"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not among the problems:\n%s", want, all)
		}
	}
	if c.OK() || c.Advice == "" {
		t.Errorf("ok %v, advice %q", c.OK(), c.Advice)
	}
}
