package crawler_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heed/crawler"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/standards"
)

// demand opens a job for on-demand requests that need not wait.
func (w *world) demand(change ...func(*setup)) *job {
	w.t.Helper()
	return w.open(func(s *setup) {
		brisk(s)
		s.noScope = true
		s.RetryBase, s.RetryMax, s.pace.BackOffBase, s.pace.BackOffMax = 4*time.Millisecond, 8*time.Millisecond, 4*time.Millisecond, 8*time.Millisecond
		for _, c := range change {
			c(s)
		}
	})
}

func (j *job) fetch(url string, d crawler.Demand) *crawler.Fetched {
	j.world.t.Helper()
	f, err := j.Fetch(j.world.t.Context(), url, d)
	if err != nil {
		j.world.t.Fatal(err)
	}
	j.world.t.Cleanup(func() { f.Close() })
	return f
}

func TestFetch(t *testing.T) {
	for _, tt := range []struct {
		name    string
		set     func(*world)
		url     string // http://shop.test/ if empty
		verdict politeness.Verdict
		reason  politeness.Reason
		status  int
		kind    fetch.Kind
		hops    []string // behind the first
		asked   []string // of shop.test, robots.txt left out
		kept    bool
	}{
		{name: "a page is fetched and kept", set: func(w *world) { w.on(shop+"/", html("x")) },
			verdict: politeness.Allow, reason: "allowed", status: 200, asked: []string{"/"}, kept: true},
		{name: "a page that is not there is an answer, but nothing to keep", set: func(*world) {},
			verdict: politeness.Allow, reason: "allowed", status: 404, asked: []string{"/"}},
		{name: "a forbidden page is not asked for", set: func(w *world) { w.on(shop+"/robots.txt", text("User-agent: *\nDisallow: /\n")) },
			verdict: politeness.Deny, reason: "robots.disallow"},
		{name: "nothing is asked while robots.txt fails", set: func(w *world) { w.on(shop+"/robots.txt", status(500)) },
			verdict: politeness.Wait, reason: "robots.unreachable"},
		{name: "redirects are followed hop by hop", set: func(w *world) {
			w.on(shop+"/", redirect(301, "/a")).on(shop+"/a", redirect(307, "http://other.test/b")).on("http://other.test/b", html("x"))
		}, verdict: politeness.Allow, reason: "allowed", status: 200, hops: []string{shop + "/a", "http://other.test/b"}, asked: []string{"/", "/a"}, kept: true},
		{name: "each hop is judged by its own origin", set: func(w *world) {
			w.on(shop+"/", redirect(301, "http://other.test/b")).on("http://other.test/robots.txt", text("User-agent: *\nDisallow: /b\n"))
		}, verdict: politeness.Deny, reason: "robots.disallow", hops: []string{"http://other.test/b"}, asked: []string{"/"}},
		{name: "five redirects at most", set: func(w *world) { w.on(shop+"/", redirect(302, "/")) },
			verdict: politeness.Allow, reason: "allowed", status: 302, hops: slices.Repeat([]string{shop + "/"}, 5), asked: slices.Repeat([]string{"/"}, 6)},
		{name: "a redirect inside is a denial", set: func(w *world) { w.on(shop+"/", redirect(302, "http://10.0.0.1/")) },
			verdict: politeness.Deny, reason: "guard.address", hops: []string{"http://10.0.0.1/"}, asked: []string{"/"}},
		{name: "an address inside is a denial", set: func(*world) {}, url: "http://169.254.169.254/latest", verdict: politeness.Deny, reason: "guard.address"},
		{name: "a name that proves nothing is a denial", set: func(w *world) { w.broken["shop.test"] = errHandshake }, url: "https://shop.test/",
			verdict: politeness.Deny, reason: "guard.tls"},
		{name: "a failure that passes is tried again", set: func(w *world) { w.on(shop+"/", turns(status(500), status(502), html("x"))) },
			verdict: politeness.Allow, reason: "allowed", status: 200, asked: []string{"/", "/", "/"}, kept: true},
		{name: "one that stays is given up after the retries", set: func(w *world) { w.on(shop+"/", status(500)) },
			verdict: politeness.Allow, reason: "allowed", status: 500, asked: []string{"/", "/", "/", "/"}},
		{name: "one that is not worth it is not tried again", set: func(w *world) { w.on(shop+"/", status(403)) },
			verdict: politeness.Allow, reason: "allowed", status: 403, asked: []string{"/"}},
		{name: "a page over the limit is no page", set: func(w *world) { w.on(shop+"/", hold("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")) },
			verdict: politeness.Allow, reason: "allowed", status: 200, kind: fetch.KindTooLarge, asked: []string{"/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.t = t
			tt.set(w)
			url := tt.url
			if url == "" {
				url = shop + "/"
			}
			f := w.demand().fetch(url, crawler.Demand{Patience: 10 * time.Second})
			if f.Decision.Verdict != tt.verdict || f.Decision.Reason != tt.reason || f.Decision.Mode != politeness.OnDemand {
				t.Errorf("decision %v %s (%s)", f.Decision.Verdict, f.Decision.Reason, f.Decision.Mode)
			}
			code := 0
			if f.Exchange != nil {
				code = f.Exchange.Status
			}
			if code != tt.status || fetch.KindOf(f.Err) != tt.kind || f.Kept() != tt.kept {
				t.Errorf("status %d, error %v, kept %v", code, f.Err, f.Kept())
			}
			if want := append([]string{url}, tt.hops...); !slices.Equal(f.Hops, want) || f.URL != want[len(want)-1] {
				t.Errorf("hops %q, want %q", f.Hops, want)
			}
			w.inOrder(shop, tt.asked...)
		})
	}
}

