package registry

import (
	"errors"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"heed/registry/card"
)

func FuzzSubmission(f *testing.F) {
	for _, seed := range []string{minimal(shop), full(shop), `{}`, `{"canonical":"https://shop.example","x":1e999999999}`, `{"canonical":"https://shop.example","pages":[{}]}`,
		`{"canonical":"https://shop.example","consent":{"x\ud800":1}}`, `{"canonical":"https://shop.example","score":[{"a":1}],"pages":[{"url":"https://shop.example","rel":"a","score":{}}]}`} {
		f.Add([]byte(seed))
	}
	sch, err := newSchema(testBase + "/v1/schema.json")
	if err != nil {
		f.Fatal(err)
	}
	served, err := compileSchema(testBase+"/v1/schema.json", sch.octets, nil)
	if err != nil {
		f.Fatal(err)
	}
	v := validator{sch}
	f.Fuzz(func(t *testing.T, body []byte) {
		sub, err := v.read(shop, body)
		if err != nil {
			if p := (*problem)(nil); !errors.As(err, &p) || p.status < 400 || p.status > 499 {
				t.Fatalf("the refusal is %v", err)
			}
			return
		}
		s := &site{domain: shop, publisher: "pub-7", updated: 1, facts: sub.facts, window: sub.window, rev: 1}
		octets := render(nil, sub.raw, s)
		if _, err := card.ReadJSON(octets, 2*maxBodyBytes); err != nil {
			t.Fatalf("clients cannot read what is served: %v: %s", err, octets)
		}
		value, err := decode(octets)
		if err != nil {
			t.Fatal(err)
		}
		if err := served.Validate(value); err != nil {
			t.Fatalf("what is served does not pass the schema: %v", err)
		}
		c, err := card.Parse(shop, octets)
		if err != nil {
			t.Fatal(err)
		}
		if c.Consent.Train != sub.facts.permits("train") || c.Consent.Retrieve != sub.facts.permits("retrieve") || c.AllowBots != sub.facts.allowBots {
			t.Fatalf("a client reads %+v from %+v", c.Consent, sub.facts)
		}
		if text := string(robotsText(octets, &sub.facts)); strings.Contains(text, "\r") {
			t.Fatalf("robots.txt %q", text)
		}
	})
}

func FuzzRegistrable(f *testing.F) {
	for _, seed := range []string{shop, "WWW.Shop.Example.", "bücher.example", "com", "a..b", "1.2.3.4", "xn--a.example", "foo.github.io", "[::1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		domain, err := registrable(host)
		if err != nil {
			return
		}
		if again, err := registrable(domain); err != nil || again != domain || !isHostName(domain) || !strings.Contains(domain, ".") {
			t.Fatalf("%q gives %q, that gives %q, %v", host, domain, again, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("00c0ffee-1a-0")
	f.Add("--")
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := readCursor(text)
		if !ok {
			return
		}
		if again, ok := readCursor(c.String()); !ok || again != c {
			t.Fatalf("%q is %+v, written %s is %+v", text, c, c, again)
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add(appendSite(nil, &site{domain: shop, rev: 7, publisher: "pub-7", facts: facts{name: "N", terms: "\nt:a\n"}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, record []byte) {
		s, err := readSite(shop, record, words{})
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if again, err := readSite(shop, appendSite(nil, s), words{}); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%+v is read again as %+v, %v", s, again, err)
		}
	})
}

func FuzzConditions(f *testing.F) {
	f.Add(`"a", W/"b"`, `gzip;q=0.5, br`, "10.0.0.1, 198.51.100.7", "127.0.0.1:1")
	f.Add(`*`, `br;q=`, ",,", "@")
	trusted := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}
	d := newDocument(jsonType, []byte("{}"))
	f.Fuzz(func(t *testing.T, match, accept, forwarded, remote string) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"If-None-Match": {match}, "X-Forwarded-For": {forwarded}}}
		if has(r, d.quoted) && !strings.Contains(match, d.quoted) && !strings.Contains(match, "*") {
			t.Fatalf("%q matches %s", match, d.quoted)
		}
		if coding := acceptedCoding(accept); coding >= 0 && !strings.Contains(strings.ToLower(accept), codings[coding]) {
			t.Fatalf("%q gives %s", accept, codings[coding])
		}
		if p := client(r, trusted); p.IsValid() && p.Addr().Is6() && p.Bits() != 64 {
			t.Fatalf("%s", p)
		}
	})
}

func FuzzOwnerToken(f *testing.F) {
	s := &Server{shelf: &shelf{secrets: newSecrets()}}
	good := s.ownerToken(shop, "pub-7", 100)
	f.Add(good, shop, "pub-7")
	f.Add(good, "other.example", "pub-7")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, token, domain, publisher string) {
		if s.readOwnerToken(token, domain, publisher, 50) != (token == good && domain == shop && publisher == "pub-7") {
			t.Fatalf("%q for %q and %q", token, domain, publisher)
		}
	})
}
