package feed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"heed/crawler/feed"
)

const onePage = "<urlset><url><loc>https://shop.test/</loc></url></urlset>"

func pages(n int) []byte {
	var b bytes.Buffer
	b.WriteString("<urlset>")
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>https://shop.test/%d</loc></url>", i)
	}
	b.WriteString("</urlset>")
	return b.Bytes()
}

func TestABodyMayBeAsLongAsTheLimitAndNoLonger(t *testing.T) {
	body := pages(1000)
	size := int64(len(body))
	for _, c := range []struct {
		name string
		body []byte
	}{{"plain", body}, {"packed", packed(body)}, {"packed twice", packed(packed(body))}} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(c.body, "", feed.Options{MaxBytes: size}); got.err != nil || got.Entries != 1000 {
				t.Errorf("at the limit: %d entries, %v", got.Entries, got.err)
			}
			got := read(c.body, "", feed.Options{MaxBytes: size - int64(len("</urlset>")) - 1})
			if !errors.Is(got.err, feed.ErrTooLarge) || got.Entries != 999 {
				t.Errorf("over the limit: %d entries, %v", got.Entries, got.err)
			}
		})
	}
}

func TestEntriesOverTheLimitAreCountedAndKeptBack(t *testing.T) {
	got := read(pages(12), "", feed.Options{MaxEntries: 10})
	if !errors.Is(got.err, feed.ErrTooManyEntries) || len(got.entries) != 10 || got.Entries != 10 || got.OverLimit != 2 {
		t.Errorf("12 of 10: %v", got)
	}
	if got := read(pages(10), "", feed.Options{MaxEntries: 10}); got.err != nil || got.OverLimit != 0 {
		t.Errorf("10 of 10: %v", got)
	}
	index := bytes.NewReader([]byte("<sitemapindex>" + strings.Repeat("<sitemap><loc>/s.xml</loc></sitemap>", feed.DefaultMaxEntries+1) + "</sitemapindex>"))
	result, err := feed.Read(index, "", feed.Options{}, func(feed.Entry) error { return nil })
	if !errors.Is(err, feed.ErrTooManyEntries) || result.Entries != feed.DefaultMaxEntries || result.OverLimit != 1 {
		t.Errorf("an index: %v, %v", result, err)
	}
	text := read([]byte(strings.Repeat("https://shop.test/\n", 11)), "text/plain", feed.Options{MaxEntries: 10})
	if !errors.Is(text.err, feed.ErrTooManyEntries) || text.Entries != 10 || text.OverLimit != 1 {
		t.Errorf("a text: %v", text)
	}
}

func TestAlternatesOverTheLimitAreAFinding(t *testing.T) {
	link := `<xhtml:link rel="alternate" hreflang="de" href="/de"/>`
	got := read([]byte("<urlset><url><loc>/</loc>"+strings.Repeat(link, 5)+"</url></urlset>"), "", feed.Options{MaxAlternates: 3})
	if got.err != nil || got.Alternates != 3 || got.OverLimit != 2 || got.found(feed.CodeAlternates) != 2 || got.Entries != 1 {
		t.Error(got)
	}
}

func TestAURLMayBeAsLongAsTheLimitAndNoLonger(t *testing.T) {
	long := func(n int) string { return "https://shop.test/" + strings.Repeat("a", n-len("https://shop.test/")) }
	const limit = feed.DefaultMaxURLBytes
	blank := strings.Repeat(" \n", limit)
	for _, c := range []struct{ name, before, after string }{
		{"sitemap", "<urlset><url><loc>" + blank, blank + "</loc></url></urlset>"},
		{"rss guid", "<rss><channel><item><guid>", "</guid></item></channel></rss>"},
		{"atom", `<feed><entry><link href="`, `"/></entry></feed>`},
		{"alternate", `<urlset><url><loc>/</loc><xhtml:link rel="alternate" href="`, `"/></url></urlset>`},
		{"text", "", "\nhttps://shop.test/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read([]byte(c.before+long(limit)+c.after), "", feed.Options{}); got.err != nil || !slices.Contains(got.urls(), long(limit)) || got.OverLimit != 0 {
				t.Errorf("at the limit: %v", got)
			}
			got := read([]byte(c.before+long(limit+1)+c.after), "", feed.Options{})
			if got.err != nil || got.OverLimit != 1 || got.found(feed.CodeURLTooLong) != 1 {
				t.Errorf("over the limit: %v", got)
			}
			for _, u := range got.urls() {
				if len(u) > len("https://shop.test/") {
					t.Errorf("handed out %d octets", len(u))
				}
			}
		})
	}
}

