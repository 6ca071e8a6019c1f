package extract_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler/extract"
)

const relation = "llm-context"

func parse(t *testing.T, body, contentType, from string) *extract.Page {
	t.Helper()
	page, err := extract.Parse([]byte(body), contentType, from, webResolver{}, extract.Options{ContextRelation: relation})
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return page
}

func urls(links []extract.Link) []string {
	var list []string
	for _, link := range links {
		list = append(list, link.URL)
	}
	return list
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestReferencesReadAsBrowsersReadThem(t *testing.T) {
	const from = "https://shop.test/dir/page"
	tests := []struct {
		name, html string
		want       []string
	}{
		{"blanks, tabs and newlines in href are dropped", "<a href=\"/intl\n/drive/\">1</a><a href=\"\n\t    /feeds/atom.xml\t  \n\">2</a><a href=\"\f/ff\">3</a><a href=\"/in side\">4</a>",
			[]string{"https://shop.test/intl/drive/", "https://shop.test/feeds/atom.xml", "https://shop.test/ff", "https://shop.test/in%20side"}},
		{"character references resolve once and not before an equals sign", `<a href="/q?a=1&amp;b=2">x</a><a href="/q?a=1&#38;c=3">x</a><a href="/q?a=1&#x26;d=4">x</a><a href="/q?a=1&copy=2&reg=3&section=4">x</a><a href="http&#x3a;&#x2f;&#x2f;shop&#x2e;test&#x2f;all">x</a>`,
			[]string{"https://shop.test/q?a=1&b=2", "https://shop.test/q?a=1&c=3", "https://shop.test/q?a=1&d=4", "https://shop.test/q?a=1&copy=2&reg=3&section=4", "http://shop.test/all"}},
		{"query octets stay as written", `<a href="forum.php?/topic/57-x/"><a href="list.php?a"><a href="list.php?b=2&amp;a=1&amp;b=1&amp;">`,
			[]string{"https://shop.test/dir/forum.php?/topic/57-x/", "https://shop.test/dir/list.php?a", "https://shop.test/dir/list.php?b=2&a=1&b=1&"}},
		{"links in comments, scripts, styles, textareas and templates are none", `<!-- <a href=/c> --><script>"<a href=/s>"</script><style><a href=/st></style><textarea><a href=/t></textarea><template><a href=/tp><svg><a href=/tps></a></svg></template><a href=/yes>`,
			[]string{"https://shop.test/yes"}},
		{"noscript counts, because no script runs", `<body><noscript><a href=/no-script></noscript>`, []string{"https://shop.test/no-script"}},
		{"the first of duplicate attributes counts", `<a href=/one href=/two>`, []string{"https://shop.test/one"}},
		{"area, frame and iframe are links", `<map><area href=/area></map><frameset><frame src=/frame></frameset><iframe src=/iframe></iframe>`,
			[]string{"https://shop.test/area", "https://shop.test/frame", "https://shop.test/iframe"}},
		{"svg links count in both spellings, href first", `<svg><a xlink:href="/x"/><a href="/h" xlink:href="/no"/></svg>`, []string{"https://shop.test/x", "https://shop.test/h"}},
		{"a self-closed style in svg does not swallow the page", `<svg><style/><title/><script/></svg><a href=/after>`, []string{"https://shop.test/after"}},
		{"CDATA in svg is text, in HTML a comment up to the next bracket", `<svg><![CDATA[<a href=/no>]]></svg><![CDATA[<a href=/gone>]]><a href=/yes>`, []string{"https://shop.test/yes"}},
		{"an HTML element ends an unclosed svg", `<svg><p><style><a href=/no></style><a href=/yes>`, []string{"https://shop.test/yes"}},
		{"foreignObject is HTML again", `<svg><foreignObject><style><a href=/no></style><a href=/in></foreignObject><style/></svg><a href=/out>`, []string{"https://shop.test/in", "https://shop.test/out"}},
		{"other schemes and fragments of the page are none", "<a href='javascript:x'><a href='java\nscript:x'><a href=mailto:a@b.test><a href=tel:1><a href='#top'><a href=''><a href='data:text/html,x'><a href='ftp://shop.test/'><a href=HTTPS://shop.test/ok>",
			[]string{"https://shop.test/ok"}},
		{"a path with a colon is no scheme", `<a href="./a:b"><a href="/c:d">`, []string{"https://shop.test/dir/a:b", "https://shop.test/c:d"}},
		{"one URL in several spellings is one link", `<a href="/a"><a href="/a#x"><a href="https://SHOP.test/a">`, []string{"https://shop.test/a"}},
		{"navigational link elements count, machinery does not", `<link rel=next href=/2><link rel="Alternate" hreflang=de href=/de><link rel=dns-prefetch href=//cdn.test><link rel=pingback href=/x><link href=/none>`,
			[]string{"https://shop.test/2", "https://shop.test/de"}},
		{"an unclosed tag at the end is no link", `<a href=/yes>x<a href=/no`, []string{"https://shop.test/yes"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			same(t, "links", urls(parse(t, test.html, "text/html", from).Links), test.want...)
		})
	}
}

func TestNestingHasNoLimit(t *testing.T) {
	const depth = 100_000
	body := "<a href=/before>" + strings.Repeat("<div>", depth) + "<a href=/deep>" + strings.Repeat("</div>", depth) + "<a href=/after>"
	same(t, "links", urls(parse(t, body, "text/html", "https://shop.test/").Links), "https://shop.test/before", "https://shop.test/deep", "https://shop.test/after")
	svg := strings.Repeat("<svg><foreignObject>", depth) + "<a href=/deep>"
	same(t, "links in svg", urls(parse(t, svg, "text/html", "https://shop.test/").Links), "https://shop.test/deep")
}

func TestBase(t *testing.T) {
	tests := []struct{ name, html, from, base, link string }{
		{"the first base counts", `<base href="/app/"><base href="/second/"><a href="p">`, "http://shop.test/a/b.html", "http://shop.test/app/", "http://shop.test/app/p"},
		{"a relative base resolves against the document", `<base href="sub/x.html"><a href="q">`, "http://shop.test/c/d.html", "http://shop.test/c/sub/x.html", "http://shop.test/c/sub/q"},
		{"a javascript base is ignored", `<base href="javascript:void(0)"><a href="r">`, "http://shop.test/e.html", "http://shop.test/e.html", "http://shop.test/r"},
		{"a base that does not count still stops the second", `<base href="data:x"><base href="/no/"><a href="r">`, "http://shop.test/e.html", "http://shop.test/e.html", "http://shop.test/r"},
		{"a base without href is none", `<base target=x><base href="/b/"><a href="r">`, "http://shop.test/", "http://shop.test/b/", "http://shop.test/b/r"},
		{"a base behind a link holds for it too", `<a href="r"><p><base href="/b/">`, "http://shop.test/", "http://shop.test/b/", "http://shop.test/b/r"},
		{"with a base a fragment is a link to another page", `<base href="/b/"><a href="#x">`, "http://shop.test/", "http://shop.test/b/", "http://shop.test/b/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := parse(t, test.html, "text/html", test.from)
			if page.Base != test.base {
				t.Errorf("base %q, want %q", page.Base, test.base)
			}
			same(t, "links", urls(page.Links), test.link)
		})
	}
}

