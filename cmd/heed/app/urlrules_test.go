package app

import (
	"errors"
	"strings"
	"testing"
)

func TestURLRulesMakeOneKeyAndOneRequestOfSpellings(t *testing.T) {
	s := newSite(t, map[string]string{
		"shop.test/robots.txt": "User-agent: *\n",
		"shop.test/":           `<a href="/a?utm_source=x&id=1">1</a> <a href="/a?id=1&fbclid=2">2</a> <a href="/a?id=1">3</a> <a href="/go;jsessionid=0A1B2C3D4E5F">4</a>`,
		"shop.test/a":          "<p>a</p>",
		"shop.test/go":         "<p>go</p>",
	})
	c := s.settings(t)
	c.URL.DropTracking, c.URL.DropSessionIDs = true, true
	c.Scope = "page"
	sum := crawl(t, c, options(), "http://shop.test/a?utm_medium=mail&id=1")
	if sum.Pages != 1 || s.count("shop.test/a?id=1") != 1 {
		t.Errorf("a seed in another spelling: %+v, asked %q", sum, s.asked)
	}
	c.Scope, c.Job = "host", "second"
	sum = crawl(t, c, options(), "http://shop.test/")
	if sum.Pages != 3 || s.count("shop.test/a?id=1") != 2 || s.count("shop.test/go") != 1 {
		t.Errorf("links in other spellings: %+v, asked %q", sum, s.asked)
	}
	a := open(t, c, options())
	defer a.Close()
	for _, url := range []string{"http://shop.test/a?id=1", "http://shop.test/a?id=1&gclid=7"} {
		if e, err := a.Explain(t.Context(), url); err != nil || e.State != "fetched" || e.URL != "http://shop.test/a?id=1" {
			t.Errorf("%s is explained as %s %s, %v", url, e.URL, e.State, err)
		}
	}
}

func TestAJobKeepsTheURLRulesThatItBeganWith(t *testing.T) {
	s := newSite(t, shop())
	c := s.settings(t)
	c.URL.DropTracking = true
	crawl(t, c, options(), "http://shop.test/")
	for _, change := range []func(){
		func() { c.URL.DropTracking = false },
		func() { c.URL.DropTracking, c.URL.DropParams = true, []string{"ref"} },
	} {
		change()
		a := open(t, c, options()) // other commands need not know the rules
		if _, err := a.Crawl(t.Context(), nil, true); !errors.Is(err, ErrSetting) || !strings.Contains(err.Error(), `{"drop_tracking":true}`) || !strings.Contains(err.Error(), "--job") {
			t.Errorf("other rules: %v", err)
		}
		if got := a.crawler.Load().URLs.Apply("http://shop.test/?utm_source=x&ref=1"); got != "http://shop.test/?ref=1" {
			t.Errorf("another command keys by %q", got)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	c.URL.DropTracking, c.URL.DropParams = true, nil
	crawl(t, c, options())
}

// A site that sends every visitor on to a session is not lost to the rule.
func TestARedirectIntoASessionIsFollowed(t *testing.T) {
	const session = ";jsessionid=0A1B2C3D4E5F"
	s := newSite(t, map[string]string{"shop.test/robots.txt": "User-agent: *\n", "shop.test/": "302!Location: /" + session, "shop.test/" + session: "<p>in</p>"})
	c := s.settings(t)
	c.URL.DropSessionIDs = true
	if sum := crawl(t, c, options(), "http://shop.test/"); sum.Pages != 1 || s.count("shop.test/"+session) != 1 {
		t.Errorf("%+v, asked %q", sum, s.asked)
	}
}
