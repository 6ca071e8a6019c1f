package frontier

import (
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

func seedURLs(f *testing.F) {
	for _, s := range []string{
		"http://example.com/", "https://example.com:8080/a/b?c=d#e", "http://-a.example/", "http://a.0b/", "http://1.2.3.4/",
		"http://a--b.example/", "http://ab--c.example/", "http://xn--a/", "http://example.com/.%2e/x", "http://example.com/%2E",
		"http://01.2.3.4/", "http://1.2.3.4./", "http://1.2.3/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://a.1.2.3/", "http://0.0.0.0:81/?q", "http://1.2.3.4a/", "http://1.2.3.1234/",
		"http://a..b/", "http://a./", "http://example.com:080/", "http://example.com/a'b?c'd", "http://example.com/{}|^`",
		"http://example.com/a\\b", "//x/y", "../../a", "./", "?q", "a:b", "http:a", "http:/a", "mailto:a@b", "/%zz", " /a\n",
		"http://12345678901234567890a/", "http://a.-5/", "http://0x-5/", "http://[::1.2.3.4]/", "http://[1:2:3:4:5:6:7::]/", "..", ".",
	} {
		f.Add(s)
	}
}

// FuzzCanonical holds the scan for clean URLs against the parser, whatever
// either of them says.
func FuzzCanonical(f *testing.F) {
	seedURLs(f)
	f.Fuzz(func(t *testing.T, raw string) {
		if len(raw) > 4096 {
			return
		}
		url, err := Canonical(raw)
		if err != nil {
			return
		}
		checkCanonical(t, url)
		u, err := whatwg.Parse(raw)
		if err != nil {
			t.Fatalf("Canonical(%q) = %q, the parser: %v", raw, url, err)
		}
		if want := u.Href(true); want != url && u.Username()+u.Password() == "" {
			t.Fatalf("Canonical(%q) = %q, the parser says %q", raw, url, want)
		}
	})
}

// FuzzResolve holds the short ways of Resolve against the parser.
func FuzzResolve(f *testing.F) {
	seedURLs(f)
	f.Fuzz(func(t *testing.T, ref string) {
		if len(ref) > 4096 {
			return
		}
		for _, at := range []string{"http://shop.test/", "https://shop.test:8443/a//b/c.html?d=/e", "http://shop.test/a/b/"} {
			base, err := NewBase(at)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := base.resolveClean(ref)
			if !ok {
				continue
			}
			u, err := whatwg.ParseRef(at, ref)
			if err != nil {
				t.Fatalf("Resolve(%q, %q) = %q, the parser: %v", at, ref, got, err)
			}
			if want := u.Href(true); want != got {
				t.Fatalf("Resolve(%q, %q) = %q, the parser says %q", at, ref, got, want)
			}
		}
		base, err := NewBase("http://shop.test/x/y?z")
		if err != nil {
			t.Fatal(err)
		}
		if url, ok := base.Resolve(ref); ok {
			checkCanonical(t, url)
		}
	})
}
