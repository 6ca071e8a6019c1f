package app

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"heed/cmd/heed-registry/settings"
)

// A read through everything that stands before the registry: metrics, routes,
// limiter.
func BenchmarkRead(b *testing.B) {
	s := settings.Default()
	s.Data, s.PlainHTTP, s.Resolver, s.Rate = filepath.Join(b.TempDir(), "data"), true, "127.0.0.1:1", 0
	a, err := Open(s, Options{Version: "test", Log: slog.New(slog.DiscardHandler), Create: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	}()
	const lines = `{"publisher":{"id":"pub-7","domains":["*"],"secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","generation":1,"created":1796000000}}
{"site":{"domain":"shop.example","card":{"canonical":"https://shop.example","name":"Sample Shop"},"listed_by":"pub-7","updated":1796000000,"proof":{"method":0}}}
`
	if _, err := a.Import(b.Context(), strings.NewReader(lines)); err != nil {
		b.Fatal(err)
	}
	inner, err := a.public()
	if err != nil {
		b.Fatal(err)
	}
	m, err := newMetrics(a.registry.Stats)
	if err != nil {
		b.Fatal(err)
	}
	h := m.watch(inner)
	read := func(b *testing.B, path, etag string, want int) string {
		b.ReportAllocs()
		r := httptest.NewRequest("GET", path, nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		var found string
		for b.Loop() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want {
				b.Fatal(w.Code, w.Body)
			}
			found = w.Header().Get("ETag")
		}
		return found
	}
	var etag string
	b.Run("card", func(b *testing.B) { etag = read(b, "/v1/site/shop.example", "", 200) })
	b.Run("card not modified", func(b *testing.B) { read(b, "/v1/site/shop.example", etag, 304) })
	b.Run("snapshot", func(b *testing.B) { read(b, "/v1/snapshot", "", 200) })
	b.Run("page", func(b *testing.B) { read(b, "/site/shop.example", "", 200) })
}