func TestNoFollow(t *testing.T) {
	tests := []struct {
		name, html string
		want       bool
	}{
		{"any place and case in rel", `<a rel="external NoFollow" href=/a>`, true},
		{"not a longer word", `<a rel="nofollows" href=/a>`, false},
		{"not ugc or sponsored", `<a rel="ugc sponsored" href=/a>`, false},
		{"one plain link to the URL suffices", `<a rel=nofollow href=/a><a href=/a>`, false},
		{"also in another spelling", `<a rel=nofollow href=/a><a href=/a#b>`, false},
		{"no Unicode folding", "<a rel=\"no\u212Afollow\" href=/a>", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if links := parse(t, test.html, "text/html", "https://shop.test/").Links; len(links) != 1 || links[0].NoFollow != test.want {
				t.Errorf("links %+v, want one with NoFollow=%v", links, test.want)
			}
		})
	}
}

func TestRequisitesStandApart(t *testing.T) {
	body := `<link rel=stylesheet href=/s.css><link rel="icon" href=/i.ico><script src=/s.js></script>` +
		`<img src="/c.jpg" srcset="/w_300,h_200/a.jpg 300w, /full/538,/0/b.jpg 538w,data:image/gif;base64,R0lGODlhAQABAAAAACw= 1x, /d.jpg,">` +
		`<video src=/v.mp4 poster=/p.jpg></video><input type=IMAGE src=/b.png><input src=/no><object data=/o.swf></object><svg><image href=/g.png /></svg><a href=/x>`
	page := parse(t, body, "text/html", "http://shop.test/")
	same(t, "links", urls(page.Links), "http://shop.test/x")
	same(t, "requisites", urls(page.Requisites), "http://shop.test/s.css", "http://shop.test/i.ico", "http://shop.test/s.js",
		"http://shop.test/c.jpg", "http://shop.test/w_300,h_200/a.jpg", "http://shop.test/full/538,/0/b.jpg", "http://shop.test/d.jpg",
		"http://shop.test/v.mp4", "http://shop.test/p.jpg", "http://shop.test/b.png", "http://shop.test/o.swf", "http://shop.test/g.png")
	for i, kind := range []extract.Kind{extract.KindStyle, extract.KindImage, extract.KindScript, extract.KindImage} {
		if page.Requisites[i].Kind != kind {
			t.Errorf("requisite %d is %v, want %v", i, page.Requisites[i].Kind, kind)
		}
	}
}

