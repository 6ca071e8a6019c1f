package fetch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestExchangeHoldsWhatTheServerSaid(t *testing.T) {
	const page = "<!doctype html><title>shop</title>"
	var seen http.Header
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		seen.Set("Host", r.Host)
		w.Header().Set("ETag", `W/"a1--gzip"`)
		w.Header().Set("Last-Modified", "Tue, 03 Feb 2026 08:00:00 GMT")
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, page)
	})
	c := newClient(t, func(o *Options) { o.From = "ops@shop.test" })
	before := time.Now()
	x, body := get(t, c, Request{URL: url + "/a?b", Header: http.Header{"Signature": {"s"}, "Cookie": {"c"}, "Referer": {"r"}}})

	if x.Status != 200 || x.Proto != "HTTP/1.1" || body != page {
		t.Errorf("got %d %s %q", x.Status, x.Proto, body)
	}
	if x.SHA256 != sha256.Sum256([]byte(page)) || x.WireBytes != int64(len(page)) || x.DecodedBytes != x.WireBytes {
		t.Errorf("digest %x, wire %d, decoded %d", x.SHA256, x.WireBytes, x.DecodedBytes)
	}
	if x.Validators.ETag != `W/"a1--gzip"` || x.Validators.LastModified != "Tue, 03 Feb 2026 08:00:00 GMT" || x.Validators.Date == "" {
		t.Errorf("validators %+v", x.Validators)
	}
	if !x.Freshness.Explicit || x.Freshness.Lifetime != time.Minute {
		t.Errorf("freshness %+v", x.Freshness)
	}
	if !x.RemoteAddr.Addr().IsLoopback() || x.RawBody != nil || x.RawResponseHead != nil {
		t.Errorf("remote %v, raw %v %q", x.RemoteAddr, x.RawBody, x.RawResponseHead)
	}
	for i, at := range []time.Time{x.RequestedAt, x.RespondedAt, x.FinishedAt} {
		if at.Before(before) || at.After(time.Now()) {
			t.Errorf("time %d is %v", i, at)
		}
		before = at
	}
	want := http.Header{
		"User-Agent": {testAgent}, "From": {"ops@shop.test"}, "Accept": {"*/*"},
		"Accept-Encoding": {"br, gzip, zstd, deflate"}, "Signature": {"s"}, "Host": {strings.TrimPrefix(url, "http://")},
	}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("request fields\n got %v\nwant %v", seen, want)
	}
}

// The server sends no octet of the body before the client has told of the head.
func TestTheHeadIsToldBeforeTheBody(t *testing.T) {
	told := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-told:
			fmt.Fprint(w, "too many")
		case <-r.Context().Done():
		}
	})
	calls := 0
	_, body := get(t, newClient(t, nil), Request{URL: url, OnHead: func(x *Exchange) {
		if x.Status != 429 || x.Header.Get("Retry-After") != "60" || x.RespondedAt.IsZero() || x.Body != nil {
			t.Errorf("told of %+v", x)
		}
		calls++
		close(told)
	}})
	if calls != 1 || body != "too many" {
		t.Errorf("told %d times, then %q", calls, body)
	}
}

func TestAStatusIsNeverAnError(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	})
	c := newClient(t, nil)
	for _, status := range []int{200, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 429, 451, 500, 503, 599, 799} {
		x, err := do(t, c, Request{URL: fmt.Sprintf("%s/%d", url, status)})
		if err != nil || x.Status != status || x.Location != "/elsewhere" {
			t.Errorf("%d: got %d, Location %q, %v", status, x.Status, x.Location, err)
		}
	}
}

func TestARedirectIsReturnedAndNotFollowed(t *testing.T) {
	for _, location := range []string{"/next", "https://other.test/", "%zz:bad", "//", "/p/100%zz", "javascript:alert(1)"} {
		url, count := scripted(t, say("HTTP/1.1 302 Found\r\nLocation: "+location+"\r\nContent-Length: 5\r\n\r\nmoved"))
		x, body := get(t, newClient(t, nil), Request{URL: url})
		if hits := count(); x.Status != 302 || x.Location != location || body != "moved" || hits != 1 {
			t.Errorf("%q: got %d %q %q after %d requests", location, x.Status, x.Location, body, hits)
		}
	}
}

