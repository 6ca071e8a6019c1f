package crawler_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/frontier"
)

// hostile is one site that behaves badly, and how heed ends with it.
type hostile struct {
	name string
	// serve sets the site up. It answers at "/" unless says names other URLs.
	serve func(t *testing.T, w *world, origin string)
	// ends says how URLs of the site end, "state reason", by path or whole URL.
	ends map[string]string
	// context is what becomes of the site's llm-context; empty where that is not
	// the matter.
	context discover.Reason
	// seed replaces https://HOST/ as the seed.
	seed string
}

const ok = "HTTP/1.1 200 OK\r\n"

// home answers at "/" of a site.
func home(r reply) func(*testing.T, *world, string) {
	return func(_ *testing.T, w *world, origin string) { w.on(origin+"/", r) }
}

// robots answers for the robots.txt of a site that has a home page.
func robots(r reply) func(*testing.T, *world, string) {
	return func(_ *testing.T, w *world, origin string) {
		w.on(origin+"/robots.txt", r).on(origin+"/", html("home"))
	}
}

// index answers at the well-known URI of a site that has a home page.
func index(r reply) func(*testing.T, *world, string) {
	return func(_ *testing.T, w *world, origin string) {
		w.on(origin+discover.WellKnownPath, r).on(origin+"/", html("home"))
	}
}

func at(story string) map[string]string { return map[string]string{"/": story} }

// deeper links from every page to one below it.
func deeper(c net.Conn, r *seen) bool { return links(r.target+"x/")(c, r) }

// calendar links from every page to the next day.
func calendar(c net.Conn, r *seen) bool {
	var day int
	_, _ = fmt.Sscanf(r.target, "/day-%d", &day) // the first page has no number
	return links(fmt.Sprintf("/day-%d", day+1))(c, r)
}

const (
	hostileLinks = 100 // links of a page that are followed
	hostileURLs  = 45  // known URLs of a host beyond which none is added
)

