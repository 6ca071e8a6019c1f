package fetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	proxySecret = "s3cret-w0rd"
	publicSite  = "93.184.216.34"
)

// relay is a proxy that brings everything to one server, whatever it is asked for.
type relay struct {
	to string

	mu    sync.Mutex
	asked []string // request lines, or authorities of SOCKS
	login []string
}

func (p *relay) note(asked, login string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked, p.login = append(p.asked, asked), append(p.login, login)
}

func (p *relay) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// httpProxy serves CONNECT and requests in absolute form.
func (p *relay) httpProxy(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.note(r.Method+" "+r.RequestURI, r.Header.Get(proxyLogin))
		if r.Method != http.MethodConnect {
			r.Header.Del(proxyLogin)
			out, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+p.to+"/", nil)
			if err != nil {
				t.Error(err)
				return
			}
			out.Host, out.Header = r.Host, r.Header
			res, err := http.DefaultTransport.RoundTrip(out)
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			defer res.Body.Close()
			w.WriteHeader(res.StatusCode)
			_, _ = io.Copy(w, res.Body)
			return
		}
		back, err := net.Dial("tcp", p.to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		front, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(front, "HTTP/1.1 200 Connection established\r\n\r\n")
		splice(front, back)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// splice carries octets both ways until one side ends.
func splice(a, b net.Conn) {
	var wg sync.WaitGroup
	carry := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		to.Close()
		from.Close()
	}
	wg.Go(func() { carry(a, b) })
	wg.Go(func() { carry(b, a) })
	wg.Wait()
}

// listen runs serve for each connection until the test ends.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// socksProxy speaks the part of RFC 1928 and RFC 1929 that a client needs.
func (p *relay) socksProxy(t *testing.T) string {
	return listen(t, func(c net.Conn) {
		r, login := bufio.NewReader(c), ""
		take := func(n int) []byte {
			b := make([]byte, n)
			if _, err := io.ReadFull(r, b); err != nil {
				return make([]byte, n)
			}
			return b
		}
		methods := take(int(take(2)[1]))
		if strings.Contains(string(methods), "\x02") {
			_, _ = c.Write([]byte{5, 2})
			user := string(take(int(take(2)[1])))
			login = user + ":" + string(take(int(take(1)[0])))
			_, _ = c.Write([]byte{1, 0})
		} else {
			_, _ = c.Write([]byte{5, 0})
		}
		head, to := take(4), ""
		switch head[3] {
		case 1:
			to = netip.AddrFrom4([4]byte(take(4))).String()
		case 3:
			to = string(take(int(take(1)[0])))
		case 4:
			to = netip.AddrFrom16([16]byte(take(16))).String()
		}
		port := take(2)
		p.note(net.JoinHostPort(to, fmt.Sprint(int(port[0])<<8|int(port[1]))), login)
		back, err := net.Dial("tcp", p.to)
		if err != nil {
			_, _ = c.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0})
			return
		}
		_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		splice(c, back)
	})
}

// byProxy makes a client behind a proxy that may reach nothing private, for names
// that have the given addresses.
func byProxy(t *testing.T, proxy string, addresses ...string) *Client {
	return newClient(t, func(o *Options) {
		p, err := ParseProxy(proxy)
		if err != nil {
			t.Fatal(err)
		}
		o.Proxy, o.AllowAddress, o.Resolver = p, nil, &answers{lists: [][]string{addresses}}
		o.Limits.Connect = 5 * time.Second
	})
}

func TestAnHTTPProxyGetsPlainRequestsInAbsoluteForm(t *testing.T) {
	p := &relay{to: strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(proxyLogin) != "" || r.Host != "shop.test" {
			t.Errorf("the site saw %q, %v", r.Host, r.Header)
		}
		fmt.Fprint(w, "page")
	}), "http://")}
	c := byProxy(t, "http://user:"+proxySecret+"@"+p.httpProxy(t), publicSite)
	for range 2 {
		x, body := get(t, c, Request{URL: "http://shop.test/a%2Fz//b?c=%2f&d", WantRaw: true})
		if body != "page" || x.RemoteAddr.IsValid() {
			t.Errorf("%q from %v", body, x.RemoteAddr)
		}
		if head := string(x.RawRequestHead); !strings.HasPrefix(head, "GET http://shop.test/a%2Fz//b?c=%2f&d HTTP/1.1\r\n") ||
			strings.Contains(strings.ToLower(head), "proxy-auth") || !strings.HasSuffix(head, "\r\n\r\n") {
			t.Errorf("kept request head %q", head)
		}
	}
	for _, line := range p.seen() {
		if line != "GET http://shop.test/a%2Fz//b?c=%2f&d" {
			t.Errorf("the proxy was asked for %q", line)
		}
	}
	if p.login[0] != "Basic dXNlcjpzM2NyZXQtdzByZA==" {
		t.Errorf("credentials %q", p.login[0])
	}
}

