package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"heed/crawler/extract"
)

// prefixResolver costs next to nothing, so that the benchmark shows the scan and not net/url.
type prefixResolver struct{}

func (prefixResolver) Resolve(base, ref string) (string, bool) {
	if strings.HasPrefix(ref, "https://") {
		return ref, true
	}
	if ref == "" {
		return base, true
	}
	return "https://shop.test" + ref, true
}

// articlePage is a page of about 20 KB with 80 links, prose and some machinery.
func articlePage() []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Garden tools</title><meta name="robots" content="index"><link rel="stylesheet" href="/s.css"><script src="/s.js"></script></head><body><nav><ul>`)
	for i := range 40 {
		fmt.Fprintf(&b, `<li class="item"><a class="nav-link" href="/section/%d">Section %d</a></li>`, i, i)
	}
	b.WriteString(`</ul></nav><main>`)
	for i := range 40 {
		fmt.Fprintf(&b, `<p>A paragraph of prose about spades, forks and rakes, with <em>emphasis</em> and a <a href="/article/%d?page=2&amp;x=1">link</a> in it. It goes on for some lines, because paragraphs of articles do, and ends with a sentence that says little more than the ones before it, though at length.</p>`, i)
		b.WriteByte('\n')
	}
	b.WriteString(`</main></body></html>`)
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	body := articlePage()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		page, err := extract.Parse(body, "text/html; charset=utf-8", "https://shop.test/", prefixResolver{}, extract.Options{ContextRelation: relation})
		if err != nil || len(page.Links) != 80 {
			b.Fatal(err, len(page.Links))
		}
	}
}

func BenchmarkMarkdownLinks(b *testing.B) {
	text := []byte(strings.Repeat("## Pages\n\n- [Returns](/returns.md): how to send things `back`, see https://shop.test/manual.txt.\n\nSome prose about <em>spades</em>, of the length that prose has in such files.\n\n", 150))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		extract.MarkdownLinks(text, "https://shop.test/", prefixResolver{})
	}
}

func BenchmarkLinkHeader(b *testing.B) {
	fields := []string{`</style.css>; rel="preload"; as="style", </ctx/index.md>; title="a, b; c"; rel="alternate llm-context"; type="text/html"`}
	b.ReportAllocs()
	for b.Loop() {
		extract.LinkHeader(fields)
	}
}
