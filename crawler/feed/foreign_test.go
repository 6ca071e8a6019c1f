package feed_test

import (
	"testing"

	"heed/crawler/feed"
)

func TestForeign(t *testing.T) {
	for _, c := range []struct {
		name, list, entry string
		want              bool
	}{
		{"the same host", "https://a.test/s.xml", "https://a.test/x", false},
		{"another directory", "https://a.test/deep/s.xml", "https://a.test/x", false},
		{"case of the host", "https://A.test/s.xml", "https://a.TEST/x", false},
		{"a dot behind the host", "https://a.test./s.xml", "https://a.test/x", false},
		{"https pages in an http sitemap", "http://a.test/s.xml", "https://a.test/x", false},
		{"the default port spelt out", "https://a.test/s.xml", "https://a.test:443/x", false},
		{"another port", "https://a.test/s.xml", "https://a.test:8443/x", true},
		{"the default port of the other scheme", "https://a.test/s.xml", "https://a.test:80/x", true},
		{"the same port", "http://127.0.0.1:8080/s.xml", "http://127.0.0.1:8080/x", false},
		{"a path", "https://a.test/s.xml", "/x?y=//b.test/", false},
		{"a network path to itself", "https://a.test/s.xml", "//a.test/x", false},
		{"a network path elsewhere", "https://a.test/s.xml", "//b.test/x", true},
		{"no host in a network path", "https://a.test/s.xml", "///b.test/x", true},
		{"a subdomain", "https://a.test/s.xml", "https://www.a.test/x", true},
		{"the parent domain", "https://www.a.test/s.xml", "https://a.test/x", true},
		{"a name that ends alike", "https://a.test/s.xml", "https://ba.test/x", true},
		{"a name before the at sign", "https://a.test/s.xml", "https://a.test@b.test/x", true},
		{"backslashes", "https://a.test/s.xml", `/\b.test/x`, true},
		{"a backslash in the host", "https://a.test/s.xml", `https://b.test\@a.test/x`, true},
		{"one slash", "https://a.test/s.xml", "https:/b.test/x", true},
		{"no slash", "http://a.test/s.xml", "https:b.test/x", true},
		{"a tab", "https://a.test/s.xml", "/\t/b.test/x", true},
		{"a blank before it", "https://a.test/s.xml", " //b.test/x", true},
		{"another scheme", "https://a.test/s.xml", "ftp://a.test/x", true},
		{"a scheme without host", "https://a.test/s.xml", "mailto:x@a.test", true},
		{"a broken entry", "https://a.test/s.xml", "https://[a.test/x", true},
		{"a broken list", "https://[a.test/s.xml", "https://[a.test/x", true},
		{"a list without host", "file:///s.xml", "/x", true},
		{"nothing known", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := feed.Foreign(c.list, c.entry); got != c.want {
				t.Errorf("Foreign(%q, %q) = %v", c.list, c.entry, got)
			}
		})
	}
}
