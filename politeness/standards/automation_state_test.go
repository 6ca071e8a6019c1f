package standards

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/politeness"
)

// automationVerdict is what the automation source alone comes to for a method and
// purposes, where everybody else permits everything.
func automationVerdict(rules politeness.Rules, method string, purposes ...politeness.Purpose) politeness.Decision {
	q := ask("/p/1")
	q.Method, q.Purposes, q.Mode = method, politeness.PurposesOf(purposes...), politeness.OnDemand
	o := rules.Judge(q)
	o.Source = "automation"
	return politeness.Combine(q, []politeness.Opinion{o, generous})
}

func TestAutomationFileStates(t *testing.T) {
	const url = "https://shop.test" + automationPath
	const index, train, act = politeness.Index, politeness.Train, politeness.Act
	answer := func(status int, media, body string) politeness.Document {
		d := *plainDocument(url, body)
		d.Status, d.Header = status, http.Header{}
		if media != "" {
			d.Header.Set("Content-Type", media)
		}
		return d
	}
	failing := func(d politeness.Document, age time.Duration, attempts int) politeness.Document {
		d.FetchedAt = noon.Add(-age)
		d.Failure = &politeness.Failure{Kind: "status", Status: 503, Since: noon.Add(-time.Hour), At: noon,
			Next: noon.Add(5 * time.Minute), Attempts: attempts}
		return d
	}
	forbidden := func(d politeness.Document) politeness.Document {
		d.Forbidden = true
		return d
	}
	const open = "AllowedMethods: GET, HEAD, POST\n"
	const shut = "DisallowedMethods: GET\n"
	never := politeness.Document{URL: url}
	type want struct {
		method  string
		purpose politeness.Purpose
		verdict politeness.Verdict
		reason  politeness.Reason
	}
	get := func(v politeness.Verdict, r politeness.Reason) want { return want{"GET", index, v, r} }
	post := func(v politeness.Verdict, r politeness.Reason) want { return want{"POST", act, v, r} }
	learn := func(v politeness.Verdict, r politeness.Reason) want { return want{"GET", train, v, r} }
	const allow, deny, wait = politeness.Allow, politeness.Deny, politeness.Wait
	const method, unreachable = politeness.AutomationMethod, politeness.AutomationUnreachable
	allowed := politeness.Allowed
	tests := []struct {
		name string
		doc  politeness.Document
		want []want
	}{
		{"AP-002 text/plain in any case, with parameters", answer(200, "TEXT/Plain; charset=utf-8", open), []want{post(allow, allowed)}},
		{"AP-009 an empty file is limited", answer(200, "text/plain", ""), []want{get(allow, allowed), post(deny, method)}},
		{"AP-102 another type may deny", answer(200, "application/octet-stream", shut), []want{get(deny, method)}},
		{"AP-102 and permit nothing", answer(200, "application/octet-stream", open), []want{get(allow, allowed), post(deny, method)}},
		{"AP-102 so may no type", answer(200, "", shut), []want{get(deny, method)}},
		{"AP-102 without a line that is known it is no file", answer(200, "image/png", "PNG: x\n"), []want{get(allow, allowed), learn(allow, allowed)}},
		{"AP-102 HTML is no file", answer(200, "text/html", shut), []want{get(allow, allowed), post(deny, method), learn(allow, allowed)}},
		{"AP-102 neither is XML", answer(200, "application/rss+xml", shut), []want{get(allow, allowed)}},
		{"AP-103 404", answer(404, "text/plain", shut), []want{get(allow, allowed), post(deny, method), learn(allow, allowed)}},
		{"AP-103 410", answer(410, "", ""), []want{get(allow, allowed), post(deny, method)}},
		{"AP-105 401", answer(401, "", ""), []want{get(allow, allowed), learn(allow, allowed)}},
		{"AP-105 403", answer(403, "text/html", "no"), []want{get(allow, allowed), post(deny, method)}},
		{"AP-105 451", answer(451, "", ""), []want{get(allow, allowed)}},
		{"AP-106 a shell as text/plain", answer(200, "text/plain", "\xEF\xBB\xBF\n\n <!DocType HTML>\n"+shut), []want{get(allow, allowed)}},
		{"AP-106 a shell without a doctype", answer(200, "text/plain", "<html>\n"+shut), []want{get(allow, allowed)}},
		{"AP-107 redirects that led nowhere", answer(302, "", ""), []want{get(allow, allowed), post(deny, method)}},
		{"AP-104 never answered, first failure", failing(never, 0, 1), []want{get(wait, unreachable), learn(wait, unreachable)}},
		{"AP-104 never answered, third failure", failing(never, 0, 3), []want{get(wait, unreachable)}},
		{"AP-104 never answered after three retries", failing(never, 0, 4), []want{get(allow, allowed), learn(deny, unreachable), post(deny, method)}},
		{"AP-104 a young copy counts", failing(answer(200, "text/plain", open), 23*time.Hour, 2), []want{get(allow, allowed), post(allow, allowed), learn(allow, allowed)}},
		{"AP-104 so does a young copy that denies", failing(answer(200, "text/plain", shut), 23*time.Hour, 2), []want{get(deny, method)}},
		{"AP-104 an old copy denies", failing(answer(200, "text/plain", shut), 25*time.Hour, 2), []want{get(deny, method)}},
		{"AP-104 and permits nothing", failing(answer(200, "text/plain", open), 25*time.Hour, 2), []want{get(allow, allowed), post(deny, method)}},
		{"AP-104 a copy of 31 days is none", failing(answer(200, "text/plain", shut), 31*24*time.Hour, 2), []want{get(wait, unreachable)}},
		{"AP-104 and none after three retries", failing(answer(200, "text/plain", open), 31*24*time.Hour, 9), []want{get(allow, allowed), learn(deny, unreachable), post(deny, method)}},
		{"AP-104 a young 404 counts", failing(answer(404, "", ""), time.Hour, 1), []want{get(allow, allowed)}},
		{"AP-104 an old 404 does not", failing(answer(404, "", ""), 25*time.Hour, 1), []want{get(wait, unreachable)}},
		{"AP-104 429 that was stored as an answer", answer(429, "", ""), []want{get(allow, allowed), learn(deny, unreachable)}},
		{"forbidden by robots.txt and never read", forbidden(never), []want{get(allow, allowed), learn(deny, unreachable), post(deny, method)}},
		{"forbidden by robots.txt since it was read", forbidden(answer(200, "text/plain", open)), []want{get(allow, allowed), post(deny, method)}},
		{"forbidden by robots.txt, and it denied", forbidden(answer(200, "text/plain", shut)), []want{get(deny, method)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := readAutomation(Options{}, "https://shop.test", &tt.doc)
			for _, w := range tt.want {
				d := automationVerdict(rules, w.method, w.purpose)
				if d.Verdict != w.verdict || d.Reason != w.reason {
					t.Errorf("%s for %s: %s %s, want %s %s", w.method, w.purpose, d.Verdict, d.Reason, w.verdict, w.reason)
				}
				if d.Verdict == wait && !d.Until.Equal(tt.doc.Failure.Next) {
					t.Errorf("waits until %s", d.Until)
				}
			}
		})
	}
}

