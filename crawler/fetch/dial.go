package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dialer turns host and port of a URL into a connection that passed the guard.
type dialer struct {
	guard   *guard
	names   *names
	rules   []ResolveRule
	timeout time.Duration // lookup, connect and handshake together
	tls     *tls.Config
	// proxy is what connections go through, nil for none; it gets our userAgent, and
	// its answers may have heads of headBytes.
	proxy     *Proxy
	userAgent string
	headBytes int64
	dialProxy dialFunc
	// dial connects to one address; the guard sits in its control function.
	dial dialFunc
}

// minAttempt is the least time one of several addresses gets.
const minAttempt = 2 * time.Second

func newDialer(o *Options, g *guard, n *names) (*dialer, error) {
	roots, err := trustedRoots(o.CAFiles)
	if err != nil {
		return nil, err
	}
	d := &dialer{guard: g, names: n, rules: o.Resolve, timeout: o.Limits.Connect,
		proxy: o.Proxy, userAgent: o.UserAgent, headBytes: o.Limits.HeaderBytes, dialProxy: new(net.Dialer).DialContext}
	d.tls = &tls.Config{
		RootCAs:            roots,
		MinVersion:         tls.VersionTLS12,
		ClientSessionCache: tls.NewLRUClientSessionCache(256),
	}
	nd := &net.Dialer{ControlContext: d.control}
	d.dial = nd.DialContext
	if d.proxy != nil && d.proxy.scheme == proxySOCKS {
		if d.dial, err = d.throughSOCKS(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// trustedRoots is the system's pool and the certificates of files.
func trustedRoots(files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil // crypto/tls takes the system's
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	for _, file := range files {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("fetch: new: CA file: %w", err)
		}
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("fetch: new: CA file %q holds no PEM certificate", file)
		}
	}
	return roots, nil
}

// control vets the address of one connection attempt. It runs after every
// lookup and for each address, which is the only place where a changing answer
// cannot slip through.
func (d *dialer) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return &fault{kind: KindAddress, reason: "not a TCP address"}
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &fault{kind: KindAddress, reason: "not an IP address and port"}
	}
	return d.guard.vet(ap)
}

// addresses returns where connections for name and port go, in order.
func (d *dialer) addresses(ctx context.Context, name string, literal netip.Addr, port uint16) ([]netip.AddrPort, error) {
	if to, ok := matchRule(d.rules, name, port); ok {
		return []netip.AddrPort{to}, nil
	}
	if literal.IsValid() {
		return []netip.AddrPort{netip.AddrPortFrom(plain(literal), port)}, nil
	}
	addrs, err := d.names.lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	aps := make([]netip.AddrPort, len(addrs))
	for i, a := range addrs {
		aps[i] = netip.AddrPortFrom(a, port)
	}
	return aps, nil
}

// connect opens a connection for a request without TLS.
func (d *dialer) connect(ctx context.Context, _, hostport string) (net.Conn, error) {
	return d.open(ctx, hostport, false)
}

// open tries the addresses of hostport one after the other, each with its share of
// the time that is left. secure says that TLS follows.
func (d *dialer) open(ctx context.Context, hostport string, secure bool) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	name, port, err := splitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	literal, _ := netip.ParseAddr(name)
	aps, err := d.addresses(ctx, name, literal, port)
	if err != nil {
		return nil, d.lookupFault(ctx, err)
	}
	if d.proxy != nil && d.proxy.scheme == proxyHTTP {
		return d.throughHTTP(ctx, name, port, aps, secure)
	}
	deadline, _ := ctx.Deadline()
	var refusal, failure error
	for i, ap := range aps {
		share := max(time.Until(deadline)/time.Duration(len(aps)-i), minAttempt)
		actx, cancel := context.WithTimeout(ctx, share)
		conn, err := d.dial(actx, "tcp", ap.String())
		cancel()
		if err == nil {
			return conn, nil
		}
		// The guard's fault goes on alone: the error around it names the address.
		var f *fault
		if errors.As(err, &f) {
			refusal = f
		} else {
			failure = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	if failure == nil {
		return nil, refusal
	}
	d.names.forget(name)
	var ne net.Error
	if errors.As(failure, &ne) && ne.Timeout() {
		return nil, &fault{kind: KindTimeout, reason: "no connection in time", err: cause(failure)}
	}
	return nil, &fault{kind: KindConnect, reason: "no connection", err: cause(failure)}
}

func (d *dialer) lookupFault(ctx context.Context, err error) error {
	var f *fault
	if !errors.As(err, &f) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &fault{kind: KindDNS, reason: "lookup took too long", err: err}
	}
	return err
}

func splitHostPort(hostport string) (string, uint16, error) {
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return "", 0, &fault{kind: KindScheme, reason: "not a host and port"}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return "", 0, &fault{kind: KindPort, reason: "not a port"}
	}
	return host, uint16(port), nil
}

// connectTLS returns a function that connects and shakes hands, proving the
// name of the URL, and offers protocols.
func (d *dialer) connectTLS(protocols ...string) func(ctx context.Context, network, hostport string) (net.Conn, error) {
	return func(ctx context.Context, _, hostport string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, d.timeout)
		defer cancel()
		raw, err := d.open(ctx, hostport, true)
		if err != nil {
			return nil, err
		}
		name, _, err := splitHostPort(hostport)
		if err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		config := d.tls.Clone()
		config.ServerName = strings.TrimSuffix(name, ".")
		config.NextProtos = protocols
		conn := tls.Client(raw, config)
		if err := conn.HandshakeContext(ctx); err != nil {
			_ = raw.Close() // the handshake's error is the one that counts
			return nil, handshakeFault(err)
		}
		return conn, nil
	}
}

// handshakeFault tells a peer that fails to prove itself from one that went away.
func handshakeFault(err error) error {
	var ne net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &ne) && ne.Timeout():
		return &fault{kind: KindTimeout, reason: "no TLS handshake in time", err: err}
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return &fault{kind: KindReset, reason: "connection lost during the TLS handshake", err: err}
	}
	return &fault{kind: KindTLS, reason: "TLS handshake failed", err: err}
}