func TestBombsEndEarly(t *testing.T) {
	zeros := func(n int) []byte { return append([]byte("<urlset>"), bytes.Repeat([]byte(" "), n)...) }
	members := bytes.Repeat(packed(nil), 200_000)
	for _, c := range []struct {
		name string
		body []byte
		want error
	}{
		{"20 MiB of blanks", packed(zeros(20 << 20)), feed.ErrRatio},
		{"20 MiB of blanks, packed twice", packed(packed(zeros(20 << 20))), feed.ErrRatio},
		{"a million pages that are one page", packed([]byte("<urlset>" + strings.Repeat("<url><loc>/</loc></url>", 1_000_000))), feed.ErrRatio},
		{"a layer of empty members", packed(members), feed.ErrRatio},
		{"three layers", packed(packed(packed([]byte(onePage)))), feed.ErrLayers},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(c.body, "", feed.Options{}); !errors.Is(got.err, c.want) {
				t.Errorf("%d entries, %v", got.Entries, got.err)
			}
		})
	}
}

func TestAPackedSitemapOfManySimilarPagesIsNoBomb(t *testing.T) {
	got := read(packed(fullSitemap()), "application/gzip", feed.Options{})
	if got.err != nil || got.Entries != feed.DefaultMaxEntries {
		t.Errorf("%d entries, %v", got.Entries, got.err)
	}
}

func TestDamageKeepsWhatCameBefore(t *testing.T) {
	body := packed(pages(5000))
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"a cut gzip", body[:len(body)/2]},
		{"octets turned in the middle", turned(body, len(body)/2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(c.body, "", feed.Options{})
			if !errors.Is(got.err, feed.ErrGzip) || got.Entries == 0 || got.Entries >= 5000 {
				t.Errorf("%d entries, %v", got.Entries, got.err)
			}
		})
	}
	t.Run("only a magic", func(t *testing.T) {
		if got := read([]byte{0x1f, 0x8b}, "", feed.Options{}); !errors.Is(got.err, feed.ErrGzip) {
			t.Error(got.err)
		}
	})
	t.Run("after the root element it does not matter", func(t *testing.T) {
		got := read(append(packed([]byte(onePage)), "garbage"...), "", feed.Options{})
		if got.err != nil || got.Entries != 1 || got.found(feed.CodeTrailing) != 1 {
			t.Error(got)
		}
	})
}

func turned(b []byte, at int) []byte {
	b = slices.Clone(b)
	for i := range 32 {
		b[at+i] ^= 0xff
	}
	return b
}

func TestMarkupWithoutEndIsRefused(t *testing.T) {
	fill := strings.Repeat("a", 70_000)
	for name, body := range map[string]string{
		"a tag":                "<urlset><url " + fill + "><loc>/</loc></url></urlset>",
		"an attribute":         `<urlset><url a="` + fill + `"/></urlset>`,
		"an end tag":           "<urlset></" + fill + "></urlset>",
		"a declaration":        "<!DOCTYPE " + fill + "><urlset/>",
		"a subset never ended": "<!DOCTYPE urlset [" + strings.Repeat("<!ENTITY a 'b'>", 5000) + "]><urlset/>",
	} {
		t.Run(name, func(t *testing.T) {
			if got := read([]byte(body), "", feed.Options{}); !errors.Is(got.err, feed.ErrMarkup) {
				t.Error(got)
			}
		})
	}
}

func TestWhatIsPassedOverMayBeLongAndDeep(t *testing.T) {
	long := strings.Repeat("a - ] > ", 20_000)
	for name, inside := range map[string]string{
		"a comment":       "<!--" + long + "-->",
		"an instruction":  "<?x " + long + "?>",
		"text":            long,
		"a CDATA section": "<![CDATA[" + long + "<loc>/no</loc>]]>",
		"an element":      "<x>" + long + "</x>",
		"nesting":         strings.Repeat("<x>", 100_000) + strings.Repeat("</x>", 100_000),
		"mixed nesting":   strings.Repeat("<x><y>", 50_000) + strings.Repeat("</y></x>", 50_000),
		"its own name":    "<x>" + strings.Repeat("<url>", 1000) + "<loc>/no</loc>" + strings.Repeat("</url>", 1000) + "</x>",
	} {
		t.Run(name, func(t *testing.T) {
			got := read([]byte("<urlset><url>"+inside+"<loc>https://shop.test/</loc></url></urlset>"), "", feed.Options{})
			if got.err != nil || !slices.Equal(got.urls(), []string{"https://shop.test/"}) || len(got.Findings) > 0 {
				t.Error(got.err, got.urls(), got.Findings)
			}
		})
	}
}