func TestTheRequestTargetGoesOutOctetForOctet(t *testing.T) {
	targets := []string{
		"/", "/cmp/dia%25", "/a%20%2376?x=1", "/music/AC%252FDC/", "/p/100%zz", "/find?s=ni%u011fde",
		"/forum.php?/topic/57-x/", "/list.php?a", "/list.php?b=2&a=1&b=1&", "/doc", "/page?&utm=x", "/empty?",
		"//double//slash", "/a%2Fb", "/%E6%B4%AA.html", "/3.asp?k=%BA%E9&n=1", "/a|b", "/x;y=1,2", "/a:b@c", "/~u",
	}
	for _, target := range targets {
		var line string
		url, _ := scripted(t, func(c net.Conn, head string) {
			line, _, _ = strings.Cut(head, "\r\n")
			say("HTTP/1.1 204 No Content\r\n\r\n")(c, head)
		})
		get(t, newClient(t, nil), Request{URL: strings.TrimSuffix(url, "/") + target})
		if want := "GET " + target + " HTTP/1.1"; line != want {
			t.Errorf("request line %q, want %q", line, want)
		}
	}
	a := newAuthority(t)
	var got string
	to := serveTLS(t, a, func(_ http.ResponseWriter, r *http.Request) { got = r.RequestURI }, true, "shop.test")
	c := newClient(t, func(o *Options) { o.CAFiles, o.Resolve = []string{a.file}, []ResolveRule{to} })
	for _, target := range targets {
		if strings.HasPrefix(target, "/p/100%zz") {
			continue // Go's HTTP/2 server refuses it
		}
		if get(t, c, Request{URL: "https://shop.test" + target}); got != target {
			t.Errorf("over HTTP/2 %q arrived as %q", target, got)
		}
	}
}

func TestAStreamThatIsResetIsNotAskedForAgain(t *testing.T) {
	a := newAuthority(t)
	to := serveTLS(t, a, func(http.ResponseWriter, *http.Request) {}, true, "shop.test")
	c := newClient(t, func(o *Options) { o.CAFiles, o.Resolve = []string{a.file}, []ResolveRule{to} })
	// Go's HTTP/2 server answers a path that it cannot parse with a stream error,
	// which net/http takes for an invitation to try six times more.
	_, err := do(t, c, Request{URL: "https://shop.test/p/100%zz"})
	wantKind(t, err, KindReset)
}

func TestConnectionsAreReusedPerHost(t *testing.T) {
	peers := map[string]bool{}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { peers[r.RemoteAddr] = true; fmt.Fprint(w, "x") })
	for _, raw := range []bool{false, true} {
		clear(peers)
		c := newClient(t, nil)
		for range 5 {
			get(t, c, Request{URL: url, WantRaw: raw})
		}
		if len(peers) != 1 {
			t.Errorf("WantRaw %v: %d connections for 5 requests", raw, len(peers))
		}
	}
}

// As many connections as there are requests at a time, however many rounds.
func TestRequestsSideBySideReuseConnections(t *testing.T) {
	const sideBySide, rounds = 12, 5
	var mu sync.Mutex
	peers := map[string]bool{}
	var together sync.WaitGroup // of a round: nobody is answered before all have asked
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		peers[r.RemoteAddr] = true
		mu.Unlock()
		together.Done()
		together.Wait()
		fmt.Fprint(w, "x")
	})
	c := newClient(t, nil)
	for range rounds {
		together.Add(sideBySide)
		var wg sync.WaitGroup
		for range sideBySide {
			wg.Go(func() {
				if x, err := c.Do(t.Context(), Request{URL: url}); err != nil {
					t.Error(err)
				} else if err := x.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if len(peers) != sideBySide {
		t.Errorf("%d connections for %d requests at a time", len(peers), sideBySide)
	}
}

func TestHTTP2IsUsedUnlessArchiving(t *testing.T) {
	a := newAuthority(t)
	to := serveTLS(t, a, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }, true, "shop.test")
	for _, tt := range []struct {
		name      string
		http1, wr bool
		proto     string
	}{
		{"by default", false, false, "HTTP/2.0"},
		{"HTTP1Only", true, false, "HTTP/1.1"},
		{"WantRaw", false, true, "HTTP/1.1"},
	} {
		c := newClient(t, func(o *Options) { o.CAFiles, o.Resolve, o.HTTP1Only = []string{a.file}, []ResolveRule{to}, tt.http1 })
		x, body := get(t, c, Request{URL: "https://shop.test/", WantRaw: tt.wr})
		if x.Proto != tt.proto || body != "hello" {
			t.Errorf("%s: %s %q", tt.name, x.Proto, body)
		}
	}
}

func TestAnActSendsItsBodyOnce(t *testing.T) {
	var got, contentType string
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, contentType = r.Method+" "+string(b), r.Header.Get("Content-Type")
	})
	get(t, newClient(t, nil), Request{URL: url, Method: "POST", Body: []byte(`{"a":1}`), ContentType: "application/json"})
	if got != `POST {"a":1}` || contentType != "application/json" {
		t.Errorf("got %q, %q", got, contentType)
	}
}

func TestNoEnvironmentVariableChangesARequest(t *testing.T) {
	for name, value := range map[string]string{
		"HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "socks5://127.0.0.1:1",
		"COLLY_USER_AGENT": "other", "COLLY_IGNORE_ROBOTSTXT": "0", "COLLY_MAX_BODY_SIZE": "1", "COLLY_FOLLOW_REDIRECTS": "1",
		"COLLY_CACHE_DIR": t.TempDir(), "COLLY_ALLOWED_DOMAINS": "x.test", "COLLY_DISABLE_COOKIES": "0",
	} {
		t.Setenv(name, value)
	}
	var agent string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { agent = r.UserAgent(); fmt.Fprint(w, "body") })
	// A name, because net/http never uses a proxy for loopback addresses.
	c := newClient(t, func(o *Options) {
		o.Resolve = []ResolveRule{rule(t, "shop.test:80:"+strings.TrimPrefix(url, "http://"))}
	})
	if _, body := get(t, c, Request{URL: "http://shop.test/"}); body != "body" || agent != testAgent {
		t.Errorf("body %q, agent %q", body, agent)
	}
}

