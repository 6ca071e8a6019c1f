package fetch

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"pgregory.net/rapid"
)

func TestTargets(t *testing.T) {
	for in, want := range map[string]string{
		"http://shop.test":                           "http shop.test 80 /",
		"https://shop.test/a?b=c":                    "https shop.test 443 /a ?b=c",
		"HTTPS://Shop.TEST:443/%41":                  "https shop.test 443 /%41",
		"http://shop.test:8080/":                     "http shop.test 8080 /",
		"http://shop.test:080/":                      "http shop.test 80 /",
		"http://shop.test/a/../b/./c":                "http shop.test 80 /b/c",
		"http://shop.test/a/%2e%2e/b":                "http shop.test 80 /b",
		"http://shop.test/#frag":                     "http shop.test 80 /",
		"http://user:pw@shop.test/":                  "http shop.test 80 /",
		"http://bücher.test/ü?ü":                     "http xn--bcher-kva.test 80 /%C3%BC ?%C3%BC",
		"\thttp://shop.test/a\nb ":                   "http shop.test 80 /ab",
		"http:\\\\shop.test\\a":                      "http shop.test 80 /a",
		"http://shop.test/?":                         "http shop.test 80 / ?",
		"http://shop.test./":                         "http shop.test. 80 /",
		"http://0x7f.1/":                             "http 127.0.0.1 80 /",
		"http://2130706433/":                         "http 127.0.0.1 80 /",
		"http://127.1/":                              "http 127.0.0.1 80 /",
		"http://192.168.1.2:8080/a?b":                "http 192.168.1.2 8080 /a ?b",
		"http://010.0.0.1/":                          "http 8.0.0.1 80 /",
		"http://017700000001/":                       "http 127.0.0.1 80 /",
		"http://１２７.０.０.１/":                          "http 127.0.0.1 80 /",
		"http://127.0.0.1./":                         "http 127.0.0.1 80 /",
		"http://[::1]:80/":                           "http ::1 80 /",
		"http://[0:0::ffff:127.0.0.1]/":              "http ::ffff:7f00:1 80 /",
		"https://[2606:4700:0::1]:8443/x":            "https 2606:4700::1 8443 /x",
		"http://shop.test//x//y":                     "http shop.test 80 //x//y",
		"http://" + strings.Repeat("a.", 126) + "a/": "http " + strings.Repeat("a.", 126) + "a 80 /",
	} {
		tg, err := parseTarget(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		got := strings.TrimSpace(strings.Join([]string{tg.scheme, tg.name, fmt.Sprint(tg.port), tg.path, tg.query}, " "))
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
		if _, err := netip.ParseAddr(tg.name); (err == nil) != tg.addr.IsValid() {
			t.Errorf("%q: literal %v", in, tg.addr)
		}
	}
}

func TestTargetsThatAreRefused(t *testing.T) {
	for in, want := range map[string]Kind{
		"": KindScheme, "shop.test": KindScheme, "/a": KindScheme, "ftp://shop.test/": KindScheme, "file:///etc/passwd": KindScheme,
		"gopher://shop.test/": KindScheme, "javascript:alert(1)": KindScheme, "data:,x": KindScheme, "http://": KindScheme,
		"http:///": KindScheme, "http://a b/": KindScheme, "http://[::1": KindScheme, "http://256.256.256.256/": KindScheme,
		"http://shop.test:99999/": KindScheme, "http://shop.test:x/": KindScheme, "http://shop.test:0/": KindPort, "http://./": KindScheme,
		"http://shop.test/" + strings.Repeat("a", maxURLBytes): KindScheme,
	} {
		_, err := parseTarget(in)
		if f, ok := err.(*fault); !ok || f.kind != want {
			t.Errorf("%.40q: %v, want kind %s", in, err, want)
		}
	}
}

func TestTheShortcutForCleanURLsAgreesWithTheURLStandard(t *testing.T) {
	part := rapid.StringOfN(rapid.RuneFrom([]rune("abcxz019AZ-._~%2eE!$&'()*+,;=:@/?|#[]\\ \t\"<>^`{}ü")), 0, 20, -1)
	number := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789x-")), 0, 4, -1)
	address := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(number, 1, 6).Draw(rt, "numbers"), ".")
	})
	rapid.Check(t, func(rt *rapid.T) {
		host := rapid.OneOf(part, address).Draw(rt, "host")
		s := rapid.SampledFrom([]string{"http://", "https://"}).Draw(rt, "scheme") + host + "/" + part.Draw(rt, "path")
		checkShortcut(rt, s)
	})
}

func FuzzTarget(f *testing.F) {
	for _, s := range []string{"http://shop.test/a?b", "https://a.b-c.test:8443/%zz/../x?", "http://0x7f.1/", "http://a..b/", "http://-a.test/", "http://1.2.3.4:81/a", "http://1.2.3.4./", "http://1.2.3.4.5/", "http://01.2.3.4/", "http://256.1.1.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkShortcut(t, s) })
}

func checkShortcut(t interface{ Fatalf(string, ...any) }, s string) {
	got, ok := splitClean(s)
	if !ok {
		return
	}
	u, err := whatwg.Parse(s)
	if err != nil {
		t.Fatalf("%q is taken for clean, the parser refuses it: %v", s, err)
	}
	if href := got.scheme + "://" + got.authority() + got.path + got.query; href != u.Href(false) || href != s {
		t.Fatalf("%q is taken for clean and split into %q, the parser writes %q", s, href, u.Href(false))
	}
}

func BenchmarkParseTarget(b *testing.B) {
	for name, s := range map[string]string{"clean": "https://shop.test/catalogue/item-17.html?page=2&sort=asc", "other": "https://shop.test/a|b"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseTarget(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
