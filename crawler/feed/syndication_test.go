package feed_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heed/crawler/feed"
)

func TestXMLBase(t *testing.T) {
	const broken = "broken"
	for _, c := range []struct{ name, outer, inner, want string }{
		{"none", "", "", ""},
		{"only its name in a value", `"title="xml:base`, "", ""},
		{"on the feed", "https://shop.test/blog/", "", "https://shop.test/blog/"},
		{"on the entry", "", "posts/", "posts/"},
		{"a path below an absolute one", "https://shop.test/blog/", "posts/", "https://shop.test/blog/posts/"},
		{"a path below a path", "/blog/", "posts/", "/blog/posts/"},
		{"a rooted path below a relative one", "blog/", "/posts/", "/posts/"},
		{"an absolute one below another", "https://shop.test/", "https://cdn.test/", "https://cdn.test/"},
		{"references in it", "https://shop.test/?a&amp;b", "", "https://shop.test/?a&b"},
		{"two relative paths", "blog/", "posts/", broken},
		{"no reference", "http://[", "", broken},
		{"a fault above stays one", "http://[", "https://shop.test/", broken},
		{"a backslash", `\\shop.test\`, "", broken},
		{"too long", "https://shop.test/" + strings.Repeat("a", feed.DefaultMaxURLBytes), "", broken},
		{"too long together", "https://shop.test/" + strings.Repeat("a", 1500) + "/", strings.Repeat("b", 1500), broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			attribute := func(v string) string {
				if v == "" {
					return ""
				}
				return ` xml:base="` + v + `"`
			}
			got := read(fmt.Appendf(nil, `<feed%s><entry%s><link href="x"/><link hreflang="de" href="y"/></entry></feed>`, attribute(c.outer), attribute(c.inner)), "", feed.Options{})
			if c.want == broken {
				if len(got.entries) > 0 || got.found(feed.CodeBase) != 1 {
					t.Error(got)
				}
				return
			}
			if len(got.entries) != 2 || got.entries[0].Base != c.want || got.entries[1].Base != c.want || len(got.Findings) > 0 {
				t.Error(got)
			}
		})
	}
}

func TestAttributesAsTheyAreWritten(t *testing.T) {
	for name, link := range map[string]string{
		"in order":          `<link rel="alternate" href="/x?a=1&amp;b"/>`,
		"single quotes":     `<link href='/x?a=1&amp;b' rel='alternate'/>`,
		"blanks":            "<link\n href\t=\r\n \"/x?a=1&amp;b\" />",
		"no blanks":         `<link rel="alternate"href="/x?a=1&amp;b"/>`,
		"no quotes":         `<link rel=alternate href=/x?a=1&amp;b />`,
		"no value":          `<link nofollow href="/x?a=1&amp;b" crossorigin/>`,
		"an empty value":    `<link title= "" href="/x?a=1&amp;b"/>`,
		"a lone equals":     `<link = href="/x?a=1&amp;b" =/>`,
		"a > in a value":    `<link title="a > b" href="/x?a=1&amp;b"/>`,
		"several relations": `<link rel="home ALTERNATE" href="/x?a=1&amp;b"/>`,
		"with an end tag":   `<link href="/x?a=1&amp;b"> </link>`,
		"blanks in it":      `<link href=" /x?a=1&amp;b "/>`,
	} {
		t.Run(name, func(t *testing.T) {
			got := read([]byte("<feed><entry>"+link+"</entry></feed>"), "", feed.Options{})
			if got.err != nil || !slices.Equal(got.urls(), []string{"/x?a=1&b"}) || len(got.Findings) > 0 {
				t.Error(got)
			}
		})
	}
	for name, link := range map[string]string{
		"no href":            `<link rel="alternate"/>`,
		"an empty href":      `<link rel="alternate" href=""/>`,
		"an href cut off":    `<link rel="alternate" href="/x<link/>`,
		"cut off, unquoted":  `<link href=/half-of-x<link/>`,
		"nothing behind it":  `<link rel="alternate" href=/>`,
		"another relation":   `<link rel="self" href="/x"/>`,
		"an empty relation":  `<link rel="" href="/x"/>`,
		"a relation in part": `<link rel="alternates" href="/x"/>`,
	} {
		t.Run(name, func(t *testing.T) {
			got := read([]byte("<feed><entry>"+link+"</entry></feed>"), "", feed.Options{})
			if got.err != nil || len(got.entries) > 0 || got.found(feed.CodeNoURL) == 0 {
				t.Error(got)
			}
		})
	}
}

func TestPrefixesNobodyDeclaredMeanWhatIsCustomary(t *testing.T) {
	got := read([]byte(`<rdf:RDF><item><link>/1</link><dc:date>2026-11-27</dc:date><a_name_longer_than_any_known/></item>
<item><atom:link href="/2"/><dcterms:modified>2026-11-27</dcterms:modified><dc:issued>2025-11-27</dc:issued></item></rdf:RDF>`), "", feed.Options{})
	if !slices.Equal(got.urls(), []string{"/1", "/2"}) || got.entries[0].LastMod.IsZero() || got.entries[1].LastMod.Year() != 2026 || len(got.Findings) > 0 {
		t.Error(got)
	}
	news := read([]byte(`<urlset><url><loc>/1</loc><news:news><news:publication_date>2026-11-27</news:publication_date></news:news></url></urlset>`), "", feed.Options{})
	if len(news.entries) != 1 || news.entries[0].Kind != feed.KindNews || news.entries[0].LastMod.IsZero() {
		t.Error(news)
	}
}

func TestThePlaceOfADateDecidesNotItsOrder(t *testing.T) {
	for _, fields := range []string{
		"<updated>2026-11-27</updated><published>2025-11-27</published>",
		"<published>2025-11-27</published><updated>2026-11-27</updated>",
		"<updated>soon</updated><published>2025-11-27</published><updated>2026-11-27</updated>",
	} {
		got := read([]byte(`<feed><entry><link href="/"/>`+fields+`</entry></feed>`), "", feed.Options{})
		if len(got.entries) != 1 || got.entries[0].LastMod.Year() != 2026 {
			t.Errorf("%s: %v", fields, got)
		}
	}
}

func TestDeclarationsBeyondTheBoundAreOfNoVocabulary(t *testing.T) {
	var many strings.Builder
	for i := range 64 {
		fmt.Fprintf(&many, ` xmlns:n%d="urn:%d"`, i, i)
	}
	got := read([]byte(`<urlset`+many.String()+` xmlns:y="http://www.sitemaps.org/schemas/sitemap/0.9"><y:url><y:loc>/1</y:loc></y:url><url><loc>/2</loc></url></urlset>`), "", feed.Options{})
	if got.err != nil || !slices.Equal(got.urls(), []string{"/2"}) {
		t.Error(got)
	}
	long := read([]byte(`<urlset xmlns="urn:`+strings.Repeat("a", 300)+`"><url><loc>/1</loc></url></urlset>`), "", feed.Options{})
	if long.err != nil || long.found(feed.CodeNamespace) != 1 {
		t.Error(long)
	}
}

func TestAnErrorOfTheCallerEndsReadingWhereverAnEntryEnds(t *testing.T) {
	enough := errors.New("enough")
	for name, body := range map[string]string{
		"at its end tag":              "<urlset><url><loc>/1</loc></url>",
		"at the end of what holds it": "<urlset><url><loc>/1</loc></urlset>",
		"at the next":                 "<urlset><url><loc>/1</loc><url>",
		"at the end of the document":  "<urlset><url><loc>/1</loc>",
	} {
		_, err := feed.Read(strings.NewReader(body), "", feed.Options{}, func(feed.Entry) error { return enough })
		if !errors.Is(err, enough) || !strings.Contains(err.Error(), `"/1"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamesAreStable(t *testing.T) {
	for got, want := range map[string]string{
		feed.KindIndexChild.String(): "index-child", feed.KindAlternate.String(): "alternate", feed.Kind(99).String(): "kind(99)",
		feed.ChangeNever.String(): "never", feed.ChangeUnsaid.String(): "", feed.FormatRDF.String(): "rdf", feed.Format(99).String(): "format(99)",
		feed.CodeURLTooLong.String(): "url-too-long", feed.Code(99).String(): "code(99)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	seen := make(map[string]bool)
	for c := feed.CodeTruncated; c <= feed.CodeLine; c++ {
		if name := c.String(); name == "" || seen[name] {
			t.Errorf("code %d has the name %q", c, name)
		} else {
			seen[name] = true
		}
	}
}
