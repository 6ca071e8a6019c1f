package crawler_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"heed/crawler"
	"heed/frontier"
)

// silent is a sink that keeps nothing.
type silent struct{}

func (silent) Prepare(crawler.Visit) (frontier.Attachment, error) { return nil, nil }

// BenchmarkVisit measures whole visits over loopback, the server's share
// included: claim, decision, exchange, links, settlement with its fsync.
func BenchmarkVisit(b *testing.B) {
	var body strings.Builder
	for i := range 20 {
		fmt.Fprintf(&body, "<p>Some text about nothing in particular. <a href=/p%d>page %d</a>\n", i, i)
	}
	benchmarkVisits(b, html(body.String()))
}

// BenchmarkVisitEmpty measures visits without a body.
func BenchmarkVisitEmpty(b *testing.B) { benchmarkVisits(b, status(204)) }

// BenchmarkVisitRefused measures visits that end with the decision.
func BenchmarkVisitRefused(b *testing.B) { benchmarkVisits(b, nil) }

// benchmarkVisits crawls b.N pages of one host that may be asked without a pause;
// no page at all means that robots.txt forbids them.
func benchmarkVisits(b *testing.B, page reply) {
	w := newWorld(b)
	w.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	rules := "User-agent: *\nDisallow: /private/\n"
	if page == nil {
		rules, page = "User-agent: *\nDisallow: /\n", status(404)
	}
	w.on(shop+"/robots.txt", text(rules)).on(shop+" *", page)
	j := w.open(func(s *setup) {
		brisk(s)
		s.Workers, s.perHost, s.sink, s.MaxPages, s.still = 8, 8, silent{}, int64(b.N), true
	})
	list := make([]crawler.Seed, b.N)
	for i := range list {
		list[i] = crawler.Seed{URL: fmt.Sprintf("%s/p%d", shop, i), Score: -1}
	}
	if _, err := j.AddSeeds(b.Context(), list); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if end, err := j.Run(b.Context()); err != nil || end.Code > crawler.EndPages {
		b.Fatalf("ended with %d, %v", end.Code, err)
	}
	b.StopTimer()
	j.close()
}
