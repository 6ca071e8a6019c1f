package crawler_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
)

const shop = "http://shop.test"

// sorted is a copy in order, for comparing what was asked whatever came first.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// asked compares what was asked of an origin, robots.txt left out.
func (w *world) asked(origin string, want ...string) {
	w.t.Helper()
	if got := sorted(w.targets(origin)); !slices.Equal(got, sorted(want)) {
		w.t.Errorf("%s was asked for\n %q, want\n %q", origin, got, sorted(want))
	}
}

// never fails if a URL was requested.
func (w *world) never(urls ...string) {
	w.t.Helper()
	for _, url := range urls {
		if n := w.hits(url); n > 0 {
			w.t.Errorf("%s was requested %d times", url, n)
		}
	}
}

// ends compares the end of a URL in the frontier.
func (j *job) ends(url, want string) {
	j.world.t.Helper()
	if got := j.story(url); got != want {
		j.world.t.Errorf("%s ended as %q, want %q", url, got, want)
	}
}

func TestCase01RobotsBOMUnderLatin1Label(t *testing.T) {
	w := caseWorld(t, "01-robots-bom-under-latin1-label")
	j := w.open(seeds(shop + "/"))
	j.run()
	w.asked(shop)
	v := j.book.last(shop + "/")
	if v == nil || v.verdict != "deny" || v.decision.Rule.Text != "Disallow: /" || v.decision.Rule.Line != 2 {
		t.Errorf("visit %+v", v)
	}
}

func TestCase03RobotsRedirectPoisonsTarget(t *testing.T) {
	w := caseWorld(t, "03-robots-redirect-poisons-target")
	j := w.open(seeds("http://band.test/", "http://social.test/band/"))
	j.run()
	w.asked("http://band.test", "/")
	w.asked("http://social.test", "/band/robots.txt")
	if w.hits("http://social.test/robots.txt") != 1 {
		t.Error("social.test/robots.txt was not requested in its own right")
	}
	j.ends("http://social.test/band/", "refused robots.disallow")
}

func TestCase05RobotsEncodedSlashInRule(t *testing.T) {
	w := caseWorld(t, "05-robots-encoded-slash-in-rule")
	j := w.open(seeds(shop + "/"))
	j.run()
	w.asked(shop, "/", "/docs/x", "/docs/y/z")
	j.ends(shop+"/docs%2Fx", "refused robots.disallow")
	j.ends(shop+"/docs%2fy", "refused robots.disallow")
}

func TestCase07CrawlDelayInfinite(t *testing.T) {
	w := caseWorld(t, "07-crawl-delay-infinite")
	hosts := []string{"inf.test", "huge.test", "day.test", "comma.test"}
	j := w.open(func(s *setup) {
		s.pace.Delay = 500 * time.Millisecond
		for _, h := range hosts {
			s.seeds = append(s.seeds, "http://"+h+"/")
		}
	})
	j.run()
	for _, h := range hosts {
		w.asked("http://"+h, "/", "/b")
		j.ends("http://"+h+"/private/a", "refused robots.disallow")
		least := 500 * time.Millisecond
		if h == "day.test" {
			least = time.Minute // the documented maximum
		}
		w.gaps(h, least)
		page, next := w.of("http://" + h + "/")[0], w.of("http://" + h + "/b")[0]
		if gap := next.at.Sub(page.at); gap > least+400*time.Millisecond {
			t.Errorf("%s: a pause of %v, want about %v", h, gap, least)
		}
	}
}

func TestCase09RedirectIntoDisallowed(t *testing.T) {
	w := caseWorld(t, "09-redirect-into-disallowed")
	j := w.open(seeds(shop + "/"))
	j.run()
	w.never(shop+"/private/x", "http://other.test/y")
	if w.hits("http://other.test/robots.txt") != 1 {
		t.Error("other.test/robots.txt was not read")
	}
	for url, rule := range map[string]string{shop + "/private/x": "Disallow: /private/", "http://other.test/y": "Disallow: /y"} {
		v := j.book.last(url)
		if v == nil || v.verdict != "deny" || v.reason != "robots.disallow" || v.decision.Rule.Text != rule || !strings.HasSuffix(v.item.Path, "R") {
			t.Errorf("%s: %+v", url, v)
		}
	}
}

