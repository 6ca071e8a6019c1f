package feed_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"heed/crawler/feed"
)

// octets reads a file of hexadecimal digits.
func octets(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCase21SitemapGzFourWays(t *testing.T) {
	uncoded := func(body []byte) []byte {
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return plain
	}
	plain, err := os.ReadFile("testdata/case-21/c.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, contentType string
		body              []byte // content coding off, as the fetch stage gives it
		page              string
	}{
		{"a: a gzip file", "application/gzip", octets(t, "testdata/case-21/a.hex"), "http://shop.test/from-a"},
		{"b: gzip as content coding only", "application/xml", uncoded(octets(t, "testdata/case-21/b.hex")), "http://shop.test/from-b"},
		{"c: plain XML under the type of gzip", "application/x-gzip", plain, "http://shop.test/from-c"},
		{"d: a gzip file inside gzip coding", "application/x-gzip", uncoded(octets(t, "testdata/case-21/d.hex")), "http://shop.test/from-d"},
		{"d with the coding left on", "application/x-gzip", octets(t, "testdata/case-21/d.hex"), "http://shop.test/from-d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(c.body, c.contentType, feed.Options{})
			if got.err != nil || !slices.Equal(got.urls(), []string{c.page}) {
				t.Errorf("got %v", got)
			}
		})
	}
	t.Run("e: a page that says no such file is no damaged gzip", func(t *testing.T) {
		got := read([]byte("<html>no such file"), "application/gzip", feed.Options{})
		if !errors.Is(got.err, feed.ErrNotFeed) || errors.Is(got.err, feed.ErrGzip) {
			t.Error(got.err)
		}
	})
}

func TestCase25RobotsIsNoSitemapWhateverItsType(t *testing.T) {
	const robots = "User-agent: *\nDisallow:\nSitemap: http://shop.test/robots.txt\nSitemap: http://shop.test/index.xml\n"
	for _, contentType := range []string{"", "text/plain", "text/plain; charset=utf-8", "application/xml", "application/octet-stream"} {
		got := read([]byte(robots), contentType, feed.Options{})
		if !errors.Is(got.err, feed.ErrNotFeed) || len(got.entries) > 0 {
			t.Errorf("%q: %v", contentType, got)
		}
	}
}

func TestCase27ForeignHosts(t *testing.T) {
	const list = "http://a.test/sitemap.xml"
	for entry, want := range map[string]bool{"http://a.test/own": false, "http://b.test/x": true, "http://c.test/y": true} {
		if got := feed.Foreign(list, entry); got != want {
			t.Errorf("Foreign(%q, %q) = %v", list, entry, got)
		}
	}
}
