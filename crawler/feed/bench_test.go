package feed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"heed/crawler/feed"
)

// fullSitemap has as many pages as the protocol allows, about 9 MB.
func fullSitemap() []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for i := range feed.DefaultMaxEntries {
		fmt.Fprintf(&b, "  <url>\n    <loc>https://shop.test/section-%d/article-%d?page=2&amp;x=1</loc>\n    <lastmod>2026-11-%02dT08:15:30+01:00</lastmod>\n    <changefreq>weekly</changefreq>\n    <priority>0.8</priority>\n  </url>\n", i%97, i, 1+i%30)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// languagesSitemap has ten alternates a page.
func languagesSitemap() []byte {
	var b bytes.Buffer
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">`)
	for i := range 4000 {
		fmt.Fprintf(&b, "<url><loc>https://shop.test/en/%d</loc>\n", i)
		for l := range 10 {
			fmt.Fprintf(&b, `  <xhtml:link rel="alternate" hreflang="x%d" href="https://shop.test/x%d/%d"/>`+"\n", l, l, i)
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>")
	return b.Bytes()
}

// imagesSitemap is mostly about what is passed over.
func imagesSitemap() []byte {
	var b bytes.Buffer
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`)
	for i := range 5000 {
		fmt.Fprintf(&b, "<url><loc>https://shop.test/%d</loc>\n<image:image><image:loc>https://shop.test/%d.png</image:loc><image:title>Spades &amp; forks</image:title></image:image></url>\n", i, i)
	}
	b.WriteString("</urlset>")
	return b.Bytes()
}

func rssFeed() []byte {
	var b bytes.Buffer
	b.WriteString(`<rss version="2.0"><channel><title>News</title>`)
	for i := range 2000 {
		fmt.Fprintf(&b, "<item><title>Item %d</title><link>https://shop.test/news/%d</link><pubDate>Fri, 27 Nov 2026 08:00:00 GMT</pubDate><description><![CDATA[%s]]></description></item>\n", i, i, strings.Repeat("<p>prose about spades</p>", 20))
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

func textList() []byte {
	var b bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintf(&b, "https://shop.test/section-%d/article-%d?page=2&x=1\n", i%97, i)
	}
	return b.Bytes()
}

func packed(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(b); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return z.Bytes()
}

// BenchmarkRead reports octets of the unpacked document.
func BenchmarkRead(b *testing.B) {
	full := fullSitemap()
	for _, bench := range []struct {
		name    string
		body    []byte
		size    int
		entries int
	}{
		{"sitemap of 50,000 pages", full, len(full), 50_000},
		{"the same in gzip", packed(full), len(full), 50_000},
		{"ten languages a page", languagesSitemap(), 0, 4000},
		{"images", imagesSitemap(), 0, 5000},
		{"rss", rssFeed(), 0, 2000},
		{"text", textList(), 0, 50_000},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(max(bench.size, len(bench.body))))
			b.ReportAllocs()
			for b.Loop() {
				result, err := feed.Read(bytes.NewReader(bench.body), "", feed.Options{}, func(feed.Entry) error { return nil })
				if err != nil || result.Entries != bench.entries {
					b.Fatal(err, result)
				}
			}
		})
	}
}

// BenchmarkHostile reports what the dearest documents cost. None may be much dearer than a sitemap.
func BenchmarkHostile(b *testing.B) {
	var declarations strings.Builder
	for i := range 63 {
		fmt.Fprintf(&declarations, ` xmlns:n%d="u%d"`, i, i)
	}
	in := func(root, unit string) []byte {
		return []byte("<urlset" + root + ">" + strings.Repeat(unit, 4<<20/len(unit)))
	}
	for _, bench := range []struct {
		name string
		body []byte
	}{
		{"lone <", in("", "< ")},
		{"empty elements", in("", "<a/>")},
		{"elements never ended", in("", "<a>")},
		{"end tags of nothing", in("", "</a>")},
		{"empty pages", in("", "<url/>")},
		{"nested pages", in("", "<url>")},
		{"prefixes looked up among many", in(declarations.String(), "<z:a/>")},
		{"declarations on every element", in("", `<url xmlns="" xmlns:a="http://www.sitemaps.org/schemas/sitemap/0.9"/>`)},
		{"declarations", in("", "<!>")},
		{"comments", in("", "<!---->")},
		{"empty sections", in("", "<![CDATA[]]>")},
		{"references", in("", "<url><loc>&&&&&&&&&&&&&#38;&#38;&#38;</loc></url>")},
		{"attributes", in("", `<url><xhtml:link a b c d e f g h rel="alternate" href="/x"/></url>`)},
		{"priorities", in("", `<url><priority>0.00000000000000001</priority></url>`)},
		{"lines", []byte("https://a.test/" + strings.Repeat("\r", 4<<20))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.body)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := feed.Read(bytes.NewReader(bench.body), "", feed.Options{}, func(feed.Entry) error { return nil })
				if err != nil && !errors.Is(err, feed.ErrTooManyEntries) {
					b.Fatal(err)
				}
			}
		})
	}
}
