package frontier

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCanonical(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"a clean URL stays", "https://example.com/a/b.html?x=1&y=2", "https://example.com/a/b.html?x=1&y=2"},
		{"the fragment goes", "https://example.com/a#b", "https://example.com/a"},
		{"an empty fragment goes", "https://example.com/a#", "https://example.com/a"},
		{"an empty query stays", "https://example.com/a?", "https://example.com/a?"},
		{"scheme and host are lower-case, the path is not", "HTTP://EXAMPLE.com/A", "http://example.com/A"},
		{"a missing path becomes a slash", "http://example.com", "http://example.com/"},
		{"a missing path before a query becomes a slash", "http://example.com?x", "http://example.com/?x"},
		{"the default port of http goes", "http://example.com:80/", "http://example.com/"},
		{"the default port of https goes", "https://example.com:443/", "https://example.com/"},
		{"another port stays", "http://example.com:443/", "http://example.com:443/"},
		{"an empty port goes", "http://example.com:/", "http://example.com/"},
		{"zeros before a port go", "http://example.com:0080/", "http://example.com/"},
		{"dot segments are resolved", "http://example.com/a/./b/../c", "http://example.com/a/c"},
		{"escaped dot segments are resolved", "http://example.com/a/%2e/b/%2E./c", "http://example.com/a/c"},
		{"dots in names stay", "http://example.com/.well-known/...", "http://example.com/.well-known/..."},
		{"empty segments stay", "http://example.com//a///b/", "http://example.com//a///b/"},
		{"backslashes are slashes in the path", `http://example.com\a\b?c\d`, `http://example.com/a/b?c\d`},
		{"missing slashes are supplied", "https:example.com/a", "https://example.com/a"},
		{"a blank inside is escaped", "http://example.com/a b?c d", "http://example.com/a%20b?c%20d"},
		{"UTF-8 is escaped", "http://example.com/ü?ü", "http://example.com/%C3%BC?%C3%BC"},
		{"unreserved escapes are not decoded", "http://example.com/%7Ea/%41", "http://example.com/%7Ea/%41"},
		{"escapes keep their case", "http://example.com/%c3%BC", "http://example.com/%c3%BC"},
		{"an apostrophe in the query is escaped", "http://example.com/a'b?c'd", "http://example.com/a'b?c%27d"},
		{"an international name becomes A-labels", "http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"A-labels stay", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
		{"a full-width dot is a dot", "http://example。com/", "http://example.com/"},
		{"a plain address stays", "http://192.168.0.1:8080/a", "http://192.168.0.1:8080/a"},
		{"an address of fewer numbers is filled up", "http://127.1/", "http://127.0.0.1/"},
		{"an octal number in an address is written in decimal", "http://010.0.0.1/", "http://8.0.0.1/"},
		{"a hexadecimal address is an address", "http://0x7f.1/", "http://127.0.0.1/"},
		{"a decimal address is an address", "http://2130706433/", "http://127.0.0.1/"},
		{"a full-width address is an address", "http://０Ｘｃ０．０２５０．０１", "http://192.168.0.1/"},
		{"an IPv6 address is shortened", "http://[0:0::0:1]:8080/", "http://[::1]:8080/"},
		{"an at sign in the path is no user", "http://example.com/@a b@c?@", "http://example.com/@a%20b@c?@"},
		{"a name with an underscore is a name", "http://a_b.example.com/", "http://a_b.example.com/"},
		{"a label that begins with a hyphen is a name", "http://-a.example.com/", "http://-a.example.com/"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Canonical(tc.raw)
			if err != nil || got != tc.want {
				t.Fatalf("Canonical(%q) = %q, %v; want %q", tc.raw, got, err, tc.want)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	long := "http://example.com/" + strings.Repeat("a", MaxURLBytes)
	for _, tc := range []struct {
		name, raw string
		want      error
	}{
		{"nothing", "", ErrURL},
		{"a relative reference", "/a/b", ErrURL},
		{"a bare domain", "example.com", ErrURL},
		{"an empty host", "http://", ErrURL},
		{"a blank in the host", "http://a b/", ErrURL},
		{"a lone percent sign in the host", "http://a%zz/", ErrURL},
		{"a port out of range", "http://example.com:65536/", ErrURL},
		{"an address out of range", "http://1.2.3.256/", ErrURL},
		{"an unclosed IPv6 address", "http://[::1/", ErrURL},
		{"a zone in an IPv6 address", "http://[fe80::1%25eth0]/", ErrURL},
		{"a quotation mark in the host", "http://a\"b/", ErrURL},
		{"an exclamation mark in the host", "http://a!b/", ErrURL},
		{"a sign in an address", "http://1.2.3.-5/", ErrURL},
		{"a sign in a hexadecimal address", "http://0x-5/", ErrURL},
		{"an escaped sign in an address", "http://0x%2D5/", ErrURL},
		{"a full-width sign in an address", "http://a.0－5/", ErrURL},
		{"a plus sign for an address", "http://+5/", ErrURL},
		{"ftp", "ftp://example.com/", ErrScheme},
		{"mailto", "mailto:a@example.com", ErrScheme},
		{"script with a tab in its scheme", " java\tscript:alert(1)", ErrScheme},
		{"data", "data:text/html,<p>", ErrScheme},
		{"a user", "http://user@example.com/", ErrUserinfo},
		{"a user and a password", "https://user:secret@example.com/", ErrUserinfo},
		{"an empty user", "http://@example.com/", ErrUserinfo},
		{"a user without slashes", "http:user@example.com", ErrUserinfo},
		{"a user behind backslashes and tabs", "http:\\\t\\user@example.com", ErrUserinfo},
		{"a text that is slow to parse", "http://" + strings.Repeat("@", maxRawBytes-8) + "a", ErrUserinfo},
		{"a password alone", "https://:secret@example.com/", ErrUserinfo},
		{"a clean URL over the limit", long, ErrTooLong},
		{"a URL over the limit once escaped", "http://example.com/" + strings.Repeat("ü", 700), ErrTooLong},
		{"a text too long to be parsed", "http://example.com/ " + strings.Repeat("a", maxRawBytes), ErrTooLong},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Canonical(tc.raw)
			if !errors.Is(err, tc.want) {
				t.Fatalf("Canonical(%.60q) = %.60q, %v; want %v", tc.raw, got, err, tc.want)
			}
			if len(err.Error()) > 1024 {
				t.Errorf("error of %d octets", len(err.Error()))
			}
		})
	}
}