func TestContextLinkElements(t *testing.T) {
	const from = "https://shop.example/a/b"
	head := func(in string) string { return "<!doctype html><html><head>" + in + "</head><body><p>x</body></html>" }
	tests := []struct {
		name, html string
		want       []string
	}{
		{"LC-029 the recovered form", head(`<link rel="llm-context" href="/llms.txt" type="text/markdown">`), []string{"https://shop.example/llms.txt"}},
		{"LC-029 not in a comment", head(`<!-- <link rel="llm-context" href="/llms.txt"> -->`), nil},
		{"LC-029 not in the body", `<!doctype html><head></head><body><link rel="llm-context" href="/llms.txt">`, nil},
		{"LC-137 any token, any case, against the base", head(`<base href="/docs/"><LINK REL="ALTERNATE LLM-Context" HREF="l.txt">`), []string{"https://shop.example/docs/l.txt"}},
		{"LC-137 a base behind the element counts", head(`<link rel=llm-context href=l.txt><base href="/docs/">`), []string{"https://shop.example/docs/l.txt"}},
		{"LC-137 a foreign base makes it foreign", head(`<base href="https://evil.test/"><link rel=llm-context href="l.txt">`), []string{"https://evil.test/l.txt"}},
		{"LC-137 not a longer word", head(`<link rel="llm-contexts" href="/l.txt">`), nil},
		{"LC-137 an empty href is ignored", head(`<link rel="llm-context" href=" "><link rel=llm-context>`), nil},
		{"LC-137 not in noscript", head(`<noscript><link rel="llm-context" href="/l.txt"></noscript>`), nil},
		{"LC-137 not in template", head(`<template><link rel="llm-context" href="/l.txt"></template>`), nil},
		{"LC-137 not in svg, which opens the body", head(`<svg><link rel="llm-context" href="/l.txt"></svg><link rel=llm-context href=/m.txt>`), nil},
		{"LC-137 implied head", `<title>t</title><link rel="llm-context" href="/l.txt"><p>x`, []string{"https://shop.example/l.txt"}},
		{"LC-137 text ends the head", `<title>t</title> words <link rel="llm-context" href="/l.txt">`, nil},
		{"LC-137 between head and body it ends up in the head", `<head></head> <link rel="llm-context" href="/l.txt"><body>`, []string{"https://shop.example/l.txt"}},
		{"LC-137 an image in noscript does not end the head", head(`<noscript><img src=/pixel></noscript><link rel="llm-context" href="/l.txt">`), []string{"https://shop.example/l.txt"}},
		{"LC-137 a script in the head does not end it", head(`<script>var a = "<p>"</script><style>p{}</style><link rel="llm-context" href="/l.txt">`), []string{"https://shop.example/l.txt"}},
		{"LC-138 document order", head(`<link rel="llm-context" href="/b"><link rel="llm-context" href="/a"><link rel="llm-context" href="/b">`), []string{"https://shop.example/b", "https://shop.example/a"}},
		{"LC-137 nothing past 512 KiB", "<head><style>" + strings.Repeat(" ", 512<<10) + `</style><link rel="llm-context" href="/l.txt">`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := parse(t, test.html, "text/html", from)
			same(t, "context links", page.ContextLinks, test.want...)
			if len(page.Links) != 0 {
				t.Errorf("a context link element became an ordinary link: %v", page.Links)
			}
		})
	}
	t.Run("LC-142 describedby is kept apart", func(t *testing.T) {
		page := parse(t, head(`<link rel="describedby" href="/llms.txt">`), "text/html", from)
		same(t, "described by", page.DescribedBy, "https://shop.example/llms.txt")
	})
	t.Run("without a relation none is collected", func(t *testing.T) {
		page, err := extract.Parse([]byte(head(`<link rel="llm-context" href="/l">`)), "text/html", from, webResolver{}, extract.Options{})
		if err != nil || page.ContextLinks != nil {
			t.Errorf("got %v, %v", page.ContextLinks, err)
		}
	})
}