func TestCase11Percent25And23Stay(t *testing.T) {
	w := caseWorld(t, "11-percent-25-and-23-stay")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/cmp/dia%25", "/cmp/dia%2525", "/a%20%2376?x=1", "/music/AC%252FDC/")
	for _, target := range w.targets(shop) {
		if again, err := frontier.Canonical(shop + target); err != nil || again != shop+target {
			t.Errorf("canonical form of %s is %s, %v", target, again, err)
		}
	}
}

func TestCase13BlanksTabsNewlinesInHref(t *testing.T) {
	w := caseWorld(t, "13-blanks-tabs-newlines-in-href")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/intl/drive/", "/feeds/atom.xml", "/ff", "/in%20side")
}

func TestCase15BrokenPercentEscape(t *testing.T) {
	w := caseWorld(t, "15-broken-percent-escape")
	j := w.open(seeds(shop + "/"))
	j.run()
	w.asked(shop, "/", "/p/100%zz", "/find?s=ni%u011fde", "/t/%3C%=%20id%20%%3E", "/good")
	j.ends(shop+"/good", "fetched")
}

func TestCase17LegacyCharsetInQuery(t *testing.T) {
	w := caseWorld(t, "17-legacy-charset-in-query")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/3.asp?k=%BA%E9&n=1", "/%E6%B4%AA.html")
}

func TestCase19QueryOctetsUntouched(t *testing.T) {
	w := caseWorld(t, "19-query-octets-untouched")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/forum.php?/topic/57-x/", "/list.php?a", "/list.php?b=2&a=1&b=1&", "/list.php?a=1&b=2&b=1&", "/doc", "/page?&utm=x")
}

func TestCase29DeflateBothKinds(t *testing.T) {
	w := caseWorld(t, "29-deflate-both-kinds")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/zlib", "/raw", "/next-zlib", "/next-raw")
}

func TestCase31NoBodyButACoding(t *testing.T) {
	w := caseWorld(t, "31-no-body-but-a-coding")
	for _, archive := range []bool{false, true} {
		first := w.open(func(s *setup) { s.seeds, s.Archive, s.pass, s.refresh = []string{shop + "/"}, archive, 1, true })
		first.run()
		for _, path := range []string{"/empty", "/none"} {
			v := first.book.last(shop + path)
			if v == nil || v.state != frontier.Fetched || v.failure != 0 || v.body != "" || v.status != map[string]int{"/empty": 200, "/none": 204}[path] {
				t.Errorf("archive %v: %s: %+v", archive, path, v)
			}
		}
		first.close()
		second := w.open(func(s *setup) { s.Archive, s.pass, s.refresh = archive, 2, true })
		second.run()
		report, err := second.engine.Why(t.Context(), shop+"/page")
		if err != nil || report.State != frontier.NotModified || report.Page.Status != 200 || report.Page.Location == "" {
			t.Errorf("archive %v: /page after its 304: %+v, %v", archive, report, err)
		}
		stats, err := second.Status(t.Context())
		if err != nil || stats.Run.Failed != 0 || stats.Run.NotModified != 1 {
			t.Errorf("archive %v: counts %+v, %v", archive, stats.Run, err)
		}
		second.close()
		w = caseWorld(t, "31-no-body-but-a-coding")
	}
}

func TestCase33RetryAfterValues(t *testing.T) {
	w := caseWorld(t, "33-retry-after-values")
	hosts := []string{"neg", "big", "date", "past", "word"}
	j := w.open(func(s *setup) {
		s.pace.Delay, s.Patience = 500*time.Millisecond, 48*time.Hour
		for _, h := range hosts {
			s.seeds = append(s.seeds, "http://"+h+".test/")
		}
	})
	j.run()
	for _, h := range hosts {
		all := w.of("http://" + h + ".test/")
		if len(all) != 2 {
			t.Errorf("%s: %d requests", h, len(all))
			continue
		}
		// The own back-off is 30 s, half of it certain and the other half at random;
		// a word for the past is a word for the own minimum.
		least, most := 15*time.Second, 32*time.Second
		switch h {
		case "date":
			least, most = 3*time.Second, 6*time.Second // dates have whole seconds
		case "past":
			least = 500 * time.Millisecond
		case "big":
			least, most = 24*time.Hour-time.Minute, 24*time.Hour+time.Minute
		}
		if gap := all[1].at.Sub(all[0].at); gap < least || gap > most {
			t.Errorf("%s: asked again after %v, want %v to %v", h, gap, least, most)
		}
	}
}