func TestErrorsOfReaderAndCallerComeBack(t *testing.T) {
	broken := errors.New("connection lost")
	none := func(feed.Entry) error { return nil }
	for _, body := range [][]byte{pages(1000)[:9000], packed(pages(1000))[:1500], []byte("https://shop.test/\nhttps://shop."), []byte("<urlset>"), nil} {
		r := io.MultiReader(bytes.NewReader(body), iotest.ErrReader(broken))
		if _, err := feed.Read(r, "", feed.Options{}, none); !errors.Is(err, broken) || errors.Is(err, feed.ErrGzip) || errors.Is(err, feed.ErrNotFeed) || !strings.HasPrefix(err.Error(), "feed: read body: ") {
			t.Errorf("after %d octets: %v", len(body), err)
		}
	}
	for _, body := range []string{"", "<urlset>", "https://shop.test/\n"} {
		_, err := feed.Read(io.MultiReader(strings.NewReader(body), idle{}), "", feed.Options{}, none)
		if !errors.Is(err, io.ErrNoProgress) || !strings.HasPrefix(err.Error(), "feed: read body: ") {
			t.Errorf("a reader that gives nothing after %q: %v", body, err)
		}
	}
	enough := errors.New("enough")
	for _, body := range []string{onePage, "https://shop.test/", `<urlset><url><xhtml:link rel="alternate" href="/x"/>`} {
		result, err := feed.Read(strings.NewReader(body), "", feed.Options{}, func(feed.Entry) error { return enough })
		if !errors.Is(err, enough) || result.Entries+result.Alternates != 1 {
			t.Errorf("yield: %v, %v", result, err)
		}
	}
}

// idle is a reader that never gives anything.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestAnEmptyBodyIsNoFeed(t *testing.T) {
	for _, body := range [][]byte{nil, []byte(" \r\n\t"), []byte("\ufeff"), packed(nil), []byte("<"), []byte("<!"), []byte("<?xml version='1.0'?>")} {
		if got := read(body, "", feed.Options{}); !errors.Is(got.err, feed.ErrNotFeed) {
			t.Errorf("%q: %v", body, got.err)
		}
	}
}

func TestTheWindowNeverChangesWhatIsRead(t *testing.T) {
	// Whatever stands at the edge of the window of 64 KiB, or of a read.
	document := `<url><!-- c --><loc><![CDATA[https://shop.test/]]>a&amp;b</loc><x y="z"/><lastmod>2026-11-27</lastmod></url>`
	for shift := range len(document) + 8 {
		body := "<urlset>" + strings.Repeat(" ", 64<<10-len(document)+shift-8) + document + "</urlset>"
		got := read([]byte(body), "", feed.Options{})
		if got.err != nil || len(got.entries) != 1 || got.entries[0].URL != "https://shop.test/a&b" || got.entries[0].LastMod.IsZero() || len(got.Findings) > 0 {
			t.Fatalf("shifted by %d: %v", shift, got)
		}
	}
}

func TestSmallReadsGiveTheSame(t *testing.T) {
	body := languagesSitemap()[:200_000]
	want := read(body, "", feed.Options{})
	for name, r := range map[string]io.Reader{
		"one octet":      iotest.OneByteReader(bytes.NewReader(body)),
		"half":           iotest.HalfReader(bytes.NewReader(body)),
		"data with EOF":  iotest.DataErrReader(bytes.NewReader(body)),
		"packed, octets": iotest.OneByteReader(bytes.NewReader(packed(body))),
	} {
		var got reading
		got.Result, got.err = feed.Read(r, "", feed.Options{}, func(e feed.Entry) error {
			got.entries = append(got.entries, e)
			return nil
		})
		if got.String() != want.String() {
			t.Errorf("%s: %d entries, %v", name, got.Entries, got.err)
		}
	}
}

func TestSeveralMembersAreOneBody(t *testing.T) {
	body := pages(100)
	var z bytes.Buffer
	for part := range slices.Chunk(body, 1000) {
		w, err := gzip.NewWriterLevel(&z, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(z.Bytes(), "", feed.Options{}); got.err != nil || got.Entries != 100 {
		t.Error(got.Entries, got.err)
	}
}
