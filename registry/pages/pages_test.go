package pages_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"heed/registry/pages"
)

const shop = `{"botcentral":"1.1","domain":"shop.example","canonical":"https://shop.example","name":"Sample Shop","summary":"Invented shop.",
"topics":["garden","tools"],"allow_bots":true,"allow":["GoodBot"],"deny":["RudeBot"],"pointers":{"robots":"https://shop.example/robots.txt","llms":"javascript:alert(1)"},
"pages":[{"url":"https://shop.example/","rel":"home","title":"Start","score":93},{"url":"ftp://shop.example/","rel":"files"}],
"consent":{"retrieve":true,"train":false,"act":false,"cite":true,"tdm":"reserved"},"verification":{"method":"dns-txt","checked":"2026-11-29T06:00:00Z","note":"TXT record matched"},
"listed_by":"pub-7","updated":"2026-11-20T12:00:00Z"}`

// catalog answers with fixed texts.
type catalog struct {
	cards  map[string]string
	asked  url.Values
	total  int
	status int
	broken error
}

func (c *catalog) Search(_ context.Context, v url.Values) (int, []byte, error) {
	c.asked = v
	if c.status != 0 {
		return c.status, []byte(`{"title":"offset is not a number","detail":"<b>","status":400}`), nil
	}
	var parts []string
	for domain, card := range c.cards {
		var hit map[string]any
		if err := json.Unmarshal([]byte(card), &hit); err != nil {
			return 0, nil, err
		}
		text, err := json.Marshal(map[string]any{"domain": domain, "name": hit["name"], "summary": hit["summary"]})
		if err != nil {
			return 0, nil, err
		}
		parts = append(parts, string(text))
	}
	return 200, fmt.Appendf(nil, `{"results":[%s],"total":%d}`, strings.Join(parts, ","), max(c.total, len(parts))), c.broken
}

func (c *catalog) Site(_ context.Context, domain string) (int, []byte, error) {
	card, ok := c.cards[strings.ToLower(domain)]
	if !ok {
		return 404, []byte(`{"title":"Not listed","status":404}`), c.broken
	}
	return 200, []byte(card), c.broken
}

func handler(t *testing.T, c *catalog) http.Handler {
	t.Helper()
	p, err := pages.New(pages.Options{Catalog: c, Name: "Test <Registry>", PublicURL: "https://registry.example/", Rate: 120})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, h http.Handler, method, target string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	r := w.Result()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(body)
}

func withShop() *catalog { return &catalog{cards: map[string]string{"shop.example": shop}} }

