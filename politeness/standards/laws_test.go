package standards

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/politeness"
)

// site is an origin that speaks through some signals.
type site struct {
	robots, automation, tdm, license string
	status                           map[string]int
	header                           http.Header
	meta                             []politeness.Meta
	card                             *politeness.Opinion
}

// lines of each kind, restricting and permitting ones.
var (
	siteRobots     = []string{"Disallow: /p/", "Allow: /p/1", "Disallow: /x", "Content-Usage: train-ai=n", "Content-Usage: train-ai=y, search=y", "Content-Usage: /p search=n", "Content-Signal: ai-train=yes, search=yes", "Content-Signal: ai-train=no", "License: /license.xml", "Disallow: /.well-known/", "Crawl-delay: 2", "nonsense"}
	siteAutomation = []string{"AllowedMethods: GET, POST", "DisallowedMethods: GET", "AutomationPolicy: strict", "AutomationPolicy: open", "DisallowedPurposes: train", "AllowedPurposes: all", "AllowedPurposes: search", "Scope: /p", "Scope: /x", "RequireAutomationPurpose: true", "nonsense"}
	siteTDM        = []string{`[]`, `[{"location":"/","tdm-reservation":0}]`, `[{"location":"/p","tdm-reservation":1}]`, `{"no":"array"}`}
	siteLicenses   = []string{`<rsl><content url="/"><license/></content></rsl>`, `<rsl><content url="/"><license><payment type="use"/></license></content></rsl>`, `no`}
	sitePage       = []string{"noindex", "nofollow", "noai", "noarchive", "all", "otherbot: none"}
)

func drawSite() *rapid.Generator[site] {
	some := func(t *rapid.T, label string, of []string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(of), 0, 5).Draw(t, label), "\n") + "\n"
	}
	return rapid.Custom(func(t *rapid.T) site {
		s := site{robots: "User-agent: *\n" + some(t, "robots", siteRobots), automation: some(t, "automation", siteAutomation),
			tdm: rapid.SampledFrom(siteTDM).Draw(t, "tdm"), license: rapid.SampledFrom(siteLicenses).Draw(t, "license"),
			status: map[string]int{}, header: http.Header{}}
		for _, path := range []string{robotsPath, automationPath, tdmPath, "/license.xml"} {
			s.status[path] = rapid.SampledFrom([]int{200, 200, 200, 404, 503}).Draw(t, path)
		}
		if rapid.Bool().Draw(t, "card") {
			o := politeness.Quiet("card")
			for p := range purposes {
				o.Uses[p] = politeness.Use(rapid.IntRange(0, 2).Draw(t, "consent"))
			}
			o.Weak[politeness.Train] = politeness.Use(rapid.SampledFrom([]int{0, 2}).Draw(t, "reserved"))
			o.Closes = politeness.CardTrainFalse
			s.card = &o
		}
		if rapid.Bool().Draw(t, "fields") {
			s.header["X-Robots-Tag"] = rapid.SliceOfN(rapid.SampledFrom(sitePage), 0, 3).Draw(t, "x-robots-tag")
			s.header["Content-Usage"] = rapid.SliceOfN(rapid.SampledFrom([]string{"train-ai=y", "train-ai=n", "search=n", "!"}), 0, 2).Draw(t, "content-usage")
			s.header["Tdm-Reservation"] = rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", "x"}), 0, 2).Draw(t, "tdm-reservation")
		}
		return s
	})
}

// gate is a gate whose library holds everything the site answers.
func (s *site) gate() *politeness.Gate {
	cache := memoryCache{}
	for path, body := range map[string]string{robotsPath: s.robots, automationPath: s.automation, tdmPath: s.tdm, "/license.xml": s.license} {
		d := plainDocument("https://shop.test"+path, body)
		if d.Status = s.status[path]; d.Status == 503 {
			d.Status, d.Body, d.FetchedAt = 0, nil, time.Time{}
			d.Failure = &politeness.Failure{Kind: "status", Status: 503, Since: noon, At: noon, Next: noon.Add(time.Minute), Attempts: 4}
		}
		cache[d.URL] = d
	}
	return gateOver(s.options(), cache)
}