func TestMetadata(t *testing.T) {
	body := `<!doctype html><html lang="de-CH"><head><title> Two
	words &amp; more </title><title>second</title><meta name="Robots" content="noindex, max-snippet:50"><meta name=examplebot content=nofollow>
	<meta name="tdm-reservation" content="1"><meta property="og:title" content=x><meta name="twitter:card" content=y>
	<link rel=canonical href="/c?x#f"><link rel=canonical href=/second></head><body><meta name=robots content=noarchive><svg><title>no</title></svg>`
	page := parse(t, body, "text/html", "https://shop.test/p")
	if page.Title != "Two words & more" || page.Language != "de-CH" || page.Canonical != "https://shop.test/c?x" || page.Charset != "utf-8" {
		t.Errorf("title %q, language %q, canonical %q, charset %q", page.Title, page.Language, page.Canonical, page.Charset)
	}
	want := []extract.Meta{{"robots", "noindex, max-snippet:50"}, {"examplebot", "nofollow"}, {"tdm-reservation", "1"}}
	if !slices.Equal(page.Metas, want) {
		t.Errorf("metas %v, want %v", page.Metas, want)
	}
	same(t, "Meta", page.Meta("robots"), "noindex, max-snippet:50")
	if page := parse(t, `<meta http-equiv=Content-Language content=fr><p>`, "text/html", "https://shop.test/p"); page.Language != "fr" {
		t.Errorf("language of the pragma %q", page.Language)
	}
}

func TestRefreshIsALink(t *testing.T) {
	page := parse(t, `<meta http-equiv="Refresh" content="5; URL='/next'"><meta http-equiv=refresh content="0;/other">`, "text/html", "https://shop.test/p")
	if page.Refresh == nil || *page.Refresh != (extract.Refresh{URL: "https://shop.test/next", Delay: 5 * time.Second}) {
		t.Errorf("refresh %+v", page.Refresh)
	}
	if len(page.Links) != 1 || page.Links[0].Kind != extract.KindRefresh {
		t.Errorf("links %+v", page.Links)
	}
}

func TestMediaTypes(t *testing.T) {
	const body = `<!doctype html><a href="/a">x</a>`
	for contentType, links := range map[string]int{
		"text/html": 1, "Text/HTML;charset": 1, "application/xhtml+xml; charset=utf-8": 1, "": 1, "*/*": 1,
		"text/plain": 0, "text/markdown": 0, "application/json": 0, "image/svg+xml": 0, "application/xml": 0,
	} {
		if page := parse(t, body, contentType, "https://shop.test/"); len(page.Links) != links {
			t.Errorf("%q: %d links, want %d", contentType, len(page.Links), links)
		}
	}
	if page := parse(t, "just words", "", "https://shop.test/"); page.Charset != "" {
		t.Errorf("untyped text was read as HTML")
	}
	page := parse(t, `<html><head><script src="/s.js"/><title/></head><body><template/><a href="/a"/><![CDATA[<a href="/no">]]></body></html>`, "application/xhtml+xml", "https://shop.test/")
	same(t, "XHTML self-closing elements are closed", urls(page.Links), "https://shop.test/a")
}