func TestThePageOfASiteShowsWhatTheCardSays(t *testing.T) {
	r, body := ask(t, handler(t, withShop()), "GET", "/site/shop.example")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("status %d, type %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	for _, want := range []string{"Sample Shop", "Invented shop.", "Proven", "TXT record matched", "29 November 2026, 06:00 UTC", "pub-7",
		`<td class="no">No</td>`, `<td class="yes">Yes</td>`, "reserved", "<code>RudeBot</code>", "<code>GoodBot</code>",
		`href="https://shop.example/robots.txt"`, `href="/v1/site/shop.example"`, "Test &lt;Registry&gt;"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(body, "noindex") {
		t.Error("the page of a proven card hides from search")
	}
}

func TestBCC013NoPageShowsAScore(t *testing.T) {
	h := handler(t, withShop())
	for _, target := range []string{"/", "/?q=shop", "/site/shop.example"} {
		_, body := ask(t, h, "GET", target)
		if _, content, _ := strings.Cut(body, "</style>"); strings.Contains(content, "93") {
			t.Errorf("%s shows the score", target)
		}
	}
}

func TestOnlyWebURLsOfACardAreLinked(t *testing.T) {
	_, body := ask(t, handler(t, withShop()), "GET", "/site/shop.example")
	for _, href := range hrefs(t, body) {
		if u, err := url.Parse(href); err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "data" {
			t.Errorf("links to %q", href)
		}
	}
	if !strings.Contains(body, "javascript:alert(1)") || !strings.Contains(body, "ftp://shop.example/") {
		t.Error("what is not linked should be shown as text")
	}
}

func TestProofStatesAreToldApart(t *testing.T) {
	tests := []struct {
		method, label, class string
		hidden               bool
	}{
		{"well-known-file", "Proven", "fresh", false},
		{"dns-txt", "Proven", "fresh", false},
		{"stale", "Stale", "stale", false},
		{"unverified", "Not proven", "unproven", true},
		{"pending", "Pending", "unproven", true},
		{"of the future", "Pending", "unproven", true},
	}
	for _, test := range tests {
		t.Run(test.method, func(t *testing.T) {
			c := &catalog{cards: map[string]string{"shop.example": strings.Replace(shop, "dns-txt", test.method, 1)}}
			_, body := ask(t, handler(t, c), "GET", "/site/shop.example")
			if !strings.Contains(body, fmt.Sprintf(`<span class="badge %s">%s</span>`, test.class, test.label)) {
				t.Errorf("no badge %s %s", test.class, test.label)
			}
			if speaks := strings.Contains(body, "What the owner says"); speaks == test.hidden {
				t.Errorf("the owner is said to speak: %v", speaks)
			}
			if hidden := strings.Contains(body, `content="noindex"`); hidden != test.hidden {
				t.Errorf("noindex %v, want %v", hidden, test.hidden)
			}
		})
	}
}

func TestTextOfAStrangerStaysText(t *testing.T) {
	for _, hostile := range []string{`</title><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</bdi></main><form action=//evil.example>`, `{{.Registry}}`, "\u202eevil", strings.Repeat("x", 1<<20)} {
		var card map[string]any
		if err := json.Unmarshal([]byte(shop), &card); err != nil {
			t.Fatal(err)
		}
		card["name"], card["summary"] = hostile, hostile
		card["topics"], card["deny"], card["allow"] = []string{hostile}, []string{hostile}, []string{hostile}
		card["pointers"] = map[string]string{"robots": hostile, "sitemap": "https://x.example/" + hostile}
		card["pages"] = []map[string]string{{"url": hostile, "rel": hostile, "title": hostile}}
		card["verification"] = map[string]string{"method": "dns-txt", "note": hostile}
		card["listed_by"] = hostile
		text, err := json.Marshal(card)
		if err != nil {
			t.Fatal(err)
		}
		h := handler(t, &catalog{cards: map[string]string{"shop.example": string(text)}})
		for _, target := range []string{"/site/shop.example", "/", "/?q=" + url.QueryEscape(hostile[:min(len(hostile), 300)])} {
			_, body := ask(t, h, "GET", target)
			if want := map[string]int{"script": 0, "img": 0, "form": 0, "main": 1}; target != "/site/shop.example" {
				want["form"] = 1
				elements(t, body, want)
			} else {
				elements(t, body, want)
			}
			if len(body) > 128<<10 {
				t.Errorf("%s is %d octets long", target, len(body))
			}
		}
	}
}

func TestListsOfACardAreShownUpToALimit(t *testing.T) {
	var declared []string
	for i := range 250 {
		declared = append(declared, fmt.Sprintf(`{"url":"https://shop.example/%d","rel":"page"}`, i))
	}
	c := &catalog{cards: map[string]string{"shop.example": strings.Replace(shop, `"pages":[`, `"pages":[`+strings.Join(declared, ",")+",", 1)}}
	_, body := ask(t, handler(t, c), "GET", "/site/shop.example")
	if n := strings.Count(body, `href="https://shop.example/`); n != 100+1 || !strings.Contains(body, "152 more in the card") {
		t.Errorf("%d links", n)
	}
}

func TestAnotherSpellingLeadsToThePageOfTheSite(t *testing.T) {
	r, _ := ask(t, handler(t, withShop()), "GET", "/site/SHOP.example")
	if r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != "/site/shop.example" {
		t.Errorf("status %d to %s", r.StatusCode, r.Header.Get("Location"))
	}
}

func TestBCR016LinksStayBelowThePublicURL(t *testing.T) {
	c := withShop()
	c.total = 60
	p, err := pages.New(pages.Options{Catalog: c, Name: "Test", PublicURL: "https://example.org/bc"})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/?offset=25", "/about", "/site/shop.example", "/site/none.example"} {
		_, body := ask(t, p, "GET", target)
		n := 0
		walk(t, body, func(e *html.Node) {
			for _, name := range []string{"href", "action"} {
				link := attribute(e, name)
				if strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "/bc/") {
					t.Errorf("%s links to %s", target, link)
				} else if strings.HasPrefix(link, "/bc/") {
					n++
				}
			}
		})
		if n < 4 {
			t.Errorf("%s has only %d links of its own", target, n)
		}
	}
	if r, _ := ask(t, p, "GET", "/site/SHOP.example"); r.Header.Get("Location") != "/bc/site/shop.example" {
		t.Errorf("another spelling leads to %s", r.Header.Get("Location"))
	}
}

