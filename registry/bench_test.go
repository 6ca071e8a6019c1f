package registry

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// catalogSize is what the registry is measured with.
const catalogSize = 100_000

// aDomain is the name of card i; they do not come in the order of the numbers.
func aDomain(i int) string { return fmt.Sprintf("site-%05d.example", i*7919%catalogSize) }

// aLine is card i as a line of an export.
func aLine(i int, checked int64) string {
	card := strings.ReplaceAll(strings.ReplaceAll(full(aDomain(i)), "\n", ""), "\t", "")
	return fmt.Sprintf(`{"site":{"domain":%q,"card":%s,"listed_by":"pub-7","updated":%d,"listed":true,"next":%d,"proof":{"method":3,"publisher":"pub-7","checked":%d,"proven":%[5]d,"note":"TXT record matched"}}}`+"\n",
		aDomain(i), card, checked, checked+300_000, checked)
}

// newCatalogOf makes the state of a registry with so many cards.
func newCatalogOf(tb testing.TB, size int) Options {
	tb.Helper()
	o := Options{Path: tb.TempDir(), PublicURL: testBase, Name: "Bench"}
	s, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := s.Admin().AddPublisher(context.Background(), "pub-7", "", []string{anyDomain}); err != nil {
		tb.Fatal(err)
	}
	var lines bytes.Buffer
	now := time.Now().Unix()
	for i := range size {
		lines.WriteString(aLine(i, now))
	}
	if n, err := s.Admin().Import(context.Background(), &lines); err != nil || n != size {
		tb.Fatal(n, err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return o
}

func openBench(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// null takes an answer and keeps its status.
type null struct {
	header http.Header
	status int
}

func (n *null) Header() http.Header         { return n.header }
func (n *null) Write(p []byte) (int, error) { return len(p), nil }
func (n *null) WriteHeader(status int)      { n.status = status }

// benchGet reads through the handler.
func benchGet(b *testing.B, s *Server, path func(i int) string, tag string, status int) {
	b.ReportAllocs()
	w := &null{header: http.Header{}}
	for i := 0; b.Loop(); i++ {
		clear(w.header)
		r := httptest.NewRequest("GET", path(i), nil)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		if s.Handler().ServeHTTP(w, r); w.status != status {
			b.Fatalf("%s answers %d", path(i), w.status)
		}
	}
}

// A page of changes costs what it shows, wherever it is in however large a
// catalog.
func BenchmarkChanges(b *testing.B) {
	for _, size := range []int{1_000, catalogSize} {
		s := openBench(b, newCatalogOf(b, size))
		for _, percent := range []int{0, 40, 80} {
			path := "/v1/changes?limit=200&since=" + cursor{s.shelf.meta.Epoch, uint64(size * percent / 100), 0}.String()
			b.Run(fmt.Sprintf("200 of %d cards behind %d%%", size, percent), func(b *testing.B) {
				benchGet(b, s, func(int) string { return path }, "", 200)
			})
		}
	}
}

func BenchmarkCatalog(b *testing.B) {
	o := newCatalogOf(b, catalogSize)
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := Open(o)
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	s := openBench(b, o)
	get := func(b *testing.B, path func(i int) string, tag string, status int) { benchGet(b, s, path, tag, status) }
	fixed := func(path string) func(int) string { return func(int) string { return path } }
	b.Run("card in cache", func(b *testing.B) { get(b, fixed("/v1/site/"+aDomain(0)), "", 200) })
	b.Run("card unchanged", func(b *testing.B) { get(b, fixed("/v1/site/"+aDomain(0)), "*", 304) })
	b.Run("card at random", func(b *testing.B) {
		get(b, func(i int) string { return "/v1/site/" + aDomain(i*31%catalogSize) }, "", 200)
	})
	b.Run("snapshot in memory", func(b *testing.B) { get(b, fixed("/v1/snapshot"), "", 200) })
	b.Run("search of all", func(b *testing.B) { get(b, fixed("/v1/search?q=nothing"), "", 200) })
	b.Run("snapshot after a change", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.lists.made = false
			if _, _, err := s.catalogLists(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	sch, err := newSchema(testBase + "/v1/schema.json")
	if err != nil {
		b.Fatal(err)
	}
	v := validator{sch}
	body := []byte(full(shop))
	sub, err := v.read(shop, body)
	if err != nil {
		b.Fatal(err)
	}
	s := &site{domain: shop, publisher: "pub-7", updated: 1, facts: sub.facts, window: sub.window, rev: 1}
	b.Run("serve", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst = render(dst[:0], sub.raw, s)
		}
		b.SetBytes(int64(len(dst)))
	})
	b.Run("validate", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if _, err := v.read(shop, body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
