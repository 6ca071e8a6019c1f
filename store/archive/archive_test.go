package archive

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heed/politeness"
)

var update = flag.Bool("update", false, "write golden files anew")

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// options gives options whose file names and ids depend on seed only.
func options(t testing.TB, dir string, seed byte) Options {
	t.Helper()
	return Options{
		Dir: filepath.Join(dir, "archive"), IndexDir: filepath.Join(dir, "indexes"),
		Software: "heed/1.0", Operator: "mailto:crawl@operator.test", Robots: "obey",
		Now: func() time.Time { return start }, Random: rand.NewChaCha8([32]byte{seed}),
	}
}

func page(url, body string) Record {
	return Record{
		Kind: Response, URL: url, RequestedAt: start.Add(1500 * time.Millisecond),
		RequestHead:  []byte("GET / HTTP/1.1\r\nHost: shop.test\r\nAuthorization: Bearer hush\r\n\r\n"),
		ResponseHead: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-a:  b \r\n\r\n"),
		Body:         strings.NewReader(body), BodyBytes: int64(len(body)),
		Address: "127.0.0.1:443", Proto: "HTTP/1.1",
		DecodedSHA256: sha256.Sum256([]byte(body)), DiscoveryPath: "LL", Via: "https://shop.test/",
		Decision: politeness.Decision{ID: "01JDECISION", Purposes: politeness.PurposesOf(politeness.Index),
			Opinion: politeness.Opinion{Source: "robots", Verdict: politeness.Allow, Reason: politeness.Allowed}},
	}
}

func mustOpen(t testing.TB, o Options, marks map[string]int64) *Archive {
	t.Helper()
	a, err := Open(o, marks)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func mustAppend(t testing.TB, a *Archive, r Record) string {
	t.Helper()
	p, err := a.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	place, err := a.Append(p)
	if err != nil {
		t.Fatal(err)
	}
	if place != p.Location() {
		t.Fatalf("Append says %q, the attachment says %q", place, p.Location())
	}
	return place
}

func mustCommit(t testing.TB, a *Archive) map[string]int64 {
	t.Helper()
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	marks := make(map[string]int64)
	a.Marks(marks)
	return marks
}

func TestReadGivesBackWhatWasAppended(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	a := mustOpen(t, o, nil)
	body := strings.Repeat("some text ", 500)
	place := mustAppend(t, a, page("https://shop.test/a", body))
	mustCommit(t, a)
	for _, when := range []string{"while the file is open", "when it is final"} {
		s, err := Read(o.Dir, place)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		got, err := io.ReadAll(s)
		if err != nil || string(got) != body || s.Status != 200 || s.URL != "https://shop.test/a" || s.BodyBytes != int64(len(body)) {
			t.Errorf("%s: %d octets, status %d, %s, %d, %v", when, len(got), s.Status, s.URL, s.BodyBytes, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// dump lists every record of every final file as gowarc understands it.
func dump(t testing.TB, dir string) string {
	t.Helper()
	var b bytes.Buffer
	files, _ := filepath.Glob(filepath.Join(dir, "*"+suffixWARC))
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "== %s\n", filepath.Base(path))
		err = scan(path, 0, info.Size(), strict(), func(rec found) error {
			rec.WarcRecord.WarcHeader().Write(&b)
			b.WriteString("\n")
			raw, err := rec.WarcRecord.Block().RawBytes()
			if err != nil {
				return err
			}
			_, err = io.Copy(&b, raw)
			b.WriteString("\n--\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestVisitsBecomeTheseRecordsAndLines(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	a := mustOpen(t, o, nil)
	mustAppend(t, a, page("https://shop.test/a", "hello"))

	r := page("https://shop.test/failed", "")
	r.Kind, r.FailureKind, r.FailureText = Failure, "timeout", "no answer\nwithin 60 s"
	mustAppend(t, a, r)

	r = page("https://shop.test/a", "")
	r.Kind, r.ResponseHead = NotModified, []byte("HTTP/1.1 304 Not Modified\r\n\r\n")
	r.RefersTo = Reference{URL: "https://shop.test/a", Date: start}
	if place := mustAppend(t, a, r); place != "" {
		t.Errorf("a 304 has a location: %s", place)
	}

	r = page("https://shop.test/form?b=2&a=1", "thanks")
	r.RequestHead = RequestHead("POST", "/form?b=2&a=1", "shop.test", map[string][]string{"Cookie": {"a=b"}, "Accept": {"*/*"}})
	r.ResponseHead = ResponseHead(201, map[string][]string{"Content-Type": {"text/plain"}, "Age": {"0"}})
	r.Proto = "HTTP/2.0"
	mustAppend(t, a, r)
	mustCommit(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	got := dump(t, o.Dir)
	indexes, _ := filepath.Glob(filepath.Join(o.IndexDir, "*"))
	for _, path := range indexes {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got += "== " + filepath.Base(path) + "\n" + string(text)
	}
	golden := filepath.Join("testdata", "visits.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("records differ from %s (refresh with -update):\n%s", golden, got)
	}
}
