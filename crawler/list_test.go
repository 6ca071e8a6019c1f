package crawler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
)

// listing is a job that reads sitemaps.
func listing(urls ...string) func(*setup) {
	return func(s *setup) {
		s.seeds = urls
		s.Lists = crawler.ListOptions{On: true, MaxBytes: 1 << 20, MaxEntries: 1000, MaxDepth: 2}
	}
}

// urlset is a sitemap of these URLs; one behind which " date" stands has that
// date as its lastmod.
func urlset(urls ...string) string { return sitemap("urlset", "url", urls) }

// sitemapIndex is an index, likewise.
func sitemapIndex(urls ...string) string { return sitemap("sitemapindex", "sitemap", urls) }

func sitemap(root, element string, urls []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, root)
	for _, u := range urls {
		url, date, dated := strings.Cut(u, " ")
		fmt.Fprintf(&b, "<%s><loc>%s</loc>", element, url)
		if dated {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", date)
		}
		fmt.Fprintf(&b, "</%s>", element)
	}
	fmt.Fprintf(&b, "</%s>", root)
	return b.String()
}

// xml answers with a sitemap.
func xml(body string, fields ...string) reply {
	return answer(200, body, append(fields, "Content-Type: application/xml")...)
}

// naming is a robots.txt that forbids nothing and names sitemaps.
func naming(lists ...string) reply {
	text := "User-agent: *\nDisallow:\n"
	for _, l := range lists {
		text += "Sitemap: " + l + "\n"
	}
	return answer(200, text, "Content-Type: text/plain")
}

func TestCase21SitemapGzFourWays(t *testing.T) {
	w := caseWorld(t, "21-sitemap-gz-four-ways")
	j := w.open(listing(shop + "/"))
	j.run()
	w.asked(shop, "/", "/a.xml.gz", "/b.xml.gz", "/c.xml.gz", "/d.xml.gz", "/e.xml.gz", "/from-a", "/from-b", "/from-c", "/from-d")
	j.ends(shop+"/e.xml.gz#sitemap", "gone status-404")
	for _, name := range []string{"a", "b", "c", "d"} {
		j.ends(shop+"/from-"+name, "fetched")
		j.ends(shop+"/"+name+".xml.gz#sitemap", "fetched")
	}
	st, err := j.Status(t.Context())
	if err != nil || st.Run.Pages != 5 || st.Run.Gone != 0 || st.Run.Lists != 5 || st.URLsKnown != 5 {
		t.Errorf("counts %+v, %d known, %v", st.Run, st.URLsKnown, err)
	}
	if v := j.book.last(shop + "/from-a"); v == nil || v.item.Path != "SS" || v.item.Parent != shop+"/a.xml.gz" {
		t.Errorf("a page of a sitemap: %+v", v)
	}
}

func TestCase23SitemapNamespaces(t *testing.T) {
	w := caseWorld(t, "23-sitemap-namespaces")
	w.crawl(listing(shop + "/"))
	w.asked(shop, "/", "/1.xml", "/2.xml", "/3.xml", "/4.xml", "/p1", "/p2", "/p3", "/p4")
}

func TestCase25SitemapLoops(t *testing.T) {
	w := caseWorld(t, "25-sitemap-loops")
	j := w.open(listing(shop + "/"))
	if end := j.run(); end.Code != crawler.EndDone {
		t.Errorf("the run ended with %d", end.Code)
	}
	for path, most := range map[string]int{"/index.xml": 1, "/child.xml": 1, "/back.xml": 1, "/robots.txt": 2, "/p": 1} {
		if n := w.hits(shop + path); n < 1 || n > most {
			t.Errorf("%s was requested %d times", path, n)
		}
	}
	j.ends(shop+"/robots.txt#sitemap", "failed not-a-sitemap")
	j.ends(shop+"/p", "fetched")
}