func TestRefusalsAreTold(t *testing.T) {
	tests := []struct {
		name, method, target string
		catalog              *catalog
		status               int
		says                 string
	}{
		{"no card", "GET", "/site/none.example", withShop(), 404, "No card for this domain"},
		{"a search that is refused", "GET", "/?q=a", &catalog{status: 400}, 400, "&lt;b&gt;"},
		{"a catalog that fails", "GET", "/", &catalog{broken: errors.New("open /var/secret")}, 500, "fault of the registry"},
		{"a catalog that fails for a card", "GET", "/site/none.example", &catalog{broken: errors.New("open /var/secret")}, 500, "fault of the registry"},
		{"a card that is no card", "GET", "/site/shop.example", &catalog{cards: map[string]string{"shop.example": `{"domain":7}`}}, 500, "fault of the registry"},
		{"a path without a page", "GET", "/other", withShop(), 404, "404"},
		{"a method that writes", "POST", "/", withShop(), 405, "Method Not Allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, body := ask(t, handler(t, test.catalog), test.method, test.target)
			if r.StatusCode != test.status || !strings.Contains(body, test.says) || strings.Contains(body, "secret") {
				t.Errorf("status %d: %s", r.StatusCode, body)
			}
		})
	}
}

func TestTheSearchFormBecomesASearch(t *testing.T) {
	tests := []struct{ name, target, asked string }{
		{"nothing asked", "/", "limit=25&offset=0"},
		{"words", "/?q=garden+tools&consent=", "limit=25&offset=0&q=garden+tools"},
		{"a use", "/?consent=train", "consent=train&limit=25&offset=0"},
		{"an unknown use is none", "/?consent=everything", "limit=25&offset=0"},
		{"a later page", "/?q=a&offset=50", "limit=25&offset=50&q=a"},
		{"an offset that is none", "/?offset=-3", "limit=25&offset=0"},
		{"an offset beyond reason", "/?offset=99999999999", "limit=25&offset=0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := withShop()
			if r, body := ask(t, handler(t, c), "GET", test.target); r.StatusCode != 200 {
				t.Fatalf("status %d: %s", r.StatusCode, body)
			}
			if got := c.asked.Encode(); got != test.asked {
				t.Errorf("asked %s, want %s", got, test.asked)
			}
		})
	}
}

func TestTheListOfCardsHasPages(t *testing.T) {
	c := withShop()
	c.total = 60
	_, body := ask(t, handler(t, c), "GET", "/?q=a&offset=25")
	if !strings.Contains(body, `rel="prev" href="/?q=a"`) || !strings.Contains(body, `rel="next" href="/?offset=26&amp;q=a"`) {
		t.Errorf("pages are not linked: %s", body)
	}
	c.total = 26
	if _, body = ask(t, handler(t, c), "GET", "/?q=a&offset=25"); strings.Contains(body, `rel="next"`) {
		t.Error("the last page has a next one")
	}
}

func TestNumbersAreReadInGroups(t *testing.T) {
	for total, want := range map[int]string{1: "1 listed card<", 999: "999 listed cards", 1000: "1,000 listed cards", 100_002: "100,002 listed cards", 1_234_567: "1,234,567 listed cards"} {
		c := withShop()
		c.total = total
		if _, body := ask(t, handler(t, c), "GET", "/"); !strings.Contains(body, want) {
			t.Errorf("%d is not shown as %s", total, want)
		}
	}
}

