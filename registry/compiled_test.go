package registry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestCompiledTexts(t *testing.T) {
	robots := func(t *testing.T, members string) string {
		t.Helper()
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, `{"canonical":"https://shop.example"`+members+`}`)
		a := w.get("/v1/site/" + shop + "/robots.txt")
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Fatalf("BC-R-028: %d, type %q", a.status, a.header.Get("Content-Type"))
		}
		return a.body
	}
	t.Run("BC-R-028 the text has one group for each token, the one for everybody last, and the sitemap", func(t *testing.T) {
		text := robots(t, `,"pointers":{"sitemap":"https://shop.example/map.xml"},"allow":["gptbot","Mine"]`)
		seen := map[string]bool{}
		last := ""
		for line := range strings.Lines(text) {
			if token, ok := strings.CutPrefix(line, "User-agent: "); ok {
				token = strings.ToLower(strings.TrimSpace(token))
				if seen[token] {
					t.Errorf("two groups of %s", token)
				}
				seen[token], last = true, token
			}
		}
		if last != "*" || !strings.HasSuffix(text, "\nSitemap: https://shop.example/map.xml\n") || !seen["mine"] {
			t.Errorf("text %s", text)
		}
	})
	t.Run("BC-R-029 training tokens are barred unless train is true", func(t *testing.T) {
		for _, token := range []string{"GPTBot", "CCBot", "Google-Extended", "Applebot-Extended", "Amazonbot"} {
			if !robotsBar(t, robots(t, ``), token) {
				t.Errorf("%s is not barred without train", token)
			}
			if robotsBar(t, robots(t, `,"consent":{"train":true}`), token) {
				t.Errorf("%s is barred with train", token)
			}
		}
	})
	t.Run("BC-R-030 retrieval tokens stay allowed unless retrieve is false", func(t *testing.T) {
		for _, token := range []string{"OAI-SearchBot", "PerplexityBot", "Googlebot", "*"} {
			if robotsBar(t, robots(t, ``), token) {
				t.Errorf("%s is barred", token)
			}
			if !robotsBar(t, robots(t, `,"consent":{"retrieve":false}`), token) {
				t.Errorf("%s is not barred without retrieve", token)
			}
		}
	})
	t.Run("BC-R-031 BC-R-910 allow and deny override the purpose, and deny overrides allow", func(t *testing.T) {
		text := robots(t, `,"allow":["TrainSampleBot","ccbot","Both"],"deny":["FindSampleBot","PerplexityBot","Both"]`)
		for token, barred := range map[string]bool{"TrainSampleBot": false, "ccbot": false, "GPTBot": true, "FindSampleBot": true, "PerplexityBot": true, "Both": true} {
			if robotsBar(t, text, token) != barred {
				t.Errorf("%s: barred is %v", token, !barred)
			}
		}
		if text := robots(t, `,"consent":{"retrieve":false},"allow":["Googlebot"]`); robotsBar(t, text, "Googlebot") || !robotsBar(t, text, "Bingbot") {
			t.Error("a token in allow is barred while retrieve is false")
		}
	})
	t.Run("BC-R-910 allow_bots false is one group that bars everybody", func(t *testing.T) {
		if got := robots(t, `,"allow_bots":false,"allow":["GPTBot"]`); got != "User-agent: *\nDisallow: /\n" {
			t.Errorf("text %q", got)
		}
	})
	t.Run("BC-R-032 control tokens are labelled in the list of agents", func(t *testing.T) {
		w := newWorld(t)
		var list struct{ Agents []agent }
		if err := json.Unmarshal([]byte(w.get("/v1/agents").body), &list); err != nil {
			t.Fatal(err)
		}
		kinds := map[string]string{}
		for _, a := range list.Agents {
			if a.Token == "" || a.Operator == "" || len(a.Purposes) == 0 || kinds[a.Token] != "" {
				t.Errorf("entry %+v", a)
			}
			kinds[a.Token] = a.Kind
		}
		if kinds["Google-Extended"] != "control" || kinds["Applebot-Extended"] != "control" || kinds["GPTBot"] != "crawler" || kinds["ChatGPT-User"] != "user-fetch" {
			t.Errorf("kinds %v", kinds)
		}
	})
	t.Run("BC-R-009 BC-C-925 the tdmrep is offered for download below the registry's own URL", func(t *testing.T) {
		for tdm, want := range map[string]string{"licensed": "1", "reserved": "1", "open": "0"} {
			w := newWorld(t)
			w.publisher("pub-7", "*").write(shop, `{"canonical":"https://shop.example","consent":{"tdm":"`+tdm+`"}}`)
			a := w.get("/v1/site/" + shop + "/tdmrep.json")
			if a.status != http.StatusOK || strings.TrimSpace(a.body) != `[{"location":"/","tdm-reservation":`+want+`}]` {
				t.Errorf("%s: %d %s", tdm, a.status, a.body)
			}
		}
	})
}