func TestAP035AP101AP137AutomationPlace(t *testing.T) {
	places := newAutomation(Options{}).Where("http://shop.test:8080")
	if len(places) != 1 {
		t.Fatal(places)
	}
	p := places[0]
	if p.URL != "http://shop.test:8080/automation-preferences.txt" {
		t.Errorf("AP-001 AP-038 AP-101 %s", p.URL)
	}
	if p.MaxAge != 24*time.Hour {
		t.Errorf("AP-035 lives %s", p.MaxAge)
	}
	if p.MinAge != 5*time.Minute {
		t.Errorf("AP-137 lives at least %s", p.MinAge)
	}
	if p.Pauses != [3]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		t.Errorf("AP-104 pauses %v", p.Pauses)
	}
	if p.BoundBy != "robots" || p.MaxBytes != 512_000 || p.For != 0 {
		t.Errorf("%+v", p)
	}
}

func TestAutomationLimits(t *testing.T) {
	const origin = "https://shop.test"
	long := strings.Repeat("a", 9_000)
	values := strings.Repeat("X,", 257)
	tests := []struct {
		name, body, method string
		purpose            politeness.Purpose
		verdict            politeness.Verdict
		partial            bool
	}{
		{"AP-108 a line over 8,192 octets is skipped", "DisallowedMethods: " + long + ",GET\n", "GET", politeness.Index, politeness.Allow, true},
		{"AP-108 and nothing beyond retrieval is left", "AllowedMethods: " + long + ",GET\nAllowedMethods: POST, GET\n", "POST", politeness.Act, politeness.Deny, true},
		{"AP-108 a list over 256 values is skipped", "DisallowedMethods: " + values + "GET\n", "GET", politeness.Index, politeness.Allow, true},
		{"AP-108 of a file over the limit the head counts", "DisallowedMethods: HEAD\n" + strings.Repeat("# padding\n", 52_000), "HEAD", politeness.Index, politeness.Deny, true},
		{"AP-108 but permits nothing", "AllowedMethods: GET, POST\n" + strings.Repeat("# padding\n", 52_000), "POST", politeness.Act, politeness.Deny, true},
		{"AP-108 not even training", strings.Repeat("# padding\n", 52_000), "GET", politeness.Train, politeness.Deny, true},
		{"AP-108 reading goes on", strings.Repeat("# padding\n", 52_000), "GET", politeness.Index, politeness.Allow, true},
		{"AP-108 groups over 2,048 are left out", strings.Repeat("Scope: /x\nAllowedMethods: GET\n", 2_049), "GET", politeness.Train, politeness.Deny, true},
		{"AP-108 2,048 groups are not", strings.Repeat("Scope: /x\nAllowedMethods: GET\n", 2_048), "GET", politeness.Train, politeness.Allow, false},
		{"AP-108 a group that lost a scope can only deny", "DisallowedMethods: GET\nScope: /p\nScope: /" + long[:3_000] + "\nAllowedMethods: GET\n", "GET", politeness.Index, politeness.Deny, false},
		{"AP-108 and does so", "Scope: /p\nScope: /" + strings.Repeat("*a", 33) + "\nDisallowedMethods: GET\n", "GET", politeness.Index, politeness.Deny, false},
		{"AP-108 its strictness counts too", "AllowedMethods: GET\nScope: /p\nScope: /" + long[:3_000] + "\nAutomationPolicy: strict\n", "GET", politeness.Index, politeness.Deny, false},
		{"AP-108 a scope of 32 stars is whole", "Scope: /p*" + strings.Repeat("*", 31) + "\nDisallowedMethods: GET\n", "GET", politeness.Index, politeness.Deny, false},
		{"AP-109 a byte order mark", "\xEF\xBB\xBFAutomationPolicy: strict\r\n", "GET", politeness.Index, politeness.Deny, false},
		{"AP-109 lines end with CR alone", "AutomationPolicy: open\rDisallowedMethods: GET\rRequireAutomationPurpose: no", "GET", politeness.Index, politeness.Deny, false},
		{"AP-109 a line that is no UTF-8 is skipped", "DisallowedMethods: GET \xFF\xFE\nDisallowedMethods: HEAD\n", "GET", politeness.Index, politeness.Allow, true},
		{"AP-109 the others are kept", "DisallowedMethods: GET \xFF\xFE\nDisallowedMethods: HEAD\n", "HEAD", politeness.Index, politeness.Deny, true},
		{"AP-109 a zero octet", "DisallowedMethods: GET\x00\n", "GET", politeness.Index, politeness.Allow, true},
		{"AP-007 an unknown line that is no UTF-8 is nothing", "Verwalter: M\xFCller\n", "GET", politeness.Train, politeness.Allow, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := plainDocument(origin+automationPath, tt.body)
			rules := readAutomation(Options{}, origin, d).(*automationRules)
			if got := automationVerdict(rules, tt.method, tt.purpose); got.Verdict != tt.verdict {
				t.Errorf("%s %s, want %s", got.Verdict, got.Reason, tt.verdict)
			}
			if rules.file.partial != tt.partial {
				t.Errorf("partial %t", rules.file.partial)
			}
		})
	}
}