func (s *site) options() Options {
	o := Options{Token: "heed", ActHosts: []ActHost{{Host: "shop.test", Because: "test"}}}
	if s.card != nil {
		o.Card = constantSource{*s.card}
	}
	return o
}

func drawAsk() *rapid.Generator[politeness.Question] {
	return rapid.Custom(func(t *rapid.T) politeness.Question {
		q := ask(rapid.SampledFrom([]string{"/p/1", "/x", "/"}).Draw(t, "path"))
		q.Method = rapid.SampledFrom([]string{"GET", "GET", "HEAD", "POST"}).Draw(t, "method")
		q.Mode = rapid.SampledFrom([]politeness.Mode{politeness.Crawl, politeness.OnDemand}).Draw(t, "mode")
		q.Purposes = politeness.Purposes(rapid.IntRange(1, int(every)).Draw(t, "purposes"))
		return q
	})
}

// asker is what decide needs of a test, or of one drawn case of it.
type asker interface {
	Context() context.Context
	Fatal(...any)
}

func decide(t asker, g *politeness.Gate, q politeness.Question) politeness.Decision {
	d, need, err := g.Before(t.Context(), q)
	if need != nil || err != nil {
		t.Fatal("need", need, err)
	}
	return d
}

func TestLawAResponseNeverLoosensTheVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		g := s.gate()
		before := decide(t, g, q)
		q.Response = &politeness.Response{Status: 200, Header: s.header, Meta: s.meta}
		after := g.After(before, q)
		if after.Verdict > before.Verdict {
			t.Fatalf("%s became %s", before.Verdict, after.Verdict)
		}
		for p := range purposes {
			if p != int(politeness.Train) && before.Uses[p] == politeness.No && after.Uses[p] != politeness.No {
				t.Fatalf("%s was refused and is %s", politeness.Purpose(p), after.Uses[p])
			}
		}
		if after.Uses[politeness.Act] == politeness.Yes && before.Uses[politeness.Act] != politeness.Yes {
			t.Fatal("a response grants acting")
		}
	})
}

func TestLawTrainAndActNeedAnExplicitYes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		d := decide(t, s.gate(), q)
		said := func(p politeness.Purpose) bool {
			for _, o := range d.Opinions {
				if o.Uses[p] == politeness.Yes {
					return true
				}
			}
			return false
		}
		for _, p := range []politeness.Purpose{politeness.Train, politeness.Act} {
			if d.Uses[p] == politeness.Yes && !said(p) {
				t.Fatalf("%s is granted by nobody", p)
			}
			if d.Verdict == politeness.Allow && q.Purposes == politeness.PurposesOf(p) && !said(p) {
				t.Fatalf("a request for %s alone is sent, granted by nobody", p)
			}
		}
		if d.Verdict == politeness.Allow && q.Method == "POST" && (d.Uses[politeness.Act] != politeness.Yes || q.Mode != politeness.OnDemand) {
			t.Fatal("AP-143 a POST is sent without consent to act")
		}
	})
}

func TestLawOneMoreRestrictionNeverLoosens(t *testing.T) {
	restrictions := []func(*site){
		func(s *site) { s.robots += "Disallow: /\n" },
		func(s *site) { s.robots += "Content-Signal: search=no, ai-input=no, ai-train=no\n" },
		func(s *site) { s.tdm = `[{"location":"/","tdm-reservation":1}]`; s.status[tdmPath] = 200 },
		func(s *site) { s.card = &politeness.Opinion{Source: "card", Reason: politeness.CardAllowBotsOff} },
	}
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		without := decide(t, s.gate(), q)
		more := s
		more.status = map[string]int{}
		for path, status := range s.status {
			more.status[path] = status
		}
		rapid.SampledFrom(restrictions).Draw(t, "restriction")(&more)
		with := decide(t, more.gate(), q)
		if with.Verdict == politeness.Allow && without.Verdict != politeness.Allow {
			t.Fatalf("%s (%s) became allow", without.Verdict, without.Reason)
		}
	})
}