func TestSearch(t *testing.T) {
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	p.prove("a.example", full("a.example"))
	p.prove("b.example", `{"canonical":"https://b.example","name":"Bäckerei","topics":["Bread"],"language":["de","fr"],"allow_bots":false,"consent":{"train":true}}`)
	p.prove("c.example", `{"canonical":"https://c.example","summary":"Garden of nobody","crawl":{"revalidate_hours":1}}`)
	p.write("d.example", full("d.example"))
	w.pass(2 * 3600e9)
	tests := map[string]string{
		"":                              "a b c",
		"q=garden":                      "a c",
		"q=GARDEN+shop":                 "a",
		"q=b%C3%84ckerei":               "b",
		"q=nothing":                     "",
		"topic=Garden":                  "a",
		"topic=gard":                    "",
		"language=fr":                   "b",
		"capability=search":             "a",
		"consent=train":                 "a",
		"consent=retrieve":              "a c",
		"consent=cite&allow_bots=false": "b",
		"allow_bots=true":               "a c",
		"verified=true":                 "a b",
		"verified=false":                "c",
		"limit=1":                       "a",
		"limit=1&offset=1":              "b",
		"offset=7":                      "",
		"unknown=1":                     "a b c",
	}
	for query, want := range tests {
		t.Run("BC-R-909 a search for "+query, func(t *testing.T) {
			answer := w.expect("/v1/search?" + query)
			var got []string
			for _, hit := range answer["results"].([]any) {
				h := hit.(map[string]any)
				domain := h["domain"].(string)
				got = append(got, strings.TrimSuffix(domain, ".example"))
				if h["href"] != testBase+"/v1/site/"+domain || h["score"] != nil || h["rank"] != nil || len(consent(h)) != 5 {
					t.Errorf("hit %v", h)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("found %v, want %s", got, want)
			}
			if strings.Contains(query, "limit=1") && fmt.Sprint(answer["total"]) != "3" {
				t.Errorf("total %v", answer["total"])
			}
		})
	}
	t.Run("include gives the card or the declared URLs", func(t *testing.T) {
		hit := w.expect("/v1/search?include=card&q=shop")["results"].([]any)[0].(map[string]any)
		raw, err := json.Marshal(hit["card"])
		if err != nil || string(raw) == "null" {
			t.Fatal("no card", err)
		}
		hit = w.expect("/v1/search?include=urls&q=shop")["results"].([]any)[0].(map[string]any)
		if fmt.Sprint(hit["urls"]) != "[https://a.example/ https://www.a.example/help https://a.example/x]" || hit["card"] != nil {
			t.Errorf("hit %v", hit)
		}
	})
	t.Run("parameters out of range are refused", func(t *testing.T) {
		for _, query := range []string{"limit=0", "limit=26", "limit=x", "offset=-1", "offset=1000001", "consent=sell", "verified=1", "allow_bots=x",
			"include=all", "q=a&q=b", "q=" + strings.Repeat("a", 3000), "q=" + strings.Repeat("a+", 20), "q=%zz"} {
			if a := w.get("/v1/search?" + query); a.status != http.StatusBadRequest || a.code(t) != "parameter" {
				t.Errorf("%.30s: %d", query, a.status)
			}
		}
	})
	t.Run("BC-R-023 other callers get what HTTP gives", func(t *testing.T) {
		status, body, err := w.Site(t.Context(), "a.example")
		if err != nil || status != http.StatusOK || string(body) != w.get("/v1/site/a.example").body {
			t.Errorf("site: %d %v", status, err)
		}
		status, body, err = w.Search(t.Context(), map[string][]string{"q": {"garden"}})
		if err != nil || status != http.StatusOK || string(body) != w.get("/v1/search?q=garden").body {
			t.Errorf("search: %d %v", status, err)
		}
		for domain, want := range map[string]int{"none.example": 404, "com": 400, "WWW.A.example": 200} {
			if status, _, err := w.Site(t.Context(), domain); err != nil || status != want {
				t.Errorf("%s: %d %v", domain, status, err)
			}
		}
	})
}