func TestCheckReadsPolicyDocumentsOnly(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", text("User-agent: *\nDisallow: /private/\n"))
	j := w.demand(func(s *setup) { s.pace.Delay = 30 * time.Millisecond })
	for path, want := range map[string]string{"/": "allow allowed", "/private/x": "deny robots.disallow"} {
		d, err := j.Check(t.Context(), shop+path, crawler.Demand{})
		if err != nil || d.Verdict.String()+" "+string(d.Reason) != want || d.ID == "" {
			t.Errorf("%s: %v %s, %v", path, d.Verdict, d.Reason, err)
		}
	}
	if all := w.requests(true); len(all) != 1 || all[0].target != "/robots.txt" {
		t.Errorf("requests %+v", all)
	}
	// The host's own delay between documents is waited for.
	w.on("http://a.test/robots.txt", redirect(301, "/r")).on("http://a.test/r", text("User-agent: *\nDisallow: /\n"))
	if d, err := j.Check(t.Context(), "http://a.test/", crawler.Demand{}); err != nil || d.Reason != "robots.disallow" {
		t.Errorf("%v %s, %v", d.Verdict, d.Reason, err)
	}
	w.gaps("a.test", 30*time.Millisecond)
}

func TestCheckDoesNotWaitForABackOff(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", status(503, "Retry-After: 3600"))
	j := w.demand()
	for range 2 {
		d, err := j.Check(t.Context(), shop+"/", crawler.Demand{})
		if err != nil || d.Verdict != politeness.Wait || d.Until.Sub(w.time.now()) < 50*time.Minute {
			t.Errorf("%v %s until %v, %v", d.Verdict, d.Reason, d.Until, err)
		}
	}
	if n := w.hits(shop + "/robots.txt"); n != 1 {
		t.Errorf("robots.txt was asked for %d times", n)
	}
}

func TestTheResponseMayForbidWhatWasFetched(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/", html("secret", "X-Robots-Tag: noindex")).on(shop+"/open", html("open"))
	j := w.demand()
	for path, kept := range map[string]bool{"/": false, "/open": true} {
		if f := j.fetch(shop+path, crawler.Demand{Patience: time.Second, Purposes: politeness.PurposesOf(politeness.Index)}); f.Kept() != kept {
			t.Errorf("%s: kept %v, %v %s", path, f.Kept(), f.Decision.Verdict, f.Decision.Reason)
		}
		if v := j.book.last(shop + path); v.keep != kept {
			t.Errorf("%s: recorded to be kept %v", path, v.keep)
		}
	}
}

// An act may have been carried out although its answer was lost.
func TestAnActIsSentOnce(t *testing.T) {
	for name, r := range map[string]reply{
		"fails": status(500), "is cut off": octets("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), "is redirected": redirect(307, "/other"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on(shop+"/cart", r)
			j := w.demand(func(s *setup) {
				s.extra, s.signals.ActHosts = []politeness.Source{grant{}}, []standards.ActHost{{Host: "shop.test", Because: "our own shop"}}
			})
			f := j.fetch(shop+"/cart", crawler.Demand{Method: "POST", Body: []byte("x=1"), ContentType: "text/plain",
				Purposes: politeness.PurposesOf(politeness.Act), Patience: time.Second})
			if all := w.requests(false); len(all) != 1 || all[0].method != "POST" {
				t.Errorf("sent %+v (%v %s)", all, f.Decision.Verdict, f.Decision.Reason)
			}
		})
	}
}

