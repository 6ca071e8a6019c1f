package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// quick are limits small enough for a test that runs into them.
func quick(o *Options) {
	o.Limits = Limits{
		MaxBodyBytes: 256 << 10, MemoryBodyBytes: 16 << 10, HeaderBytes: 8 << 10, RatioFreeBytes: 64 << 10,
		Connect: 2 * time.Second, Header: 2 * time.Second, Total: 10 * time.Second,
	}
}

// roomy leaves a bomb enough room to be caught by its ratio.
func roomy(r *Request, _ *Options) { r.MaxBodyBytes = 4 << 20 }

// forever sends s again and again until the peer hangs up.
func forever(first, s string) script {
	return func(c net.Conn, _ string) {
		if _, err := io.WriteString(c, first); err != nil {
			return
		}
		for {
			if _, err := io.WriteString(c, s); err != nil {
				return
			}
		}
	}
}

// hold answers with s and keeps the connection open until the peer hangs up.
func hold(s string) script {
	return func(c net.Conn, _ string) {
		if _, err := io.WriteString(c, s); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}
}

// reset answers with s and resets the connection.
func reset(s string) script {
	return func(c net.Conn, _ string) {
		if _, err := io.WriteString(c, s); err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
		}
	}
}

const ok = "HTTP/1.1 200 OK\r\n"

