package archive

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSURTKeysAreThoseOfIndexServers(t *testing.T) {
	for url, want := range map[string]string{
		"https://shop.test/":                         "test,shop)/",
		"https://shop.test":                          "test,shop)/",
		"https://www.Shop.test/A/B/":                 "test,shop)/a/b",
		"http://www12.shop.test/":                    "test,shop)/",
		"http://www/":                                "www)/",
		"http://wwwshop.test/":                       "test,wwwshop)/",
		"http://shop.test:80/a":                      "test,shop)/a",
		"https://shop.test:443/a":                    "test,shop)/a",
		"https://shop.test:80/a":                     "test,shop:80)/a",
		"https://user:secret@a.b.shop.test:8443/x":   "test,shop,b,a:8443)/x",
		"http://192.168.1.254/info/":                 "192.168.1.254)/info",
		"http://[2001:DB8::1]:8080/":                 "[2001:db8::1]:8080)/",
		"https://shop.test./":                        "test,shop)/",
		"https://shop.test/?":                        "test,shop)/",
		"https://shop.test?B=2&a=1&a-b=3&a=0":        "test,shop)/?a=0&a=1&a-b=3&b=2",
		"https://shop.test/x?q=a/b#frag?no":          "test,shop)/x?q=a/b",
		"https://shop.test/caf%C3%A9":                "test,shop)/caf%c3%a9",
		"https://shop.test/a?u=https://other.test/x": "test,shop)/a?u=https://other.test/x",
	} {
		if got := surt(url); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}

func FuzzIndexLine(f *testing.F) {
	f.Add("https://shop.test/a?b=c", "HTTP/1.1 200 OK\r\nContent-Type: text/html;charset=x\r\n\r\n", "GET / HTTP/1.1\r\n", int64(5), int64(900))
	f.Add("https://www.\"x\\\"@h:1/{}", "HTTP/1.0 999\nCONTENT-TYPE:\t\"/\"", "M-SEARCH * x", int64(1), int64(1<<40))
	f.Add("http://a", "HTTP/1.1 2000", " ", int64(1), int64(0))
	f.Fuzz(func(t *testing.T, url, head, request string, length, offset int64) {
		if !plainURL(url) || length <= 0 || offset < 0 {
			return
		}
		c := newCapture(url, "20261130120000", []byte(head), "sha1:ABC", false)
		c.setMethod([]byte(request))
		line := c.appendLine(nil, length, offset, "f.warc.gz")
		p, ok := placeOf(line)
		if !ok || p != (place{offset, length, "f.warc.gz"}) || bytes.IndexByte(line, '\n') != len(line)-1 || !utf8.Valid(line) {
			t.Fatalf("%q gives %+v %v", line, p, ok)
		}
		var m map[string]string
		text := string(line[bytes.Index(line, []byte(" {")):])
		if err := json.Unmarshal([]byte(text), &m); err != nil || m["url"] != url || strings.ContainsAny(m["mime"], "; \t\"") {
			t.Fatalf("%q: %v", text, err)
		}
		if strings.Count(string(line[:bytes.Index(line, []byte(" {"))]), " ") != 1 {
			t.Fatalf("the key of %q has a blank", line)
		}
	})
}

func FuzzStoredHeads(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n c\r\n\r\nbody"))
	f.Add([]byte("GET / HTTP/2.0\nAuthorization: x\n\ty\nCookie:z"))
	f.Add([]byte("\r\n"))
	f.Add([]byte("HTTP/2.0 200\nTRANSFER-ENCODING : gzip"))
	f.Fuzz(func(t *testing.T, head []byte) {
		for name, store := range map[string]func(dst, head []byte) []byte{"request": storedRequest, "response": storedResponse} {
			got := store(nil, head)
			if !bytes.HasSuffix(got, []byte("\r\n")) || len(got) > len(head)+4+len("X-Orig-")*bytes.Count(head, []byte("\n"))+len("X-Orig-") {
				t.Fatalf("%s of %q is %q", name, head, got)
			}
			if again := store(nil, got); !bytes.Equal(again, got) {
				t.Fatalf("%s of %q is not stable: %q, then %q", name, head, got, again)
			}
			for i, line := range strings.Split(string(got), "\n") {
				field, _, _ := strings.Cut(line, ":")
				field = strings.ToLower(strings.TrimSpace(field))
				folded := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
				if i == 0 || folded {
					continue
				}
				if name == "request" && (field == "authorization" || field == "cookie") || name == "response" && field == "transfer-encoding" {
					t.Fatalf("%s of %q keeps %q", name, head, line)
				}
			}
		}
	})
}

func FuzzLocation(f *testing.F) {
	f.Add("heed-20261130120000-00000-fef55fe0.warc.gz:0:12")
	f.Add("heed-20261130120000-00000-fef55fe0.warc.gz:-1:99999999999999999999")
	f.Add("../../etc/passwd:0:1")
	f.Fuzz(func(t *testing.T, text string) {
		file, offset, length, err := parseLocation(text)
		if err == nil && (strings.ContainsAny(file, `/\:`) || offset < 0 || length <= 0) {
			t.Fatalf("%q gives %q %d %d", text, file, offset, length)
		}
	})
}

func TestMediaTypes(t *testing.T) {
	for in, want := range map[string]string{
		"text/html; charset=utf-8": "text/html", " Application/XHTML+XML ": "application/xhtml+xml",
		"": "unk", "text": "unk", "/html": "unk", "text/": "unk", "text/ht ml": "unk", "a/b/c": "unk", "text/\"x": "unk",
		strings.Repeat("a", 100) + "/" + strings.Repeat("b", 100): "unk",
	} {
		if got := mimeOf(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestDedupForgetsTheLeastAskedForFirst(t *testing.T) {
	d := newDedup(4)
	key := func(i byte) payloadKey { return payloadKey{sha256: [32]byte{i}} }
	for i := range byte(10) {
		d.add(key(i), Reference{Location: string('a' + rune(i))})
		if ref, ok := d.find(key(0)); !ok || ref.Location != "a" {
			t.Fatalf("after %d: what is asked for was forgotten", i)
		}
		if len(d.young)+len(d.old) > 4 {
			t.Fatalf("after %d: holds %d", i, len(d.young)+len(d.old))
		}
	}
	if _, ok := d.find(key(1)); ok {
		t.Error("what nobody asked for is still there")
	}
	d.add(key(9), Reference{Location: "later"})
	if ref, _ := d.find(key(9)); ref.Location == "later" {
		t.Error("a later place took the place of the first")
	}
}