func TestCase27SitemapForeignHosts(t *testing.T) {
	w := caseWorld(t, "27-sitemap-foreign-hosts")
	j := w.open(listing("http://a.test/"))
	j.run()
	w.asked("http://b.test", "/x")
	w.never("http://c.test/y")
	w.asked("http://a.test", "/", "/own", "/sitemap.xml", "/sitemap.xml")
	for _, host := range []string{"b.test", "c.test"} {
		var first string
		for _, r := range w.requests(true) {
			if r.host == host {
				first = r.target
				break
			}
		}
		if first != "/robots.txt" {
			t.Errorf("%s was first asked for %q", host, first)
		}
	}
	if v := j.book.last("http://c.test/y"); v == nil || v.verdict != "deny" || v.reason != "scope.cross-submit" || v.item.Parent != "http://a.test/sitemap.xml" {
		t.Errorf("c.test/y: %+v", v)
	}
	j.ends("http://b.test/x", "fetched")
	j.ends("http://c.test/y", "unknown")
	if s, err := j.Status(t.Context()); err != nil || s.Hosts != 2 {
		t.Errorf("%d hosts, want a.test and b.test: of c.test only robots.txt was asked for; %v", s.Hosts, err)
	}
}

func TestASitemapIsJudgedLikeAnyURL(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", answer(200, "User-agent: *\nDisallow: /closed.xml\nSitemap: /closed.xml\nSitemap: http://lists.test/s.xml\n")).
		on(shop+" *", html("page")).
		on("http://lists.test/robots.txt", answer(200, "User-agent: *\nDisallow: /s.xml\n"))
	j := w.open(listing(shop + "/"))
	j.run()
	w.asked(shop, "/")
	w.asked("http://lists.test")
	j.ends(shop+"/closed.xml#sitemap", "refused robots.disallow")
	j.ends("http://lists.test/s.xml#sitemap=http://shop.test", "refused robots.disallow")
	if st, err := j.Status(t.Context()); err != nil || st.Run.Refused != 0 || st.URLsKnown != 1 {
		t.Errorf("counts %+v, %d known, %v", st.Run, st.URLsKnown, err)
	}
}

func TestASitemapElsewhereSpeaksForWhoNamesIt(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", naming("http://lists.test/s.xml")).on(shop+" *", html("page")).
		on("http://lists.test/robots.txt", status(404)).on("http://lists.test/s.xml", xml(urlset(shop+"/a", "http://other.test/b"))).
		on("http://other.test/robots.txt", status(404)).on("http://other.test *", html("page"))
	j := w.open(listing(shop + "/"))
	j.run()
	w.asked(shop, "/", "/a")
	w.asked("http://other.test")
	j.ends("http://other.test/b", "unknown")
}

func TestSitemapsAreLeftAloneWhereNothingOfThemCouldBeTaken(t *testing.T) {
	for name, change := range map[string]func(*setup){
		"seeds only":         func(s *setup) { s.depth = 0 },
		"the page alone":     func(s *setup) { s.scope = frontier.ScopePage },
		"context files only": func(s *setup) { s.Context = crawler.ContextOnly },
		"switched off":       func(s *setup) { s.Lists.On = false },
		"excluded":           func(s *setup) { s.exclude = []string{`\.xml$`} },
	} {
		w := newWorld(t)
		w.on(shop+"/robots.txt", naming("/s.xml")).on(shop+" *", html("page")).on(shop+"/s.xml", xml(urlset(shop+"/a")))
		w.crawl(func(s *setup) { listing(shop + "/")(s); change(s) })
		if w.hits(shop+"/s.xml") > 0 {
			t.Errorf("%s: the sitemap was asked for", name)
		}
	}
}

func TestIndexesEndAtTheirDepth(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", naming("/i1.xml")).on(shop+" *", html("page"))
	for i := 1; i < 6; i++ {
		w.on(fmt.Sprintf("%s/i%d.xml", shop, i), xml(sitemapIndex(fmt.Sprintf("%s/i%d.xml", shop, i+1))))
	}
	w.crawl(listing(shop + "/"))
	w.asked(shop, "/", "/i1.xml", "/i2.xml", "/i3.xml")
}