// TestHostileServers: each behaviour ends with its documented kind, whatever was
// learned before is in the exchange, no body is ever half a body.
func TestHostileServers(t *testing.T) {
	zeros := bytes.Repeat([]byte{0}, 8<<20)
	gzipBomb, brBomb, zstdBomb := encode(t, "gzip", zeros), encode(t, "br", zeros), encode(t, "zstd", zeros)
	big := strings.Repeat("x", 300<<10)
	for _, tt := range []struct {
		name   string
		serve  script
		change func(*Request, *Options)
		want   Kind
		status int
	}{
		// The head.
		{"closes without a word", say(""), nil, KindReset, 0},
		{"resets without a word", reset(""), nil, KindReset, 0},
		{"closes inside the status line", say("HTTP/1.1 2"), nil, KindProtocol, 0},
		{"closes inside the head", say(ok + "Content-Type: text/html\r\n"), nil, KindReset, 0},
		{"says nothing", hold(""), func(_ *Request, o *Options) { o.Limits.Header = 50 * time.Millisecond }, KindTimeout, 0},
		{"stops inside the head", hold(ok + "A: b\r\n"), func(_ *Request, o *Options) { o.Limits.Header = 50 * time.Millisecond }, KindTimeout, 0},
		{"speaks another protocol", say("220 mail.shop.test ESMTP\r\n"), nil, KindProtocol, 0},
		{"speaks HTTP/0.9", say("<html>hello</html>\r\n\r\n"), nil, KindProtocol, 0},
		{"sends a status that is no number", say("HTTP/1.1 abc OK\r\n\r\n"), nil, KindProtocol, 0},
		{"sends a negative status", say("HTTP/1.1 -20 OK\r\n\r\n"), nil, KindProtocol, 0},
		{"sends a field line without a colon", say(ok + "nonsense\r\n\r\n"), nil, KindProtocol, 0},
		{"never ends a field", forever(ok+"A: ", strings.Repeat("a", 1000)), nil, KindHeaders, 0},
		{"never ends the head", forever(ok, "A: b\r\n"), nil, KindHeaders, 0},
		{"never ends the status line", forever("HTTP/1.1 200 ", strings.Repeat("a", 1000)), nil, KindHeaders, 0},
		{"sends interim responses for ever", forever("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), nil, KindHeaders, 0},
		{"switches protocols unasked", hold("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), nil, KindProtocol, 101},

		// Lengths.
		{"sends less than it announced", say(ok + "Content-Length: 100\r\n\r\nshort"), nil, KindTruncated, 200},
		{"resets inside the body", reset(ok + "Content-Length: 100\r\n\r\nshort"), nil, KindReset, 200},
		{"announces a negative length", say(ok + "Content-Length: -5\r\n\r\nhello"), nil, KindProtocol, 0},
		{"announces two lengths", say(ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), nil, KindProtocol, 0},
		{"announces a length that is no number", say(ok + "Content-Length: 5 apples\r\n\r\nhello"), nil, KindProtocol, 0},
		{"announces more than the limit", hold(ok + "Content-Length: 1000000\r\n\r\n"), nil, KindTooLarge, 200},
		{"announces more than the request accepts", hold(ok + "Content-Length: 1001\r\n\r\n"), func(r *Request, _ *Options) { r.MaxBodyBytes = 1000 }, KindTooLarge, 200},
		{"sends more than the limit in chunks", say(ok + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(big), big)), nil, KindTooLarge, 200},
		{"sends for ever without a length", forever(ok+"\r\n", big), nil, KindTooLarge, 200},
		{"sends more than the request accepts", say(ok + "\r\n" + big[:1001]), func(r *Request, _ *Options) { r.MaxBodyBytes = 1000 }, KindTooLarge, 200},
		{"closes inside a chunk", say(ok + "Transfer-Encoding: chunked\r\n\r\n10\r\nshort"), nil, KindTruncated, 200},
		{"closes between chunks", say(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), nil, KindTruncated, 200},
		{"breaks a chunk length", say(ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n"), nil, KindProtocol, 200},
		{"sends a chunk longer than announced", say(ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n"), nil, KindProtocol, 200},
		{"sends an endless chunk length", forever(ok+"Transfer-Encoding: chunked\r\n\r\n", "0"), nil, KindProtocol, 200},
		{"uses an unknown transfer coding", say(ok + "Transfer-Encoding: gzip\r\n\r\nhello"), nil, KindProtocol, 0},

		// Codings.
		{"sends a gzip bomb", say(answer("gzip", gzipBomb)), roomy, KindRatio, 200},
		{"sends a br bomb", say(answer("br", brBomb)), roomy, KindRatio, 200},
		{"sends a zstd bomb", say(answer("zstd", zstdBomb)), roomy, KindRatio, 200},
		{"sends a bomb in a bomb", say(answer("gzip, gzip", encode(t, "gzip", gzipBomb))), roomy, KindRatio, 200},
		{"sends a bomb as a trickle of gzip members", say(answer("gzip", bytes.Repeat(encode(t, "gzip", zeros[:60<<10]), 400))), roomy, KindRatio, 200},
		{"sends a body that grows over the limit", say(answer("gzip", encode(t, "gzip", mixed(400<<10)))), nil, KindTooLarge, 200},
		{"sends a coded body over a small limit", say(answer("br", encode(t, "br", zeros[:5000]))), func(r *Request, _ *Options) { r.MaxBodyBytes = 4999 }, KindTooLarge, 200},
		{"hides garbage behind a coded body", forever(ok+"Content-Encoding: gzip\r\n\r\n"+string(encode(t, "gzip", []byte("hi"))), big), nil, KindTooLarge, 200},
		{"labels a coding nobody knows", say(answer("exi", []byte("x"))), nil, KindCoding, 200},
		{"cuts a coded body and says so in the length", say(answer("gzip", cut(encode(t, "gzip", mixed(1000))))), nil, KindTruncated, 200},

		// Time.
		{"trickles the body", hold(ok + "Content-Length: 100\r\n\r\nx"), func(_ *Request, o *Options) { o.Limits.MinRateAfter = 50 * time.Millisecond }, KindSlow, 200},
		{"takes longer than the whole fetch may", hold(ok + "Content-Length: 100\r\n\r\nx"), func(_ *Request, o *Options) { o.Limits.Total = 50 * time.Millisecond }, KindTimeout, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, count := scripted(t, tt.serve)
			for _, raw := range []bool{false, true} {
				r := Request{URL: url, WantRaw: raw}
				c := newClient(t, func(o *Options) {
					quick(o)
					if tt.change != nil {
						tt.change(&r, o)
					}
				})
				before := count()
				x, err := do(t, c, r)
				wantKind(t, err, tt.want)
				if x.Status != tt.status || x.Body != nil || x.RawBody != nil || x.FinishedAt.IsZero() {
					t.Errorf("exchange has status %d, bodies %v %v", x.Status, x.Body, x.RawBody)
				}
				if n := count() - before; n != 1 {
					t.Errorf("%d requests for one call", n)
				}
				if !c.budget.sem.TryAcquire(c.budget.total) {
					t.Error("budget was not given back")
				}
			}
		})
	}
}

// mixed is text that compresses about four times.
func mixed(n int) []byte {
	var b bytes.Buffer
	for i := uint32(1); b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i*2654435761)
	}
	return b.Bytes()[:n]
}

// TestOddServers: behaviours that are odd but have one right answer.
func TestOddServers(t *testing.T) {
	for _, tt := range []struct {
		name, answer, body string
		status             int
	}{
		{"ends lines with LF only", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", "hi", 200},
		{"sends no reason phrase", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "hi", 200},
		{"ends the body by closing", ok + "\r\nhi", "hi", 200},
		{"sends a field name with a blank", ok + "Content Length: 5\r\n\r\nhi", "hi", 200},
		{"says HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhi", "hi", 200},
		{"repeats the same length", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", "hi", 200},
		{"sends chunks and a length", ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "hi", 200},
		{"sends trailers", ok + "Trailer: X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n", "hi", 200},
		{"sends interim responses", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", "hi", 200},
		{"sends octets after the body", ok + "Content-Length: 2\r\n\r\nhi there", "hi", 200},
		{"sends a body with 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nhi", "", 304},
		{"sends a body with 204", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nhi", "", 204},
		{"invents a status", "HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nhi", "hi", 999},
		{"names a charset nobody knows", ok + "Content-Type: text/html; charset=x-none\r\nContent-Length: 2\r\n\r\n\xff\xfe", "\xff\xfe", 200},
		{"names a legacy charset", ok + "Content-Type: text/html; charset=windows-1251\r\nContent-Length: 2\r\n\r\n\xe4\xf6", "\xe4\xf6", 200},
		{"serves gzip by type", ok + "Content-Type: application/gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08", "\x1f\x8b\x08", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := scripted(t, say(tt.answer))
			x, body := get(t, newClient(t, quick), Request{URL: url + "sitemap.xml.gz", WantRaw: true})
			if x.Status != tt.status || body != tt.body {
				t.Errorf("got %d %q", x.Status, body)
			}
			if head, _, _ := strings.Cut(tt.answer[strings.LastIndex(tt.answer, "HTTP/1"):], "hi"); !strings.HasPrefix(head, string(x.RawResponseHead)) || len(x.RawResponseHead) == 0 {
				t.Errorf("raw head %q", x.RawResponseHead)
			}
		})
	}
}

func TestHeadLimitOverHTTP2(t *testing.T) {
	a := newAuthority(t)
	to := serveTLS(t, a, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", 200))
		}
	}, true, "shop.test")
	c := newClient(t, func(o *Options) { quick(o); o.CAFiles, o.Resolve = []string{a.file}, []ResolveRule{to} })
	_, err := do(t, c, Request{URL: "https://shop.test/"})
	if e := wantKind(t, err, KindHeaders); e.ReasonCode() != "size.headers" {
		t.Errorf("reason %q", e.ReasonCode())
	}
}

func TestAHeadThatNeverComesOverHTTP2EndsInTime(t *testing.T) {
	a := newAuthority(t)
	to := serveTLS(t, a, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true, "shop.test")
	c := newClient(t, func(o *Options) {
		o.CAFiles, o.Resolve, o.Limits.Header = []string{a.file}, []ResolveRule{to}, 50*time.Millisecond
	})
	_, err := do(t, c, Request{URL: "https://shop.test/"})
	wantKind(t, err, KindTimeout)
}

func TestATornHTTP2StreamIsAnError(t *testing.T) {
	a := newAuthority(t)
	to := serveTLS(t, a, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "short")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, true, "shop.test")
	c := newClient(t, func(o *Options) { o.CAFiles, o.Resolve = []string{a.file}, []ResolveRule{to} })
	x, err := do(t, c, Request{URL: "https://shop.test/"})
	wantKind(t, err, KindReset)
	if x.Status != 200 || x.Body != nil {
		t.Errorf("status %d, body %v", x.Status, x.Body)
	}
}

func TestTLSProvesTheNameOfTheURL(t *testing.T) {
	a, stranger := newAuthority(t), newAuthority(t)
	for _, tt := range []struct {
		name string
		cert tls.Certificate
		want Kind
	}{
		{"right name", a.issue(t, time.Now().Add(time.Hour), "shop.test"), KindUnknown},
		{"wildcard", a.issue(t, time.Now().Add(time.Hour), "*.test"), KindUnknown},
		{"other name", a.issue(t, time.Now().Add(time.Hour), "other.test"), KindTLS},
		{"expired", a.issue(t, time.Now().Add(-time.Hour), "shop.test"), KindTLS},
		{"unknown authority", stranger.issue(t, time.Now().Add(time.Hour), "shop.test"), KindTLS},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			s.TLS = &tls.Config{Certificates: []tls.Certificate{tt.cert}}
			s.Config.ErrorLog = quiet()
			s.StartTLS()
			defer s.Close()
			to := rule(t, "shop.test:443:"+s.Listener.Addr().String())
			c := newClient(t, func(o *Options) { o.CAFiles, o.Resolve = []string{a.file}, []ResolveRule{to} })
			for _, raw := range []bool{false, true} {
				_, err := do(t, c, Request{URL: "https://shop.test/", WantRaw: raw})
				if KindOf(err) != tt.want || tt.want == KindTLS && Reason(err) != "guard.tls" {
					t.Errorf("WantRaw %v: %v", raw, err)
				}
			}
		})
	}
}

func TestTLSThatIsNone(t *testing.T) {
	for name, tt := range map[string]struct {
		serve func(net.Conn)
		want  Kind
	}{
		"plain HTTP on the TLS port": {func(c net.Conn) { say("HTTP/1.1 400 Bad Request\r\n\r\n")(c, "") }, KindTLS},
		"closes during the handshake": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, c)
		}, KindReset},
		"never answers the handshake": {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, KindTimeout},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c, err := l.Accept()
			if err != nil {
				return
			}
			tt.serve(c)
			c.Close()
		}()
		c := newClient(t, func(o *Options) { o.Limits.Connect = 200 * time.Millisecond })
		_, err = do(t, c, Request{URL: "https://" + l.Addr().String() + "/"})
		if KindOf(err) != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		l.Close()
		<-done
	}
}

