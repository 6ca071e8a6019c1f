package registry

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// stored tells whether anything is kept for a domain.
func (w *world) stored(domain string) bool { return w.shelf.lookup(domain) != nil }

func TestWhoMayWrite(t *testing.T) {
	t.Run("BC-R-001 no token, an expired one and one without the scope are refused", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, full(shop))
		before := w.get("/v1/site/" + shop).body
		narrow, err := w.bearer.issue(w.shelf.publisher("pub-7"), "cards:read")
		if err != nil {
			t.Fatal(err)
		}
		p.w.pass(2 * time.Hour)
		for name, test := range map[string]struct {
			authorization string
			status        int
			code          string
		}{
			"none":      {"", 401, "unauthorized"},
			"no bearer": {"Basic " + base64.StdEncoding.EncodeToString([]byte("pub-7:x")), 401, "unauthorized"},
			"nonsense":  {"Bearer a.b.c", 401, "invalid-token"},
			"huge":      {"Bearer " + strings.Repeat("a", 1<<16), 401, "invalid-token"},
			"expired":   {"Bearer " + p.token, 401, "invalid-token"},
		} {
			a := w.send("PUT", "/v1/site/"+shop, minimal(shop), "Authorization", test.authorization, "Content-Type", "application/json")
			if a.status != test.status || a.code(t) != test.code {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
			if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, `Bearer resource_metadata="`+testBase+`/.well-known/oauth-protected-resource"`) {
				t.Errorf("%s: WWW-Authenticate %q", name, got)
			}
		}
		w.pass(-2 * time.Hour)
		if a := w.send("PUT", "/v1/site/"+shop, minimal(shop), "Authorization", "Bearer "+narrow, "Content-Type", "application/json"); a.status != http.StatusForbidden || a.code(t) != "insufficient-scope" {
			t.Errorf("scope: %d %s", a.status, a.body)
		}
		if w.get("/v1/site/"+shop).body != before {
			t.Error("the card has changed")
		}
	})
	t.Run("BC-R-001 forged tokens, of a foreign key, algorithm, type, issuer or audience, are refused", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		good := claims{Claims: jwt.Claims{Issuer: testBase, Subject: "pub-7", Audience: jwt.Audience{testBase},
			Expiry: jwt.NewNumericDate(w.clock().Add(time.Hour))}, ClientID: "pub-7", Scope: scopeWrite, Generation: 1}
		own := jose.SigningKey{Algorithm: jose.EdDSA, Key: privateKey(w)}
		sign := func(key jose.SigningKey, kind string, change func(*claims)) string {
			signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType(jose.ContentType(kind)))
			if err != nil {
				t.Fatal(err)
			}
			c := good
			change(&c)
			token, err := jwt.Signed(signer).Claims(c).Serialize()
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		same := func(*claims) {}
		tokens := map[string]string{
			"foreign key":    sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: newKey()}, accessType, same),
			"HMAC":           sign(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(w.bearer.key)}, accessType, same),
			"type":           sign(own, "JWT", same),
			"issuer":         sign(own, accessType, func(c *claims) { c.Issuer = "https://other.test" }),
			"audience":       sign(own, accessType, func(c *claims) { c.Audience = jwt.Audience{"https://other.test"} }),
			"no audience":    sign(own, accessType, func(c *claims) { c.Audience = nil }),
			"no expiry":      sign(own, accessType, func(c *claims) { c.Expiry = nil }),
			"generation":     sign(own, accessType, func(c *claims) { c.Generation = 0 }),
			"unknown":        sign(own, accessType, func(c *claims) { c.Subject = "pub-8" }),
			"none":           "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0." + strings.Split(p.token, ".")[1] + ".",
			"cut signature":  p.token[:len(p.token)-4],
			"other's claims": strings.Split(p.token, ".")[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"pub-9"}`)) + "." + strings.Split(p.token, ".")[2],
		}
		for name, token := range tokens {
			p.token = token
			if a := p.put(shop, minimal(shop)); a.status != http.StatusUnauthorized || a.code(t) != "invalid-token" {
				t.Errorf("%s: %d", name, a.status)
			}
		}
		if p.token = sign(own, accessType, same); p.put(shop, minimal(shop)).status != http.StatusAccepted {
			t.Error("the good one is refused too")
		}
	})
	t.Run("BC-R-002 a publisher without authority for the domain is refused", func(t *testing.T) {
		w := newWorld(t)
		for _, p := range []*account{w.publisher("pub-none"), w.publisher("pub-other", "other.example")} {
			for _, a := range []answer{p.put(shop, minimal(shop)), p.send("DELETE", "/v1/site/"+shop, ""),
				p.send("POST", "/v1/site/"+shop+"/token", ""), p.send("POST", "/v1/site/"+shop+"/check", "")} {
				if a.status != http.StatusForbidden || a.code(t) != "not-authorized" {
					t.Errorf("%s: %d %s", p.id, a.status, a.body)
				}
			}
		}
		if w.stored(shop) {
			t.Error("something is stored")
		}
	})
	t.Run("a disabled or rotated account is out at once, and its cards stay", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		before := w.get("/v1/site/" + shop).body
		creds, err := w.Admin().RotatePublisher(t.Context(), "pub-7")
		if err != nil {
			t.Fatal(err)
		}
		if a := p.put(shop, full(shop)); a.status != http.StatusUnauthorized {
			t.Errorf("a token of the former secret: %d", a.status)
		}
		p.creds = creds
		p.login()
		if err := w.Admin().DisablePublisher(t.Context(), "pub-7"); err != nil {
			t.Fatal(err)
		}
		if a := p.put(shop, full(shop)); a.status != http.StatusUnauthorized {
			t.Errorf("a token of a disabled account: %d", a.status)
		}
		if w.get("/v1/site/"+shop).body != before {
			t.Error("BC-R-913: the card has changed with the account")
		}
	})
	t.Run("BC-R-913 nothing about the account changes the proof", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		before, err := json.Marshal(w.card(shop)["verification"])
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Admin().DisablePublisher(t.Context(), "pub-7"); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Minute)
		if _, err := w.Admin().Check(t.Context(), shop); err != nil {
			t.Fatal(err)
		}
		w.pass(-time.Minute)
		if got := verification(w.card(shop)); got["method"] != "well-known-file" {
			t.Errorf("was %s, is %v", before, got)
		}
	})
}

func TestBadBodies(t *testing.T) {
	card := func(members string) string { return `{"canonical":"https://shop.example",` + members + `}` }
	tests := []struct {
		name, body    string
		status        int
		code, pointer string
	}{
		{"no JSON", `{`, 400, "not-json", ""},
		{"empty", ``, 400, "not-json", ""},
		{"two values", `{} {}`, 400, "not-json", ""},
		{"invalid UTF-8", "{\"canonical\":\"\xff\"}", 400, "not-json", ""},
		{"an array", `[]`, 422, "invalid-card", ""},
		{"a card of 1 MB", card(`"x":"` + strings.Repeat("a", 1<<20) + `"`), 413, "too-large", ""},
		{"nesting of 1,000", card(`"x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000)), 422, "too-complex", ""},
		{"2,000 members", card(manyMembers(2000)), 422, "too-complex", ""},
		{"a member twice", card(`"name":"a","name":"a"`), 422, "duplicate-member", ""},
		{"a member twice by an escape", card(`"name":"a","n\u0061me":"a"`), 422, "duplicate-member", ""},
		{"an unknown member twice, deep down", card(`"x":[{"y":{"z":1,"z":2}}]`), 422, "duplicate-member", ""},
		{"a server-owned member twice", card(`"score":1,"score":2`), 422, "duplicate-member", ""},
		{"no canonical", `{"name":"a"}`, 422, "invalid-card", "/canonical"},
		{"BC-D-004 another domain", card(`"domain":"WWW.Shop.Example"`), 422, "invalid-card", "/domain"},
		{"BC-D-005 canonical over http", `{"canonical":"http://shop.example"}`, 422, "invalid-card", "/canonical"},
		{"BC-R-911 canonical of another domain", `{"canonical":"https://other.example"}`, 422, "invalid-card", "/canonical"},
		{"BC-R-911 canonical that only ends alike", `{"canonical":"https://eshop.example"}`, 422, "invalid-card", "/canonical"},
		{"BC-R-911 canonical with user", `{"canonical":"https://u@shop.example"}`, 422, "invalid-card", "/canonical"},
		{"BC-R-911 canonical with path", `{"canonical":"https://shop.example/a"}`, 422, "invalid-card", "/canonical"},
		{"BC-R-911 canonical with query", `{"canonical":"https://shop.example/?a"}`, 422, "invalid-card", "/canonical"},
		{"BC-D-006 a name that is no string", card(`"name":1`), 422, "invalid-card", "/name"},
		{"BC-D-006 topics that hold numbers", card(`"topics":["a",1]`), 422, "invalid-card", "/topics/1"},
		{"BC-D-007 allow_bots as a string", card(`"allow_bots":"false"`), 422, "invalid-card", "/allow_bots"},
		{"BC-D-008 a token with a space", card(`"allow":["Sample Bot/2.1"]`), 422, "invalid-card", "/allow/0"},
		{"BC-D-008 deny that is no array", card(`"deny":"RudeBot"`), 422, "invalid-card", "/deny"},
		{"BC-D-009 a relative pointer", card(`"pointers":{"robots":"/robots.txt"}`), 422, "invalid-card", "/pointers/robots"},
		{"BC-D-009 a pointer with a line break", card(`"pointers":{"sitemap":"https://shop.example/\nDisallow: /"}`), 422, "invalid-card", "/pointers/sitemap"},
		{"BC-D-010 a page without rel", card(`"pages":[{"url":"https://shop.example/"}]`), 422, "invalid-card", "/pages/0/rel"},
		{"BC-D-010 a page that is a string", card(`"pages":["https://shop.example/"]`), 422, "invalid-card", "/pages/0"},
		{"a page of a foreign domain", card(`"pages":[{"url":"https://shop.example/","rel":"home"},{"url":"https://other.example/","rel":"page"}]`), 422, "invalid-card", "/pages/1/url"},
		{"BC-D-018 an unknown tdm", card(`"consent":{"tdm":"none"}`), 422, "invalid-card", "/consent/tdm"},
		{"BC-D-013 consent that is no object", card(`"consent":true`), 422, "invalid-card", "/consent"},
		{"BC-D-013 an answer that is null", card(`"consent":{"train":null}`), 422, "invalid-card", "/consent/train"},
		{"BC-D-020 a window of 0", card(`"crawl":{"revalidate_hours":0}`), 422, "invalid-card", "/crawl/revalidate_hours"},
		{"BC-D-020 a window below 0", card(`"crawl":{"revalidate_hours":-1}`), 422, "invalid-card", "/crawl/revalidate_hours"},
		{"BC-D-020 a fraction", card(`"crawl":{"revalidate_hours":1.5}`), 422, "invalid-card", "/crawl/revalidate_hours"},
		{"BC-D-020 an exponent", card(`"crawl":{"revalidate_hours":1e2}`), 422, "invalid-card", "/crawl/revalidate_hours"},
		{"BC-D-020 an endless window", card(`"crawl":{"revalidate_hours":1e999999999}`), 422, "invalid-card", "/crawl/revalidate_hours"},
		{"a name that is no Unicode", card(`"x\ud800":1`), 422, "invalid-card", "/x\uFFFD"},
	}
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := p.put(shop, test.body)
			if a.status != test.status || a.code(t) != test.code {
				t.Fatalf("answer %d: %s", a.status, a.body)
			}
			pointer, _ := a.json(t)["pointer"].(string)
			if pointer != test.pointer {
				t.Errorf("pointer %q: %s", pointer, a.body)
			}
			if w.stored(shop) {
				t.Error("something is stored")
			}
		})
	}
	t.Run("a body that is no JSON by its type", func(t *testing.T) {
		if a := w.send("PUT", "/v1/site/"+shop, minimal(shop), "Authorization", "Bearer "+p.token, "Content-Type", "text/plain"); a.status != http.StatusUnsupportedMediaType || a.code(t) != "media-type" {
			t.Errorf("answer %d", a.status)
		}
		if a := p.put(shop, minimal(shop), "Content-Encoding", "gzip"); a.status != http.StatusUnsupportedMediaType || a.code(t) != "media-type" {
			t.Errorf("answer %d", a.status)
		}
	})
	t.Run("BC-D-004 domains in another form, and public suffixes", func(t *testing.T) {
		for domain, code := range map[string]string{"WWW.Shop.Example": "422 domain-form", "www.shop.example": "422 domain-form", "shop.example.": "422 domain-form",
			"test": "400 public-suffix", "co.uk": "400 public-suffix", "a..b": "400 domain"} {
			a := p.put(domain, `{"canonical":"https://shop.example"}`)
			if got := fmt.Sprintf("%d %s", a.status, a.code(t)); got != code {
				t.Errorf("%s: %s", domain, got)
			}
			if w.stored(domain) {
				t.Errorf("%s is stored", domain)
			}
		}
		if w.stored(shop) {
			t.Error("something is stored")
		}
	})
	t.Run("BC-R-911 BC-D-005 canonical with and without slash, below the domain, is served as it was sent", func(t *testing.T) {
		for _, canonical := range []string{"https://shop.example", "https://shop.example/", "https://www.shop.example", "https://shop.example:8443"} {
			p.write(shop, `{"canonical":"`+canonical+`"}`)
			if got := w.card(shop)["canonical"]; got != canonical {
				t.Errorf("%s is served as %v", canonical, got)
			}
		}
	})
	t.Run("BC-D-008 BC-D-009 BC-D-010 what is right is accepted unchanged", func(t *testing.T) {
		p.write(shop, full(shop))
		body := w.get("/v1/site/" + shop).body
		for _, part := range []string{`"allow":["SampleBot"]`, `"llms":"https://shop.example/llms.txt"`, `{"url":"https://shop.example/","rel":"home",`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s is not in %s", part, body)
			}
		}
	})
	t.Run("server-owned members are dropped whatever their type", func(t *testing.T) {
		p.write(shop, minimal(shop))
		plain := w.get("/v1/site/" + shop).body
		for _, value := range []string{`1`, `"x"`, `null`, `{"method":"dns-txt"}`, `[]`} {
			p.write(shop, fmt.Sprintf(`{"canonical":"https://shop.example","botcentral":%[1]s,"score":%[1]s,"verification":%[1]s,"listed_by":%[1]s,
				"updated":%[1]s,"verifyToken":%[1]s,"freshness":%[1]s,"rank":%[1]s}`, value))
			if got := w.get("/v1/site/" + shop).body; got != plain {
				t.Errorf("%s: %s", value, got)
			}
		}
	})
	t.Run("a card as it was read can be written back", func(t *testing.T) {
		p.prove(shop, full(shop))
		a := w.get("/v1/site/" + shop)
		if b := p.put(shop, a.body, "If-Match", a.header.Get("ETag")); b.status != http.StatusOK || b.header.Get("ETag") != a.header.Get("ETag") {
			t.Errorf("answer %d: ETag %s after %s", b.status, b.header.Get("ETag"), a.header.Get("ETag"))
		}
	})
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"x%d":%d,`, i, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func TestWrites(t *testing.T) {
	t.Run("BC-R-905 If-Match with an old tag changes nothing", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		old := w.get("/v1/site/" + shop).header.Get("ETag")
		p.write(shop, full(shop))
		now := w.get("/v1/site/" + shop)
		for _, a := range []answer{p.put(shop, minimal(shop), "If-Match", old), p.put(shop, minimal(shop), "If-Match", "W/"+now.header.Get("ETag")),
			p.send("DELETE", "/v1/site/"+shop, "", "If-Match", old), p.put(shop, minimal(shop), "If-None-Match", "*"),
			p.put("none.example", minimal("none.example"), "If-Match", "*")} {
			if a.status != http.StatusPreconditionFailed {
				t.Errorf("answer %d: %s", a.status, a.body)
			}
		}
		if w.get("/v1/site/"+shop).body != now.body || w.stored("none.example") {
			t.Error("something has changed")
		}
		if a := p.put(shop, minimal(shop), "If-Match", `"x", `+now.header.Get("ETag")); a.status != http.StatusAccepted {
			t.Errorf("the right tag: %d", a.status)
		}
	})
	t.Run("BC-R-905 a removed card is gone", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		if a := p.send("DELETE", "/v1/site/"+shop, ""); a.status != http.StatusNoContent {
			t.Errorf("DELETE: %d", a.status)
		}
		if a := w.get("/v1/site/" + shop); a.status != http.StatusNotFound {
			t.Errorf("GET: %d", a.status)
		}
		if a := p.send("DELETE", "/v1/site/"+shop, ""); a.status != http.StatusNotFound {
			t.Errorf("second DELETE: %d", a.status)
		}
		p.write(shop, minimal(shop))
		if v := verification(w.card(shop)); v["method"] != "pending" {
			t.Errorf("written anew: %v", v)
		}
		if n := len(w.expect("/.well-known/botcentral-index.json")["listed"].([]any)); n != 0 {
			t.Errorf("%d are listed", n)
		}
		if e := w.expect("/v1/changes")["changes"].([]any)[0].(map[string]any); e["etag"] != nil {
			t.Errorf("the feed says %v", e)
		}
	})
	t.Run("BC-R-034 every write is in the log, the refused one too", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "shop.example", "other.example")
		p.write(shop, minimal(shop))
		first := strings.Trim(w.get("/v1/site/"+shop).header.Get("ETag"), `"`)
		p.write(shop, full(shop))
		second := strings.Trim(w.get("/v1/site/"+shop).header.Get("ETag"), `"`)
		p.put("third.example", minimal("third.example"))
		want := []logEntry{
			{Publisher: "pub-7", Action: "put", Domain: shop, Outcome: "accepted", After: first},
			{Publisher: "pub-7", Action: "put", Domain: shop, Outcome: "accepted", Before: first, After: second},
			{Publisher: "pub-7", Action: "put", Domain: "third.example", Outcome: "refused", Reason: "not-authorized"},
		}
		got := w.logged()
		if len(got) != len(want) {
			t.Fatalf("log: %+v", got)
		}
		for i := range want {
			want[i].At = "2026-03-01T10:00:00Z"
			if got[i] != want[i] {
				t.Errorf("line %d: %+v", i, got[i])
			}
		}
	})
	t.Run("BC-P-912 BC-P-002 tokens never show where others look", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, `{"canonical":"https://shop.example","verifyToken":"in-the-body"}`)
		first := p.issue(shop)
		if again := p.issue(shop); again != first {
			t.Error("asking again gives another token")
		}
		a := p.send("POST", "/v1/site/"+shop+"/token", `{"rotate":true}`)
		second, _ := a.json(t)["token"].(string)
		if a.status != http.StatusCreated || second == first || a.json(t)["line"] != "botcentral-verify="+second ||
			a.json(t)["well_known"] != "https://shop.example/.well-known/botcentral.txt" || a.json(t)["domain"] != shop {
			t.Errorf("rotation: %d %s", a.status, a.body)
		}
		w.prover.plant(shop, first)
		p.check(shop)
		for _, path := range []string{"/v1/site/" + shop, "/v1/search?include=card", "/v1/changes", "/.well-known/botcentral-index.json"} {
			for _, token := range []string{first, second, "in-the-body"} {
				if strings.Contains(w.get(path).body, token) {
					t.Errorf("%s shows a token", path)
				}
			}
		}
		log, err := os.ReadFile(filepath.Join(w.folder, logName))
		if err != nil || strings.Contains(string(log), first) || strings.Contains(string(log), second) {
			t.Error("the log shows a token", err)
		}
	})
	t.Run("BC-P-912 the former token proves for seven days", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		w.prover.plant(shop, p.issue(shop))
		p.send("POST", "/v1/site/"+shop+"/token", `{"rotate":true}`)
		w.pass(formerValid - time.Minute)
		p.login()
		if got := p.check(shop); got["found"] != "well-known-file" {
			t.Errorf("before: %v", got)
		}
		w.pass(2 * time.Minute)
		if got := p.check(shop); got["found"] != "unverified" {
			t.Errorf("after: %v", got)
		}
	})
	t.Run("BC-P-002 10,000 tokens differ, have 192 bits and URL-safe characters", func(t *testing.T) {
		seen := make(map[string]bool)
		for range 10_000 {
			token := newSecret()
			raw, err := base64.RawURLEncoding.DecodeString(token)
			if err != nil || len(raw) != 24 || seen[token] {
				t.Fatalf("token %q", token)
			}
			seen[token] = true
		}
	})
	t.Run("a publisher that writes too fast is told to wait", func(t *testing.T) {
		w := newWorld(t, func(o *Options) { o.WriteRate = 12 })
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		p.write(shop, minimal(shop))
		p.check(shop)
		if a := p.put(shop, minimal(shop)); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
			t.Errorf("answer %d", a.status)
		}
	})
}