func TestAutomationDocumentThatWasCut(t *testing.T) {
	d := plainDocument("https://shop.test"+automationPath, "DisallowedMethods: HEAD\nDisallowedMethods: GE")
	d.Truncated = true
	rules := readAutomation(Options{}, "https://shop.test", d)
	if got := automationVerdict(rules, "HEAD", politeness.Index); got.Verdict != politeness.Deny {
		t.Errorf("AP-108 a whole line: %s", got.Verdict)
	}
	if got := automationVerdict(rules, "GET", politeness.Train); got.Reason != politeness.AutomationUnreachable {
		t.Errorf("AP-108 training: %s %s", got.Verdict, got.Reason)
	}
}

func TestAP136AutomationDeclaration(t *testing.T) {
	const origin = "https://shop.test"
	required := plainDocument(origin+automationPath, "Scope: /p/\nRequireAutomationPurpose: true\n")
	q := ask("/p/1")
	if o := readAutomation(Options{}, origin, required).Judge(q); !o.Declare || o.Verdict == politeness.Deny {
		t.Errorf("AP-013 declare %t, %s", o.Declare, o.Verdict)
	}
	if o := readAutomation(Options{NoDeclaration: true}, origin, required).Judge(q); o.Reason != politeness.AutomationPurposeRequired ||
		o.Verdict != politeness.Deny || o.Rule.Line != 2 {
		t.Errorf("AP-013 %s %s by line %d", o.Verdict, o.Reason, o.Rule.Line)
	}
	q.Path = "/q"
	if o := readAutomation(Options{NoDeclaration: true}, origin, required).Judge(q); o.Declare || o.Verdict == politeness.Deny {
		t.Errorf("AP-136 where nobody requires it: declare %t, %s", o.Declare, o.Verdict)
	}
}

