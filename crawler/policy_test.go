package crawler_test

import (
	"fmt"
	"testing"
	"time"

	"heed/crawler"
)

func TestTwoRobotsThatPointAtEachOtherDoNotWaitForEachOther(t *testing.T) {
	for _, workers := range []int{1, 4} {
		w := newWorld(t)
		for a, b := range map[string]string{"http://a.test": "http://b.test", "http://b.test": "http://a.test"} {
			w.on(a+"/robots.txt", redirect(301, b+"/robots.txt")).on(a+"/", html("home"))
		}
		j := w.open(func(s *setup) { s.seeds, s.Workers = []string{"http://a.test/", "http://b.test/"}, workers })
		if end := j.run(); end.Code != crawler.EndDone {
			t.Errorf("%d workers: ended with %d", workers, end.Code)
		}
		j.ends("http://a.test/", "fetched")
		j.ends("http://b.test/", "fetched")
		w.gaps("a.test", time.Second)
		w.gaps("b.test", time.Second)
		if n := len(w.requests(true)); n != 14 { // two chains of six requests, two pages
			t.Errorf("%d workers: %d requests", workers, n)
		}
	}
}

func TestARedirectedRobotsGovernsOnlyWhoRedirects(t *testing.T) {
	w := newWorld(t)
	w.on("http://a.test/robots.txt", redirect(301, "http://b.test/robots.txt")).on("http://a.test/", links("/private/x", "http://b.test/open"))
	w.on("http://b.test/robots.txt", text("User-agent: *\nDisallow: /private/\n")).on("http://b.test *", html("page"))
	j := w.open(seeds("http://a.test/"))
	j.run()
	j.ends("http://a.test/private/x", "refused robots.disallow")
	j.ends("http://b.test/open", "fetched")
	v := j.book.last("http://a.test/private/x")
	if v.decision.Doc == nil || v.decision.Doc.URL != "http://a.test/robots.txt" {
		t.Errorf("the decision rests on %+v", v.decision.Doc)
	}
	// The text is b.test's too, but it is read there in its own right.
	if n := w.hits("http://b.test/robots.txt"); n != 2 {
		t.Errorf("b.test/robots.txt was read %d times", n)
	}
	w.gaps("b.test", time.Second)
}

func TestRedirectsOfRobots(t *testing.T) {
	for n, want := range map[int]string{5: "refused robots.disallow", 6: "gone status-404"} {
		t.Run(fmt.Sprintf("RFC 9309 2.3.1.2 %d redirects", n), func(t *testing.T) {
			w := newWorld(t)
			w.on(shop+"/robots.txt", redirect(302, "http://hop1.test/r"))
			for i := 1; i < n; i++ {
				w.on(fmt.Sprintf("http://hop%d.test/r", i), redirect(307, fmt.Sprintf("http://hop%d.test/r", i+1)))
			}
			w.on(fmt.Sprintf("http://hop%d.test/r", n), text("User-agent: *\nDisallow: /\n"))
			j := w.open(seeds(shop + "/"))
			j.run()
			j.ends(shop+"/", want)
			if got := w.hits(fmt.Sprintf("http://hop%d.test/r", n)); got != 6-n {
				t.Errorf("the last target was asked %d times", got)
			}
		})
	}
}

func TestRedirectsOfPages(t *testing.T) {
	w := newWorld(t)
	for i := range 8 {
		w.on(fmt.Sprintf("%s/%d", shop, i), redirect(302, fmt.Sprintf("/%d", i+1)))
	}
	j := w.open(seeds(shop + "/0"))
	j.run()
	w.asked(shop, "/0", "/1", "/2", "/3", "/4", "/5") // a seed and five redirects
	j.ends(shop+"/4", "redirected status-302")
	j.ends(shop+"/5", "failed redirects")
	w.gaps("shop.test", time.Second)
}

// What a document asks for that somebody read on demand holds for the crawl.
func TestACrawlDelayThatWasReadOnDemandHoldsForTheCrawl(t *testing.T) {
	w := wide(t, 3)
	w.on(shop+"/robots.txt", text("User-agent: *\nCrawl-delay: 7\n"))
	j := w.open(seeds(shop + "/"))
	if _, err := j.Check(t.Context(), shop+"/", crawler.Demand{}); err != nil {
		t.Fatal(err)
	}
	j.run()
	w.gaps("shop.test", 7*time.Second)
	w.asked(shop, "/", "/p0", "/p1", "/p2")
}