// grant is a source that permits everything, as a card may.
type grant struct{}

func (grant) Name() string                                                  { return "card" }
func (grant) Where(string) []politeness.Place                               { return nil }
func (g grant) Read(politeness.Place, politeness.Document) politeness.Rules { return g }
func (grant) Judge(politeness.Question) politeness.Opinion {
	return politeness.Opinion{Source: "card", Verdict: politeness.Silent, Uses: politeness.Everything(politeness.Yes)}
}

// canned answers without a network, so that time can be virtual.
type canned struct {
	mu      sync.Mutex
	clock   func() time.Time
	answers map[string][]fetch.Exchange // the last stays
	asked   []string
	times   []time.Time
}

func (c *canned) Do(_ context.Context, r fetch.Request) (*fetch.Exchange, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	c.asked, c.times = append(c.asked, r.URL), append(c.times, now)
	x := fetch.Exchange{Status: http.StatusNotFound, Header: http.Header{}}
	if list := c.answers[r.URL]; len(list) > 0 {
		x = list[0]
		if len(list) > 1 {
			c.answers[r.URL] = list[1:]
		}
	}
	x.URL, x.RequestedAt, x.RespondedAt, x.FinishedAt = r.URL, now, now, now
	r.OnHead(&x)
	return &x, nil
}

func (*canned) Address(context.Context, string, uint16) (netip.Addr, bool, error) {
	return netip.MustParseAddr("127.0.0.1"), true, nil
}

func (*canned) Vet(string) error { return nil }

func limited(retryAfter string) fetch.Exchange {
	return fetch.Exchange{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {retryAfter}}}
}

func TestFetchWaitsItsTurnUpToItsPatience(t *testing.T) {
	good := fetch.Exchange{Status: http.StatusOK, Header: http.Header{}}
	for _, tt := range []struct {
		name     string
		patience time.Duration
		answers  []fetch.Exchange
		delay    time.Duration
		verdict  politeness.Verdict
		reason   politeness.Reason
		status   int
		requests int // robots.txt included
		took     time.Duration
	}{
		{"the delay behind robots.txt", time.Minute, []fetch.Exchange{good}, 10 * time.Second, politeness.Allow, "allowed", 200, 2, 10 * time.Second},
		{"a delay beyond the patience", 5 * time.Second, []fetch.Exchange{good}, 10 * time.Second, politeness.Wait, "pace.not-yet", 0, 1, 0},
		{"a pause that the site asks for", 3 * time.Hour, []fetch.Exchange{limited("7200"), good}, time.Second, politeness.Allow, "allowed", 200, 3, 2*time.Hour + time.Second},
		{"a pause beyond the patience", time.Hour, []fetch.Exchange{limited("7200"), good}, time.Second, politeness.Allow, "allowed", 429, 2, time.Second},
		{"pauses that add up", 3 * time.Hour, []fetch.Exchange{limited("3600"), limited("3600"), good}, time.Second, politeness.Allow, "allowed", 200, 4, 2*time.Hour + time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			synctest.Test(t, func(t *testing.T) {
				net := &canned{clock: w.time.now, answers: map[string][]fetch.Exchange{shop + "/": tt.answers}}
				j := w.open(func(s *setup) {
					s.pace.Delay, s.noScope, s.fetcher = tt.delay, true, func(crawler.Fetcher) crawler.Fetcher { return net }
				})
				defer j.close()
				start := w.time.now()
				f, err := j.Fetch(t.Context(), shop+"/", crawler.Demand{Patience: tt.patience})
				if err != nil || f.Decision.Verdict != tt.verdict || f.Decision.Reason != tt.reason {
					t.Fatalf("%v %s, %v", f.Decision.Verdict, f.Decision.Reason, err)
				}
				code := 0
				if f.Exchange != nil {
					code = f.Exchange.Status
				}
				if took := w.time.now().Sub(start); code != tt.status || len(net.asked) != tt.requests || took < tt.took || took > tt.took+time.Second {
					t.Errorf("status %d after %d requests and %v, want %d, %d, %v", code, len(net.asked), took, tt.status, tt.requests, tt.took)
				}
			})
		})
	}
}