func TestAutomationVocabularyIsConfigurable(t *testing.T) {
	const origin = "https://shop.test"
	words := DefaultVocabulary()
	words["zebra"] = politeness.PurposesOf(politeness.Train)
	d := plainDocument(origin+automationPath, "DisallowedPurposes: Zebra\n")
	if got := automationVerdict(readAutomation(Options{Vocabulary: words}, origin, d), "GET", politeness.Train); got.Verdict != politeness.Deny {
		t.Errorf("AP-127 with the term: %s", got.Verdict)
	}
	if got := automationVerdict(readAutomation(Options{}, origin, d), "GET", politeness.Train); got.Verdict != politeness.Allow {
		t.Errorf("AP-127 without it: %s", got.Verdict)
	}
}

func TestAutomationNotes(t *testing.T) {
	const origin = "https://shop.test"
	body := "no colon\nAutomationPolicy: closed\nAllowedPurposes: ,\nScope: https://other.test/\nRateLimit: 1/s\n"
	rules := readAutomation(Options{}, origin, plainDocument(origin+automationPath, body)).(politeness.Noter)
	var b strings.Builder
	for _, n := range rules.Notes() {
		fmt.Fprintln(&b, n.Line, n.Kind, n.Text)
	}
	want := "1 no-directive no colon\n2 unknown-value AutomationPolicy: closed\n3 empty-value AllowedPurposes: ,\n" +
		"4 unusable-scope Scope: https://other.test/\n5 not-understood RateLimit: 1/s\n"
	if b.String() != want {
		t.Errorf("AP-026 AP-128 AP-132 AP-141\n%swant\n%s", b.String(), want)
	}
	many := readAutomation(Options{}, origin, plainDocument(origin+automationPath, strings.Repeat("X-Future: 1\n", 1_000)))
	if n := len(many.(politeness.Noter).Notes()); n != maxNotes {
		t.Errorf("AP-024 %d notes", n)
	}
	for status, kind := range map[int]string{403: noteRefused, 404: "", 200: noteShell} {
		d := plainDocument(origin+automationPath, "<html>")
		d.Status = status
		notes := readAutomation(Options{}, origin, d).(politeness.Noter).Notes()
		if kind == "" && len(notes) > 0 || kind != "" && (len(notes) != 1 || notes[0].Kind != kind) {
			t.Errorf("AP-105 AP-106 %d: %+v", status, notes)
		}
	}
}

