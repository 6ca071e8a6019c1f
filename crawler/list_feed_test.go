package crawler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"heed/crawler"
	"heed/frontier"
)

const rssType = "application/rss+xml"

// feeding is a page that names feeds in its head.
func feeding(feeds ...string) reply {
	var head strings.Builder
	for _, f := range feeds {
		fmt.Fprintf(&head, "<link rel=alternate type=%q href=%q>", rssType, f)
	}
	return answer(200, "<html><head>"+head.String()+"</head><body>page</body></html>", "Content-Type: text/html")
}

// rss is a feed of these pages.
func rss(urls ...string) reply {
	var b strings.Builder
	for _, u := range urls {
		fmt.Fprintf(&b, "<item><link>%s</link></item>", u)
	}
	return answer(200, `<rss version="2.0"><channel>`+b.String()+`</channel></rss>`, "Content-Type: "+rssType)
}

func TestAFeedThatAPageNamesIsReadAsAList(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", answer(200, "User-agent: *\nDisallow: /closed\n")).on(shop+" *", html("page")).
		on(shop+"/", feeding("/feed", "/closed.rss", "http://other.test/feed", "/moved.rss")).
		on(shop+"/feed", rss(shop+"/a", shop+"/b", "http://other.test/c")).
		on(shop+"/moved.rss", redirect(301, "/new.rss")).on(shop+"/new.rss", rss(shop+"/d"))
	j := w.open(func(s *setup) { listing(shop + "/")(s); s.scope = frontier.ScopeHost })
	j.run()
	w.asked(shop, "/", "/feed", "/a", "/b", "/moved.rss", "/new.rss", "/d")
	w.asked("http://other.test")
	j.ends(shop+"/feed#sitemap", "fetched")
	j.ends(shop+"/closed.rss#sitemap", "refused robots.disallow")
	if v := j.book.last(shop + "/a"); v == nil || v.item.Path != "FF" || v.item.Parent != shop+"/feed" || v.item.Depth != 1 {
		t.Errorf("a page of a feed: %+v", v)
	}
	if st, err := j.Status(t.Context()); err != nil || st.Run.Pages != 4 || st.Run.Lists != 3 {
		t.Errorf("counts %+v, %v", st.Run, err)
	}
}

func TestWhereNoListsAreReadAFeedIsALink(t *testing.T) {
	w := newWorld(t)
	w.on(shop+" *", html("page")).on(shop+"/", feeding("/feed")).on(shop+"/feed", rss(shop+"/a"))
	j := w.open(func(s *setup) { listing(shop + "/")(s); s.Lists.On = false })
	j.run()
	w.asked(shop, "/", "/feed")
	j.ends(shop+"/feed", "fetched")
}

func TestWhatAFeedNamesIsALinkFurtherThanItsPage(t *testing.T) {
	w := newWorld(t)
	w.on(shop+" *", html("page")).on(shop+"/", links("/near")).on(shop+"/near", feeding("/feed")).on(shop+"/feed", rss(shop+"/far"))
	w.crawl(func(s *setup) { listing(shop + "/")(s); s.depth = 1 })
	w.asked(shop, "/", "/near")
	w.forget()
	v := newWorld(t)
	v.on(shop+" *", html("page")).on(shop+"/", links("/near")).on(shop+"/near", feeding("/feed")).on(shop+"/feed", rss(shop+"/far"))
	v.crawl(func(s *setup) { listing(shop + "/")(s); s.depth = 2 })
	v.asked(shop, "/", "/near", "/feed", "/far")
}

func TestFeedsWithoutEndAreLinksAtLast(t *testing.T) {
	w := newWorld(t)
	w.on(shop+" *", rss())
	var feeds []string
	for i := range 25 {
		feeds = append(feeds, fmt.Sprintf("/post%d/comments.rss", i))
	}
	w.on(shop+"/", feeding(feeds...))
	j := w.open(listing(shop + "/"))
	j.run()
	if st, err := j.Status(t.Context()); err != nil || st.Run.Lists != 20 || st.Run.Pages != 1+5 {
		t.Errorf("counts %+v, %v", st.Run, err)
	}
}

// listCards are cards that name sitemaps.
type listCards struct{ lists []string }

func (listCards) Want(string)                                           {}
func (listCards) Prepare(context.Context, string) error                 { return nil }
func (listCards) Pages(context.Context, string) ([]crawler.Seed, error) { return nil, nil }
func (listCards) Attribution(string) (crawler.Attribution, bool)        { return crawler.Attribution{}, false }
func (c listCards) Lists(context.Context, string) ([]string, error)     { return c.lists, nil }

func TestASitemapThatACardNamesIsReadAfterPermission(t *testing.T) {
	for _, closed := range []bool{false, true} {
		w := newWorld(t)
		w.on(shop+" *", html("page")).on(shop+"/map.xml", xml(urlset(shop+"/a")))
		if closed {
			w.on(shop+"/robots.txt", answer(200, "User-agent: *\nDisallow: /\n"))
		}
		j := w.open(func(s *setup) { listing(shop + "/")(s); s.cards = listCards{[]string{shop + "/map.xml"}} })
		j.run()
		if closed {
			w.asked(shop)
			continue
		}
		w.asked(shop, "/", "/map.xml", "/a")
		if v := j.book.last(shop + "/a"); v == nil || v.item.Path != "DS" {
			t.Errorf("a page of the sitemap of a card: %+v", v)
		}
	}
}
