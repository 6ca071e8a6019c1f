package crawler_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/crawler/fetch"
	"heed/politeness"
)

// The client rows of automation-preferences.txt that only requests can show.

func TestAP103AFileThatIsMissingIsLookedForOnceIn24Hours(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/", html("home"))
	pass := uint64(0)
	visit := func() int {
		w.forget()
		pass++
		j, _ := w.crawl(func(s *setup) { s.seeds, s.every, s.pass, s.refresh = []string{shop + "/"}, true, pass, true })
		if v := j.book.last(shop + "/"); v == nil || v.verdict != "allow" || w.hits(shop+"/") != 1 {
			t.Errorf("pass %d: %+v", pass, v)
		}
		return w.hits(shop + preferences)
	}
	if n := visit(); n != 1 {
		t.Errorf("%d probes at first", n)
	}
	w.time.advance(23 * time.Hour)
	if n := visit(); n != 0 {
		t.Errorf("%d probes within a day", n)
	}
	w.time.advance(2 * time.Hour)
	if n := visit(); n != 1 {
		t.Errorf("%d probes after a day", n)
	}
}

func TestAP104AFileThatFailsHoldsPagesBackForThreeRetriesAndTrainingForGood(t *testing.T) {
	w := newWorld(t)
	w.on(shop+preferences, status(503)).on(shop+"/", html("home"))
	j, _ := w.crawl(func(s *setup) {
		s.seeds, s.every, s.Patience = []string{shop + "/"}, true, time.Hour
		s.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
		s.extra = []politeness.Source{grant{}}
	})
	probes, pages := w.of(shop+preferences), w.of(shop+"/")
	if len(probes) != 4 || len(pages) != 1 {
		t.Fatalf("%d probes, %d pages", len(probes), len(pages))
	}
	for i, least := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		if gap := probes[i+1].at.Sub(probes[i].at); gap < least-time.Second || gap > least+time.Minute {
			t.Errorf("retry %d came after %v, want %v", i+1, gap, least)
		}
	}
	if pages[0].at.Before(probes[3].at) {
		t.Error("a page was asked for before the third retry")
	}
	v := j.book.last(shop + "/")
	if v == nil || v.verdict != "allow" || v.decision.Uses[politeness.Train] != politeness.No {
		t.Fatalf("%+v", v)
	}
	if !slices.ContainsFunc(v.decision.Opinions, func(o politeness.Opinion) bool { return o.Reason == politeness.AutomationUnreachable }) {
		t.Errorf("nobody says that the file is not known: %+v", v.decision.Opinions)
	}
}

func TestAP104ARetryAfterOfTheFileIsHonoured(t *testing.T) {
	w := newWorld(t)
	w.on(shop+preferences, turns(status(503, "Retry-After: 1200"), text("DisallowedMethods: GET\n"))).on(shop+"/", html("home"))
	j, _ := w.crawl(func(s *setup) { s.seeds, s.every, s.Patience = []string{shop + "/"}, true, time.Hour })
	if probes := w.of(shop + preferences); len(probes) != 2 || probes[1].at.Sub(probes[0].at) < 20*time.Minute {
		t.Errorf("%+v", probes)
	}
	if v := j.book.last(shop + "/"); v == nil || v.reason != "automation.method" {
		t.Errorf("%+v", v)
	}
}

func TestAP107ARedirectedFileSpeaksForWhoRedirects(t *testing.T) {
	const www = "http://www.shop.test"
	w := newWorld(t)
	w.on(shop+preferences, redirect(301, www+preferences)).on(shop+" *", html("page")).
		on(www+preferences, text("Host: www.shop.test\nDisallowedMethods: GET\nHost: shop.test\nScope: /shut\nDisallowedMethods: GET\n"))
	j := w.open(func(s *setup) { s.seeds, s.every = []string{shop + "/open", shop + "/shut"}, true })
	j.run()
	j.ends(shop+"/open", "fetched")
	j.ends(shop+"/shut", "refused automation.method")
	w.never(shop + "/shut")
}

func TestAP107ARedirectThatLoopsEndsAfterSixRequestsAndIsNoFile(t *testing.T) {
	w := newWorld(t)
	w.on(shop+preferences, redirect(302, preferences)).on(shop+"/", html("home"))
	j := w.open(func(s *setup) { s.seeds, s.every = []string{shop + "/"}, true })
	j.run()
	j.ends(shop+"/", "fetched")
	if n := w.hits(shop + preferences); n != 6 {
		t.Errorf("%d requests", n)
	}
}

// A file behind a private address cannot be read. Nobody says that there is none,
// so it is waited for like one that fails (AP-104).
func TestAP107ARedirectToAPrivateAddressIsNotFollowed(t *testing.T) {
	w := newWorld(t)
	w.on(shop+preferences, redirect(302, "http://10.0.0.1"+preferences)).on(shop+"/", html("home"))
	j := w.open(func(s *setup) { s.seeds, s.every = []string{shop + "/"}, true })
	j.run()
	j.ends(shop+"/", "future automation.unreachable")
	w.never(shop + "/")
	for _, v := range j.book.all() {
		if v.url == "http://10.0.0.1"+preferences && v.failure != fetch.KindAddress {
			t.Errorf("it came to %s", v.failure)
		}
	}
}

