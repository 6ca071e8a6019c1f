package standards

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/politeness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSourcesAreAskedInTheOrderOfTheTable(t *testing.T) {
	var names []string
	card, registry := scope{}, guard{} // any two will do
	for _, s := range All(Options{Card: card, Registry: registry}) {
		names = append(names, s.Name())
	}
	want := []string{"operator", "scope", "guard", "method", "robots", "automation", "scope", "guard",
		"tdm", "aipref", "content-signal", "xrobots", "rsl", "pace"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestEverySourceNamesAReasonOfItsOwnArea(t *testing.T) {
	q := ask("/a")
	q.Scope, q.Guard, q.Method = politeness.ScopeDepth, politeness.GuardPort, "POST"
	q.Rate = politeness.Rate{Until: noon.Add(time.Second), Reason: politeness.PaceBackOff}
	d := robotsDocument([]byte("User-agent: *\nDisallow: /\n"))
	g := robotsGate(Options{Operator: []OperatorRule{{Host: "*", Deny: true}}}, memoryCache{d.URL: d})
	got, _, err := g.Before(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got.Reason != politeness.OperatorDeny {
		t.Errorf("decisive is %s", got.Reason)
	}
	for _, o := range got.Opinions {
		if o.Verdict == politeness.Silent || o.Reason.Area() != o.Source || o.Reason.Sentence() == "" {
			t.Errorf("%s %s %q", o.Source, o.Verdict, o.Reason)
		}
	}
}

func TestGivenReasons(t *testing.T) {
	tests := []struct {
		name   string
		change func(*politeness.Question)
		source string
		want   politeness.Verdict
		reason politeness.Reason
	}{
		{"inside the job", func(*politeness.Question) {}, "scope", politeness.Silent, ""},
		{"outside the job", func(q *politeness.Question) { q.Scope = politeness.ScopeHost }, "scope", politeness.Deny, politeness.ScopeHost},
		{"a public address", func(*politeness.Question) {}, "guard", politeness.Silent, ""},
		{"a private address", func(q *politeness.Question) { q.Guard = politeness.GuardAddress }, "guard", politeness.Deny, politeness.GuardAddress},
		{"a host that is free", func(*politeness.Question) {}, "pace", politeness.Silent, ""},
		{"a host whose pause is over", func(q *politeness.Question) { q.Rate.Until, q.Rate.Reason = q.Now, politeness.PaceBackOff }, "pace", politeness.Silent, ""},
		{"a host that backs off", func(q *politeness.Question) { q.Rate.Until, q.Rate.Reason = q.Now.Add(1), politeness.PaceBackOff }, "pace", politeness.Wait, politeness.PaceBackOff},
		{"a host that waits for no reason", func(q *politeness.Question) { q.Rate.Until = q.Now.Add(1) }, "pace", politeness.Wait, politeness.PaceNotYet},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := ask("/")
			tt.change(&q)
			o := opinionOf(t, Options{}, tt.source, q)
			if o.Verdict != tt.want || o.Reason != tt.reason {
				t.Errorf("%s %q, want %s %q", o.Verdict, o.Reason, tt.want, tt.reason)
			}
			if o.Verdict == politeness.Wait && !o.Until.Equal(q.Rate.Until) {
				t.Errorf("until %s", o.Until)
			}
		})
	}
}

func TestThePacersDelayIsPassedOn(t *testing.T) {
	q := ask("/")
	q.Rate.Delay = 3 * time.Second
	if o := opinionOf(t, Options{}, "pace", q); o.Delay != 3*time.Second {
		t.Errorf("delay %s", o.Delay)
	}
}

// opinionOf asks one source without a document.
func opinionOf(t *testing.T, o Options, source string, q politeness.Question) politeness.Opinion {
	t.Helper()
	for _, s := range All(o) {
		if s.Name() == source {
			if places := s.Where(q.Origin); places != nil {
				t.Fatalf("%s needs %v", source, places)
			}
			return s.Read(politeness.Place{}, politeness.Document{}).Judge(q)
		}
	}
	t.Fatalf("no source %s", source)
	return politeness.Opinion{}
}

func TestMethod(t *testing.T) {
	act := politeness.PurposesOf(politeness.Act)
	hosts := []ActHost{{Host: "shop.test", Because: "order desk"}, {Host: "*.api.test", Because: "our own"}}
	get := OperatorRule{Host: "shop.test", AllowMethods: []string{"POST", "PUT"}, Because: "nothing is deleted"}
	tests := []struct {
		name     string
		method   string
		mode     politeness.Mode
		purposes politeness.Purposes
		host     string
		rules    []OperatorRule
		want     politeness.Reason // empty for silence
		because  string
	}{
		{"GET in a crawl", "GET", politeness.Crawl, politeness.PurposesOf(politeness.Index), "shop.test", nil, "", ""},
		{"HEAD on demand", "HEAD", politeness.OnDemand, politeness.PurposesOf(politeness.Train), "shop.test", nil, "", ""},
		{"GET is open to act, whatever the operator lists", "GET", politeness.OnDemand, act, "shop.test", []OperatorRule{get}, "", ""},
		{"AP-143 POST without the purpose", "POST", politeness.OnDemand, politeness.PurposesOf(politeness.Index), "shop.test", nil, politeness.MethodUnsafe, ""},
		{"AP-143 POST in a crawl", "POST", politeness.Crawl, act, "shop.test", nil, politeness.MethodUnsafe, ""},
		{"AP-143 POST to a host that is not enabled", "POST", politeness.OnDemand, act, "other.test", nil, politeness.MethodActOff, ""},
		{"AP-143 POST to a host that is enabled", "POST", politeness.OnDemand, act, "shop.test", nil, "", "order desk"},
		{"POST below an enabled suffix", "POST", politeness.OnDemand, act, "v1.api.test", nil, "", "our own"},
		{"POST to the suffix itself", "POST", politeness.OnDemand, act, "api.test", nil, politeness.MethodActOff, ""},
		{"a method the operator lists", "PUT", politeness.OnDemand, act, "shop.test", []OperatorRule{get}, "", "order desk"},
		{"a method the operator does not list", "DELETE", politeness.OnDemand, act, "shop.test", []OperatorRule{get}, politeness.MethodActOff, "nothing is deleted"},
		{"OPTIONS is not GET", "OPTIONS", politeness.OnDemand, politeness.PurposesOf(politeness.Index), "shop.test", nil, politeness.MethodUnsafe, ""},
		{"methods are case-sensitive", "get", politeness.OnDemand, politeness.PurposesOf(politeness.Index), "shop.test", nil, politeness.MethodUnsafe, ""},
		{"no method", "", politeness.Crawl, politeness.PurposesOf(politeness.Index), "shop.test", nil, politeness.MethodUnsafe, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := ask("/order")
			q.Method, q.Mode, q.Purposes, q.Host = tt.method, tt.mode, tt.purposes, tt.host
			o := opinionOf(t, Options{ActHosts: hosts, Operator: tt.rules}, "method", q)
			want := politeness.Deny
			if tt.want == "" {
				want = politeness.Silent
			}
			if o.Inquire != (tt.want != "" && tt.mode == politeness.OnDemand) {
				t.Errorf("documents are read after the denial: %t", o.Inquire)
			}
			if o.Verdict != want || o.Reason != tt.want || o.Because != tt.because {
				t.Errorf("%s %q because %q, want %q because %q", o.Verdict, o.Reason, o.Because, tt.want, tt.because)
			}
		})
	}
}