func TestTLSGoesThroughATunnelThatProvesTheSite(t *testing.T) {
	a := newAuthority(t)
	for _, http2 := range []bool{false, true} {
		site := serveTLS(t, a, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }, http2, "shop.test")
		p := &relay{to: site.To.String()}
		c := newClient(t, func(o *Options) {
			o.Proxy, _ = ParseProxy("http://" + p.httpProxy(t))
			o.AllowAddress, o.Resolver, o.CAFiles = nil, &answers{lists: [][]string{{publicSite}}}, []string{a.file}
		})
		if _, body := get(t, c, Request{URL: "https://shop.test/"}); !http2 && body != "HTTP/1.1" || http2 && body != "HTTP/2.0" {
			t.Errorf("answered in %s", body)
		}
		if asked := p.seen(); len(asked) != 1 || asked[0] != "CONNECT shop.test:443" {
			t.Errorf("the proxy was asked for %q", asked)
		}
		_, err := do(t, c, Request{URL: "https://other.test/"})
		wantKind(t, err, KindTLS)
	}
}

func TestAResolveRuleGoesThroughATunnelToItsAddress(t *testing.T) {
	p := &relay{to: strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }), "http://")}
	c := newClient(t, func(o *Options) {
		o.Proxy, _ = ParseProxy("http://" + p.httpProxy(t))
		o.AllowAddress, o.Resolve = nil, []ResolveRule{rule(t, "shop.test:80:"+publicSite)}
	})
	x, body := get(t, c, Request{URL: "http://shop.test/"})
	if body != "shop.test" || x.RemoteAddr.String() != publicSite+":80" || p.seen()[0] != "CONNECT "+publicSite+":80" {
		t.Errorf("%q from %v, asked %q", body, x.RemoteAddr, p.seen())
	}
}

func TestASOCKSProxyIsToldAnAddressThatPassedTheGuard(t *testing.T) {
	p := &relay{to: strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host+r.RequestURI) }), "http://")}
	c := byProxy(t, "socks5://user:"+proxySecret+"@"+p.socksProxy(t), "10.0.0.1", publicSite)
	x, body := get(t, c, Request{URL: "http://shop.test/a?b", WantRaw: true})
	if body != "shop.test/a?b" || x.RemoteAddr.String() != publicSite+":80" || !strings.HasPrefix(string(x.RawRequestHead), "GET /a?b HTTP/1.1\r\n") {
		t.Errorf("%q from %v, head %q", body, x.RemoteAddr, x.RawRequestHead)
	}
	if len(p.asked) != 1 || p.asked[0] != publicSite+":80" || p.login[0] != "user:"+proxySecret {
		t.Errorf("the proxy was asked for %q by %q", p.asked, p.login)
	}
}

func TestBehindAProxyTheGuardHolds(t *testing.T) {
	for _, kind := range []string{proxyHTTP, proxySOCKS} {
		p := &relay{to: "127.0.0.1:1"}
		address := p.httpProxy(t)
		if kind == proxySOCKS {
			address = p.socksProxy(t)
		}
		for _, tc := range []struct {
			name, url string
			addresses []string
			want      Kind
		}{
			{"a private literal", "http://10.0.0.1/", nil, KindAddress},
			{"loopback in disguise", "https://0x7f.1/", nil, KindAddress},
			{"a name with a private address", "http://intranet.test/", []string{"192.168.0.1"}, KindAddress},
			{"over TLS, too", "https://intranet.test/", []string{"192.168.0.1"}, KindAddress},
			{"another port", "http://shop.test:25/", []string{publicSite}, KindPort},
			{"a name that only the proxy could know", "http://intranet.test/", nil, KindDNS},
		} {
			t.Run(kind+" "+tc.name, func(t *testing.T) {
				_, err := do(t, byProxy(t, kind+"://"+address, tc.addresses...), Request{URL: tc.url})
				wantKind(t, err, tc.want)
			})
		}
		if asked := p.seen(); len(asked) > 0 {
			t.Errorf("the proxy was asked for %q", asked)
		}
	}
	// An HTTP proxy may choose any address of the name.
	p := &relay{to: "127.0.0.1:1"}
	_, err := do(t, byProxy(t, "http://"+p.httpProxy(t), publicSite, "10.0.0.1"), Request{URL: "http://shop.test/"})
	wantKind(t, err, KindAddress)
}