// The policy allows one style sheet by hash, and nothing else of the page's own.
func TestThePolicyForbidsAllButTheStyleSheet(t *testing.T) {
	h := handler(t, withShop())
	for _, target := range []string{"/", "/about", "/site/shop.example", "/site/none.example"} {
		r, body := ask(t, h, "GET", target)
		policy := r.Header.Get("Content-Security-Policy")
		_, rest, _ := strings.Cut(body, "<style>")
		style, _, _ := strings.Cut(rest, "</style>")
		sum := sha256.Sum256([]byte(style))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; style == "" || !strings.Contains(policy, "style-src "+hash+";") {
			t.Errorf("%s: the style sheet is %s, the policy %s", target, hash, policy)
		}
		if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script") {
			t.Errorf("%s: policy %s", target, policy)
		}
		if strings.Contains(body, "style=") || strings.Contains(body, " on") && strings.Contains(body, "onclick") {
			t.Errorf("%s has attributes that the policy forbids", target)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
			if r.Header.Get(name) != want {
				t.Errorf("%s: %s is %q", target, name, r.Header.Get(name))
			}
		}
		if r.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie", target)
		}
	}
}

// What assistive technology goes by: one main landmark, one first heading,
// headings without gaps, a label for each field, scope for each header cell.
func TestPagesAreAccessible(t *testing.T) {
	h := handler(t, withShop())
	for _, target := range []string{"/", "/about", "/site/shop.example", "/site/none.example"} {
		_, body := ask(t, h, "GET", target)
		elements(t, body, map[string]int{"h1": 1, "main": 1, "header": 1, "footer": 1, "title": 1})
		level, ids, labels := 0, map[string]bool{}, map[string]bool{}
		var fields []string
		walk(t, body, func(n *html.Node) {
			switch {
			case len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6':
				if at := int(n.Data[1] - '0'); at > level+1 {
					t.Errorf("%s: h%d follows h%d", target, at, level)
				} else {
					level = at
				}
			case n.Data == "html" && attribute(n, "lang") != "en":
				t.Errorf("%s says no language", target)
			case n.Data == "label":
				labels[attribute(n, "for")] = true
			case n.Data == "input" || n.Data == "select":
				fields = append(fields, attribute(n, "id"))
			case n.Data == "th" && attribute(n, "scope") == "":
				t.Errorf("%s: a header cell without scope", target)
			case n.Data == "table" && (n.FirstChild == nil || !has(n, "caption")):
				t.Errorf("%s: a table without caption", target)
			}
			if id := attribute(n, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s: two elements are %s", target, id)
				}
				ids[id] = true
			}
		})
		for _, id := range fields {
			if id == "" || !labels[id] {
				t.Errorf("%s: field %q has no label", target, id)
			}
		}
	}
}

func TestBCR039ThePagesClaimNoEnforcement(t *testing.T) {
	_, body := ask(t, handler(t, withShop()), "GET", "/site/shop.example")
	if !strings.Contains(body, "It opens and closes nothing by itself") {
		t.Error("the page does not say that a card enforces nothing")
	}
}

func FuzzCardsOfAnyFormNeverBreakThePage(f *testing.F) {
	f.Add(shop)
	f.Add(`{"domain":"shop.example"}`)
	f.Add(`{"domain":"shop.example","pointers":{"robots":{"a":1}},"listed_by":["a"],"verification":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, card string) {
		if len(card) > 64<<10 {
			return
		}
		h := handler(t, &catalog{cards: map[string]string{"shop.example": card}})
		r, body := ask(t, h, "GET", "/site/shop.example")
		if r.StatusCode != 200 && r.StatusCode != 308 && r.StatusCode != 500 {
			t.Fatalf("status %d", r.StatusCode)
		}
		if r.StatusCode != 308 {
			elements(t, body, map[string]int{"script": 0, "main": 1})
		}
	})
}

func walk(t *testing.T, body string, visit func(*html.Node)) {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range tree.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}

func elements(t *testing.T, body string, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	walk(t, body, func(n *html.Node) { got[n.Data]++ })
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d elements %s, want %d", got[name], name, n)
		}
	}
}

func hrefs(t *testing.T, body string) []string {
	t.Helper()
	var list []string
	walk(t, body, func(n *html.Node) {
		if href := attribute(n, "href"); href != "" {
			list = append(list, href)
		}
	})
	return list
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for d := range n.Descendants() {
		if d.Data == name {
			return true
		}
	}
	return false
}

func BenchmarkSite(b *testing.B) {
	p, err := pages.New(pages.Options{Catalog: withShop(), Name: "Test", PublicURL: "https://registry.example"})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/site/shop.example", nil)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Code)
		}
	}
}
