package ledger

import (
	"testing"

	"heed/politeness"
)

// visit is an entry of the usual size: a decision with ten opinions.
func visit() Entry {
	d := &politeness.Decision{ID: "01JZZZZZZZZZZZZZZZZZZZZZZZ", URL: "https://shop.test/some/page?of=the&shop=1", Method: "GET", DecidedAt: start}
	for range 10 {
		d.Opinions = append(d.Opinions, politeness.Opinion{Source: "robots", Verdict: politeness.Silent})
	}
	return Entry{Type: Visit, At: start, Decision: d, Outcome: struct {
		Status int    `json:"status"`
		Bytes  int64  `json:"bytes"`
		SHA256 string `json:"sha256"`
	}{200, 20480, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}
}

func BenchmarkMarshal(b *testing.B) {
	e := visit()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Marshal(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	l := mustOpen(b, b.TempDir(), 0, nil)
	defer l.Close()
	c, err := Marshal(visit())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(c)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Append(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadByURL(b *testing.B) {
	dir := b.TempDir()
	l := mustOpen(b, dir, 0, nil)
	c, err := Marshal(visit())
	if err != nil {
		b.Fatal(err)
	}
	for range 10_000 {
		mustAppend(b, l, c)
	}
	mustAppend(b, l, content(b, 7))
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(l.size)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range Read(dir, Query{URL: "https://shop.test/p/7?a=1&b=2"}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1 {
			b.Fatalf("%d lines", n)
		}
	}
}