func TestANameThatChangesItsAddressGainsNothing(t *testing.T) {
	reached := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer s.Close()
	// Vetting sees a public address, the dialler's own lookup the inside one.
	now := time.Now()
	r := &answers{lists: [][]string{{"93.184.215.14"}, {"127.0.0.1"}}}
	c := newClient(t, func(o *Options) { o.AllowAddress, o.Resolver = nil, r; o.Clock = func() time.Time { return now } })
	addr, open, err := c.Address(t.Context(), "shop.test", 80)
	if err != nil || open || addr.String() != "93.184.215.14" {
		t.Fatalf("address %v, open %v, %v", addr, open, err)
	}
	now = now.Add(nameLife)
	_, err = do(t, c, Request{URL: "http://shop.test/"})
	e := wantKind(t, err, KindAddress)
	if e.ReasonCode() != "guard.address" || strings.Contains(err.Error(), "127.0.0.1") || !strings.Contains(err.Error(), "RFC1122") {
		t.Errorf("error %q", err)
	}
	if reached || r.count() != 2 {
		t.Errorf("reached %v after %d lookups", reached, r.count())
	}
}

func TestGuardRefusalsOfDo(t *testing.T) {
	r := &answers{lists: [][]string{{"10.0.0.1", "169.254.169.254", "fe80::1"}}}
	c := newClient(t, func(o *Options) {
		o.AllowAddress, o.Resolver = nil, r
		o.Resolve = []ResolveRule{rule(t, "ruled.test:80:127.0.0.1"), rule(t, "port.test:80:93.184.215.14:8080")}
	})
	for url, reason := range map[string]string{
		"http://inside.test/":           "guard.address",
		"http://ruled.test/":            "guard.address",
		"http://port.test/":             "guard.port",
		"http://93.184.215.14:22/":      "guard.port",
		"http://shop.test:6379/":        "guard.port",
		"http://127.0.0.1/":             "guard.address",
		"http://0x7f.1/":                "guard.address",
		"http://2130706433/":            "guard.address",
		"http://[::ffff:127.0.0.1]/":    "guard.address",
		"http://[::1]/":                 "guard.address",
		"http://[64:ff9b::7f00:1]/":     "guard.address",
		"http://[fe80::1]/":             "guard.address",
		"http://0/":                     "guard.address",
		"http://169.254.169.254/latest": "guard.address",
		"ftp://shop.test/":              "guard.scheme",
		"shop.test":                     "guard.scheme",
	} {
		_, err := do(t, c, Request{URL: url})
		if Reason(err) != reason {
			t.Errorf("%s: %v, want %s", url, err, reason)
		}
		if strings.Contains(err.Error(), "10.0.0.1") {
			t.Errorf("%s: %q shows the resolved address", url, err)
		}
	}
}

