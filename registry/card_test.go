package registry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestCardsAsTheyAreServed(t *testing.T) {
	t.Run("BC-D-001 a card is one JSON object of type application/json", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, full(shop))
		a := w.get("/v1/site/" + shop)
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("status %d, type %q", a.status, a.header.Get("Content-Type"))
		}
		a.json(t)
	})
	t.Run("BC-D-002 every required member is there", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		for _, body := range []string{minimal(shop), full(shop)} {
			p.write(shop, body)
			c := w.card(shop)
			for _, name := range []string{"botcentral", "domain", "canonical", "name", "summary", "topics", "allow_bots",
				"allow", "deny", "pointers", "pages", "updated", "verification", "consent"} {
				if _, ok := c[name]; !ok {
					t.Errorf("no member %s", name)
				}
			}
		}
	})
	t.Run("BC-D-003 the version is served as a string whatever was sent", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		for _, version := range []string{`"1.1"`, `"1.0"`, `1.1`, `null`, `{}`} {
			p.write(shop, `{"botcentral":`+version+`,"canonical":"https://shop.example"}`)
			if got := w.card(shop)["botcentral"]; got != "1.1" {
				t.Errorf("%s is served as %v", version, got)
			}
		}
	})
	t.Run("BC-D-011 updated is the last write and nothing else", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		w.pass(24 * time.Hour)
		p.login()
		p.check(shop)
		c := w.card(shop)
		if c["updated"] != "2026-03-01T10:00:00Z" || verification(c)["checked"] != "2026-03-02T10:00:00Z" {
			t.Errorf("updated %v, checked %v", c["updated"], verification(c)["checked"])
		}
	})
	t.Run("BC-D-012 a card never checked is pending with checked null", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, minimal(shop))
		v := verification(w.card(shop))
		if checked, ok := v["checked"]; v["method"] != "pending" || !ok || checked != nil {
			t.Errorf("verification is %v", v)
		}
	})
	t.Run("BC-D-013 BC-D-014 BC-D-015 BC-D-016 BC-D-017 BC-D-018 consent has five members with their defaults", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		for body, want := range map[string]map[string]any{
			`{}`:                            {"retrieve": true, "train": false, "act": false, "cite": true, "tdm": "reserved"},
			`{"train":true}`:                {"retrieve": true, "train": true, "act": false, "cite": true, "tdm": "reserved"},
			`{"retrieve":false,"act":true}`: {"retrieve": false, "train": false, "act": true, "cite": true, "tdm": "reserved"},
			`{"cite":false,"tdm":"open"}`:   {"retrieve": true, "train": false, "act": false, "cite": false, "tdm": "open"},
			`{"tdm":"licensed","x_ads":{"a":[1e400]}}`: {"retrieve": true, "train": false, "act": false, "cite": true, "tdm": "licensed"},
		} {
			p.write(shop, `{"canonical":"https://shop.example","consent":`+body+`}`)
			got := consent(w.card(shop))
			delete(got, "x_ads")
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s is served as %v", body, got)
			}
		}
	})
	t.Run("BC-D-021 BC-R-033 listed_by is the publisher behind the token", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.publisher("pub-7", "*"), w.publisher("pub-9", "*")
		a.write(shop, `{"canonical":"https://shop.example","listed_by":"someone-else"}`)
		if got := w.card(shop)["listed_by"]; got != "pub-7" {
			t.Errorf("listed_by is %v", got)
		}
		b.write(shop, minimal(shop))
		if got := w.card(shop)["listed_by"]; got != "pub-9" {
			t.Errorf("listed_by is %v", got)
		}
	})
	t.Run("BC-R-912 listed_by is a string", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, minimal(shop))
		if _, ok := w.card(shop)["listed_by"].(string); !ok {
			t.Error("it is not")
		}
	})
	t.Run("BC-D-022 unknown members come back unchanged at any depth", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, `{"canonical":"https://shop.example","x_colour":"bl\u0075e","x_n":12345678901234567890.12300e-7,
			"consent":{"x_ads":false,"x_deep":{"a":[{"b":null}]}},"crawl":{"x_c": 1.0},"pointers":{"x_p":[]},
			"pages":[{"url":"https://shop.example/","rel":"home","x_q":"\ud83d\ude00"}],"x\u0022quote":{"score":1,"updated":2}}`)
		body := w.get("/v1/site/" + shop).body
		for _, part := range []string{`"x_colour":"bl\u0075e"`, `"x_n":12345678901234567890.12300e-7`, `"x_ads":false`,
			`"x_deep":{"a":[{"b":null}]}`, `"x_c":1.0`, `"revalidate_hours":168`, `"x_p":[]`, `"x_q":"\ud83d\ude00"`,
			`"x\"quote":{"score":1,"updated":2}`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s is not in %s", part, body)
			}
		}
	})
	t.Run("BC-R-004 a minimal write is served with defaults and the registry's own members", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, minimal(shop))
		c := w.card(shop)
		if c["name"] != shop || c["summary"] != "" || c["allow_bots"] != true || c["domain"] != shop {
			t.Errorf("served as %v", c)
		}
	})
	t.Run("BC-R-006 allow_bots false serves three times no, and gives back what is submitted later", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		body := `{"canonical":"https://shop.example","allow_bots":%v,"consent":{"retrieve":true,"train":true,"act":true,"cite":true}}`
		p.write(shop, fmt.Sprintf(body, false))
		if c := consent(w.card(shop)); c["retrieve"] != false || c["train"] != false || c["act"] != false || c["cite"] != true {
			t.Errorf("consent is %v", c)
		}
		p.write(shop, fmt.Sprintf(body, true))
		if c := consent(w.card(shop)); c["retrieve"] != true || c["train"] != true || c["act"] != true {
			t.Errorf("consent is %v", c)
		}
	})
	t.Run("BC-R-007 every read surface shows the defaults", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, `{"canonical":"https://shop.example","consent":{}}`)
		want := map[string]any{"retrieve": true, "train": false, "act": false, "cite": true, "tdm": "reserved"}
		status, body, err := w.Site(t.Context(), shop)
		if err != nil || status != http.StatusOK {
			t.Fatal(status, err)
		}
		var tool map[string]any
		if err := json.Unmarshal(body, &tool); err != nil {
			t.Fatal(err)
		}
		hit, _ := w.expect("/v1/search?include=card")["results"].([]any)[0].(map[string]any)
		inner, _ := hit["card"].(map[string]any)
		for name, c := range map[string]map[string]any{"read": w.card(shop), "tool": tool, "search": hit, "search with card": inner} {
			if !reflect.DeepEqual(consent(c), want) {
				t.Errorf("%s: %v", name, consent(c))
			}
		}
	})
	t.Run("BC-R-008 retrieve never becomes train", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, `{"canonical":"https://shop.example","consent":{"retrieve":true}}`)
		if c := consent(w.card(shop)); c["train"] != false {
			t.Errorf("consent is %v", c)
		}
		if !robotsBar(t, w.get("/v1/site/"+shop+"/robots.txt").body, "CCBot") {
			t.Error("a training token is not barred")
		}
	})
	t.Run("BC-R-037 a card has no member of the requester", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		allowed := "botcentral domain canonical name summary topics allow_bots allow deny pointers pages consent crawl verification listed_by updated"
		for name := range w.card(shop) {
			if !strings.Contains(" "+allowed+" ", " "+name+" ") {
				t.Errorf("member %s was sent by nobody", name)
			}
		}
	})
	t.Run("BC-R-005 the schema validates every card that is served", func(t *testing.T) {
		w := newWorld(t)
		a := w.get("/v1/schema.json")
		served, err := compileSchema(testBase+"/v1/schema.json", []byte(a.body), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := w.publisher("pub-7", "*")
		check := func() {
			t.Helper()
			value, err := decode([]byte(w.get("/v1/site/" + shop).body))
			if err != nil {
				t.Fatal(err)
			}
			if err := served.Validate(value); err != nil {
				t.Error(err)
			}
		}
		for _, body := range []string{minimal(shop), full(shop)} {
			p.write(shop, body)
			check()
		}
		p.prove(shop, full(shop))
		check()
		w.prover.find(shop, Finding{Method: DNSTXT, Validated: true, Note: "TXT record matched"})
		p.check(shop)
		check()
		w.pass(200 * time.Hour)
		check()
		p.login()
		w.prover.plant(shop)
		p.check(shop)
		w.pass(2 * time.Hour)
		p.login()
		p.check(shop)
		check()
		if v := verification(w.card(shop)); v["method"] != "unverified" {
			t.Errorf("verification is %v", v)
		}
	})
}

