package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// filled is a world with one domain in every state.
func filled(t *testing.T) *world {
	w := newWorld(t)
	a, b := w.publisher("pub-7", "*"), w.publisher("pub-9", "*")
	a.prove("fresh.example", full("fresh.example"))
	a.prove("stale.example", `{"canonical":"https://stale.example","crawl":{"revalidate_hours":1}}`)
	a.write("pending.example", minimal("pending.example"))
	a.write("unverified.example", minimal("unverified.example"))
	a.check("unverified.example")
	a.prove("gone.example", minimal("gone.example"))
	a.send("DELETE", "/v1/site/gone.example", "")
	a.prove("again.example", minimal("again.example"))
	a.send("DELETE", "/v1/site/again.example", "")
	a.write("again.example", minimal("again.example"))
	a.prove("taken.example", minimal("taken.example"))
	w.prover.plant("taken.example", b.issue("taken.example"))
	b.check("taken.example")
	b.issue("tokenonly.example")
	w.prover.find("missed.example", Finding{Method: DNSTXT, Validated: true, Crawl: CrawlNoRobots, Note: "TXT record matched"})
	a.write("missed.example", minimal("missed.example"))
	a.issue("missed.example")
	a.check("missed.example")
	w.prover.find("missed.example", Finding{Method: Unverified, Note: "token absent"})
	a.check("missed.example")
	if err := w.Admin().Revoke(t.Context(), "revoked.example", "pub-9"); err != nil {
		t.Fatal(err)
	}
	w.pass(2 * time.Hour)
	if err := w.current(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// served gives every card as a reader gets it.
func (w *world) allServed() map[string]string {
	w.t.Helper()
	all := make(map[string]string)
	for _, s := range w.shelf.view().sites {
		if s.hasCard() {
			a := w.get("/v1/site/" + s.domain)
			all[s.domain] = a.header.Get("ETag") + a.body
		}
	}
	return all
}

func (w *world) sound() VerifyReport {
	w.t.Helper()
	r, err := w.Admin().Verify(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, fault := range r.Faults {
		w.t.Error(fault)
	}
	return r
}

func TestAdministration(t *testing.T) {
	t.Run("accounts are added, listed and refused", func(t *testing.T) {
		w := newWorld(t)
		ctx, a := t.Context(), w.Admin()
		if _, err := a.AddPublisher(ctx, "pub-7", "Seven", []string{"B.example", "a.example", "a.example"}); err != nil {
			t.Fatal(err)
		}
		want := []Publisher{{ID: "pub-7", Name: "Seven", Domains: []string{"a.example", "b.example"}, Created: startOfWorld}}
		if got := a.Publishers(); !reflect.DeepEqual(got, want) {
			t.Errorf("accounts %+v", got)
		}
		if _, err := a.AddPublisher(ctx, "pub-7", "", nil); !errors.Is(err, ErrExists) {
			t.Errorf("twice: %v", err)
		}
		for id, domains := range map[string][]string{"": nil, "A": nil, "a b": nil, "ok": {"www.a.example"}, "fine": {"com"}, strings.Repeat("a", 65): nil} {
			if _, err := a.AddPublisher(ctx, id, "", domains); !errors.Is(err, ErrInvalid) {
				t.Errorf("%q %v: %v", id, domains, err)
			}
		}
		if _, err := a.RotatePublisher(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
			t.Errorf("rotate: %v", err)
		}
		if err := a.SetDomains(ctx, "nobody", nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("set domains: %v", err)
		}
		if err := a.DisablePublisher(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
			t.Errorf("disable: %v", err)
		}
		if err := a.Revoke(ctx, shop, "nobody"); !errors.Is(err, ErrNotFound) {
			t.Errorf("revoke: %v", err)
		}
		if _, err := a.Check(ctx, shop); !errors.Is(err, ErrNotFound) {
			t.Errorf("check: %v", err)
		}
	})
	t.Run("BC-R-002 other domains of an account count from its next write on", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", shop)
		p.write(shop, minimal(shop))
		if err := w.Admin().SetDomains(t.Context(), "pub-7", []string{"Other.example", "www.other.example"}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a host: %v", err)
		}
		if err := w.Admin().SetDomains(t.Context(), "pub-7", []string{"Other.example"}); err != nil {
			t.Fatal(err)
		}
		if a := p.put(shop, minimal(shop)); a.status != 403 {
			t.Errorf("the former domain: %d %s", a.status, a.body)
		}
		p.write("other.example", minimal("other.example"))
		if !w.stored(shop) {
			t.Error("the card of the former domain is gone")
		}
	})
	t.Run("a second process is locked out", func(t *testing.T) {
		w := newWorld(t)
		if _, err := Open(Options{Path: w.folder, PublicURL: testBase, Name: "Other"}); !errors.Is(err, ErrLocked) {
			t.Errorf("open: %v", err)
		}
	})
	t.Run("options out of range are refused", func(t *testing.T) {
		for name, change := range map[string]func(*Options){
			"no folder": func(o *Options) { o.Path = "" }, "no name": func(o *Options) { o.Name = "" },
			"no URL": func(o *Options) { o.PublicURL = "" }, "a URL with a query": func(o *Options) { o.PublicURL = testBase + "?a" },
			"another scheme": func(o *Options) { o.PublicURL = "ftp://registry.test" }, "a negative rate": func(o *Options) { o.Rate = -1 },
			"a rate below one check": func(o *Options) { o.WriteRate = 9 },
		} {
			o := Options{Path: t.TempDir(), PublicURL: testBase, Name: "Test"}
			change(&o)
			if _, err := Open(o); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("everything survives a restart", func(t *testing.T) {
		w := filled(t)
		cards, feed, index, stats := w.allServed(), w.get("/v1/changes").body, w.get("/.well-known/botcentral-index.json").body, w.Stats()
		w.reopen()
		if got := w.allServed(); !reflect.DeepEqual(got, cards) {
			t.Errorf("cards %v, were %v", got, cards)
		}
		if got := w.get("/v1/changes").body; got != feed {
			t.Errorf("feed %s, was %s", got, feed)
		}
		if got := w.get("/.well-known/botcentral-index.json").body; got != index {
			t.Errorf("index %s, was %s", got, index)
		}
		got := w.Stats()
		if got.Cards != stats.Cards || got.Listed != stats.Listed || got.Fresh != stats.Fresh || got.Stale != stats.Stale ||
			got.Unverified != stats.Unverified || got.Pending != stats.Pending || got.ChecksDue != stats.ChecksDue || got.Publishers != 2 {
			t.Errorf("stats %+v, were %+v", got, stats)
		}
		w.sound()
	})
	t.Run("an export taken in elsewhere serves the same cards with the same proof", func(t *testing.T) {
		w := filled(t)
		var first, second bytes.Buffer
		if err := w.Admin().Export(t.Context(), &first); err != nil {
			t.Fatal(err)
		}
		other := newWorld(t)
		other.pass(w.clock().Sub(startOfWorld))
		n, err := other.Admin().Import(t.Context(), bytes.NewReader(first.Bytes()))
		if err != nil || n != strings.Count(first.String(), "\n") {
			t.Fatal(n, err)
		}
		if got, want := other.allServed(), w.allServed(); !reflect.DeepEqual(got, want) {
			t.Errorf("cards %v, want %v", got, want)
		}
		if a, b := other.expect("/v1/snapshot")["snapshot"], w.expect("/v1/snapshot")["snapshot"]; a != b {
			t.Errorf("snapshot %v, want %v", a, b)
		}
		if err := other.Admin().Export(t.Context(), &second); err != nil {
			t.Fatal(err)
		}
		if !sameLines(first.String(), second.String()) {
			t.Errorf("exported again: %s\nwas: %s", second.String(), first.String())
		}
		other.sound()
	})
	t.Run("an import in the order of an export fills the pages of the state file", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*")
		lines := make([]string, 2000)
		for i := range lines {
			lines[i] = aLine(i, w.clock().Unix())
		}
		slices.Sort(lines)
		if n, err := w.Admin().Import(t.Context(), strings.NewReader(strings.Join(lines, ""))); err != nil || n != len(lines) {
			t.Fatal(n, err)
		}
		if err := w.shelf.db.View(func(tx *bbolt.Tx) error {
			if s := tx.Bucket(bucketCard).Stats(); s.KeyN != len(lines) || s.LeafInuse*100 < s.LeafAlloc*75 {
				t.Errorf("%d cards take %d octets of %d", s.KeyN, s.LeafInuse, s.LeafAlloc)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("an import stops at the first bad line and names it", func(t *testing.T) {
		good := `{"site":{"domain":"a.example","card":{"canonical":"https://a.example"},"listed_by":"pub-7","updated":1,"proof":{"method":0}}}`
		for name, bad := range map[string]string{
			"no JSON": "x", "an unknown member": `{"sites":{}}`, "nothing": `{}`, "a suffix": `{"site":{"domain":"com"}}`,
			"a card of another domain": strings.ReplaceAll(good, `"domain":"a.`, `"domain":"b.`),
			"an unknown method":        strings.ReplaceAll(good, `"method":0`, `"method":9`),
			"no proof":                 strings.ReplaceAll(good, `,"proof":{"method":0}`, ``),
			"a publisher of no name":   `{"publisher":{"id":"","secret":""}}`,
			"a line without end":       strings.Repeat("a", maxImportLine+1),
		} {
			w := newWorld(t)
			n, err := w.Admin().Import(t.Context(), strings.NewReader(good+"\n"+bad+"\n"))
			if n != 1 || err == nil || !w.stored("a.example") {
				t.Errorf("%s: %d lines, %v", name, n, err)
			}
		}
	})
	t.Run("a backup while others write is a registry of its own, with another epoch", func(t *testing.T) {
		w := filled(t)
		cursor := w.expect("/v1/changes")["cursor"].(string)
		var copied bytes.Buffer
		if err := w.Admin().Backup(t.Context(), &copied); err != nil {
			t.Fatal(err)
		}
		if parts, err := filepath.Glob(filepath.Join(w.folder, partPattern)); err != nil || len(parts) != 0 {
			t.Errorf("left behind: %v %v", parts, err)
		}
		other := &world{t: t, folder: t.TempDir(), prover: w.prover, now: w.clock()}
		if err := os.WriteFile(filepath.Join(other.folder, stateName), copied.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		log := []byte(`{"at":"x","action":"put","outcome":"accepted"}` + "\n")
		if err := os.WriteFile(filepath.Join(other.folder, logName), log, 0o600); err != nil {
			t.Fatal(err)
		}
		other.open()
		if got, want := other.allServed(), w.allServed(); !reflect.DeepEqual(got, want) {
			t.Errorf("cards %v, want %v", got, want)
		}
		if a := other.get("/v1/changes?since=" + cursor); a.status != 410 {
			t.Errorf("a cursor of the original: %d", a.status)
		}
		if r := other.sound(); r.LogLines != 1 {
			t.Errorf("the write log was cut: %+v", r)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a file that is no registry is not opened", func(t *testing.T) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, stateName), bytes.Repeat([]byte("x"), 1<<16), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Options{Path: folder, PublicURL: testBase, Name: "Test"}); err == nil {
			t.Error("it is")
		}
	})
	t.Run("verify finds what was tampered with", func(t *testing.T) {
		w := filled(t)
		err := w.shelf.update(t.Context(), func(b *batch) error {
			next := *b.site("fresh.example")
			next.etag[0]++
			return b.store(&next)
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.Admin().Verify(t.Context())
		if err != nil || len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "fresh.example") {
			t.Errorf("report %+v %v", r, err)
		}
	})
	t.Run("after a close nothing is taken", func(t *testing.T) {
		w := newWorld(t)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Admin().AddPublisher(context.Background(), "pub-7", "", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("add: %v", err)
		}
	})
	t.Run("other ETags after a change of the renderer are found out when the state is opened", func(t *testing.T) {
		w := filled(t)
		cards := w.allServed()
		err := w.shelf.update(t.Context(), func(b *batch) error {
			b.meta.Renderer = renderer - 1
			for domain := range cards {
				next := *b.site(domain)
				next.etag = etag{1}
				if err := b.store(&next); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.reopen()
		if got := w.allServed(); !reflect.DeepEqual(got, cards) {
			t.Errorf("cards %v", got)
		}
		w.sound()
	})
	t.Run("an operation that fails does not fail its neighbours", func(t *testing.T) {
		w := newWorld(t)
		broken := errors.New("broken")
		hold := make(chan struct{})
		results := make(chan error, 3)
		go func() {
			results <- w.shelf.update(context.Background(), func(*batch) error { <-hold; return nil })
		}()
		for i := range 2 {
			go func() {
				results <- w.shelf.update(context.Background(), func(b *batch) error {
					if i == 0 {
						return broken
					}
					return b.putPublisher(&publisher{ID: fmt.Sprint("p", i), Secret: make([]byte, 32)})
				})
			}()
		}
		close(hold)
		failed := 0
		for range 3 {
			if err := <-results; errors.Is(err, broken) {
				failed++
			} else if err != nil {
				t.Error(err)
			}
		}
		if failed != 1 || w.shelf.publisher("p1") == nil {
			t.Errorf("%d failed", failed)
		}
	})
}

func sameLines(a, b string) bool {
	count := map[string]int{}
	for line := range strings.SplitSeq(a, "\n") {
		count[line]++
	}
	for line := range strings.SplitSeq(b, "\n") {
		count[line]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