func TestAPanicBelowBecomesAnError(t *testing.T) {
	url, _ := scripted(t, say(answer("gzip", encode(t, "gzip", []byte(samplePage)))))
	c := newClient(t, nil)
	c.codecs = nil
	x, err := do(t, c, Request{URL: url})
	wantKind(t, err, KindInternal)
	if x.Status != 200 || x.Body != nil {
		t.Errorf("exchange has status %d, body %v", x.Status, x.Body)
	}
	c.codecs = new(codecs)
	if _, body := get(t, c, Request{URL: url}); body != samplePage {
		t.Errorf("the client is broken afterwards: %q", body)
	}
}

func TestAClosedClientRefuses(t *testing.T) {
	c := newClient(t, nil)
	c.Close()
	_, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
	wantKind(t, err, KindCancelled)
	if !errors.Is(err, ErrClosed) {
		t.Errorf("%v is not ErrClosed", err)
	}
}

func TestRequestsThatCannotBeSentAreRefused(t *testing.T) {
	c := newClient(t, nil)
	for name, r := range map[string]Request{
		"method with a blank":        {Method: "GE T"},
		"CONNECT":                    {Method: "CONNECT"},
		"line break in a value":      {Header: http.Header{"X": {"a\r\nHost: evil.test"}}},
		"line break in a name":       {Header: http.Header{"X\r\nY": {"a"}}},
		"line break in Accept":       {Accept: "a\nb"},
		"line break in Content-Type": {Method: "POST", Body: []byte("x"), ContentType: "a\nb"},
		"negative limit":             {MaxBodyBytes: -1},
	} {
		r.URL = "http://127.0.0.1:1/"
		_, err := do(t, c, r)
		if KindOf(err) != KindRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewRefusesBadOptions(t *testing.T) {
	empty := t.TempDir() + "/none.pem"
	for name, o := range map[string]Options{
		"no user agent":   {},
		"control octet":   {UserAgent: "a\nb"},
		"negative limit":  {UserAgent: "a", Limits: Limits{HeaderBytes: -1}},
		"negative budget": {UserAgent: "a", BodyBudgetBytes: -1},
		"missing CA file": {UserAgent: "a", CAFiles: []string{empty}},
		"CA without PEM":  {UserAgent: "a", CAFiles: []string{"doc.go"}},
		"invalid prefix":  {UserAgent: "a", AllowAddress: []netip.Prefix{{}}},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), "fetch: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRawOctetsAreTheOnesOnTheWire(t *testing.T) {
	page := []byte(strings.Repeat("<p>kept</p>\n", 50))
	coded := encode(t, "gzip", page)
	head := "HTTP/1.1 200 oK\r\nx-CASE: a\r\nX-Case:  b \r\ncontent-encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
	interim := "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
	chunks := fmt.Sprintf("%x\r\n%s\r\n%x;ext=1\r\n%s\r\n0\r\n\r\n", 7, coded[:7], len(coded)-7, coded[7:])
	var sent string
	url, _ := scripted(t, func(c net.Conn, h string) { sent = h; say(interim+head+chunks)(c, h) })
	x, body := get(t, newClient(t, nil), Request{URL: url, WantRaw: true})
	raw, err := x.RawBody.Bytes(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if string(x.RawResponseHead) != head || string(x.RawRequestHead) != sent || !bytes.Equal(raw, coded) || body != string(page) {
		t.Errorf("response head %q\nrequest head %q\nraw body equal %v, body equal %v",
			x.RawResponseHead, x.RawRequestHead, bytes.Equal(raw, coded), body == string(page))
	}
	if x.WireBytes != int64(len(coded)) || x.Coding != "gzip" {
		t.Errorf("wire %d, coding %q", x.WireBytes, x.Coding)
	}
}

func TestRawOctetsOverTLSAndKeepAlive(t *testing.T) {
	a := newAuthority(t)
	to := serveTLS(t, a, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }, true, "shop.test")
	c := newClient(t, func(o *Options) { o.CAFiles, o.Resolve = []string{a.file}, []ResolveRule{to} })
	for _, path := range []string{"/1", "/22", "/333"} {
		x, body := get(t, c, Request{URL: "https://shop.test" + path, WantRaw: true})
		if !strings.HasPrefix(string(x.RawRequestHead), "GET "+path+" HTTP/1.1\r\nHost: shop.test\r\n") ||
			!strings.HasPrefix(string(x.RawResponseHead), "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(string(x.RawResponseHead), "\r\n\r\n") {
			t.Errorf("%s: heads %q %q", path, x.RawRequestHead, x.RawResponseHead)
		}
		if raw, _ := x.RawBody.Bytes(100); string(raw) != path || body != path {
			t.Errorf("%s: raw %q, body %q", path, raw, body)
		}
	}
}