func TestCase35ZstdWindow(t *testing.T) {
	w := caseWorld(t, "35-zstd-window")
	j := w.open(seeds(shop + "/"))
	before := allocated()
	j.run()
	w.asked(shop, "/", "/ok", "/big", "/n-ok")
	j.ends(shop+"/big", "failed coding")
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d octets were allocated", used)
	}
}

func TestCase37ETagWordForWord(t *testing.T) {
	w := caseWorld(t, "37-etag-word-for-word")
	for pass := range uint64(4) {
		w.crawl(func(s *setup) { s.seeds, s.pass, s.refresh = []string{shop + "/"}, pass+1, true })
	}
	var got []string
	for _, r := range w.of(shop + "/") {
		got = append(got, r.header.Get("If-None-Match"))
	}
	if want := []string{"", `W/"a1--gzip"`, `W/"a2--gzip"`, ""}; !slices.Equal(got, want) {
		t.Errorf("If-None-Match was %q, want %q", got, want)
	}
}

func TestCase39A304KeepsTheDocument(t *testing.T) {
	w := caseWorld(t, "39-304-keeps-the-document")
	first, _ := w.crawl(func(s *setup) { s.seeds, s.pass = []string{shop + "/"}, 1 })
	w.forget()
	second := w.open(func(s *setup) { s.pass, s.refresh = 2, true })
	second.run()
	w.asked(shop, "/", "/a", "/b")
	report, err := second.engine.Why(t.Context(), shop+"/")
	if err != nil || report.State != frontier.NotModified || report.Page.Location == "" || report.Page.Digest != first.book.last(shop+"/").digest {
		t.Errorf("home page after its 304: %+v, %v", report, err)
	}
	if v := first.book.last(shop + "/"); !strings.Contains(v.body, "kept text") {
		t.Errorf("stored %q", v.body)
	}
	second.ends(shop+"/a", "fetched")
}

// A job that archived nothing holds no copy that a 304 could confirm.
func TestCase39WithoutACopyARequestIsUnconditional(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/", tagged(`"h1"`, html("kept text", `ETag: "h1"`)))
	w.crawl(func(s *setup) { s.seeds, s.sink, s.pass = []string{shop + "/"}, silent{}, 1 })
	for pass, want := range []string{"", `"h1"`} {
		w.forget()
		j, _ := w.crawl(func(s *setup) { s.Archive, s.pass, s.refresh = true, uint64(pass)+2, true })
		if all := w.of(shop + "/"); len(all) != 1 || all[0].header.Get("If-None-Match") != want {
			t.Errorf("pass %d: %+v, want If-None-Match %q", pass+2, all, want)
		}
		if v := j.book.last(shop + "/"); want == "" && !strings.Contains(v.body, "kept text") {
			t.Errorf("nothing was archived: %+v", v)
		}
	}
}