// logged reads the write log.
func (w *world) logged() []logEntry {
	w.t.Helper()
	file, err := os.Open(filepath.Join(w.folder, logName))
	if err != nil {
		w.t.Fatal(err)
	}
	var entries []logEntry
	in := bufio.NewScanner(file)
	for in.Scan() {
		var e logEntry
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			w.t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if err := file.Close(); err != nil {
		w.t.Fatal(err)
	}
	return entries
}

func TestTokenEndpoint(t *testing.T) {
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	id, secret := p.creds.ClientID, p.creds.ClientSecret
	basic := func(id, secret string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
	}
	tests := []struct {
		name, form, authorization string
		status                    int
		failure                   string
	}{
		{"BC-R-024 client_secret_post", "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret, "", 200, ""},
		{"BC-R-024 client_secret_basic", "grant_type=client_credentials&scope=cards:write", basic(id, secret), 200, ""},
		{"the resource of RFC 8707", "grant_type=client_credentials&resource=https://registry.test/", basic(id, secret), 200, ""},
		{"BC-R-024 another grant", "grant_type=password&username=a&password=b", basic(id, secret), 400, "unsupported_grant_type"},
		{"another scope", "grant_type=client_credentials&scope=admin", basic(id, secret), 400, "invalid_scope"},
		{"another resource", "grant_type=client_credentials&resource=https://other.test", basic(id, secret), 400, "invalid_target"},
		{"a wrong secret", "grant_type=client_credentials", basic(id, "x"), 401, "invalid_client"},
		{"an unknown client", "grant_type=client_credentials&client_id=pub-8&client_secret=x", "", 401, "invalid_client"},
		{"no client", "grant_type=client_credentials", "", 401, "invalid_client"},
		{"both ways at once", "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret, basic(id, secret), 400, "invalid_request"},
		{"a parameter twice", "grant_type=client_credentials&grant_type=client_credentials", basic(id, secret), 400, "invalid_request"},
		{"no grant", "", basic(id, secret), 400, "invalid_request"},
		{"a huge body", "grant_type=" + strings.Repeat("a", 1<<20), basic(id, secret), 400, "invalid_request"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fields := []string{"Content-Type", "application/x-www-form-urlencoded"}
			if test.authorization != "" {
				fields = append(fields, "Authorization", test.authorization)
			}
			a := w.send("POST", "/oauth/token", test.form, fields...)
			body := a.json(t)
			if failure, _ := body["error"].(string); a.status != test.status || failure != test.failure {
				t.Fatalf("answer %d: %s", a.status, a.body)
			}
			if a.header.Get("Cache-Control") != "no-store" {
				t.Error("the answer may be stored")
			}
			if a.status == http.StatusOK && (body["token_type"] != "Bearer" || body["expires_in"] != json.Number("3600") || body["scope"] != scopeWrite) {
				t.Errorf("answer %s", a.body)
			}
			if a.status == http.StatusUnauthorized && test.authorization != "" && !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic ") {
				t.Error("no challenge")
			}
		})
	}
	t.Run("BC-R-025 the metadata of RFC 8414", func(t *testing.T) {
		m := w.expect("/.well-known/oauth-authorization-server")
		if m["issuer"] != testBase || m["token_endpoint"] != testBase+"/oauth/token" || fmt.Sprint(m["grant_types_supported"]) != "[client_credentials]" {
			t.Errorf("metadata %v", m)
		}
	})
	t.Run("BC-R-026 the metadata of RFC 9728", func(t *testing.T) {
		m := w.expect("/.well-known/oauth-protected-resource")
		if m["resource"] != testBase || fmt.Sprint(m["authorization_servers"]) != "["+testBase+"]" {
			t.Errorf("metadata %v", m)
		}
	})
	t.Run("the token outlives a restart and ends after an hour", func(t *testing.T) {
		p.login()
		w.reopen()
		w.pass(59 * time.Minute)
		if a := p.put(shop, minimal(shop)); a.status != http.StatusAccepted {
			t.Errorf("after 59 minutes: %d", a.status)
		}
		w.pass(2 * time.Minute)
		if a := p.put(shop, minimal(shop)); a.status != http.StatusUnauthorized {
			t.Errorf("after 61 minutes: %d", a.status)
		}
	})
	t.Run("secrets are not stored", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(w.folder, stateName))
		if err != nil || strings.Contains(string(text), secret) {
			t.Error("the state file has the secret", err)
		}
	})
}