func TestLawTheAnswerDoesNotDependOnTheOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		whole := decide(t, s.gate(), q)
		// The same documents, each brought when it is asked for.
		source := s.gate()
		g := gateOver(s.options(), memoryCache{})
		ctx := t.Context()
		for range 10 {
			d, need, err := g.Before(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			if need == nil {
				// Once the door is shut nothing more is asked for, so what is at
				// hand besides may turn a wait into a denial or name another
				// reason. It never opens the door.
				if d.Verdict == politeness.Wait && whole.Verdict != politeness.Allow {
					return
				}
				if d.Verdict != whole.Verdict || !sameUses(d, whole) {
					t.Fatalf("%s %s %v, with all at hand %s %s %v", d.Verdict, d.Reason, d.Uses, whole.Verdict, whole.Reason, whole.Uses)
				}
				return
			}
			doc, err := source.Library().Copy(ctx, need.Place.URL)
			if err != nil || doc == nil {
				t.Fatal(need.Place.URL, err)
			}
			if err := g.Library().Store(ctx, doc); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatal("documents are asked for again and again")
	})
}

// sameUses compares two decisions about the purposes that were asked for.
func sameUses(a, b politeness.Decision) bool {
	for p := range purposes {
		if a.Purposes.Has(politeness.Purpose(p)) && a.Uses[p] != b.Uses[p] {
			return false
		}
	}
	return true
}

func TestLawTheSameDocumentsGiveTheSameDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		a, b := decide(t, s.gate(), q), decide(t, s.gate(), q)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}

func TestLawAContextFileChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		with := s
		with.robots += "\nLLM-Context: https://shop.test/llms.txt\n"
		a, b := decide(t, s.gate(), q), decide(t, with.gate(), q)
		if a.Verdict != b.Verdict || a.Reason != b.Reason || a.Uses != b.Uses {
			t.Fatalf("LC-061 LC-062 %s %s became %s %s", a.Verdict, a.Reason, b.Verdict, b.Reason)
		}
	})
}

func TestEveryRefusalHasAReasonOfItsSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, q := drawSite().Draw(t, "site"), drawAsk().Draw(t, "question")
		g := s.gate()
		d := decide(t, g, q)
		q.Response = &politeness.Response{Status: 200, Header: s.header, Meta: s.meta}
		for _, o := range g.After(d, q).Opinions {
			for p := range purposes {
				if o.Uses[p] == politeness.No && o.Source != "card" && (o.Reason.Area() != o.Source || o.Reason.Sentence() == "") {
					t.Fatalf("%s refuses %s for %q", o.Source, politeness.Purpose(p), o.Reason)
				}
			}
			if o.Verdict == politeness.Deny && o.Source != "card" && o.Reason.Area() != o.Source {
				t.Fatalf("%s denies for %q", o.Source, o.Reason)
			}
		}
	})
}