func hostiles(t *testing.T) []hostile {
	zeros := make([]byte, 8<<20)
	bomb := gzipped(t, zeros)
	hidden := func(body string) string { return ok + "Content-Type: text/html\r\n" + body }
	return []hostile{
		// The head.
		{name: "closes without a word", serve: home(octets("")), ends: at("failed reset")},
		{name: "resets without a word", serve: home(reset("")), ends: at("failed reset")},
		{name: "closes inside the status line", serve: home(octets("HTTP/1.1 2")), ends: at("failed protocol")},
		{name: "closes inside the head", serve: home(octets(ok + "A: b\r\n")), ends: at("failed reset")},
		{name: "says nothing", serve: home(hold("")), ends: at("failed timeout")},
		{name: "stops inside the head", serve: home(hold(ok + "A: b\r\n")), ends: at("failed timeout")},
		{name: "speaks another protocol", serve: home(octets("220 mail ESMTP\r\n")), ends: at("failed protocol")},
		{name: "has a status that is no number", serve: home(octets("HTTP/1.1 abc OK\r\n\r\n")), ends: at("failed protocol")},
		{name: "invents a status", serve: home(status(999)), ends: at("failed status-999")},
		{name: "never ends a field", serve: home(endless(ok+"A: ", strings.Repeat("a", 1000))), ends: at("failed size.headers")},
		{name: "never ends the head", serve: home(endless(ok, "A: b\r\n")), ends: at("failed size.headers")},
		{name: "sends interim responses for ever", serve: home(endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")), ends: at("failed size.headers")},
		{name: "switches protocols unasked", serve: home(hold("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")), ends: at("failed protocol")},
		{name: "sets cookies", serve: home(html("<a href=/a>x</a>", "Set-Cookie: a=b; Path=/")), ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},

		// Lengths.
		{name: "sends less than it announced", serve: home(octets(ok + "Content-Length: 100\r\n\r\nshort")), ends: at("failed truncated")},
		{name: "resets inside the body", serve: home(reset(ok + "Content-Length: 100\r\n\r\nshort")), ends: at("failed reset")},
		{name: "announces two lengths", serve: home(octets(ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")), ends: at("failed protocol")},
		{name: "announces a negative length", serve: home(octets(ok + "Content-Length: -5\r\n\r\nhello")), ends: at("failed protocol")},
		{name: "announces more than the limit", serve: home(hold(ok + "Content-Length: 100000000\r\n\r\n")), ends: at("failed size.ceiling")},
		{name: "sends for ever", serve: home(endless(ok+"\r\n", strings.Repeat("x", 10_000))), ends: at("failed size.ceiling")},
		{name: "closes inside a chunk", serve: home(octets(ok + "Transfer-Encoding: chunked\r\n\r\n10\r\nshort")), ends: at("failed truncated")},
		{name: "breaks a chunk length", serve: home(octets(ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n")), ends: at("failed protocol")},

		// Codings.
		{name: "sends a bomb", serve: home(coded(bomb, "gzip")), ends: at("failed size.ratio")},
		{name: "sends a bomb in a bomb", serve: home(coded(gzipped(t, []byte(bomb)), "gzip, gzip")), ends: at("failed size.ratio")},
		{name: "names a coding that nobody knows", serve: home(coded("x", "exi")), ends: at("failed coding")},
		{name: "stacks codings", serve: home(coded("x", "gzip, br, gzip, br, gzip")), ends: at("failed coding")},
		{name: "cuts a coded body", serve: home(coded(gzipped(t, zeros[:5000])[:20], "gzip")), ends: at("failed truncated")},
		{name: "asks for a window of 128 MiB", serve: home(coded(string(unhex(t, "testdata/cases/35-zstd-window/big.zst.hex")), "zstd")), ends: at("failed coding")},
		{name: "labels a plain body", serve: home(coded("<a href=/a>x</a>", "gzip")), ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},

		// Time.
		{name: "trickles", serve: home(hold(ok + "Content-Length: 100\r\n\r\nx")), ends: at("failed size.slow")},
		{name: "is over capacity for ever", serve: home(status(503)), ends: at("failed status-503")},
		{name: "says 429 for ever", serve: home(status(429)), ends: at("failed status-429")},
		{name: "asks for a pause of three centuries", serve: home(status(503, "Retry-After: 9999999999")), ends: at("future status-503")},
		{name: "asks for a pause that lies behind us", serve: home(status(503, "Retry-After: -5")), ends: at("failed status-503")},

		// Redirects.
		{name: "redirects in a circle", serve: func(_ *testing.T, w *world, o string) {
			w.on(o+"/", redirect(302, "/a")).on(o+"/a", redirect(302, "/"))
		}, ends: map[string]string{"/": "redirected status-302", "/a": "redirected status-302"}},
		{name: "redirects ever on", serve: func(_ *testing.T, w *world, o string) {
			w.on(o+"/", redirect(302, "/1"))
			for i := range 8 {
				w.on(fmt.Sprintf("%s/%d", o, i+1), redirect(302, fmt.Sprintf("/%d", i+2)))
			}
		}, ends: map[string]string{"/5": "failed redirects", "/6": "unknown"}},
		{name: "redirects inside", serve: home(redirect(302, "http://10.0.0.1/admin")), ends: map[string]string{"/": "redirected guard.address", "http://10.0.0.1/admin": "unknown"}},
		{name: "redirects to metadata in disguise", serve: home(redirect(302, "http://0xa9.0xfea9fe/latest")), ends: at("redirected guard.address")},
		{name: "redirects to another port", serve: home(redirect(302, "http://8.8.8.8:22/")), ends: at("redirected guard.port")},
		{name: "redirects to a file", serve: home(redirect(302, "file:///etc/passwd")), ends: at("failed guard.scheme")},
		{name: "redirects nowhere", serve: home(status(302)), ends: at("failed redirect-without-location")},
		{name: "redirects to what is forbidden", serve: func(_ *testing.T, w *world, o string) {
			w.on(o+"/robots.txt", text("User-agent: *\nDisallow: /p/\n")).on(o+"/", redirect(302, "/p/x"))
		}, ends: map[string]string{"/": "redirected status-302", "/p/x": "refused robots.disallow"}},

		// TLS.
		{name: "has an expired certificate", serve: func(t *testing.T, w *world, o string) {
			w.certs[host(o)] = w.ca.issue(t, time.Now().Add(-time.Hour), host(o))
		}, ends: at("refused guard.tls")},
		{name: "has a certificate of somebody else", serve: func(t *testing.T, w *world, o string) {
			w.certs[host(o)] = w.ca.issue(t, time.Now().AddDate(1, 0, 0), "other.test")
		}, ends: at("refused guard.tls")},
		{name: "has a certificate of its own making", serve: func(t *testing.T, w *world, o string) {
			w.certs[host(o)] = newAuthority(t).issue(t, time.Now().AddDate(1, 0, 0), host(o))
		}, ends: at("refused guard.tls")},
		{name: "breaks the handshake off", serve: func(_ *testing.T, w *world, o string) {
			w.broken[host(o)] = errHandshake
		}, ends: at("refused guard.tls")},

		// Names.
		{name: "has no address", serve: home(html("")), seed: "http://none.dns/", ends: map[string]string{"http://none.dns/": "future robots.unreachable"}},
		{name: "has an inside address", serve: func(_ *testing.T, w *world, _ string) {
			w.names["inside.dns"] = [][]string{{"10.0.0.5"}}
		}, seed: "http://inside.dns/", ends: map[string]string{"http://inside.dns/": "refused guard.address"}},
		{name: "has one inside address among others", serve: func(_ *testing.T, w *world, _ string) {
			w.names["mixed.dns"] = [][]string{{"169.254.169.254", "fe80::1"}}
		}, seed: "http://mixed.dns/", ends: map[string]string{"http://mixed.dns/": "refused guard.address"}},
		{name: "moves inside", serve: func(_ *testing.T, w *world, _ string) {
			o := w.movingOrigin()
			w.names["moves.dns"] = [][]string{{"127.0.0.1"}, {"10.0.0.6"}}
			w.on(o+"/robots.txt", text("User-agent: *\nCrawl-delay: 60\n"))
			w.on(o+"/", links("/1")).on(o+"/1", links("/2")).on(o+"/2", links("/3")).on(o+"/3", links("/4")).on(o+"/4", html("inside"))
		}, seed: "moving", ends: map[string]string{"moving/": "fetched", "moving/2": "fetched", "moving/3": "refused guard.address", "moving/4": "unknown"}},
		{name: "links inside in every spelling", serve: home(links("http://[::ffff:10.0.0.1]/", "http://2852039166/", "http://0x7f.2/", "http://0/")),
			ends: map[string]string{"/": "fetched", "http://[::ffff:a00:1]/": "refused guard.address", "http://169.254.169.254/": "refused guard.address",
				"http://127.0.0.2/": "refused guard.address", "http://0.0.0.0/": "refused guard.address"}},

		// HTML.
		{name: "links below itself for ever", serve: func(_ *testing.T, w *world, o string) { w.on(o+" *", deeper).on(o+"/robots.txt", status(404)) },
			ends: map[string]string{"/": "fetched", "/x/x/x/": "fetched", "/x/x/x/x/": "unknown"}},
		{name: "has a page for every day to come", serve: func(_ *testing.T, w *world, o string) { w.on(o+" *", calendar).on(o+"/robots.txt", status(404)) },
			ends: map[string]string{"/": "fetched", "/day-3": "fetched", "/day-50": "unknown"}},
		{name: "has more links than anybody follows", serve: func(_ *testing.T, w *world, o string) {
			var many []string
			for i := range 3000 {
				many = append(many, fmt.Sprintf("/l/%d", i))
			}
			w.on(o+"/", links(many...)).on(o+"/robots.txt", text("User-agent: *\nDisallow: /l/\n"))
		}, ends: map[string]string{"/": "fetched", "/l/0": "refused robots.disallow", fmt.Sprintf("/l/%d", hostileLinks): "unknown"}},
		{name: "nests without end", serve: home(html(strings.Repeat("<div>", 100_000) + "<a href=/a>x</a>")), ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},
		{name: "never closes a comment", serve: home(html("<a href=/a>x</a><!--" + strings.Repeat("-", 500_000))), ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},
		{name: "has an attribute of half a megabyte", serve: home(html("<a href=/a>x</a><p title='" + strings.Repeat("x", 500_000) + "'><a href=/b>x</a>")),
			ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},
		{name: "has URLs of ten thousand octets", serve: home(links("/"+strings.Repeat("x", 10_000), "/a")), ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},
		{name: "has control octets in links", serve: home(html("<a href='/a\x00\x01b'>x</a><a href='http://\x07/'>x</a><a href='/good'>x</a>")),
			ends: map[string]string{"/": "fetched", "/good": "gone status-404"}},
		{name: "refreshes into itself", serve: home(html("<meta http-equiv=refresh content='0; url=/'>")), ends: at("fetched")},
		{name: "claims a charset that does not exist", serve: home(octets(hidden("Content-Type: text/html; charset=x-none\r\n\r\n<a href=/a>x</a>"))),
			ends: map[string]string{"/": "fetched", "/a": "gone status-404"}},

		// robots.txt.
		{name: "has an endless robots.txt", serve: robots(endless(ok+"\r\nUser-agent: *\nDisallow: /p\n", strings.Repeat("# filler\n", 1000))), ends: at("fetched")},
		{name: "has a robots.txt that is a bomb", serve: robots(coded(bomb, "gzip")), ends: at("future robots.unreachable")},
		{name: "has a robots.txt that fails", serve: robots(status(500)), ends: at("future robots.unreachable")},
		{name: "has a robots.txt that is cut", serve: robots(octets(ok + "Content-Length: 100\r\n\r\nUser-agent: *\nAllow: /")), ends: at("future robots.unreachable")},
		{name: "has a robots.txt that says nothing", serve: robots(hold("")), ends: at("future robots.unreachable")},
		{name: "has a robots.txt in a circle", serve: robots(redirect(301, "/robots.txt")), ends: at("fetched")},
		{name: "has a robots.txt inside", serve: robots(redirect(301, "http://10.0.0.1/robots.txt")), ends: at("future robots.unreachable")},
		{name: "has a robots.txt that is a web page", serve: robots(html("<p>Disallow: /")), ends: at("fetched")},
		{name: "has a robots.txt of stars", serve: robots(text("User-agent: *\nDisallow: /" + strings.Repeat("*a", 500) + "$\n")), ends: at("fetched")},
		{name: "has a Crawl-delay without end", serve: robots(text("User-agent: *\nCrawl-delay: inf\nDisallow: /p\n")), ends: at("fetched")},
		{name: "has a robots.txt of NUL octets", serve: robots(text("User-agent: *\n\x00\x00Disallow: /\x00\nDisallow: /p\n")), ends: at("fetched")},

		// llm-context.
		{name: "has a web page for an index", serve: index(html("app")), ends: at("fetched"), context: discover.HTML},
		{name: "has a web page under another label", serve: index(text("<!doctype html><div id=root></div>")), ends: at("fetched"), context: discover.HTMLShell},
		{name: "has an index over the ceiling", serve: index(markdown(strings.Repeat("# x\n", 140_000))), ends: at("fetched"), context: discover.Ceiling},
		{name: "has an index that is a bomb", serve: index(coded(bomb, "gzip")), ends: at("fetched"), context: discover.Ceiling},
		{name: "has an index without end", serve: index(endless(ok+"Content-Type: text/plain\r\n\r\n", strings.Repeat("text ", 1000))), ends: at("fetched"), context: discover.Ceiling},
		{name: "has an index that is not UTF-8", serve: index(text("# \xff\xfe\xff")), ends: at("fetched"), context: discover.Encoding},
		{name: "has a NUL in its index", serve: index(text("# a\x00b")), ends: at("fetched"), context: discover.Encoding},
		{name: "has an index of nothing", serve: index(text("")), ends: at("fetched"), context: discover.Empty},
		{name: "has a picture for an index", serve: index(answer(200, "x", "Content-Type: image/png")), ends: at("fetched"), context: discover.MediaType},
		{name: "has an index elsewhere", serve: index(redirect(302, "https://elsewhere.test/llms.txt")), ends: at("fetched"), context: discover.CrossOrigin},
		{name: "has an index inside", serve: index(redirect(302, "http://10.0.0.1/llms.txt")), ends: at("fetched"), context: discover.CrossOrigin},
		{name: "has an index in a circle", serve: index(redirect(302, discover.WellKnownPath)), ends: at("fetched"), context: discover.Redirects},
		{name: "has an index in a coding nobody knows", serve: index(coded("x", "exi")), ends: at("fetched"), context: discover.Encoding},
		{name: "has an index that is cut", serve: index(octets(ok + "Content-Type: text/plain\r\nContent-Length: 100\r\n\r\n# x")), ends: at("fetched"), context: discover.Unreachable},
		{name: "has an index behind a 300", serve: index(status(300, "Location: /l.md")), ends: at("fetched"), context: discover.RedirectStatus},
		{name: "advertises a thousand indexes", serve: func(_ *testing.T, w *world, o string) {
			w.on(o+"/", html("home", "Link: "+strings.TrimSuffix(strings.Repeat("</x.md>; rel=llm-context, ", 500), ", ")))
		}, ends: at("fetched"), context: discover.NotFound},
	}
}

// coded is a page in a content coding.
func coded(body, coding string) reply {
	return answer(200, body, "Content-Type: text/html", "Content-Encoding: "+coding)
}

func host(origin string) string { return strings.TrimPrefix(origin, "https://") }

// movingOrigin is the origin of the host whose address changes.
func (w *world) movingOrigin() string {
	_, port, _ := net.SplitHostPort(w.plain.Addr().String())
	return "http://moves.dns:" + port
}

// TestHostileSites crawls all of them at once, beside a site that behaves well
// and loses nothing by it.
func TestHostileSites(t *testing.T) {
	const pages = 40
	w, all := newWorld(t), hostiles(t)
	if len(all) < 40 {
		t.Fatalf("only %d hostile sites", len(all))
	}
	w.on("https://good.test/robots.txt", text("User-agent: *\nDisallow: /private/\n")).on("https://good.test *", html("good"))
	var targets []string
	for i := range pages {
		targets = append(targets, fmt.Sprintf("/p%d", i))
	}
	w.on("https://good.test/", links(targets...))
	list, origins := []string{"https://good.test/"}, make([]string, len(all))
	for i, h := range all {
		origins[i] = "https://" + strings.ToLower(strings.NewReplacer(" ", "-", ".", "-").Replace(h.name)) + ".test"
		h.serve(t, w, origins[i])
		switch h.seed {
		case "":
			list = append(list, origins[i]+"/")
		case "moving":
			list = append(list, w.movingOrigin()+"/")
		default:
			list = append(list, h.seed)
		}
	}
	var peak atomic.Int64
	book := newRecorder()
	j := w.open(func(s *setup) {
		contextual(list...)(s)
		s.Workers, s.Retries, s.MaxLinks, s.MaxHostURLs, s.sink = 16, 1, hostileLinks, hostileURLs, watching{book, &peak}
		s.pace.Delay = 50 * time.Millisecond
		l := &s.fetch.Limits
		l.MaxBodyBytes, l.Connect, l.Header, l.Total, l.MinRateAfter = 1<<20, 2*time.Second, 750*time.Millisecond, 4*time.Second, 400*time.Millisecond
		s.MaxBodyBytes = 1 << 20
	})
	start := time.Now()
	if end := j.run(); end.Code != crawler.EndUndecided {
		t.Errorf("the crawl ended with %d", end.Code)
	}
	if took := time.Since(start); took > 40*time.Second {
		t.Errorf("the crawl took %v", took)
	}
	if limit := int64(160 << 20); peak.Load() > limit {
		t.Errorf("the heap grew to %d octets, want at most %d", peak.Load(), limit)
	}
	for i, h := range all {
		t.Run(h.name, func(t *testing.T) { j.expectHostile(t, h, origins[i]) })
	}
	for _, target := range append(targets, "/") {
		j.ends("https://good.test"+target, "fetched")
	}
	w.gaps("good.test", 50*time.Millisecond)
	for _, r := range w.requests(true) {
		if r.header.Get("Cookie") != "" || r.header.Get("Referer") != "" {
			t.Errorf("%s carried %v", r.url(), r.header)
		}
		if strings.HasPrefix(r.host, "elsewhere") {
			t.Errorf("asked for %s", r.url())
		}
	}
}

func (j *job) expectHostile(t *testing.T, h hostile, origin string) {
	t.Helper()
	for url, want := range h.ends {
		switch {
		case strings.HasPrefix(url, "/"):
			url = origin + url
		case strings.HasPrefix(url, "moving"):
			url = strings.Replace(url, "moving", j.world.movingOrigin(), 1)
		}
		if got := j.story(url); got != want {
			t.Errorf("%s ended as %q, want %q", url, got, want)
		}
	}
	if h.context == "" {
		return
	}
	m, err := j.ContextMemory(t.Context(), origin)
	if err != nil || m.Reason != h.context || m.State == discover.StateIndex {
		t.Errorf("context is %s %s, want %s, %v", m.State, m.Reason, h.context, err)
	}
}

// watching is a sink that looks at the heap with every visit.
type watching struct {
	*recorder
	peak *atomic.Int64
}

func (s watching) Prepare(v crawler.Visit) (frontier.Attachment, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for {
		old := s.peak.Load()
		if int64(m.HeapInuse) <= old || s.peak.CompareAndSwap(old, int64(m.HeapInuse)) {
			return s.recorder.Prepare(v)
		}
	}
}

// A calendar without end is cut by the bound of its host, and the bound spoils no
// other host.
func TestABoundOfURLsHoldsForItsHost(t *testing.T) {
	w := newWorld(t)
	w.on("https://endless.test *", calendar).on("https://endless.test/robots.txt", status(404))
	w.on("https://good.test *", html("good")).on("https://good.test/", links("/1", "/2", "/3"))
	j := w.open(func(s *setup) {
		s.seeds, s.MaxHostURLs = []string{"https://endless.test/", "https://good.test/"}, 10
	})
	if end := j.run(); end.Code != crawler.EndDone {
		t.Errorf("the crawl ended with %d", end.Code)
	}
	if n := len(w.targets("https://endless.test")); n != 10 {
		t.Errorf("%d pages of a host bounded to 10", n)
	}
	if n := len(w.targets("https://good.test")); n != 4 {
		t.Errorf("%d pages of the other host", n)
	}
	if n := j.Decisions()["scope.budget"]; n != 1 {
		t.Errorf("scope.budget was counted %d times", n)
	}
}

// What a small answer inflates to is thrown away as it comes.
func TestABombCostsLittleMemory(t *testing.T) {
	bomb := gzipped(t, make([]byte, 8<<20))
	w := newWorld(t)
	w.on(shop+"/", coded(bomb, "gzip"))
	before := allocated()
	j := w.open(func(s *setup) { s.seeds, s.Retries = []string{shop + "/"}, 0 })
	j.run()
	if used := allocated() - before; used > 8<<20 {
		t.Errorf("%d octets were allocated for a bomb of %d", used, len(bomb))
	}
	j.ends(shop+"/", "failed size.ratio")
}
