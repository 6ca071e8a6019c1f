package feed_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"heed/crawler/feed"
)

var update = flag.Bool("update", false, "rewrite the expectations of testdata/*.txtar")

// TestGoldenDocuments reads whole documents. The comment of each archive is the Content-Type of its
// documents; after each document stands what Read makes of it.
func TestGoldenDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden documents: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil || len(archive.Files) == 0 || len(archive.Files)%2 != 0 {
			t.Fatalf("%s: %d files, %v", file, len(archive.Files), err)
		}
		contentType := strings.TrimSpace(string(archive.Comment))
		for i := 0; i < len(archive.Files); i += 2 {
			document, want := archive.Files[i], &archive.Files[i+1]
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+document.Name, func(t *testing.T) {
				if want.Name != document.Name+".want" {
					t.Fatalf("%s follows %s", want.Name, document.Name)
				}
				got := read(document.Data, contentType, feed.Options{}).String()
				if *update {
					want.Data = []byte(got)
				}
				if got != string(want.Data) {
					t.Errorf("got\n%s\nwant\n%s", got, want.Data)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// reading is all that came of a document.
type reading struct {
	feed.Result
	entries []feed.Entry
	err     error
}

func read(body []byte, contentType string, o feed.Options) reading {
	var r reading
	r.Result, r.err = feed.Read(bytes.NewReader(body), contentType, o, func(e feed.Entry) error {
		r.entries = append(r.entries, e)
		return nil
	})
	return r
}

func (r reading) urls() []string {
	var urls []string
	for _, e := range r.entries {
		urls = append(urls, e.URL)
	}
	return urls
}

// found returns how often a fault was met.
func (r reading) found(c feed.Code) int {
	for _, f := range r.Findings {
		if f.Code == c {
			return f.Count
		}
	}
	return 0
}

// String describes a reading, a line for each thing.
func (r reading) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "format %s, %d entries, %d alternates, %d over limit\n", r.Format, r.Entries, r.Alternates, r.OverLimit)
	for _, e := range r.entries {
		fmt.Fprintf(&b, "%s %q", e.Kind, e.URL)
		if e.Base != "" {
			fmt.Fprintf(&b, " base %q", e.Base)
		}
		if !e.LastMod.IsZero() {
			fmt.Fprintf(&b, " modified %s +%s", e.LastMod.Format(time.RFC3339), e.LastModSpan)
		}
		if e.ChangeFreq != feed.ChangeUnsaid {
			fmt.Fprintf(&b, " %s", e.ChangeFreq)
		}
		if e.Priority != feed.DefaultPriority {
			fmt.Fprintf(&b, " priority %g", e.Priority)
		}
		if e.Lang != "" {
			fmt.Fprintf(&b, " lang %s", e.Lang)
		}
		b.WriteByte('\n')
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "finding %s %d times, first at %d\n", f.Code, f.Count, f.Offset)
	}
	if r.err != nil {
		fmt.Fprintf(&b, "error %v\n", r.err)
	}
	return b.String()
}

// TestRealDocuments keeps Read honest on documents as they are. The corpus is not part of the repository.
func TestRealDocuments(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/real/sitemaps/*.xml")
	if len(files) == 0 {
		t.Skip("no corpus of real sitemaps beside the repository")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := read(body, "", feed.Options{Decoder: singleOctets})
		t.Logf("%s: %s, %d entries, %d alternates, %v, %v", filepath.Base(file), got.Format, got.Entries, got.Alternates, got.Findings, got.err)
		if bytes.HasPrefix(body, []byte("---")) { // a template that nobody rendered
			if !errors.Is(got.err, feed.ErrNotFeed) {
				t.Errorf("%s: %v", file, got.err)
			}
			continue
		}
		tags := map[feed.Format]string{feed.FormatSitemap: "<url>", feed.FormatIndex: "<sitemap>", feed.FormatRSS: "<item>", feed.FormatAtom: "<entry>"}
		want := bytes.Count(body, []byte(tags[got.Format]))
		if got.err != nil || got.Entries != want || want == 0 || len(got.Findings) > 0 {
			t.Errorf("%s: %d entries of %d, %v", file, got.Entries, want, got.err)
		}
		if links := bytes.Count(body, []byte("<xhtml:link ")); got.Alternates > links || links > 0 && got.Alternates == 0 {
			t.Errorf("%s: %d alternates of %d links", file, got.Alternates, links)
		}
		for _, e := range got.entries {
			if !strings.HasPrefix(e.URL, "http") {
				t.Errorf("%s: %q", file, e.URL)
			}
		}
	}
}