func TestActNeedsAllFiveConditions(t *testing.T) {
	granting := politeness.Quiet("card")
	granting.Uses[politeness.Act] = politeness.Yes
	refusing := politeness.Quiet("card")
	refusing.Uses[politeness.Act], refusing.Closes = politeness.No, politeness.CardActFalse
	silent := politeness.Quiet("card")
	type world struct {
		site
		host    string
		mode    politeness.Mode
		purpose politeness.Purpose
		method  string
	}
	tests := []struct {
		name   string
		change func(*world)
		reason politeness.Reason
	}{
		{"AP-143 all of them hold", func(*world) {}, politeness.Allowed},
		{"AP-143 in a crawl", func(w *world) { w.mode = politeness.Crawl }, politeness.MethodUnsafe},
		{"AP-143 without the purpose", func(w *world) { w.purpose = politeness.Index }, politeness.MethodUnsafe},
		{"AP-143 not enabled for the host", func(w *world) { w.host = "other.test" }, politeness.MethodActOff},
		{"AP-143 robots.txt disallows", func(w *world) { w.robots += "Disallow: /p\n" }, politeness.RobotsDisallow},
		{"AP-143 the method is not listed", func(w *world) { w.automation = "AllowedMethods: GET\n" }, politeness.AutomationMethod},
		{"AP-143 no file lists methods", func(w *world) { w.status[automationPath] = 404 }, politeness.AutomationMethod},
		{"AP-143 another method", func(w *world) { w.method = "PATCH" }, politeness.AutomationMethod},
		{"AP-143 the card says act=false", func(w *world) { w.card = &refusing }, politeness.CardActFalse},
		{"AP-143 the card says nothing", func(w *world) { w.card = &silent }, politeness.PurposeNoGrant},
		{"AP-143 no card", func(w *world) { w.card = nil }, politeness.PurposeNoGrant},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := world{site: site{robots: "User-agent: *\n", automation: "AllowedMethods: GET, HEAD, POST\n", tdm: "[]", card: &granting,
				status: map[string]int{robotsPath: 200, automationPath: 200, tdmPath: 404, "/license.xml": 404}},
				host: "shop.test", mode: politeness.OnDemand, purpose: politeness.Act, method: "POST"}
			tt.change(&w)
			q := ask("/p/1")
			q.Method, q.Mode, q.Purposes, q.Host = w.method, w.mode, politeness.PurposesOf(w.purpose), w.host
			if d := decide(t, w.gate(), q); d.Reason != tt.reason {
				t.Errorf("%s %s", d.Verdict, d.Reason)
			}
		})
	}
}

func TestAP042StateChangingMethods(t *testing.T) {
	for method, changes := range map[string]bool{"POST": true, "PUT": true, "DELETE": true, "PATCH": true, "FROB": true, "GET": false, "HEAD": false} {
		q := ask("/")
		q.Method = method
		if o := opinionOf(t, Options{}, "method", q); (o.Verdict == politeness.Deny) != changes {
			t.Errorf("AP-042 %s: %s", method, o.Verdict)
		}
	}
}

func TestAP140AnyDenyDeniesWhateverTheOthersSay(t *testing.T) {
	type say struct{ restricts, permits string }
	sources := map[string]say{
		"automation":     {"DisallowedPurposes: train\n", "AllowedPurposes: train\n"},
		"aipref":         {"Content-Usage: train-ai=n\n", "Content-Usage: train-ai=y\n"},
		"content-signal": {"Content-Signal: ai-train=no\n", "Content-Signal: ai-train=yes\n"},
		"tdm":            {`[{"location":"/","tdm-reservation":1}]`, `[{"location":"/","tdm-reservation":0}]`},
	}
	names := []string{"automation", "aipref", "content-signal", "tdm"}
	for n := range 81 { // three votes of four sources
		s := site{robots: "User-agent: *\n", tdm: "[]", card: &politeness.Opinion{Source: "card", Verdict: politeness.Silent, Uses: politeness.Everything(politeness.Yes)},
			status: map[string]int{robotsPath: 200, automationPath: 200, tdmPath: 200, "/license.xml": 404}}
		denied, votes := false, n
		for _, name := range names {
			text := [...]string{"", sources[name].permits, sources[name].restricts}[votes%3]
			denied = denied || votes%3 == 2
			votes /= 3
			switch {
			case name == "automation":
				s.automation = text
			case name == "tdm" && text != "":
				s.tdm = text
			case name != "tdm":
				s.robots += text
			}
		}
		q := ask("/p/1")
		q.Purposes = politeness.PurposesOf(politeness.Train)
		if d := decide(t, s.gate(), q); (d.Verdict == politeness.Deny) != denied {
			t.Errorf("AP-140 votes %d: %s %s", n, d.Verdict, d.Reason)
		}
	}
}