func TestAP131PolicyDocumentsAreReadWhereEverythingElseIsRefused(t *testing.T) {
	w := newWorld(t)
	w.on(shop+preferences, text("DisallowedMethods: GET, HEAD\n")).on(shop+" *", html("page"))
	w.crawl(func(s *setup) {
		s.seeds, s.every, s.Context = []string{shop + "/", shop + "/sitemap.xml"}, true, crawler.ContextAuto
	})
	w.asked(shop, preferences)
	if n := w.hits(shop + "/robots.txt"); n != 1 {
		t.Errorf("robots.txt was read %d times", n)
	}
}

func TestAP135AP136WhenRequestsDeclareTheirPurpose(t *testing.T) {
	const required = "Scope: /required\nRequireAutomationPurpose: true\n"
	for _, tt := range []struct {
		name    string
		declare crawler.Declaration
		want    map[string]string // by target; what is missing is not asked for
	}{
		{"AP-136 always, policy documents included", crawler.DeclareAlways, map[string]string{
			"/robots.txt": "search, ai-use, retrieve", preferences: "search, ai-use, retrieve", "/free": "search, ai-use, retrieve", "/required": "search, ai-use, retrieve"}},
		{"AP-136 when required", crawler.DeclareRequired, map[string]string{
			"/robots.txt": "", preferences: "", "/free": "", "/required": "search, ai-use, retrieve"}},
		{"AP-136 never", crawler.DeclareNever, map[string]string{"/robots.txt": "", preferences: "", "/free": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.on(shop+preferences, text(required)).on(shop+" *", html("page"))
			w.crawl(func(s *setup) {
				s.seeds, s.every, s.Declare = []string{shop + "/free", shop + "/required"}, true, tt.declare
				s.signals.NoDeclaration = tt.declare == crawler.DeclareNever
			})
			asked := 0
			for _, r := range w.requests(true) {
				if strings.HasPrefix(r.target, "/.well-known/") {
					continue
				}
				asked++
				if want, ok := tt.want[r.target]; !ok || r.header.Get("Automation-Purpose") != want {
					t.Errorf("%s: %q, want %q", r.target, r.header.Get("Automation-Purpose"), want)
				}
			}
			if asked != len(tt.want) {
				t.Errorf("%d requests, want %d", asked, len(tt.want))
			}
		})
	}
}

func TestAP135AnotherPurposeIsDeclaredWithTheNextRequest(t *testing.T) {
	w := newWorld(t)
	w.on(shop+" *", html("page")).on(shop+preferences, status(404)).on(shop+"/robots.txt", status(404))
	j := w.demand(func(s *setup) {
		s.Declare, s.pace.Delay = crawler.DeclareAlways, time.Millisecond
		s.extra = []politeness.Source{grant{}}
	})
	for target, want := range map[string]string{"/a": "search, retrieve", "/b": "train-ai, train"} {
		p := politeness.PurposesOf(politeness.Index)
		if target == "/b" {
			p = politeness.PurposesOf(politeness.Train)
		}
		j.fetch(shop+target, crawler.Demand{Purposes: p, Patience: time.Second})
		if all := w.of(shop + target); len(all) != 1 || all[0].header.Get("Automation-Purpose") != want {
			t.Errorf("%s: %+v", target, all)
		}
	}
}

func TestAP137AFileThatIsNeverFreshIsRevalidatedEveryFiveMinutesAtMost(t *testing.T) {
	w := wide(t, 12)
	w.on(shop+preferences, tagged(`"v1"`, text("DisallowedPurposes: train\n", `ETag: "v1"`, "Cache-Control: max-age=0"), "Cache-Control: max-age=0"))
	j, _ := w.crawl(func(s *setup) {
		s.seeds, s.every, s.pace.Delay, s.Patience = []string{shop + "/"}, true, time.Minute, time.Hour
	})
	all := w.of(shop + preferences)
	if len(all) < 3 { // of a crawl of a quarter of an hour
		t.Fatalf("%d requests", len(all))
	}
	for i, r := range all[1:] {
		if gap := r.at.Sub(all[i].at); gap < 5*time.Minute-time.Second || r.header.Get("If-None-Match") != `"v1"` {
			t.Errorf("asked again after %v, If-None-Match %q", gap, r.header.Get("If-None-Match"))
		}
	}
	if v := j.book.last(shop + "/p11"); v == nil || v.decision.Uses[politeness.Train] != politeness.No {
		t.Errorf("a 304 did not renew the file: %+v", v)
	}
}

func TestAP146EveryHopIsJudgedByTheFileOfItsOrigin(t *testing.T) {
	const other = "http://b.test"
	w := newWorld(t)
	w.on(shop+"/a", redirect(302, other+"/x")).on(shop+"/b", redirect(302, other+"/y")).on(other+" *", html("page")).
		on(other+preferences, text("Scope: /x\nDisallowedMethods: GET\n"))
	j := w.open(func(s *setup) { s.seeds, s.every = []string{shop + "/a", shop + "/b"}, true })
	j.run()
	j.ends(other+"/x", "refused automation.method")
	j.ends(other+"/y", "fetched")
	w.never(other + "/x")
	if file, page := w.of(other+preferences), w.of(other+"/y"); len(file) != 1 || len(page) != 1 || page[0].at.Before(file[0].at) {
		t.Errorf("%d files, %d pages, or the file came later", len(file), len(page))
	}
}