func TestAListOverItsLimitKeepsWhatCameBefore(t *testing.T) {
	w := newWorld(t)
	var urls []string
	for i := range 30 {
		urls = append(urls, fmt.Sprintf("%s/p%d", shop, i))
	}
	w.on(shop+"/robots.txt", naming("/s.xml")).on(shop+" *", html("page")).on(shop+"/s.xml", xml(urlset(urls...)))
	j := w.open(func(s *setup) { listing(shop + "/")(s); s.Lists.MaxEntries = 10; s.pace.Delay = 0 })
	j.run()
	j.ends(shop+"/s.xml#sitemap", "failed sitemap-entries")
	if n := len(w.targets(shop)); n != 12 {
		t.Errorf("%d requests, want the home page, the sitemap and ten pages", n)
	}
	if st, _ := j.Status(t.Context()); st.Run.OverLimit != 20 {
		t.Errorf("%d entries over the limit", st.Run.OverLimit)
	}
}

func TestFeedsAndTextListsAreListsToo(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", naming("/feed", "/atom", "/list.txt")).on(shop+" *", html("page")).
		on(shop+"/feed", answer(200, `<rss version="2.0"><channel><item><link>http://shop.test/rss-item</link></item></channel></rss>`, "Content-Type: application/rss+xml")).
		on(shop+"/atom", answer(200, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/atom-entry"/></entry></feed>`, "Content-Type: application/atom+xml")).
		on(shop+"/list.txt", answer(200, shop+"/line\n", "Content-Type: text/plain"))
	w.crawl(listing(shop + "/"))
	w.asked(shop, "/", "/feed", "/atom", "/list.txt", "/rss-item", "/atom-entry", "/line")
}

func TestALaterPassAsksConditionallyAndSparesUnchangedChildren(t *testing.T) {
	w := newWorld(t)
	past := w.time.now().Add(-48 * time.Hour).UTC().Format(time.RFC3339)
	w.on(shop+"/robots.txt", naming("/index.xml", "/own.xml")).on(shop+" *", html("page")).
		on(shop+"/own.xml", tagged(`"o1"`, xml(urlset(shop+"/o"), `ETag: "o1"`))).
		on(shop+"/index.xml", xml(sitemapIndex(shop+"/old.xml "+past, shop+"/silent.xml"))).
		on(shop+"/old.xml", xml(urlset(shop+"/a"))).on(shop+"/silent.xml", xml(urlset(shop+"/b")))
	w.crawl(func(s *setup) { listing(shop + "/")(s); s.pass = 1 })
	w.asked(shop, "/", "/own.xml", "/index.xml", "/old.xml", "/silent.xml", "/a", "/b", "/o")
	w.forget()
	w.on(shop+"/silent.xml", xml(urlset(shop+"/b", shop+"/new")))
	j := w.open(func(s *setup) { listing(shop + "/")(s); s.pass, s.refresh = 2, true })
	j.run()
	w.asked(shop, "/", "/own.xml", "/index.xml", "/silent.xml", "/a", "/b", "/o", "/new")
	j.ends(shop+"/own.xml#sitemap", "not-modified")
	j.ends(shop+"/old.xml#sitemap", "not-modified lastmod")
	if v := j.book.last(shop + "/new"); v == nil || !slices.Contains([]string{"SSS"}, v.item.Path) {
		t.Errorf("a page that a sitemap added: %+v", v)
	}
}

func TestASitemapThatMovedSpeaksForTheSameOrigin(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", naming("/s.xml")).on(shop+" *", html("page")).on(shop+"/s.xml", redirect(301, "http://lists.test/s.xml")).
		on("http://lists.test/robots.txt", status(404)).on("http://lists.test/s.xml", xml(urlset(shop+"/a")))
	j := w.open(listing(shop + "/"))
	j.run()
	w.asked(shop, "/", "/s.xml", "/a")
	j.ends(shop+"/s.xml#sitemap", "redirected status-301")
}