func TestAP146ARedirectHopIsJudgedByItsOwnOrigin(t *testing.T) {
	s := site{robots: "User-agent: *\n", status: map[string]int{robotsPath: 200, automationPath: 200, tdmPath: 404, "/license.xml": 404}}
	g := s.gate()
	if d := decide(t, g, ask("/a")); d.Verdict != politeness.Allow {
		t.Fatal(d.Reason)
	}
	hop := ask("/x")
	hop.URL, hop.Origin, hop.Host = "https://b.test/x", "https://b.test", "b.test"
	robots := plainDocument("https://b.test"+robotsPath, "")
	if err := g.Library().Store(t.Context(), robots); err != nil {
		t.Fatal(err)
	}
	if _, need, err := g.Before(t.Context(), hop); err != nil || need == nil || need.Place.URL != "https://b.test"+automationPath {
		t.Errorf("AP-146 need %+v, %v", need, err)
	}
}

func TestAContextFileIsAnAssetLikeAnyOther(t *testing.T) {
	s := site{robots: "User-agent: *\n", card: &politeness.Opinion{Source: "card", Verdict: politeness.Silent, Uses: politeness.Everything(politeness.Yes)},
		status: map[string]int{robotsPath: 200, automationPath: 200, tdmPath: 404, "/license.xml": 404}}
	g, q := s.gate(), ask("/.well-known/llm-context")
	q.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
	before := decide(t, g, q)
	q.Response = &politeness.Response{Status: 200, Header: http.Header{"Content-Usage": {"train-ai=n"}}}
	after := g.After(before, q)
	if before.Uses[politeness.Train] != politeness.Yes || after.Uses[politeness.Train] != politeness.No || after.Verdict != politeness.Allow {
		t.Errorf("LC-149 train %s became %s, %s", before.Uses[politeness.Train], after.Uses[politeness.Train], after.Verdict)
	}
}

func TestBCC921PolicyDocumentsAreReadWhateverTheyForbid(t *testing.T) {
	s := site{robots: "User-agent: *\n", automation: "DisallowedMethods: GET\n", status: map[string]int{robotsPath: 200, automationPath: 200, tdmPath: 200, "/license.xml": 404}}
	for path, want := range map[string]politeness.Verdict{tdmPath: politeness.Allow, robotsPath: politeness.Allow, "/sitemap.xml": politeness.Deny} {
		if d := decide(t, s.gate(), ask(path)); d.Verdict != want {
			t.Errorf("BC-C-921 %s: %s %s", path, d.Verdict, d.Reason)
		}
	}
}

func TestHostileDocumentsAreReadAndJudgedInTime(t *testing.T) {
	path := "/" + strings.Repeat("a", 2_047)
	for name, body := range map[string]string{
		"AP-036 one line":                    strings.Repeat("a", 10<<20),
		"AP-036 a hundred thousand groups":   strings.Repeat("Scope: /\nX: 1\n", 100_000),
		"AP-036 scopes of thirty stars":      strings.Repeat("Scope: /"+strings.Repeat("*a", 30)+"b\n", 7_000) + "DisallowedMethods: GET\n",
		"AP-036 a scope of a thousand stars": "Scope: /" + strings.Repeat("a*", 1_000) + "b\nDisallowedMethods: GET\n",
		"AP-036 a list without end":          "AllowedMethods: " + strings.Repeat("a,", 250_000),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			rules := readAutomation(Options{}, "https://shop.test", plainDocument("https://shop.test"+automationPath, body))
			if o := rules.Judge(ask(path)); o.Uses[politeness.Train] == politeness.Yes {
				t.Error("training is granted")
			}
			// Far above what it takes: the bound catches work that grows faster
			// than the document, not a busy machine.
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("%s", took)
			}
		})
	}
}

func TestARefusalOfAnotherPurposeExplainsNoSilence(t *testing.T) {
	s := site{robots: "User-agent: *\nContent-Signal: search=no\nContent-Usage: search=n\n", automation: "DisallowedPurposes: search\n",
		tdm: `[{"location":"/","tdm-reservation":1}]`, status: map[string]int{robotsPath: 200, automationPath: 200, tdmPath: 200, "/license.xml": 404}}
	q := ask("/p/1")
	q.Purposes = politeness.PurposesOf(politeness.Act)
	if d := decide(t, s.gate(), q); d.Reason != politeness.PurposeNoGrant {
		t.Errorf("acting, which nobody spoke about, is closed by %s", d.Reason)
	}
}
