package fetch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// forwards tells whether a request goes to an HTTP proxy in absolute form. TLS
// always has a tunnel, and so has a name that a resolve rule sends to an address of
// its own: in absolute form the proxy would look it up.
func (d *dialer) forwards(t target) bool {
	if d.proxy == nil || d.proxy.scheme != proxyHTTP || t.scheme != "http" {
		return false
	}
	_, ruled := matchRule(d.rules, t.name, t.port)
	return !ruled
}

// throughHTTP connects to name and port by an HTTP proxy. The proxy may choose any
// address of a name, so every one that we know must pass the guard.
func (d *dialer) throughHTTP(ctx context.Context, name string, port uint16, aps []netip.AddrPort, secure bool) (net.Conn, error) {
	for _, ap := range aps {
		if err := d.guard.vet(ap); err != nil {
			return nil, err
		}
	}
	to, site := net.JoinHostPort(name, fmt.Sprint(port)), netip.AddrPort{}
	rule, ruled := matchRule(d.rules, name, port)
	if ruled {
		to, site = rule.String(), rule
	} else if literal, err := netip.ParseAddr(name); err == nil {
		site = netip.AddrPortFrom(plain(literal), port)
	}
	conn, err := d.dialProxy(ctx, "tcp", d.proxy.address)
	if err != nil {
		return nil, proxyFault(ctx, "no connection to the proxy", err)
	}
	if secure || ruled {
		if err := d.tunnel(ctx, conn, to); err != nil {
			_ = conn.Close() // what the proxy said is the error that counts
			return nil, err
		}
	}
	return relayed{conn, site}, nil
}

// tunnel asks an HTTP proxy for a connection to an authority (RFC 9110 9.3.6).
func (d *dialer) tunnel(ctx context.Context, conn net.Conn, to string) error {
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return proxyFault(ctx, "the proxy is gone", err)
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to, Header: http.Header{"User-Agent": {d.userAgent}}}
	if d.proxy.login {
		req.Header.Set(proxyLogin, d.proxy.basic())
	}
	if err := req.Write(conn); err != nil {
		return proxyFault(ctx, "the proxy takes no request", err)
	}
	r := bufio.NewReader(io.LimitReader(conn, d.headBytes))
	res, err := http.ReadResponse(r, req)
	switch {
	case err != nil:
		return proxyFault(ctx, "the proxy gives no answer in HTTP", err)
	case res.StatusCode == http.StatusProxyAuthRequired:
		return &fault{kind: KindProxy, reason: "the proxy asks for credentials, or for others"}
	case res.StatusCode == http.StatusBadGateway || res.StatusCode == http.StatusServiceUnavailable || res.StatusCode == http.StatusGatewayTimeout:
		return &fault{kind: KindConnect, reason: fmt.Sprintf("the proxy has no connection, status %d", res.StatusCode)}
	case res.StatusCode/100 != 2:
		return &fault{kind: KindProxy, reason: fmt.Sprintf("the proxy refuses with status %d", res.StatusCode)}
	case r.Buffered() > 0:
		return &fault{kind: KindProxy, reason: "the proxy says more than it was asked"}
	}
	if !stop() {
		return context.Cause(ctx)
	}
	return conn.SetDeadline(time.Time{})
}

// basic are the credentials of an HTTP proxy (RFC 7617).
func (p *Proxy) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(p.user+":"+p.password))
}

// throughSOCKS returns the function that connects to an address by a SOCKS5 proxy.
// It is given addresses alone: the guard has seen what the proxy connects to.
func (d *dialer) throughSOCKS() (dialFunc, error) {
	var login *proxy.Auth
	if d.proxy.login {
		login = &proxy.Auth{User: d.proxy.user, Password: d.proxy.password}
	}
	socks, err := proxy.SOCKS5("tcp", d.proxy.address, login, proxyRoute(d.dialProxy))
	if err != nil {
		return nil, fmt.Errorf("fetch: new: proxy: %w", err)
	}
	dial, ok := socks.(proxy.ContextDialer)
	if !ok {
		return nil, errors.New("fetch: new: proxy: the SOCKS5 dialler knows no context")
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return nil, &fault{kind: KindAddress, reason: "not an IP address and port"}
		}
		if err := d.guard.vet(ap); err != nil {
			return nil, err
		}
		conn, err := dial.DialContext(ctx, network, address)
		if err != nil {
			// The library has no type for what the proxy replied about the site.
			if why, replied := strings.CutPrefix(cause(err).Error(), "unknown error "); replied {
				return nil, &fault{kind: KindConnect, reason: "the proxy has no connection: " + why}
			}
			return nil, proxyFault(ctx, "no connection by the proxy", err)
		}
		return relayed{conn, ap}, nil
	}, nil
}

// proxyRoute is how the proxy itself is reached: by its own name, past the guard,
// because the operator has named it.
type proxyRoute dialFunc

// Dial implements proxy.Dialer, which asks for it and does not use it.
func (r proxyRoute) Dial(network, address string) (net.Conn, error) {
	return r(context.Background(), network, address)
}

// DialContext implements proxy.ContextDialer.
func (r proxyRoute) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return r(ctx, network, address)
}

func proxyFault(ctx context.Context, reason string, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return err
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return &fault{kind: KindProxy, reason: "the proxy takes too long"}
	}
	return &fault{kind: KindProxy, reason: reason, err: cause(err)}
}

// relayed is a connection that a proxy made. Its peer is the site, as far as we know
// where that is: the address of the proxy says nothing about it.
type relayed struct {
	net.Conn
	site netip.AddrPort // invalid if the proxy chose
}

// RemoteAddr implements net.Conn.
func (c relayed) RemoteAddr() net.Addr { return siteAddr(c.site) }

type siteAddr netip.AddrPort

// Network implements net.Addr.
func (siteAddr) Network() string { return "tcp" }

// String implements net.Addr; it is empty where nothing is known.
func (a siteAddr) String() string {
	if ap := netip.AddrPort(a); ap.IsValid() {
		return ap.String()
	}
	return ""
}

const proxyLogin = "Proxy-Authorization"

// withoutLogin takes the credentials for the proxy out of a request head that is
// kept.
func withoutLogin(head []byte) []byte {
	i := bytes.Index(head, []byte("\r\n"+proxyLogin+": "))
	if i < 0 {
		return head
	}
	i += len("\r\n")
	n := bytes.Index(head[i:], []byte("\r\n")) + len("\r\n")
	return append(head[:i:i], head[i+n:]...)
}
