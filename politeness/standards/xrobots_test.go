package standards

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/politeness"
)

func TestPageRules(t *testing.T) {
	field := func(lines ...string) http.Header { return http.Header{"X-Robots-Tag": lines} }
	meta := func(name, content string) []politeness.Meta { return []politeness.Meta{{Name: name, Content: content}} }
	const none = politeness.Reason("")
	tests := []struct {
		name   string
		header http.Header
		meta   []politeness.Meta
		want   string // index, answer, train, then "links" and "images" that are dropped
		reason politeness.Reason
	}{
		{"XROB nothing", nil, nil, "---", none},
		{"XROB noindex in any case", field("NoIndex , NOFOLLOW"), nil, "nn- links", politeness.XRobotsNoindex},
		{"XROB noindex alone leaves the links", field("noindex"), nil, "nn-", politeness.XRobotsNoindex},
		{"XROB none is noindex and nofollow", field("none"), nil, "nn- links", politeness.XRobotsNoindex},
		{"XROB the strictest wins", field("all, index, follow"), meta("robots", "noindex"), "nn-", politeness.XRobotsNoindex},
		{"XROB follow in the field, nofollow for us in meta", field("follow"), meta("HEED", "nofollow"), "--- links", none},
		{"XROB several field lines", field("noarchive", "nofollow"), nil, "-nn links", politeness.XRobotsNoarchive},
		{"XROB rules for another bot up to the end of the line", field("otherbot: noindex, nofollow"), nil, "---", none},
		{"XROB rules for us behind those", field("otherbot: noindex, heed: nofollow"), nil, "--- links", none},
		{"XROB rules for another bot behind those for all", field("nofollow, otherbot: noindex"), nil, "--- links", none},
		{"XROB each line begins anew", field("otherbot: noindex", "nofollow"), nil, "--- links", none},
		{"XROB our token in any case", field("Heed: NoIndex"), nil, "nn-", politeness.XRobotsNoindex},
		{"XROB another bot in meta", nil, meta("otherbot", "noindex"), "---", none},
		{"XROB no archive", field("noarchive"), nil, "-nn", politeness.XRobotsNoarchive},
		{"XROB no snippet", nil, meta("robots", "nosnippet"), "-n-", politeness.XRobotsNoarchive},
		{"XROB a snippet of no length", nil, meta("robots", "max-snippet:0"), "-n-", politeness.XRobotsNoarchive},
		{"XROB a snippet of some length", nil, meta("robots", "max-snippet:50, max-image-preview:large"), "---", none},
		{"XROB noimageindex", field("noimageindex"), nil, "--- images", none},
		{"XROB noai", nil, meta("robots", "noai, noimageai"), "--n", politeness.XRobotsNoAI},
		{"XROB noimageai is about images", field("noimageai"), nil, "---", none},
		{"XROB noimageai of an image", http.Header{"X-Robots-Tag": {"noimageai"}, "Content-Type": {"Image/PNG"}}, nil, "--n", politeness.XRobotsNoAI},
		{"XROB unknown rules are ignored", field("nofuture, max-image-preview: large, indexifembedded"), nil, "---", none},
		{"XROB a date that is over", field("unavailable_after: 25 Jun 2020 15:00:00 GMT"), nil, "nnn", politeness.XRobotsUnavailableAfter},
		{"XROB a date to come, with a comma", field("unavailable_after: Thu, 31 Dec 2099 23:59:59 GMT"), nil, "---", none},
		{"XROB rules behind a date with a comma", field("unavailable_after: Thu, 31 Dec 2099 23:59:59 GMT, nofollow"), nil, "--- links", none},
		{"XROB rules behind a date without one", field("unavailable_after: 31 Dec 2099 23:59:59 GMT,noai"), nil, "--n", politeness.XRobotsNoAI},
		{"XROB a date for another bot", field("otherbot: unavailable_after: 25 Jun 2020 15:00:00 GMT"), nil, "---", none},
		{"XROB a date for us", field("heed: unavailable_after: 25 Jun 2020 15:00:00 GMT"), nil, "nnn", politeness.XRobotsUnavailableAfter},
		{"XROB a date that is none is taken for over", field("unavailable_after: tomorrow"), nil, "nnn", politeness.XRobotsUnavailableAfter},
		{"XROB a date in meta", nil, meta("robots", "unavailable_after: 2020-06-25"), "nnn", politeness.XRobotsUnavailableAfter},
		{"XROB two thousand rules are read", field(strings.Repeat("x,", 1_999) + "noindex"), nil, "nn-", politeness.XRobotsNoindex},
		{"XROB of more the worst is assumed", field(strings.Repeat("x,", 2_001)), nil, "nnn links", politeness.XRobotsNoindex},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := afterResponse(t, "xrobots", Options{Token: "heed"}, politeness.Crawl, tt.header, tt.meta...)
			got := letters(o.Uses)
			if o.DropLinks {
				got += " links"
			}
			if o.DropImages {
				got += " images"
			}
			if got != tt.want || o.Reason != tt.reason || o.Closes != tt.reason {
				t.Errorf("%s for %q, want %s for %q", got, o.Reason, tt.want, tt.reason)
			}
		})
	}
}

