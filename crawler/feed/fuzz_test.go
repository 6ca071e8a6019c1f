package feed_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"heed/crawler/feed"
)

// FuzzRead checks the bounds of everything handed out, and that the way octets arrive does not matter.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, document := range archive.Files {
			f.Add(document.Data, strings.TrimSpace(string(archive.Comment)))
		}
	}
	plain, err := os.ReadFile("testdata/case-21/c.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed(packed(plain)), "application/gzip")
	f.Add(inUTF16("\ufeff"+onePage, true), "text/xml; charset=iso-8859-1")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		o := feed.Options{MaxEntries: 20, MaxAlternates: 10, MaxURLBytes: 100, MaxBytes: 1 << 20, Decoder: singleOctets}
		got := read(body, contentType, o)
		if got.Entries > o.MaxEntries || got.Alternates > o.MaxAlternates || got.Entries+got.Alternates != len(got.entries) {
			t.Errorf("a bound does not hold: %v", got.Result)
		}
		for _, e := range got.entries {
			if e.URL == "" || len(e.URL) > o.MaxURLBytes || len(e.Base) > o.MaxURLBytes || !utf8.ValidString(e.URL) ||
				strings.Trim(e.URL, " \t\r\n") != e.URL || e.Kind == feed.KindUnknown || e.Priority < 0 || e.Priority > 1 || e.LastModSpan < 0 {
				t.Errorf("%+v", e)
			}
			if e.LastMod.IsZero() != (e.LastModSpan == 0) || e.LastMod.Year() < 0 || e.LastMod.Year() > 10_000 {
				t.Errorf("%+v", e)
			}
		}
		if len(got.entries) > 0 && got.Format == feed.FormatUnknown {
			t.Error("entries of no format")
		}
		var slow reading
		slow.Result, slow.err = feed.Read(iotest.OneByteReader(bytes.NewReader(body)), contentType, o, func(e feed.Entry) error {
			slow.entries = append(slow.entries, e)
			return nil
		})
		if slow.String() != got.String() {
			t.Errorf("at once\n%v\nin octets\n%v", got, slow)
		}
	})
}

// authority finds what browsers take for user, host and port.
var authority = regexp.MustCompile(`^[\x00-\x20]*(?i:https?:[/\\]*|[/\\]{2,})([^/\\?#]*)`)

// FuzzForeign checks that no spelling of another host passes for a list's own.
func FuzzForeign(f *testing.F) {
	for _, entry := range []string{"https://a.test/x", "//b.test", `/\b.test`, "https:/b.test", "http://a.test:80@b.test", "/x", "?y", "https://a%2etest/", "0//", " //b.test", "\t/\t/b.test"} {
		f.Add(entry)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		if feed.Foreign("https://a.test/s.xml", entry) {
			return
		}
		// Not foreign: a reference without scheme and authority, or with the authority of the list. The
		// expression is a parser of browsers in small: blanks and control characters around it do not count.
		parts := authority.FindStringSubmatch(entry)
		if parts == nil {
			return
		}
		host := parts[1][strings.LastIndexByte(parts[1], '@')+1:]
		host = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(host), ":"), ":443")
		if parts[0] == "" || strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ".") != "a.test" {
			t.Errorf("%q", entry)
		}
	})
}