func TestVetJudgesWithoutIO(t *testing.T) {
	r := &answers{err: errors.New("must not be asked")}
	closed := newClient(t, func(o *Options) {
		o.AllowAddress, o.Resolver = nil, r
		o.Resolve = []ResolveRule{rule(t, "*.in.test:80:10.0.0.1")}
	})
	opened := newClient(t, func(o *Options) { o.Resolver = r })
	for _, tt := range []struct {
		url            string
		closed, opened string
	}{
		{"https://shop.test/", "", ""},
		{"http://shop.test:8080/", "guard.port", ""},
		{"http://127.0.0.1:8080/", "guard.address", ""},
		{"http://10.0.0.1/", "guard.address", "guard.address"},
		{"http://8.8.8.8:8080/", "guard.port", "guard.port"},
		{"http://a.in.test/", "guard.address", ""},
		{"gopher://shop.test/", "guard.scheme", "guard.scheme"},
	} {
		if got := Reason(closed.Vet(tt.url)); got != tt.closed {
			t.Errorf("closed: %s: %q, want %q", tt.url, got, tt.closed)
		}
		if got := Reason(opened.Vet(tt.url)); got != tt.opened {
			t.Errorf("opened: %s: %q, want %q", tt.url, got, tt.opened)
		}
	}
	if r.count() != 0 {
		t.Errorf("%d lookups", r.count())
	}
}

func TestFailuresOfLookupAndConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	l.Close()
	for name, tt := range map[string]struct {
		resolver *answers
		url      string
		want     Kind
	}{
		"no such name":       {&answers{err: &net.DNSError{Err: "no such host", IsNotFound: true}}, "http://shop.test/", KindDNS},
		"server failure":     {&answers{err: &net.DNSError{Err: "server misbehaving", IsTemporary: true}}, "http://shop.test/", KindDNS},
		"name without any":   {&answers{lists: [][]string{{}}}, "http://shop.test/", KindDNS},
		"connection refused": {&answers{lists: [][]string{{"127.0.0.1"}}}, "http://shop.test:" + dead[strings.LastIndex(dead, ":")+1:] + "/", KindConnect},
	} {
		c := newClient(t, func(o *Options) { o.Resolver = tt.resolver })
		_, err := do(t, c, Request{URL: tt.url})
		e := wantKind(t, err, tt.want)
		if strings.Contains(e.Error(), "127.0.0.1") {
			t.Errorf("%s: %q shows the resolved address", name, e)
		}
	}
}

func TestAReachableAddressIsFoundAmongDeadOnes(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	r := &answers{lists: [][]string{{"10.0.0.1", "127.0.0.2", "127.0.0.1"}}}
	c := newClient(t, func(o *Options) { o.Resolver = r })
	port := url[strings.LastIndex(url, ":"):]
	// httptest listens on 127.0.0.1 alone: 10.0.0.1 is refused by the guard, 127.0.0.2 by the kernel.
	x, body := get(t, c, Request{URL: "http://shop.test" + port})
	if body != "here" || x.RemoteAddr.Addr().String() != "127.0.0.1" {
		t.Errorf("got %q from %v", body, x.RemoteAddr)
	}
	addr, open, err := c.Address(t.Context(), "shop.test", 443)
	if err != nil || open || addr.String() != "127.0.0.2" || r.count() != 1 {
		t.Errorf("address %v, open %v, %v after %d lookups", addr, open, err, r.count())
	}
}

func TestTheCallersContextEndsAFetch(t *testing.T) {
	for name, tt := range map[string]struct {
		serve script
		end   func(context.Context) (context.Context, context.CancelFunc)
		want  Kind
	}{
		"cancelled before": {say(ok + "\r\n"), func(ctx context.Context) (context.Context, context.CancelFunc) {
			c, f := context.WithCancel(ctx)
			f()
			return c, f
		}, KindCancelled},
		"deadline while the head comes": {hold(""), func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 30*time.Millisecond)
		}, KindTimeout},
		"deadline while the body comes": {hold(ok + "Content-Length: 9\r\n\r\nx"), func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 30*time.Millisecond)
		}, KindTimeout},
	} {
		url, _ := scripted(t, tt.serve)
		ctx, cancel := tt.end(t.Context())
		_, err := newClient(t, nil).Do(ctx, Request{URL: url})
		cancel()
		if KindOf(err) != tt.want || !errors.Is(err, ctx.Err()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestABombCostsLittleMemory(t *testing.T) {
	zeros := bytes.Repeat([]byte{0}, 64<<20)
	bombs := map[string][]byte{"gzip": encode(t, "gzip", zeros), "br": encode(t, "br", zeros), "zstd": encode(t, "zstd", zeros)}
	zeros = nil
	c := newClient(t, nil)
	for label, bomb := range bombs {
		url, _ := scripted(t, say(answer(label, bomb)))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := do(t, c, Request{URL: url})
		runtime.ReadMemStats(&after)
		wantKind(t, err, KindRatio)
		if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 {
			t.Errorf("%s: %d octets of wire made us allocate %d", label, len(bomb), used)
		}
	}
}
