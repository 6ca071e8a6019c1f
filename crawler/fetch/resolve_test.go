package fetch

import (
	"net/netip"
	"testing"
)

func TestResolveRules(t *testing.T) {
	for in, want := range map[string]string{
		"shop.test:443:127.0.0.1":         "shop.test:443:127.0.0.1:443",
		"shop.test:443:127.0.0.1:8443":    "shop.test:443:127.0.0.1:8443",
		"SHOP.Test:80:[::1]:8080":         "shop.test:80:[::1]:8080",
		"shop.test:80:[::1]":              "shop.test:80:[::1]:80",
		"*:80:127.0.0.1:8080":             "*:80:127.0.0.1:8080",
		"*.shop.test:443:10.0.0.1":        "*.shop.test:443:10.0.0.1:443",
		"[::1]:80:127.0.0.1":              "[::1]:80:127.0.0.1:80",
		"10.0.0.1:80:127.0.0.1":           "10.0.0.1:80:127.0.0.1:80",
		"bücher.test:80:127.0.0.1":        "xn--bcher-kva.test:80:127.0.0.1:80",
		"shop.test:80:[::ffff:127.0.0.1]": "shop.test:80:127.0.0.1:80",
	} {
		r, err := ParseResolve(in)
		if err != nil || r.String() != want {
			t.Errorf("%s: %q, %v, want %q", in, r, err, want)
		}
	}
	for _, in := range []string{
		"", ":", "shop.test", "shop.test:80", "shop.test:80:", ":80:127.0.0.1", "shop.test::127.0.0.1", "shop.test:0:127.0.0.1",
		"shop.test:65536:127.0.0.1", "shop.test:-1:127.0.0.1", "shop.test:+80:127.0.0.1", "shop.test:80:other.test", "shop.test:80:127.0.0.1:",
		"shop.test:80:127.0.0.1:x", "shop.test:80:127.0.0.1:80:80", "shop.test:80:::1", "shop.test:80:[::1", "shop.test:80:[::1]x",
		"shop.test:80:[127.0.0.1]", "shop.test:80:[fe80::1%eth0]", "*.:80:127.0.0.1", "a*.test:80:127.0.0.1", "*.10.0.0.1:80:127.0.0.1",
		"a/b:80:127.0.0.1", "u@shop.test:80:127.0.0.1", "[shop.test]:80:127.0.0.1",
	} {
		if r, err := ParseResolve(in); err == nil {
			t.Errorf("%q: read as %v", in, r)
		}
	}
}

func TestTheMostExactResolveRuleWins(t *testing.T) {
	var rules []ResolveRule
	for _, s := range []string{
		"*:80:127.0.0.1", "*.test:80:127.0.0.2", "*.shop.test:80:127.0.0.3", "shop.test:80:127.0.0.4",
		"shop.test:80:127.0.0.5", "shop.test:443:127.0.0.6", "[2606:4700::1]:80:127.0.0.7",
	} {
		rules = append(rules, rule(t, s))
	}
	for _, tt := range []struct {
		host string
		port uint16
		want string
	}{
		{"shop.test", 80, "127.0.0.4:80"}, {"shop.test.", 80, "127.0.0.4:80"}, {"shop.test", 443, "127.0.0.6:443"},
		{"a.shop.test", 80, "127.0.0.3:80"}, {"a.b.shop.test", 80, "127.0.0.3:80"}, {"other.test", 80, "127.0.0.2:80"},
		{"test", 80, "127.0.0.1:80"}, {"ashop.test", 80, "127.0.0.2:80"}, {"other.example", 80, "127.0.0.1:80"},
		{"2606:4700::1", 80, "127.0.0.7:80"}, {"shop.test", 8080, ""}, {"other.test", 443, ""},
	} {
		to, ok := matchRule(rules, tt.host, tt.port)
		if ok != (tt.want != "") || ok && to != netip.MustParseAddrPort(tt.want) {
			t.Errorf("%s:%d: %v %v, want %q", tt.host, tt.port, to, ok, tt.want)
		}
	}
}

func FuzzParseResolve(f *testing.F) {
	for _, s := range []string{"shop.test:443:127.0.0.1:8443", "*:80:[::1]:8080", "*.a.test:80:10.0.0.1", "[::1]:80:[::1]", "0x7f.1:80:1.1.1.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseResolve(s)
		if err != nil {
			return
		}
		again, err := ParseResolve(r.String())
		if err != nil || again != r {
			t.Fatalf("%q is %+v, written %q, read again %+v, %v", s, r, r, again, err)
		}
	})
}
