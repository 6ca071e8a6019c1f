package standards

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/politeness"
)

func TestOperator(t *testing.T) {
	rules := []OperatorRule{
		{Host: "shop.test", Delay: 2 * time.Second, Because: "slow server"},
		{Host: "*.shop.test", Delay: 5 * time.Second},
		{Host: "*", Delay: time.Second},
		{Host: "*.closed.test", Deny: true, Because: "asked by mail"},
		{Host: "www.closed.test", Deny: true, Because: "second"},
	}
	tests := []struct {
		host    string
		want    politeness.Verdict
		delay   time.Duration
		because string
	}{
		{"shop.test", politeness.Silent, 2 * time.Second, "slow server"},
		{"www.shop.test", politeness.Silent, 5 * time.Second, ""},
		{"notshop.test", politeness.Silent, time.Second, ""},
		{"closed.test", politeness.Silent, time.Second, ""},
		{"www.closed.test", politeness.Deny, time.Second, "asked by mail"},
		{"WWW.Closed.Test", politeness.Deny, time.Second, "asked by mail"},
	}
	for _, tt := range tests {
		t.Run(tt.host, func(t *testing.T) {
			q := ask("/")
			q.Host = tt.host
			o := opinionOf(t, Options{Operator: rules}, "operator", q)
			if o.Verdict != tt.want || o.Delay != tt.delay || o.Because != tt.because {
				t.Errorf("%s, delay %s, because %q", o.Verdict, o.Delay, o.Because)
			}
			if o.Verdict == politeness.Deny && o.Reason != politeness.OperatorDeny {
				t.Errorf("reason %s", o.Reason)
			}
		})
	}
}

func TestAnIgnoredStandardIsReadAndRecordedButDoesNotRefuse(t *testing.T) {
	body := "User-agent: *\nCrawl-delay: 7\nDisallow: /private/\nSitemap: https://shop.test/s.xml\n"
	down := &politeness.Document{URL: "https://shop.test/robots.txt",
		Failure: &politeness.Failure{Kind: "dns", Since: noon, At: noon, Next: noon.Add(time.Minute), Attempts: 1}}
	rules := []OperatorRule{{Host: "shop.test", Ignore: []string{"robots"}, Because: "contract of 3 May"}}
	tests := []struct {
		name    string
		doc     *politeness.Document
		rules   []OperatorRule
		path    string
		want    politeness.Verdict
		reason  politeness.Reason // of the opinion of robots
		because string
	}{
		{"without the rule", robotsDocument([]byte(body)), nil, "/private/a", politeness.Deny, politeness.RobotsDisallow, ""},
		{"with it", robotsDocument([]byte(body)), rules, "/private/a", politeness.Allow, politeness.RobotsDisallow, "contract of 3 May"},
		{"where robots has no objection", robotsDocument([]byte(body)), rules, "/", politeness.Allow, "", "contract of 3 May"},
		{"while robots.txt is down", down, rules, "/", politeness.Allow, politeness.RobotsUnreachable, "contract of 3 May"},
		{"for another host", robotsDocument([]byte(body)), []OperatorRule{{Host: "other.test", Ignore: []string{"robots"}, Because: "x"}},
			"/private/a", politeness.Deny, politeness.RobotsDisallow, ""},
		{"for another standard", robotsDocument([]byte(body)), []OperatorRule{{Host: "shop.test", Ignore: []string{"card"}, Because: "x"}},
			"/private/a", politeness.Deny, politeness.RobotsDisallow, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := robotsGate(Options{Token: "heed", Operator: tt.rules}, memoryCache{tt.doc.URL: tt.doc})
			d, need, err := g.Before(t.Context(), ask(tt.path))
			if err != nil || need != nil {
				t.Fatal(need, err)
			}
			i := slices.IndexFunc(d.Opinions, func(o politeness.Opinion) bool { return o.Source == "robots" })
			o := d.Opinions[i]
			if d.Verdict != tt.want || o.Reason != tt.reason || o.Because != tt.because {
				t.Errorf("%s; robots: %s %q because %q", d.Verdict, o.Verdict, o.Reason, o.Because)
			}
			if o.Doc == nil || tt.reason == politeness.RobotsDisallow && o.Rule.Line != 3 {
				t.Errorf("document %+v, rule %+v", o.Doc, o.Rule)
			}
			if tt.doc != down && d.Delay != 7*time.Second {
				t.Errorf("delay %s: the site's pace is not lifted", d.Delay)
			}
			if records, _ := g.Records(t.Context(), "https://shop.test", "sitemap"); tt.doc != down && len(records) != 1 {
				t.Errorf("records %v", records)
			}
		})
	}
}

// plainRules judges without records.
type plainRules struct{ o politeness.Opinion }