func TestNoindexLetsSomebodyWhoWaitsReadThePageOnce(t *testing.T) {
	o := afterResponse(t, "xrobots", Options{Token: "heed"}, politeness.OnDemand, http.Header{"X-Robots-Tag": {"noindex"}})
	if letters(o.Uses) != "n--" {
		t.Errorf("XROB %s", letters(o.Uses))
	}
}

func TestStrictNoAIClosesAnswers(t *testing.T) {
	o := afterResponse(t, "xrobots", Options{StrictNoAI: true}, politeness.Crawl, http.Header{"X-Robots-Tag": {"noai"}})
	if letters(o.Uses) != "-nn" {
		t.Errorf("XROB %s", letters(o.Uses))
	}
}

func TestARuleOfAPageIsCited(t *testing.T) {
	o := afterResponse(t, "xrobots", Options{Token: "heed"}, politeness.Crawl, nil, politeness.Meta{Name: "Robots", Content: "follow, NOAI"})
	if o.Rule.Text != `<meta name="Robots" content="noai">` {
		t.Errorf("%q", o.Rule.Text)
	}
	o = afterResponse(t, "xrobots", Options{}, politeness.Crawl, http.Header{"X-Robots-Tag": {"unavailable_after: 1 Jan 2020"}})
	if o.Rule.Text != "x-robots-tag: unavailable_after: 1 Jan 2020" {
		t.Errorf("%q", o.Rule.Text)
	}
}

func TestDatesOfPages(t *testing.T) {
	want := time.Date(2027, 6, 25, 15, 0, 0, 0, time.UTC)
	for _, text := range []string{"25 Jun 2027 15:00:00 GMT", "Fri, 25 Jun 2027 15:00:00 GMT", "Friday, 25-Jun-27 15:00:00 GMT",
		"2027-06-25T15:00:00Z", "2027-06-25T17:00:00+02:00", "25 Jun 2027 17:00:00 +0200", " 25-Jun-2027 15:00:00 GMT ", "2027-06-25 15:00"} {
		if at, ok := parsePageDate(text); !ok || !at.Equal(want) {
			t.Errorf("%q: %s, %t", text, at, ok)
		}
	}
	for _, text := range []string{"", "soon", "25 Jun", strings.Repeat("1", 100)} {
		if at, ok := parsePageDate(text); ok {
			t.Errorf("%q: %s", text, at)
		}
	}
}

func TestMoreRulesNeverLoosenAPage(t *testing.T) {
	words := []string{"noindex", "nofollow", "none", "all", "index", "follow", "noai", "noarchive", "otherbot: noindex", "heed: noai",
		"unavailable_after: 1 Jan 2020", "max-snippet: 0", "nonsense", ""}
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "lines")
		more := append(append([]string{}, lines...), rapid.SampledFrom(words).Draw(t, "more"))
		q := ask("/")
		judge := func(lines []string) politeness.Opinion {
			q.Response = &politeness.Response{Header: http.Header{"X-Robots-Tag": lines}}
			return xrobots{token: "heed"}.Judge(q)
		}
		a, b := judge(lines), judge(more)
		if a.Uses.Join(b.Uses) != b.Uses || a.DropLinks && !b.DropLinks {
			t.Fatalf("%v became %v", a.Uses, b.Uses)
		}
		for p := range purposes {
			if b.Uses[p] == politeness.Yes {
				t.Fatal("a page grants")
			}
		}
	})
}

func FuzzPageRules(f *testing.F) {
	for _, seed := range []string{"noindex, nofollow", "heed: noai", "unavailable_after: Thu, 31 Dec 2099 23:59:59 GMT, noai", ":::", ",,,", "unavailable_after:,,,,"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, line, content string) {
		q := ask("/")
		q.Response = &politeness.Response{Header: http.Header{"X-Robots-Tag": {line}}, Meta: []politeness.Meta{{Name: "robots", Content: content}}}
		o := xrobots{token: "heed"}.Judge(q)
		if o.Verdict != politeness.Silent || len(o.Rule.Text) > maxRuleText+8 {
			t.Fatalf("%+v", o)
		}
		for p := range purposes {
			if o.Uses[p] == politeness.Yes || o.Uses[p] == politeness.No && o.Reason == "" {
				t.Fatalf("%+v", o)
			}
		}
	})
}