func TestCase41BOMBeatsHeader(t *testing.T) {
	w := caseWorld(t, "41-bom-beats-header")
	j := w.open(func(s *setup) { s.noScope = true })
	f, err := j.Fetch(t.Context(), shop+"/", crawler.Demand{Patience: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := f.Envelope(1 << 20)
	if err != nil || e.Text == nil || !strings.Contains(*e.Text, "Привет!") {
		t.Errorf("envelope %+v, %v", e, err)
	}
	if v := j.book.last(shop + "/"); !strings.HasPrefix(v.body, "\xef\xbb\xbf") {
		t.Error("the stored octets were changed")
	}
}

func TestCase43BaseHrefForms(t *testing.T) {
	w := caseWorld(t, "43-base-href-forms")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/a/b.html", "/c/d.html", "/e.html", "/app/p", "/c/sub/q", "/r")
}

func TestCase45NestingOver512(t *testing.T) {
	w := caseWorld(t, "45-nesting-over-512")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/page", "/before", "/deep", "/after")
}

func TestCase47EntitiesInHref(t *testing.T) {
	w := caseWorld(t, "47-entities-in-href")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/", "/q?a=1&b=2", "/q?a=1&c=3", "/q?a=1&d=4", "/q?a=1&copy=2&reg=3&section=4", "/all")
}

// Page requisites are not asked for, so no part of a srcset may become a request.
func TestCase49SrcsetCommas(t *testing.T) {
	w := caseWorld(t, "49-srcset-commas")
	w.crawl(seeds(shop + "/"))
	w.asked(shop, "/")
}

func TestCase51PayloadDigestWithoutChunks(t *testing.T) {
	w := caseWorld(t, "51-payload-digest-without-chunks")
	j := w.open(func(s *setup) { s.seeds, s.Archive = []string{shop + "/"}, true })
	j.run()
	const want = "ef8d561c71530849159e46b5d170c4e2197ed4e4a8172ed8ee4160f709a67b39"
	for _, path := range []string{"/length", "/chunks-1", "/chunks-2"} {
		v := j.book.last(shop + path)
		if v == nil || hex.EncodeToString(v.digest[:]) != want || v.raw != v.body || v.body == "" {
			t.Errorf("%s: %+v", path, v)
		}
	}
}

// The kill itself is in the tests of the store and of the program; here a run is
// cut off while every worker has a page in flight.
func TestCase55AStopKeepsWhatWasInFlight(t *testing.T) {
	w := newWorld(t)
	pages := []string{"/p1", "/p2", "/p3", "/p4", "/p5", "/p6"}
	w.on(shop+"/", links(pages...))
	started, free := make(chan string, 64), make(chan struct{})
	for _, p := range pages {
		w.on(shop+p, gated(started, free, html("late")))
	}
	first := w.open(func(s *setup) {
		s.seeds, s.Workers, s.perHost, s.pace.Delay = []string{shop + "/"}, 4, 3, 0
	})
	ended := make(chan crawler.Ending)
	ctx, cancel := testContext(t)
	go func() {
		end, _ := first.Run(ctx)
		ended <- end
	}()
	for range 3 {
		<-started
	}
	cancel()
	if end := <-ended; end.Code != crawler.EndForced || end.Err != nil {
		t.Errorf("ended with %+v", end)
	}
	first.close()
	close(free)
	second, _ := w.crawl(func(s *setup) { s.pace.Delay = 0 })
	stored := map[string]int{}
	for _, v := range append(first.book.all(), second.book.all()...) {
		if v.kind == crawler.VisitPage && v.state == frontier.Fetched {
			stored[v.url]++
		}
	}
	if len(stored) != 7 {
		t.Errorf("%d pages are stored, want 7: %v", len(stored), stored)
	}
	for url, n := range stored {
		if n != 1 {
			t.Errorf("%s was settled %d times", url, n)
		}
	}
	if n := w.hits(shop + "/"); n != 1 {
		t.Errorf("the settled home page was fetched %d times", n)
	}
}

func TestCase57SlowHostDoesNotBlock(t *testing.T) {
	for _, workers := range []int{1, 8} {
		w := caseWorld(t, "57-slow-host-does-not-block")
		start := w.time.now()
		j := w.open(func(s *setup) {
			s.seeds, s.Workers, s.pace.Delay = []string{"http://slow.test/", "http://fast.test/"}, workers, 200*time.Millisecond
		})
		j.run()
		var first, slow, last time.Duration
		for _, r := range w.requests(true) {
			switch since := r.at.Sub(start); {
			case r.host == "fast.test":
				last = since
			case first == 0:
				first, slow = since, since
			default:
				slow = since
			}
		}
		if n := len(w.targets("http://fast.test")); n != 30 || last > 12*time.Second {
			t.Errorf("%d workers: %d pages of fast.test were done after %v", workers, n, last)
		}
		if n := len(w.targets("http://slow.test")); n != 10 || first > 2*time.Second || slow < 50*time.Second {
			t.Errorf("%d workers: %d pages of slow.test between %v and %v", workers, n, first, slow)
		}
		w.gaps("slow.test", 5*time.Second)
		w.gaps("fast.test", 200*time.Millisecond)
	}
}

func TestCase59DelayBelongsToItsHost(t *testing.T) {
	w := caseWorld(t, "59-delay-belongs-to-its-host")
	start := w.time.now()
	w.crawl(func(s *setup) {
		s.seeds, s.Workers, s.pace.Delay = []string{"http://a.test/"}, 8, 300*time.Millisecond
	})
	w.asked("http://a.test", "/", "/a0", "/a1", "/a2", "/a3", "/a4")
	w.asked("http://b.test", "/", "/b0", "/b1", "/b2", "/b3", "/b4")
	w.gaps("b.test", 2*time.Second)
	w.gaps("a.test", 300*time.Millisecond)
	for _, r := range w.requests(true) {
		if r.host == "a.test" && r.at.Sub(start) > 5*time.Second {
			t.Errorf("%s of a.test waited until %v", r.target, r.at.Sub(start))
		}
	}
}
