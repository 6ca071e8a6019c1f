package extract_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"heed/crawler/extract"
)

// wellFormed checks what holds for every URL handed out.
func wellFormed(t *testing.T, list []string) {
	t.Helper()
	for _, u := range list {
		if !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") || strings.Contains(u, "#") || len(u) > extract.DefaultMaxURLBytes {
			t.Errorf("URL %q", u)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`<base href=/b/><a href=x rel=nofollow><img srcset="a 1x,b"><link rel="llm-context" href=l>`,
		"\xEF\xBB\xBF<title>t</title><meta http-equiv=refresh content='0;url=/x'>", "\xFF\xFE<\x00a\x00",
		"<meta charset=gbk><a href=\"?\xBA\xE9\">", "\xEF\xF0\xE8\xE2\xE5\xF2 <a href=/\xE9>",
		"<svg><style/><![CDATA[<a href=x>]]><foreignObject><template><a href=y></template>", "<noscript><a href=z>", "<?xml encoding='x'?>",
	} {
		f.Add([]byte(seed), "text/html")
		f.Add([]byte(seed), "application/xhtml+xml; charset=iso-2022-jp")
		f.Add([]byte(seed), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		before := string(body)
		page, err := extract.Parse(body, contentType, "https://shop.test/dir/", webResolver{}, extract.Options{MaxLinks: 50, ContextRelation: relation})
		if err != nil {
			t.Fatalf("Parse: %v", err)
		}
		if string(body) != before {
			t.Error("the body was changed")
		}
		for _, list := range [][]string{urls(page.Links), urls(page.Requisites), page.ContextLinks, page.DescribedBy} {
			wellFormed(t, list)
			seen := map[string]bool{}
			for _, u := range list {
				if seen[u] {
					t.Errorf("%q twice", u)
				}
				seen[u] = true
			}
		}
		if len(page.Links) > 50 || len(page.Requisites) > 50 || len(page.Unresolved) > 20 || !utf8.ValidString(page.Title) {
			t.Errorf("a bound does not hold: %+v", page)
		}
	})
}

func FuzzLinkHeader(f *testing.F) {
	for _, seed := range []string{`</x,y>; title="a, b"; rel=next, </l>; rel="a b"`, `<a>;title*=UTF-8''%e2%82%ac`, `junk, <`, `</a>;;rel`, `</a>; x="\"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		links := extract.LinkHeader([]string{field, field})
		if len(links) > 100 || len(links) > 2*strings.Count(field, "<") {
			t.Errorf("%d links", len(links))
		}
		for _, link := range links {
			if !strings.Contains(field, link.Target) {
				t.Errorf("target %q is not in the field", link.Target)
			}
		}
		wellFormed(t, extract.Related(links, relation, "https://shop.test/", webResolver{}))
	})
}

func FuzzMarkdownLinks(f *testing.F) {
	for _, seed := range []string{"[a](/a \"t\") `[b](/b)` <https://x.test/> https://y.test.", "[b][r]\n\n[r]: /b", "```\n[x](y)\n```", "<!-- [a](b) -->", "> - [![i](j)](k)", "\\[a](b)\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		links, rest := extract.MarkdownLinks(text, "https://shop.test/dir/", webResolver{})
		wellFormed(t, links)
		if len(links) > 1000 || rest > 0 && len(links) < 1000 {
			t.Errorf("%d links, rest %d", len(links), rest)
		}
	})
}