func TestAProxyThatFailsIsToldFromASite(t *testing.T) {
	saying := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = readHead(bufio.NewReader(c))
			_, _ = io.WriteString(c, text)
		}
	}
	socks := func(octets ...byte) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Write(octets)
			_, _ = io.Copy(io.Discard, c)
		}
	}
	hang := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	for _, tc := range []struct {
		name, scheme, url string
		serve             func(net.Conn)
		want              Kind
	}{
		{"wants credentials for a tunnel", "http", "https://shop.test/", saying("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"), KindProxy},
		{"wants credentials for a request", "http", "http://shop.test/", saying("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"), KindProxy},
		{"forbids", "http", "https://shop.test/", saying("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"), KindProxy},
		{"redirects", "http", "https://shop.test/", saying("HTTP/1.1 302 No\r\nLocation: http://evil.test/\r\n\r\n"), KindProxy},
		{"does not reach the site", "http", "https://shop.test/", saying("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"), KindConnect},
		{"speaks no HTTP", "http", "https://shop.test/", saying("\x00\x01garbage\r\n\r\n"), KindProxy},
		{"hangs up", "http", "https://shop.test/", saying(""), KindProxy},
		{"talks without end", "http", "https://shop.test/", saying("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 1<<20)), KindProxy},
		{"puts octets into the tunnel", "http", "https://shop.test/", saying("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), KindProxy},
		{"never answers", "http", "https://shop.test/", hang, KindProxy},
		{"never answers", "socks5", "http://shop.test/", hang, KindProxy},
		{"speaks another version", "socks5", "http://shop.test/", socks(4, 0), KindProxy},
		{"takes no method", "socks5", "http://shop.test/", socks(5, 255), KindProxy},
		{"refuses the credentials", "socks5", "http://shop.test/", socks(5, 2, 1, 1), KindProxy},
		{"does not reach the site", "socks5", "http://shop.test/", socks(5, 2, 1, 0, 5, 4, 0, 1, 0, 0, 0, 0, 0, 0), KindConnect},
	} {
		t.Run(tc.scheme+" "+tc.name, func(t *testing.T) {
			p, err := ParseProxy(tc.scheme + "://pat:" + proxySecret + "@" + listen(t, tc.serve))
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, func(o *Options) {
				o.Proxy, o.AllowAddress, o.Resolver = p, nil, &answers{lists: [][]string{{publicSite}}}
				o.Limits.Connect = 300 * time.Millisecond
			})
			_, err = do(t, c, Request{URL: tc.url})
			e := wantKind(t, err, tc.want)
			if text := fmt.Sprintf("%v %+v %#v %v %#v", e, e, e, p, p); strings.Contains(text, proxySecret) || strings.Contains(text, "pat:") {
				t.Errorf("the error shows the credentials: %s", text)
			}
		})
	}
}

func TestAProxyThatIsNotThereIsNoSiteThatIsDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, kind := range []string{proxyHTTP, proxySOCKS} {
		_, err := do(t, byProxy(t, kind+"://"+l.Addr().String(), publicSite), Request{URL: "http://shop.test/"})
		wantKind(t, err, KindProxy)
	}
}

func TestATunnelUnderWayCanBeGivenUp(t *testing.T) {
	started := make(chan struct{}, 1)
	address := listen(t, func(c net.Conn) {
		started <- struct{}{}
		_, _ = io.Copy(io.Discard, c)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := byProxy(t, "http://"+address, publicSite).Do(ctx, Request{URL: "https://shop.test/"})
	wantKind(t, err, KindCancelled)
}

func TestParseProxyRepeatsNothingOfWhatItRefuses(t *testing.T) {
	for _, text := range []string{"", "shop.test:3128", "ftp://user:" + proxySecret + "@a:1", "http://user:" + proxySecret + "@", "http://" + proxySecret + "%zz@a",
		"http://a:0", "http://a:65536", "http://a/" + proxySecret, "http://a?" + proxySecret, "http://:" + proxySecret + "@a", "socks5h://a",
		"http://u:" + strings.Repeat(proxySecret, 30) + "@a"} {
		p, err := ParseProxy(text)
		if err == nil || strings.Contains(err.Error(), proxySecret) {
			t.Errorf("ParseProxy(%q) = %v, %v", text, p, err)
		}
	}
	for text, want := range map[string]string{"http://a": "http://a:80", "socks5://u:p@[::1]/": "socks5://[::1]:1080", "http://u@a:3128": "http://a:3128"} {
		if got, err := ParseProxy(text); err != nil || got.String() != want {
			t.Errorf("ParseProxy(%q) = %v, %v; want %q", text, got, err, want)
		}
	}
}
