package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// formula is the score of a page as it is documented, from the six facts alone.
func formula(proven, stale, retrieve bool, crawl CrawlHealth, rel string, pointers int) int {
	score := 4 + 2*pointers + 8
	if proven {
		score += 25 + 15
	}
	if proven && stale {
		score -= 10
	}
	if retrieve {
		score += 20
	}
	score += map[CrawlHealth]int{CrawlUnknown: 10, CrawlFine: 15, CrawlBarred: 5, CrawlNoRobots: 0}[crawl]
	switch rel {
	case "home":
		score += 7
	case "index", "docs", "help", "about", "contact", "policy":
		score += 4
	}
	return score
}

// Whatever a publisher writes around the facts, the score of each page is what
// the formula makes of them (BC-R-012, BC-R-013).
func TestBCR013NothingAPublisherWritesMovesAScoreBeyondTheFacts(t *testing.T) {
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	word := rapid.StringMatching(`[a-z]{1,8}`)
	claim := rapid.OneOf(rapid.Just(`100`), rapid.Just(`"fresh"`), rapid.Just(`{"score":100,"proof":25,"method":"dns-txt"}`), rapid.Just(`[100]`), rapid.Just(`null`), rapid.Just(`true`))
	members := func(t *rapid.T, label string, names ...string) string {
		var b strings.Builder
		for _, name := range rapid.SliceOfNDistinct(rapid.OneOf(rapid.SampledFrom(names), word.Filter(func(s string) bool { return !known[s] })), 0, 5, rapid.ID[string]).Draw(t, label) {
			fmt.Fprintf(&b, `,%q:%s`, name, claim.Draw(t, label+" "+name))
		}
		return b.String()
	}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		domain := fmt.Sprintf("s%d.example", n)
		crawl := rapid.SampledFrom([]CrawlHealth{CrawlUnknown, CrawlFine, CrawlBarred, CrawlNoRobots}).Draw(rt, "crawl")
		proven, stale, retrieve := rapid.Bool().Draw(rt, "proven"), rapid.Bool().Draw(rt, "stale"), rapid.Bool().Draw(rt, "retrieve")
		pointers := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"robots", "sitemap", "llms"}), rapid.ID[string]).Draw(rt, "pointers")
		rels := rapid.SliceOfN(rapid.SampledFrom([]string{"home", "index", "docs", "help", "about", "contact", "policy", "page", "best", "HOME", "home "}), 1, 6).Draw(rt, "rels")
		var pages, places []string
		for i, rel := range rels {
			pages = append(pages, fmt.Sprintf(`{"url":"https://%s/%d","rel":%q%s}`, domain, i, rel, members(rt, "page", "score", "rank", "freshness", "proof")))
		}
		for _, name := range pointers {
			places = append(places, fmt.Sprintf(`%q:"https://%s/%s"`, name, domain, name))
		}
		text := word.Draw(rt, "text")
		body := fmt.Sprintf(`{"canonical":"https://%s","name":%q,"summary":%q,"topics":[%q],"pages":[%s],"pointers":{%s},"consent":{"retrieve":%v,"train":%v,"act":%v,"cite":%v,"tdm":%q%s}%s}`,
			domain, text, strings.Repeat(text+" ", 20), text, strings.Join(pages, ","), strings.Join(places, ","), retrieve,
			rapid.Bool().Draw(rt, "train"), rapid.Bool().Draw(rt, "act"), rapid.Bool().Draw(rt, "cite"), rapid.SampledFrom([]string{"open", "reserved", "licensed"}).Draw(rt, "tdm"),
			members(rt, "consent", "score", "proof"), members(rt, "card", "score", "rank", "freshness", "verification", "updated", "listed_by", "proof", "x_score"))
		p.write(domain, body)
		p.issue(domain)
		finding := Finding{Method: Unverified, Token: -1, Note: "token absent", Crawl: crawl}
		if proven {
			finding = Finding{Method: DNSTXT, Note: "found", Crawl: crawl}
		}
		w.prover.find(domain, finding)
		p.check(domain)
		if proven && stale {
			w.pass(169 * time.Hour)
			p.login()
		}
		list, _ := w.card(domain)["pages"].([]any)
		if len(list) != len(rels) {
			rt.Fatalf("%d pages of %d", len(list), len(rels))
		}
		for i, page := range list {
			score, _ := page.(map[string]any)["score"].(json.Number)
			if want := fmt.Sprint(formula(proven, stale, retrieve, crawl, rels[i], len(pointers))); score.String() != want {
				rt.Fatalf("page %d has score %s, want %s: %s", i, score, want, body)
			}
		}
	})
}

// known are the members of a card that a random word must not hit.
var known = map[string]bool{"domain": true, "canonical": true, "name": true, "summary": true, "topics": true, "allow": true, "deny": true,
	"pointers": true, "pages": true, "consent": true, "crawl": true, "language": true, "retrieve": true, "train": true, "act": true, "cite": true,
	"tdm": true, "url": true, "rel": true, "title": true}

// The order of everything that is listed is that of names or of changes, never
// that of scores (BC-R-012).
func TestBCR012NoListFollowsScores(t *testing.T) {
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	// The better the score, the later the name and the earlier the change.
	good, fair, poor := "z.example", "m.example", "a.example"
	p.prove(good, full(good))
	p.prove(fair, minimal(fair))
	p.prove(poor, `{"canonical":"https://`+poor+`","consent":{"retrieve":false}}`)
	domains := func(path, list string) string {
		var names []string
		entries, _ := w.expect(path)[list].([]any)
		for _, e := range entries {
			names = append(names, e.(map[string]any)["domain"].(string))
		}
		return strings.Join(names, " ")
	}
	byName, byChange := poor+" "+fair+" "+good, good+" "+fair+" "+poor
	for path, want := range map[string][2]string{
		"/v1/search":                           {"results", byName},
		"/v1/search?q=example":                 {"results", byName},
		"/v1/search?verified=true":             {"results", byName},
		"/v1/changes":                          {"changes", byChange},
		"/.well-known/botcentral-index.json":   {"listed", byName},
		"/v1/search?q=example&include=card":    {"results", byName},
		"/v1/search?consent=retrieve&offset=0": {"results", fair + " " + good},
	} {
		if got := domains(path, want[0]); got != want[1] {
			t.Errorf("%s lists %s, want %s", path, got, want[1])
		}
	}
	pages, _ := w.card(good)["pages"].([]any) // in the order they were sent in
	for i, want := range []string{"home", "help", "page"} {
		if got := pages[i].(map[string]any)["rel"]; got != want {
			t.Errorf("page %d is %v, want %s", i, got, want)
		}
	}
}