func (r plainRules) Judge(politeness.Question) politeness.Opinion { return r.o }

func TestLiftingNeitherRefusesNorGrants(t *testing.T) {
	rules := []OperatorRule{{Host: "shop.test", Because: "x"}}
	uses := politeness.Everything(politeness.Yes)
	uses[politeness.Train] = politeness.No
	for verdict := politeness.Deny; verdict <= politeness.NotAsked; verdict++ {
		r := liftedRules{Rules: plainRules{politeness.Opinion{Verdict: verdict, Uses: uses, Weak: uses}}, rules: rules}
		o := r.Judge(ask("/"))
		if verdict == politeness.NotAsked {
			if o.Verdict != politeness.NotAsked || o.Because != "" {
				t.Errorf("not asked became %s because %q", o.Verdict, o.Because)
			}
			continue
		}
		if o.Verdict != politeness.Silent || o.Uses != (politeness.Uses{}) || o.Weak != (politeness.Uses{}) || o.Because != "x" {
			t.Errorf("%s became %+v", verdict, o)
		}
		if r.Records("sitemap") != nil {
			t.Error("records out of nothing")
		}
	}
}

func TestValidate(t *testing.T) {
	good := []OperatorRule{
		{Host: "shop.test", Deny: true}, {Host: "*", Delay: time.Second}, {Host: "*.test", Deny: true},
		{Host: "*.shop.test", Ignore: []string{"robots", "content-signal"}, Because: "agreed", Since: noon},
		{Host: "192.0.2.7", AllowMethods: []string{"POST"}}, {Host: "[::1]", Deny: true}, {Host: "::1", Deny: true},
	}
	if err := Validate(good); err != nil {
		t.Error(err)
	}
	tests := []struct {
		name string
		rule OperatorRule
		says string
	}{
		{"nothing to do", OperatorRule{Host: "shop.test", Because: "x"}, "none of"},
		{"AP-149 loosening without a reason", OperatorRule{Host: "shop.test", Ignore: []string{"robots"}}, "because"},
		{"a reason of blanks", OperatorRule{Host: "shop.test", Ignore: []string{"robots"}, Because: " \t"}, "because"},
		{"loosening everywhere", OperatorRule{Host: "*", Ignore: []string{"robots"}, Because: "x"}, "every site"},
		{"loosening a top-level domain", OperatorRule{Host: "*.test", Ignore: []string{"robots"}, Because: "x"}, "top-level"},
		{"ignoring the guard", OperatorRule{Host: "shop.test", Ignore: []string{"guard"}, Because: "x"}, `"guard" cannot`},
		{"ignoring the pace", OperatorRule{Host: "shop.test", Ignore: []string{"pace"}, Because: "x"}, `"pace" cannot`},
		{"ignoring a name nobody has", OperatorRule{Host: "shop.test", Ignore: []string{"Robots"}, Because: "x"}, `"Robots" cannot`},
		{"a method in lower case", OperatorRule{Host: "shop.test", AllowMethods: []string{"POST", "put"}}, `"put" is not`},
		{"a negative delay", OperatorRule{Host: "shop.test", Delay: -1}, "negative"},
		{"no host", OperatorRule{Deny: true}, "host"},
		{"a URL for a host", OperatorRule{Host: "https://shop.test", Deny: true}, "host"},
		{"a port", OperatorRule{Host: "shop.test:8080", Deny: true}, "host"},
		{"a star within", OperatorRule{Host: "www.*.test", Deny: true}, "host"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Validate([]OperatorRule{good[0], tt.rule})
			if !errors.Is(err, ErrOperatorRule) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), " 2:") {
				t.Errorf("%v, want one about %q of rule 2", err, tt.says)
			}
		})
	}
}

func TestValidateActHosts(t *testing.T) {
	if err := ValidateActHosts([]ActHost{{Host: "shop.test", Because: "x"}, {Host: "*.shop.test", Because: "x"}}); err != nil {
		t.Error(err)
	}
	for name, h := range map[string]ActHost{"no reason": {Host: "shop.test"}, "everywhere": {Host: "*", Because: "x"},
		"a top-level domain": {Host: "*.test", Because: "x"}, "no host": {Because: "x"}} {
		if err := ValidateActHosts([]ActHost{h}); !errors.Is(err, ErrActHost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAddressMatchesWithAndWithoutBrackets(t *testing.T) {
	for _, pattern := range []string{"[2001:db8::7]", "2001:db8::7", "[2001:DB8::7]"} {
		for _, host := range []string{"[2001:db8::7]", "2001:db8::7"} {
			if !matchHost(pattern, host) {
				t.Errorf("%s does not cover %s", pattern, host)
			}
		}
	}
}
