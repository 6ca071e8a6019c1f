package card

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func checkedAt(t time.Time) string { return t.Format(time.RFC3339) }

func TestStates(t *testing.T) {
	ago := func(h time.Duration) string { return checkedAt(noon.Add(-h)) }
	tests := []struct {
		name         string
		verification any
		crawl        any
		freshness    any
		skew         time.Duration
		want         State
	}{
		{"BC-P-023 proven and checked inside the window is fresh", object{"method": "dns-txt", "checked": ago(167 * time.Hour)}, nil, nil, 0, Fresh},
		{"BC-P-023 at the end of the window is fresh", object{"method": "well-known-file", "checked": ago(168 * time.Hour)}, nil, nil, 0, Fresh},
		{"BC-P-023 checked before the window is stale", object{"method": "dns-txt", "checked": ago(169 * time.Hour)}, nil, nil, 0, Stale},
		{"BC-P-023 pending is pending", object{"method": "pending", "checked": null}, nil, nil, 0, Pending},
		{"BC-P-023 unverified is unverified", object{"method": "unverified", "checked": ago(time.Hour)}, nil, nil, 0, Unverified},
		{"BC-C-906 a registry that stopped checking", object{"method": "dns-txt", "checked": ago(400 * time.Hour)}, nil, nil, 0, Stale},
		{"BC-C-906 the word stale counts although the check is new", object{"method": "stale", "checked": ago(time.Hour)}, nil, nil, 0, Stale},
		{"BC-C-906 never checked is unproven", object{"method": "dns-txt", "checked": null}, nil, nil, 0, Unverified},
		{"BC-C-906 a check of no date is unproven", object{"method": "dns-txt", "checked": "yesterday"}, nil, nil, 0, Unverified},
		{"BC-C-906 a check that is a number is unproven", object{"method": "dns-txt", "checked": 1796040000}, nil, nil, 0, Unverified},
		{"BC-C-906 freshness is one vote more: stale", object{"method": "dns-txt", "checked": ago(time.Hour)}, nil, "stale", 0, Stale},
		{"BC-C-906 freshness is one vote more: unproven", object{"method": "dns-txt", "checked": ago(time.Hour)}, nil, "unproven", 0, Unverified},
		{"BC-C-906 freshness fresh lifts nothing", object{"method": "dns-txt", "checked": ago(169 * time.Hour)}, nil, "fresh", 0, Stale},
		{"BC-C-906 freshness lifts no pending", object{"method": "pending", "checked": ago(time.Hour)}, nil, "fresh", 0, Pending},
		{"BC-C-906 a freshness of another type is no vote", object{"method": "dns-txt", "checked": ago(time.Hour)}, nil, 7, 0, Fresh},
		{"BC-C-907 a minute ahead is fresh", object{"method": "dns-txt", "checked": ago(-time.Minute)}, nil, nil, 0, Fresh},
		{"BC-C-907 five minutes ahead are fresh", object{"method": "dns-txt", "checked": ago(-300 * time.Second)}, nil, nil, 0, Fresh},
		{"BC-C-907 an hour ahead is stale", object{"method": "dns-txt", "checked": ago(-time.Hour)}, nil, nil, 0, Stale},
		{"BC-C-907 our clock is 2 h slow, the check was an hour ago", object{"method": "dns-txt", "checked": ago(-time.Hour)}, nil, nil, 2 * time.Hour, Fresh},
		{"BC-C-907 our clock is 2 h slow, the check is too old", object{"method": "dns-txt", "checked": ago(167 * time.Hour)}, nil, nil, 2 * time.Hour, Stale},
		{"BC-C-907 our clock is ahead: the later clock tells the age", object{"method": "dns-txt", "checked": ago(169 * time.Hour)}, nil, nil, -2 * time.Hour, Stale},
		{"BC-C-907 our clock is ahead: the check is in the future of the registry", object{"method": "dns-txt", "checked": ago(time.Hour)}, nil, nil, -2 * time.Hour, Stale},
		{"BC-C-934 no verification is unproven", nil, nil, nil, 0, Unverified},
		{"BC-C-934 verification null", null, nil, nil, 0, Unverified},
		{"BC-C-934 an unknown method", object{"method": "meta-element", "checked": ago(time.Hour)}, nil, nil, 0, Unverified},
		{"BC-C-934 a method in capitals is unknown", object{"method": "DNS-TXT", "checked": ago(time.Hour)}, nil, nil, 0, Unverified},
		{"BC-C-934 the word unknown is none", object{"method": "unknown", "checked": ago(time.Hour)}, nil, nil, 0, Unverified},
		{"BC-D-020 a window of a day", object{"method": "dns-txt", "checked": ago(25 * time.Hour)}, object{"revalidate_hours": 24}, nil, 0, Stale},
		{"BC-D-020 the default window", object{"method": "dns-txt", "checked": ago(25 * time.Hour)}, object{"revalidate_hours": 168}, nil, 0, Fresh},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := mustParse(t, with(object{"verification": tt.verification, "crawl": tt.crawl, "freshness": tt.freshness})).Hold(nil)
			h.Skew = tt.skew
			if got := h.State(noon); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if got := h.State(noon); got.Unproven() != (tt.want == Pending || tt.want == Unverified) {
				t.Errorf("%s unproven %v", got, got.Unproven())
			}
		})
	}
}