func TestLimitsLeaveATrace(t *testing.T) {
	const from = "https://shop.test/"
	t.Run("links beyond the limit are counted", func(t *testing.T) {
		var body strings.Builder
		for i := range 5010 {
			fmt.Fprintf(&body, "<a href=/%d><img src=/i%d>", i, i)
		}
		page := parse(t, body.String(), "text/html", from)
		if len(page.Links) != 5000 || page.LinksOverLimit != 10 || len(page.Requisites) != 5000 || page.RequisitesOverLimit != 10 {
			t.Errorf("%d links + %d, %d requisites + %d", len(page.Links), page.LinksOverLimit, len(page.Requisites), page.RequisitesOverLimit)
		}
		same(t, "findings", page.Findings, extract.FindingLinksOverLimit, extract.FindingRequisitesOverLimit)
	})
	t.Run("a reference that does not resolve costs only itself and is shown", func(t *testing.T) {
		page := parse(t, `<a href="/p/100%zz"><a href="/find?s=ni%u011fde"><a href="/t/<%= id %>"><a href="/good">`, "text/html", from)
		same(t, "links", urls(page.Links), "https://shop.test/find?s=ni%u011fde", "https://shop.test/good")
		same(t, "unresolved", page.Unresolved, "/p/100%zz", "/t/<%= id %>")
	})
	t.Run("a URL over 2,048 octets is dropped and counted", func(t *testing.T) {
		page := parse(t, "<a href=/"+strings.Repeat("a", 2049)+"><a href=/"+strings.Repeat("b", 100_000)+"><a href=/ok>", "text/html", from)
		same(t, "links", urls(page.Links), "https://shop.test/ok")
		if page.UnresolvedCount != 2 {
			t.Errorf("unresolved %d, want 2", page.UnresolvedCount)
		}
		same(t, "findings", page.Findings, extract.FindingURLOverLimit)
	})
	t.Run("too many metas are a finding", func(t *testing.T) {
		page := parse(t, strings.Repeat("<meta name=a content=b>", 300), "text/html", from)
		if len(page.Metas) != 256 {
			t.Errorf("%d metas", len(page.Metas))
		}
		same(t, "findings", page.Findings, extract.FindingMetasOverLimit)
	})
	t.Run("too many tokens are an error", func(t *testing.T) {
		_, err := extract.Parse([]byte(strings.Repeat("<a>", 100)), "text/html", from, webResolver{}, extract.Options{MaxTokens: 50})
		if !errors.Is(err, extract.ErrTooManyTokens) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a document URL that is no web URL is an error", func(t *testing.T) {
		_, err := extract.Parse(nil, "text/html", "file:///etc/passwd", webResolver{}, extract.Options{})
		if !errors.Is(err, extract.ErrDocumentURL) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a long title is cut at a character", func(t *testing.T) {
		page := parse(t, "<title>"+strings.Repeat("é", 600)+"x</title>", "text/html", from)
		if page.Title != strings.Repeat("é", 512) || !slices.Contains(page.Findings, extract.FindingTitleCut) {
			t.Errorf("title of %d octets, findings %v", len(page.Title), page.Findings)
		}
	})
}

func TestAnAlternateOfAFeedTypeIsAFeed(t *testing.T) {
	page := parse(t, `<link rel=alternate type="application/rss+xml" href=/rss><link rel="Alternate" type=" Application/Atom+XML; charset=utf-8" href=/atom>
		<link rel=alternate hreflang=de href=/de><link rel=alternate type=application/json href=/json><link rel=next type=application/rss+xml href=/next>`, "text/html", "https://shop.test/")
	var got []string
	for _, l := range page.Links {
		got = append(got, l.Kind.String()+" "+l.URL)
	}
	same(t, "links", got, "feed https://shop.test/rss", "feed https://shop.test/atom", "alternate https://shop.test/de", "alternate https://shop.test/json", "link https://shop.test/next")
}
