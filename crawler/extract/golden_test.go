package extract_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"heed/crawler/extract"
)

var update = flag.Bool("update", false, "rewrite the expectations of testdata/*.txtar")

// TestGoldenPages reads whole documents. The comment of each archive holds the document's URL and Content-Type
// on one line; "page" is the body, "want" what Parse makes of it.
func TestGoldenPages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden pages: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("%d files, %v", len(archive.Files), err)
			}
			url, contentType, _ := strings.Cut(strings.TrimSpace(string(archive.Comment)), " ")
			got := describe(parse(t, string(archive.Files[0].Data), contentType, url))
			if *update {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func describe(p *extract.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q\nlanguage %s\ncharset %s\nbase %s\ncanonical %s\n", p.Title, p.Language, p.Charset, p.Base, p.Canonical)
	if p.Refresh != nil {
		fmt.Fprintf(&b, "refresh %v %s\n", p.Refresh.Delay, p.Refresh.URL)
	}
	for _, m := range p.Metas {
		fmt.Fprintf(&b, "meta %s = %q\n", m.Name, m.Content)
	}
	for _, u := range p.ContextLinks {
		fmt.Fprintf(&b, "context %s\n", u)
	}
	for _, u := range p.DescribedBy {
		fmt.Fprintf(&b, "describedby %s\n", u)
	}
	for _, l := range p.Links {
		fmt.Fprintf(&b, "link %s %s%s\n", l.Kind, l.URL, map[bool]string{true: " nofollow"}[l.NoFollow])
	}
	for _, l := range p.Requisites {
		fmt.Fprintf(&b, "requisite %s %s\n", l.Kind, l.URL)
	}
	for _, raw := range p.Unresolved {
		fmt.Fprintf(&b, "unresolved %q\n", raw)
	}
	for _, finding := range p.Findings {
		fmt.Fprintf(&b, "finding %s\n", finding)
	}
	return b.String()
}

// TestRealPages keeps Parse honest on pages as they are. The corpus is not part of the repository.
func TestRealPages(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/real/html/*.html")
	if len(files) == 0 {
		t.Skip("no corpus of real pages beside the repository")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page := parse(t, string(body), "text/html", "https://shop.test/dir/")
		anchors := strings.Count(strings.ToLower(string(body)), "<a ")
		if anchors > 10 && len(page.Links) == 0 {
			t.Errorf("%s: no links, but %d anchors", file, anchors)
		}
		wellFormed(t, urls(page.Links))
		t.Logf("%s: %q %s, %d anchors, %d links, %d requisites, %d unresolved, %v", filepath.Base(file), page.Title, page.Charset, anchors, len(page.Links), len(page.Requisites), page.UnresolvedCount, page.Findings)
	}
}

// TestRealContextFiles keeps MarkdownLinks honest on files as they are. They lie beside the project, not in it.
func TestRealContextFiles(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/real/llms/*")
	if len(files) == 0 {
		t.Skip("no corpus of real context files beside the repository")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		links, rest := extract.MarkdownLinks(body, "https://shop.test/llms.txt", webResolver{})
		if inline := strings.Count(string(body), "](http"); inline > 10 && len(links) == 0 {
			t.Errorf("%s: no links, but %d are written", file, inline)
		}
		if len(links) > 1000 || len(links) < 1000 && rest > 0 {
			t.Errorf("%s: %d links and %d more", file, len(links), rest)
		}
		wellFormed(t, links)
	}
}