func TestGrantWindow(t *testing.T) {
	for _, tt := range []struct {
		hours any
		want  time.Duration
	}{
		{24, 24}, {1, 1}, {168, 168}, {1000, 168}, {0, 168}, {-1, 168}, {1.5, 168}, {"24", 168}, {null, 168}, {[]any{24}, 168},
		{uint64(1) << 63, 168}, {int64(1) << 40, 168},
	} {
		if got := mustParse(t, with(object{"crawl": object{"revalidate_hours": tt.hours}})).Proof.Window; got != tt.want*time.Hour {
			t.Errorf("BC-C-908 %v: %s", tt.hours, got)
		}
	}
	for _, crawl := range []any{null, "24", []any{}, nil} {
		if got := mustParse(t, with(object{"crawl": crawl})).Proof.Window; got != 168*time.Hour {
			t.Errorf("BC-C-908 crawl %v: %s", crawl, got)
		}
	}
}

func TestAStateNeverGetsBetterByWaiting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Proof{Method: Method(rapid.IntRange(0, int(MethodDNS)).Draw(t, "method")),
			Window: time.Duration(rapid.IntRange(1, 168).Draw(t, "window")) * time.Hour,
			vote:   vote(rapid.IntRange(0, int(voteUnproven)).Draw(t, "vote"))}
		if rapid.Bool().Draw(t, "checked") {
			p.Checked = noon.Add(-time.Duration(rapid.IntRange(0, 400).Draw(t, "age")) * time.Hour)
		}
		skew := time.Duration(rapid.IntRange(-50, 50).Draw(t, "skew")) * time.Hour
		before := p.State(noon, skew)
		later := p.State(noon.Add(time.Duration(rapid.IntRange(0, 1000).Draw(t, "later"))*time.Hour), skew)
		future := p.Checked.After(noon.Add(skew + SkewTolerance))
		if later == Fresh && before != Fresh && !future {
			t.Fatalf("%s became %s", before, later)
		}
		if skewed := p.State(noon, skew); skewed == Fresh && p.State(noon, 0) != Fresh && skew <= 0 {
			t.Fatalf("an earlier clock made it fresh")
		}
	})
}

func TestNamesOfStatesAndMethods(t *testing.T) {
	if Fresh.String() != "fresh" || Pending.String() != "pending" || Unverified.String() != "unverified" || Stale.String() != "stale" {
		t.Error("names of states")
	}
	if MethodDNS.String() != "dns-txt" || MethodFile.String() != "well-known-file" || Read.String() != "read" || Reserved.String() != "reserved" {
		t.Error("names of methods")
	}
}

func TestAttribution(t *testing.T) {
	hold := func(name, method string, cite bool) Held {
		return mustParse(t, with(object{"name": name, "verification": object{"method": method, "checked": checkedAt(noon)}, "consent": object{"cite": cite}})).Hold(nil)
	}
	tests := []struct {
		name string
		held []Held
		want Attribution
		ok   bool
	}{
		{"BC-C-011 BC-C-930 cite true", []Held{hold("A", "dns-txt", true)}, Attribution{"A", "https://shop.test", true}, true},
		{"BC-C-930 cite false expects nothing and forbids nothing", []Held{hold("A", "dns-txt", false)}, Attribution{"A", "https://shop.test", false}, true},
		{"BC-C-930 one of two expects it, the better proven names it", []Held{hold("A", "unverified", true), hold("B", "dns-txt", false)},
			Attribution{"B", "https://shop.test", true}, true},
		{"a pending card names nobody", []Held{hold("A", "pending", true)}, Attribution{}, false},
		{"no card", []Held{{Status: Unavailable}}, Attribution{}, false},
	}
	for _, tt := range tests {
		if got, ok := Attribute(tt.held, noon); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %+v %v", tt.name, got, ok)
		}
	}
}