// extensionNames are plausible names of directives that nobody has defined.
var extensionNames = []string{"RateLimit", "Crawl-delay", "SessionTimeout", "AllowApi", "XHR", "Asset.Policy", "Max_Requests", "Z9"}

func TestAP025AP041UnknownDirectivesChangeNothing(t *testing.T) {
	known := []string{"AllowedMethods: GET", "DisallowedMethods: HEAD", "AutomationPolicy: limited", "DisallowedPurposes: train",
		"AllowedPurposes: search", "# words", "", "no colon"}
	rapid.Check(t, func(t *rapid.T) {
		// Directly behind a scope line a name ends its run, so none is put there.
		plain := rapid.SliceOfN(rapid.SampledFrom(known), 0, 12).Draw(t, "lines")
		var with []string
		for _, line := range plain {
			if rapid.Bool().Draw(t, "extend") {
				with = append(with, rapid.SampledFrom(extensionNames).Draw(t, "name")+": "+rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "value"))
			}
			with = append(with, line)
		}
		const origin = "https://shop.test"
		a := readAutomation(Options{}, origin, plainDocument(origin+automationPath, strings.Join(plain, "\n")))
		b := readAutomation(Options{}, origin, plainDocument(origin+automationPath, strings.Join(with, "\n")))
		for _, method := range []string{"GET", "HEAD", "POST"} {
			for p := range politeness.Purpose(purposes) {
				x, y := automationVerdict(a, method, p), automationVerdict(b, method, p)
				if x.Verdict != y.Verdict || x.Reason != y.Reason {
					t.Fatalf("AP-025 AP-041 %s %s: %s %s became %s %s", method, p, x.Verdict, x.Reason, y.Verdict, y.Reason)
				}
			}
		}
	})
}

func TestOrderOfAutomationGroupsDoesNotMatter(t *testing.T) {
	groups := []string{"Scope: /\nAllowedMethods: GET\n", "Scope: /p\nDisallowedMethods: HEAD\n", "Scope: /p/*\nAllowedPurposes: search\n",
		"Host: shop.test\nAutomationPolicy: limited\n", "Scope: /p/1$\nAutomationPolicy: strict\n", "Scope: /p\nAllowedMethods: HEAD\n"}
	rapid.Check(t, func(t *rapid.T) {
		const origin = "https://shop.test"
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(groups), 0, len(groups), rapid.ID).Draw(t, "groups")
		other := rapid.Permutation(some).Draw(t, "order")
		a := readAutomation(Options{}, origin, plainDocument(origin+automationPath, strings.Join(some, "")))
		b := readAutomation(Options{}, origin, plainDocument(origin+automationPath, strings.Join(other, "")))
		for _, method := range []string{"GET", "HEAD", "POST"} {
			for p := range politeness.Purpose(purposes) {
				x, y := automationVerdict(a, method, p), automationVerdict(b, method, p)
				if x.Verdict != y.Verdict || x.Reason != y.Reason {
					t.Fatalf("AP-021 %s %s: %s %s became %s %s", method, p, x.Verdict, x.Reason, y.Verdict, y.Reason)
				}
			}
		}
	})
}

func TestAP039AP147AutomationNeverGrants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"AllowedPurposes: all", "AllowedPurposes: train", "AutomationPolicy: open",
			"AllowedMethods: GET, POST", "DisallowedPurposes: search", "Scope: /p", "RequireAutomationPurpose: false"}), 0, 10).Draw(t, "lines")
		const origin = "https://shop.test"
		o := readAutomation(Options{}, origin, plainDocument(origin+automationPath, strings.Join(lines, "\n"))).Judge(ask("/p/1"))
		for p := range purposes {
			if o.Uses[p] == politeness.Yes || o.Weak[p] == politeness.Yes || o.Lifts != 0 {
				t.Fatalf("AP-039 AP-147 %s is granted", politeness.Purpose(p))
			}
		}
	})
}