func TestScores(t *testing.T) {
	scores := func(c map[string]any) []string {
		var list []string
		pages, _ := c["pages"].([]any)
		for _, page := range pages {
			list = append(list, fmt.Sprint(page.(map[string]any)["score"]))
		}
		return list
	}
	t.Run("BC-R-010 BC-D-019 a submitted score is ignored and the registry's is an integer of 0 to 100", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, full(shop))
		plain := scores(w.card(shop))
		p.write(shop, strings.ReplaceAll(full(shop), `"rel":`, `"score":100,"rank":{"proof":25},"rel":`))
		if got := scores(w.card(shop)); !reflect.DeepEqual(got, plain) {
			t.Errorf("scores %v, without submitted ones %v", got, plain)
		}
		p.prove(shop, full(shop))
		for _, s := range scores(w.card(shop)) {
			if n, err := json.Number(s).Int64(); err != nil || n < 0 || n > 100 {
				t.Errorf("score %s", s)
			}
		}
	})
	t.Run("BC-R-012 proof does not lower a score, and the best page reaches 100", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, full(shop))
		before, _ := json.Number(scores(w.card(shop))[0]).Int64()
		p.prove(shop, full(shop))
		after, _ := json.Number(scores(w.card(shop))[0]).Int64()
		if before > after || after != 100 {
			t.Errorf("before %d, proven %d", before, after)
		}
		w.pass(169 * time.Hour)
		if stale := scores(w.card(shop))[0]; stale != "90" {
			t.Errorf("stale %s", stale)
		}
	})
	t.Run("BC-R-013 words and unknown members do not move a score", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, full(shop))
		plain := scores(w.card(shop))
		for _, change := range []string{`"name":"Other"`, `"summary":"best best best"`, `"topics":["top","best"]`, `"x_score":100`, `"score":100`,
			`"rank":1`, `"freshness":"fresh"`, `"verification":{"method":"dns-txt","checked":"2026-03-01T10:00:00Z"}`, `"language":"de"`} {
			name, _, _ := strings.Cut(change, ":")
			var c map[string]any
			if err := json.Unmarshal([]byte(full(shop)), &c); err != nil {
				t.Fatal(err)
			}
			delete(c, strings.Trim(name, `"`))
			rest, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			p.write(shop, "{"+change+","+string(rest[1:]))
			if got := scores(w.card(shop)); !reflect.DeepEqual(got, plain) {
				t.Errorf("with %s: %v, was %v", change, got, plain)
			}
		}
	})
}

// robotsBar tells what the group of a token says about "/".
func robotsBar(t *testing.T, text, token string) bool {
	t.Helper()
	for group := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(group, "User-agent: "+token+"\n") {
			return strings.Contains(group, "\nDisallow: /")
		}
	}
	t.Fatalf("no group of %s in %s", token, text)
	return false
}