func TestAContextThatWaitsOnDemandHoldsNobodyUp(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		net := &canned{clock: w.time.now}
		j := w.open(func(s *setup) {
			s.pace.Delay, s.noScope, s.fetcher = time.Minute, true, func(crawler.Fetcher) crawler.Fetcher { return net }
		})
		defer j.close()
		var wg sync.WaitGroup
		wg.Go(func() {
			r, err := j.ContextOf(t.Context(), shop, crawler.ContextDemand{Demand: crawler.Demand{Patience: time.Hour}})
			if err != nil || r.Reason != "not-found" {
				t.Errorf("%s %s, %v", r.State, r.Reason, err)
			}
		})
		synctest.Wait() // robots.txt is read, the minute before the next request runs
		before := w.time.now()
		if _, err := j.ContextMemory(t.Context(), shop); err != nil {
			t.Error(err)
		}
		if waited := w.time.now().Sub(before); waited > 0 {
			t.Errorf("the memory could be read after %v only", waited)
		}
		wg.Wait()
		if len(net.asked) != 2 || net.times[1].Sub(net.times[0]) < time.Minute {
			t.Errorf("asked for %q at %v", net.asked, net.times)
		}
	})
}

// A host that a request on demand has asked is not asked by the crawl before its
// delay is over, nor the other way round.
func TestCrawlAndDemandShareThePaceOfAHost(t *testing.T) {
	w := wide(t, 6)
	j := w.open(func(s *setup) { s.seeds, s.still, s.pace.Delay = []string{shop + "/"}, true, 40*time.Millisecond })
	var wg sync.WaitGroup
	wg.Go(func() {
		if end, err := j.Run(t.Context()); err != nil || end.Code != crawler.EndDone {
			t.Errorf("ended with %d, %v", end.Code, err)
		}
	})
	for _, path := range []string{"/d1", "/d2", "/d3"} {
		wg.Go(func() {
			f, err := j.Fetch(t.Context(), shop+path, crawler.Demand{Patience: 30 * time.Second})
			if err != nil || f.Decision.Verdict != politeness.Allow || f.Exchange == nil {
				t.Errorf("%s: %v %v", path, f.Decision.Reason, err)
			}
			f.Close()
		})
	}
	wg.Wait()
	w.asked(shop, "/", "/p0", "/p1", "/p2", "/p3", "/p4", "/p5", "/d1", "/d2", "/d3")
	w.gaps("shop.test", 40*time.Millisecond)
	if n := w.hits(shop + "/robots.txt"); n != 1 {
		t.Errorf("robots.txt was read %d times", n)
	}
}

// past is a trace of nothing.
type past struct{}

func (past) History(context.Context, string, int) ([]crawler.Past, error) { return nil, nil }

func TestExplainMakesNoRequest(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", text("User-agent: *\nDisallow: /private/\n")).on(shop+"/", links("/private/x", "/ok"))
	j := w.open(func(s *setup) { s.seeds, s.scope = []string{shop + "/"}, frontier.ScopeHost })
	j.run()
	before := len(w.requests(true))
	for url, want := range map[string]string{
		shop + "/":                     "fetched ",
		shop + "/private/x":            "refused robots.disallow",
		"http://other.test/":           "unknown scope.host",
		shop + "/x/x/x/x/":             "unknown scope.trap",
		shop + "/never-heard-of":       "unknown ",
		"https://shop.test/other-port": "unknown ",
	} {
		e, err := j.Explain(t.Context(), past{}, url)
		if got := e.State + " " + e.Reason; err != nil || got != want {
			t.Errorf("%s: %q, want %q, %v", url, got, want, err)
		}
		if e.Reason != "" && e.Says == "" {
			t.Errorf("%s: no sentence for %s", url, e.Reason)
		}
	}
	e, err := j.Explain(t.Context(), past{}, shop+"/private/x")
	if err != nil || e.Now == nil || e.Now.Verdict != politeness.Deny || e.Now.Rule.Text != "Disallow: /private/" || e.Depth != 1 || e.Path != "L" || e.Parent != shop+"/" {
		t.Errorf("%+v, %v", e, err)
	}
	if reason, err := j.WaitReason(t.Context(), shop+"/private/x"); err != nil || reason != "robots.disallow" {
		t.Errorf("%q, %v", reason, err)
	}
	if n := len(w.requests(true)); n != before {
		t.Errorf("%d requests", n-before)
	}
}
