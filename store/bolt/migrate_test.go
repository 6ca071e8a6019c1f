package bolt

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// schema1 is a file that the last program with schema 1 has written: 20 URLs of 5
// hosts and one page of each host fetched, with a link to "/found".
func schema1(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "schema1.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func schemaOf(t *testing.T, db *bbolt.DB) (found uint32) {
	t.Helper()
	if err := db.View(func(tx *bbolt.Tx) error {
		found = binary.BigEndian.Uint32(tx.Bucket(bucketMeta).Get(keySchema))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAFileOfAnOlderSchemaIsBroughtUpToDate(t *testing.T) {
	ctx := context.Background()
	path := schema1(t)
	if c := verify(t, path); c.URLs != 25 || c.Hosts != 5 || c.Notes != 1 {
		t.Errorf("read only: %+v", c)
	}
	c := newClock()
	e := openAt(t, path, Options{Delay: noDelay, Clock: c.now})
	if got := schemaOf(t, e.db); got != schema {
		t.Errorf("schema %d after opening", got)
	}
	s, err := e.Stats(ctx)
	if err != nil || s.Known != 25 || s.States[frontier.Fetched] != 5 || s.Totals[2] != 15 || !s.Spent.IsZero() || !e.Clean() || e.Marks()["side"] != 42 {
		t.Errorf("stats %+v, %v, clean %v, marks %v", s, err, e.Clean(), e.Marks())
	}
	if v, err := e.LoadNote(ctx, "kind", "key"); string(v) != "value" || err != nil {
		t.Errorf("note %q, %v", v, err)
	}
	h, err := e.Host(ctx, "h3.test")
	if err != nil || !h.Paused || h.Version != 1 || string(h.Pace) != "pace of h3.test" || h.Known != 5 || !h.Spent.IsZero() {
		t.Errorf("host %+v, %v", h, err)
	}
	if r := why(t, e, "https://h1.test/found"); r.State != frontier.Ready || r.Host.Next.IsZero() {
		t.Errorf("report %+v", r)
	}
	day := frontier.Day(c.now())
	settle(t, e, frontier.Settlement{Grant: frontier.GrantRef{Host: "h1.test"}, Spent: frontier.Spent{Day: day, Pages: 1, Bytes: 9}})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	verify(t, path)
	e = openAt(t, path, Options{ReadOnly: true})
	if h, err := e.Host(ctx, "h1.test"); err != nil || h.Spent != (frontier.Spent{Day: day, Pages: 1, Bytes: 9}) {
		t.Errorf("host %+v, %v", h, err)
	}
}

func TestMigrationsRunInOrderAndTogetherOrNotAtAll(t *testing.T) {
	path := schema1(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	set := func(tx *bbolt.Tx, version uint32) error {
		return tx.Bucket(bucketMeta).Put(keySchema, binary.BigEndian.AppendUint32(nil, version))
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return set(tx, schema-2) }); err != nil {
		t.Fatal(err)
	}
	var ran []string
	step := func(name string, err error) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			ran = append(ran, name)
			return errors.Join(err, tx.Bucket(bucketNotes).Put([]byte(name), []byte("x")))
		}
	}
	steps := []migration{
		{from: schema - 2, do: step("first", nil)}, {from: schema - 1, do: step("second", io.ErrUnexpectedEOF)}}
	err = db.Update(func(tx *bbolt.Tx) error { return migrate(tx, steps) })
	if !errors.Is(err, io.ErrUnexpectedEOF) || !slices.Equal(ran, []string{"first", "second"}) || schemaOf(t, db) != schema-2 {
		t.Errorf("%v after %v, schema %d", err, ran, schemaOf(t, db))
	}
	ran, steps[1].do = nil, step("second", nil)
	if err := db.Update(func(tx *bbolt.Tx) error { return migrate(tx, steps) }); err != nil || schemaOf(t, db) != schema || len(ran) != 2 {
		t.Errorf("%v after %v, schema %d", err, ran, schemaOf(t, db))
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return migrate(tx, steps) }); err != nil || len(ran) != 2 {
		t.Errorf("a file that is up to date: %v after %v", err, ran)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return errors.Join(set(tx, schema-2), migrate(tx, nil)) })
	wantErr(t, err, frontier.ErrVersion, "does not know any more")
}
