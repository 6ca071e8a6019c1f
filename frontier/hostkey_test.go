package frontier

import "testing"

func TestHostKeyAuthorityOrigin(t *testing.T) {
	for _, tc := range []struct{ url, key, authority, origin string }{
		{"http://example.com/", "example.com", "example.com", "http://example.com"},
		{"https://example.com:8443/a:b?c://d", "example.com", "example.com:8443", "https://example.com:8443"},
		{"http://127.0.0.1:80/x", "127.0.0.1", "127.0.0.1:80", "http://127.0.0.1:80"},
		{"http://[::1]:8080/", "::1", "[::1]:8080", "http://[::1]:8080"},
		{"http://[2001:db8::1]/", "2001:db8::1", "[2001:db8::1]", "http://[2001:db8::1]"},
		{"http://example.com./", "example.com", "example.com.", "http://example.com."},
		{"http://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example", "http://xn--bcher-kva.example"},
		{"/a/b", "", "", ""},
		{"http://", "", "", ""},
		{"http:///a", "", "", ""},
		{"http://[::1/", "", "[::1", "http://[::1"},
		{"", "", "", ""},
	} {
		if got := HostKey(tc.url); got != tc.key {
			t.Errorf("HostKey(%q) = %q, want %q", tc.url, got, tc.key)
		}
		if got := Authority(tc.url); got != tc.authority {
			t.Errorf("Authority(%q) = %q, want %q", tc.url, got, tc.authority)
		}
		if got := Origin(tc.url); got != tc.origin {
			t.Errorf("Origin(%q) = %q, want %q", tc.url, got, tc.origin)
		}
	}
}

func TestDomain(t *testing.T) {
	for _, tc := range []struct{ name, host, want string }{
		{"a domain", "example.com", "example.com"},
		{"a host below it", "www.a.example.com", "example.com"},
		{"a suffix of two labels", "www.example.co.uk", "example.co.uk"},
		{"a suffix of a company", "a.b.github.io", "b.github.io"},
		{"a public suffix itself", "co.uk", "co.uk"},
		{"a suffix that is not listed", "www.shop.test", "shop.test"},
		{"an IPv4 address", "192.168.1.1", "192.168.1.1"},
		{"an IPv6 address", "2001:db8::1", "2001:db8::1"},
		{"an IPv6 address with an IPv4 part", "::ffff:1.2.3.4", "::ffff:1.2.3.4"},
		{"localhost", "localhost", "localhost"},
		{"a single label", "intranet", "intranet"},
		{"nothing", "", ""},
		{"a name of empty labels", "..", ".."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Domain(tc.host); got != tc.want {
				t.Errorf("Domain(%q) = %q, want %q", tc.host, got, tc.want)
			}
		})
	}
}