func TestAP030AP034AutomationIsAskedForAfterRobotsAndOnce(t *testing.T) {
	cache := memoryCache{}
	g := gateOver(Options{Token: "heed"}, cache)
	var order []string
	for i := range 100 {
		q := ask(fmt.Sprint("/p/", i))
		for {
			_, need, err := g.Before(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if need == nil {
				break
			}
			order = append(order, need.Place.URL)
			if err := g.Library().Store(t.Context(), plainDocument(need.Place.URL, "")); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := "https://shop.test/robots.txt https://shop.test/automation-preferences.txt"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("AP-030 AP-034 %s", got)
	}
	records, err := g.Records(t.Context(), "https://shop.test", "scope")
	if err != nil || records != nil {
		t.Errorf("AP-037 patterns are handed out as records: %v, %v", records, err)
	}
}

func TestAP138ANewFileTakesEffectAtTheNextQuestion(t *testing.T) {
	const url = "https://shop.test" + automationPath
	r := robotsDocument(nil)
	open := plainDocument(url, "")
	g := gateOver(Options{}, memoryCache{r.URL: r, url: open})
	if d, need, err := g.Before(t.Context(), ask("/a")); need != nil || err != nil || d.Verdict != politeness.Allow {
		t.Fatal(d.Verdict, need, err)
	}
	shut := plainDocument(url, "DisallowedMethods: GET\n")
	shut.SHA256 = "new"
	if err := g.Library().Store(t.Context(), shut); err != nil {
		t.Fatal(err)
	}
	d, need, err := g.Before(t.Context(), ask("/a"))
	if need != nil || err != nil || d.Reason != politeness.AutomationMethod || d.Doc.SHA256 != "new" {
		t.Errorf("AP-138 %s %s by %+v, need %v, %v", d.Verdict, d.Reason, d.Doc, need, err)
	}
}

func TestRobotsAndAutomationMustBothAllow(t *testing.T) {
	const url = "https://shop.test" + automationPath
	for name, tt := range map[string]struct {
		robots, automation string
		source             string
	}{
		"AP-139 automation does not widen robots.txt": {"User-agent: *\nDisallow: /x\n", "Scope: /x\nAllowedMethods: GET\n", "robots"},
		"AP-139 robots.txt does not widen automation": {"User-agent: *\nAllow: /x\n", "Scope: /x\nDisallowedMethods: GET\n", "automation"},
		"AP-139 both allow":                           {"User-agent: *\nAllow: /x\n", "Scope: /x\nAllowedMethods: GET\n", ""},
	} {
		r := robotsDocument([]byte(tt.robots))
		g := gateOver(Options{}, memoryCache{r.URL: r, url: plainDocument(url, tt.automation)})
		if d, need, err := g.Before(t.Context(), ask("/x")); need != nil || err != nil || d.Source != tt.source {
			t.Errorf("%s: %s by %q, need %v, %v", name, d.Verdict, d.Source, need, err)
		}
	}
}

func TestAnHTTPCopyDoesNotGovernHTTPS(t *testing.T) {
	r := robotsDocument(nil)
	secure := plainDocument("https://shop.test"+automationPath, "")
	plain := plainDocument("http://shop.test"+automationPath, "DisallowedMethods: GET\n")
	plainRobots := plainDocument("http://shop.test/robots.txt", "")
	g := gateOver(Options{}, memoryCache{r.URL: r, secure.URL: secure, plain.URL: plain, plainRobots.URL: plainRobots})
	if d, need, err := g.Before(t.Context(), ask("/x")); need != nil || err != nil || d.Verdict != politeness.Allow {
		t.Errorf("AP-038 https: %s, need %v, %v", d.Verdict, need, err)
	}
	q := ask("/x")
	q.URL, q.Origin = "http://shop.test/x", "http://shop.test"
	if d, need, err := g.Before(t.Context(), q); need != nil || err != nil || d.Verdict != politeness.Deny {
		t.Errorf("AP-038 http: %s, need %v, %v", d.Verdict, need, err)
	}
}