func TestCanonicalKeepsTheLongestURL(t *testing.T) {
	longest := "http://example.com/" + strings.Repeat("a", MaxURLBytes-len("http://example.com/"))
	if got, err := Canonical(longest + "#" + strings.Repeat("f", 1<<20)); err != nil || got != longest {
		t.Fatalf("got %d octets, %v", len(got), err)
	}
}

// TestReportedFaults holds links from reported faults against the request target,
// which is the URL without its origin; names are those of the faults.
func TestReportedFaults(t *testing.T) {
	for _, tc := range []struct{ name, ref, want string }{
		{"11-percent-25-and-23-stay", "/cmp/dia%25", "/cmp/dia%25"},
		{"11-percent-25-and-23-stay", "/cmp/dia%2525", "/cmp/dia%2525"},
		{"11-percent-25-and-23-stay", "/a%20%2376?x=1", "/a%20%2376?x=1"},
		{"11-percent-25-and-23-stay", "/music/AC%252FDC/", "/music/AC%252FDC/"},
		{"13-blanks-tabs-newlines-in-href", "/intl\n/drive/", "/intl/drive/"},
		{"13-blanks-tabs-newlines-in-href", "\n\t    /feeds/atom.xml  \n", "/feeds/atom.xml"},
		{"13-blanks-tabs-newlines-in-href", "\f/ff", "/ff"},
		{"13-blanks-tabs-newlines-in-href", "/in side", "/in%20side"},
		{"15-broken-percent-escape", "/p/100%zz", "/p/100%zz"},
		{"15-broken-percent-escape", "/find?s=ni%u011fde", "/find?s=ni%u011fde"},
		{"15-broken-percent-escape", "/t/<%= id %>", "/t/%3C%=%20id%20%%3E"},
		{"15-broken-percent-escape", "/p/100%", "/p/100%"},
		{"19-query-octets-untouched", "forum.php?/topic/57-x/", "/forum.php?/topic/57-x/"},
		{"19-query-octets-untouched", "list.php?a", "/list.php?a"},
		{"19-query-octets-untouched", "list.php?b=2&a=1&b=1&", "/list.php?b=2&a=1&b=1&"},
		{"19-query-octets-untouched", "list.php?a=1&b=2&b=1&", "/list.php?a=1&b=2&b=1&"},
		{"19-query-octets-untouched", "/doc", "/doc"},
		{"19-query-octets-untouched", "/page?&utm=x", "/page?&utm=x"},
		{"octets that net/url would escape", "/a|b^c[d]", "/a|b^c[d]"},
		{"an empty query is sent", "/a?", "/a?"},
		{"two slashes and plain octets", "http://shop.test//a/b", "//a/b"},
		{"two slashes and a broken escape", "http://shop.test//a%zz?b", "//a%zz?b"},
	} {
		t.Run(tc.name+" "+tc.ref, func(t *testing.T) {
			base, err := NewBase("http://shop.test/")
			if err != nil {
				t.Fatal(err)
			}
			url, ok := base.Resolve(tc.ref)
			if !ok {
				t.Fatalf("%q was lost", tc.ref)
			}
			if got := strings.TrimPrefix(url, Origin(url)); got != tc.want {
				t.Errorf("request target %q, want %q", got, tc.want)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	base, err := NewBase("https://shop.test/a/b?c")
	if err != nil {
		t.Fatal(err)
	}
	for name, ref := range map[string]string{
		"another scheme":           "mailto:a@b.test",
		"a user on another host":   "//user@other.test/",
		"a user behind whitespace": " /\t\\\nuser@other.test/",
		"an empty host":            "http://",
		"a host with a blank":      "//a b/",
		"a path too long":          "/" + strings.Repeat("a", MaxURLBytes),
		"a name too long":          strings.Repeat("a", MaxURLBytes),
		"a query too long":         "?" + strings.Repeat("a", MaxURLBytes),
		"too long to be parsed":    "/ " + strings.Repeat("a", maxRawBytes),
	} {
		t.Run(name, func(t *testing.T) {
			if url, ok := base.Resolve(ref); ok {
				t.Errorf("Resolve(%.60q) = %.60q", ref, url)
			}
		})
	}
	if base, err := NewBase("about:blank"); base != nil || !errors.Is(err, ErrScheme) {
		t.Errorf("NewBase = %v, %v", base, err)
	}
}

func TestResolve(t *testing.T) {
	for _, tc := range []struct{ name, base, ref, want string }{
		{"nothing is the document", "http://shop.test/a/b?c", "", "http://shop.test/a/b?c"},
		{"a fragment is the document", "http://shop.test/a/b?c", "#d", "http://shop.test/a/b?c"},
		{"a query replaces the query", "http://shop.test/a/b?c", "?d#e", "http://shop.test/a/b?d"},
		{"a name replaces the last segment", "http://shop.test/a/b?c/d", "e", "http://shop.test/a/e"},
		{"a directory up", "http://shop.test/a/b/c", "../d", "http://shop.test/a/d"},
		{"two directories up", "http://shop.test/a/b/c", "../../d?e", "http://shop.test/d?e"},
		{"above the root", "http://shop.test/a", "../../../d", "http://shop.test/d"},
		{"up through an empty segment", "http://shop.test/a//b", "../d", "http://shop.test/a/d"},
		{"here", "http://shop.test/a/b", "./", "http://shop.test/a/"},
		{"here without a slash", "http://shop.test/a/b", ".", "http://shop.test/a/"},
		{"up without a slash", "http://shop.test/a/b/c", "..", "http://shop.test/a/"},
		{"a dot segment further on", "http://shop.test/a/b", "c/../d", "http://shop.test/a/d"},
		{"another host", "https://shop.test/a", "//other.test/b", "https://other.test/b"},
		{"the scheme alone is relative", "http://shop.test/a/b", "http:c", "http://shop.test/a/c"},
		{"a colon behind a slash is no scheme", "http://shop.test/a/b", "./c:d", "http://shop.test/a/c:d"},
		{"a colon in the query is no scheme", "http://shop.test/a/b", "c?d:e", "http://shop.test/a/c?d:e"},
		{"an at sign in a path is no user", "http://shop.test/a/b", "/@c d", "http://shop.test/@c%20d"},
		{"a blank between slashes opens no host", "http://shop.test/a/b", " / \\c@d/", "http://shop.test/%20/c@d/"},
		{"an absolute URL", "http://shop.test/a/b", "https://other.test/", "https://other.test/"},
		{"a base that is not canonical", "HTTP://Shop.test/a/../b/c", "d", "http://shop.test/b/d"},
		{"the port goes along", "http://shop.test:8080/a", "/b", "http://shop.test:8080/b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base, err := NewBase(tc.base)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := base.Resolve(tc.ref); !ok || got != tc.want {
				t.Errorf("Resolve(%q) = %q, %t; want %q", tc.ref, got, ok, tc.want)
			}
		})
	}
}

// urlText draws texts that look like URLs and break in every place.
func urlText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"http://", "https://", "HTTP:", "//", "/", "\\", "?", "#", ":", "@", ".", "..", "%2e", "%", "%zz", "%41",
		"a", "B", "xn--bcher-kva", "example", ".com", "-", "+", "0", "0x7f", "127", "80", "443", "[::1]", "ü", "。",
		" ", "\t", "\n", "'", "\"", "|", "^", "{", "<", "`", "&", "=", ";", "~", "\x00", "\x7f", "\xff", "_",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "http://", "https://a.example/", "http://shop.test/x/"}).Draw(t, "start") +
			strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

func TestEveryCanonicalURLIsItsOwnKeyAndRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		url, err := Canonical(urlText().Draw(t, "raw"))
		if err != nil {
			return
		}
		checkCanonical(t, url)
	})
}

// checkCanonical states what holds for every canonical URL.
func checkCanonical(t interface{ Fatalf(string, ...any) }, url string) {
	if again, err := Canonical(url); err != nil || again != url {
		t.Fatalf("Canonical(%q) = %q, %v: not idempotent", url, again, err)
	}
	if len(url) > MaxURLBytes {
		t.Fatalf("%d octets", len(url))
	}
	for i := 0; i < len(url); i++ {
		if url[i] <= ' ' || url[i] >= 0x7f {
			t.Fatalf("octet %#x in %q", url[i], url)
		}
	}
	if HostKey(url) == "" && !strings.HasPrefix(Authority(url), ".") {
		t.Fatalf("no host in %q", url)
	}
}