func TestARobotsThatIsNeverFreshStillLetsTheCrawlMove(t *testing.T) {
	for _, field := range []string{"Cache-Control: max-age=0", "Cache-Control: no-store", "Cache-Control: no-cache", "Expires: 0"} {
		w := wide(t, 5)
		w.on(shop+"/robots.txt", text("User-agent: *\nDisallow: /p4\n", field))
		j := w.open(seeds(shop + "/"))
		j.run()
		w.asked(shop, "/", "/p0", "/p1", "/p2", "/p3")
		j.ends(shop+"/p4", "refused robots.disallow")
		if n := w.hits(shop + "/robots.txt"); n > 6 {
			t.Errorf("%s: robots.txt was read %d times for six URLs", field, n)
		}
		w.gaps("shop.test", time.Second)
	}
}

func TestARobotsThatFailsClosesTheOriginUntilItAnswers(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", turns(status(500), status(502), text("User-agent: *\nDisallow: /private/\n"))).on(shop+"/", links("/private/x"))
	j := w.open(seeds(shop + "/"))
	j.run()
	j.ends(shop+"/", "fetched")
	j.ends(shop+"/private/x", "refused robots.disallow")
	all := w.requests(true)
	if len(all) != 4 || all[3].target != "/" {
		t.Fatalf("requests %+v", all)
	}
	// 30 s after the first failure, a minute after the second.
	if first, second := all[1].at.Sub(all[0].at), all[2].at.Sub(all[1].at); first < 30*time.Second || second < time.Minute {
		t.Errorf("asked again after %v and %v", first, second)
	}
}

func TestACopyDoesNotOpenAnOriginWhoseRobotsFails(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", turns(text("User-agent: *\nDisallow: /private/\n", "Cache-Control: max-age=3600"), status(503), status(304)))
	w.on(shop+"/", links("/a"))
	w.crawl(func(s *setup) { s.seeds, s.pass = []string{shop + "/"}, 1 })
	w.asked(shop, "/", "/a")
	w.forget()
	w.time.advance(2 * time.Hour)
	j := w.open(func(s *setup) { s.seeds, s.pass, s.refresh = []string{shop + "/"}, 2, true })
	j.run()
	all := w.requests(true)
	if len(all) != 4 || all[0].target != "/robots.txt" || all[1].target != "/robots.txt" || all[1].at.Sub(all[0].at) < 30*time.Second {
		t.Errorf("requests %+v", all)
	}
}

func TestARobotsIsRevalidatedWithItsOwnValidators(t *testing.T) {
	w := newWorld(t)
	rules := text("User-agent: *\nDisallow: /private/\n", `ETag: "r1"`, "Cache-Control: max-age=3600")
	w.on(shop+"/robots.txt", tagged(`"r1"`, rules)).on(shop+"/", links("/private/x"))
	w.crawl(func(s *setup) { s.seeds, s.pass = []string{shop + "/"}, 1 })
	w.time.advance(2 * time.Hour)
	j := w.open(func(s *setup) { s.seeds, s.pass, s.refresh = []string{shop + "/"}, 2, true })
	j.run()
	all := w.of(shop + "/robots.txt")
	if len(all) != 2 || all[1].header.Get("If-None-Match") != `"r1"` {
		t.Errorf("requests %+v", all)
	}
	j.ends(shop+"/private/x", "refused robots.disallow")
}

// A restart in the middle finds every document where it was.
func TestPolicyDocumentsSurviveARestart(t *testing.T) {
	w := wide(t, 3)
	w.on(shop+"/robots.txt", text("User-agent: *\nDisallow: /p2\n"))
	w.crawl(func(s *setup) { s.seeds, s.MaxPages = []string{shop + "/"}, 1 })
	w.crawl(nil)
	if n := w.hits(shop + "/robots.txt"); n != 1 {
		t.Errorf("robots.txt was read %d times", n)
	}
	w.asked(shop, "/", "/p0", "/p1")
	w.gaps("shop.test", time.Second)
}

func TestALongRetryAfterOfRobotsIsHonoured(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", turns(status(429, "Retry-After: 120"), status(404))).on(shop+"/", html("home"))
	j := w.open(seeds(shop + "/"))
	j.run()
	j.ends(shop+"/", "fetched")
	if all := w.of(shop + "/robots.txt"); len(all) != 2 || all[1].at.Sub(all[0].at) < 2*time.Minute {
		t.Errorf("requests %+v", all)
	}
}
