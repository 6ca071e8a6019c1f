package fetch

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const testAgent = "heed-test/1 (+mailto:ops@shop.test)"

// loopback opens the guard for the servers of these tests.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// newClient makes a client that may reach loopback; change may adjust its options.
func newClient(t testing.TB, change func(*Options)) *Client {
	t.Helper()
	o := Options{UserAgent: testAgent, AllowAddress: loopback(), SpoolDir: t.TempDir()}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// do sends r and closes the exchange when the test ends.
func do(t testing.TB, c *Client, r Request) (*Exchange, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	x, err := c.Do(ctx, r)
	if x == nil {
		t.Fatal("Do returned no exchange")
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, err
}

// get expects an answer and returns it with its body.
func get(t testing.TB, c *Client, r Request) (*Exchange, string) {
	t.Helper()
	x, err := do(t, c, r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := x.Body.Bytes(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	return x, string(b)
}

// serve starts a plain HTTP server and returns its base URL.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// script is what a hostile server does with one connection, after the request
// head was read.
type script func(c net.Conn, head string)

// say writes octets; the peer may be gone already, which is not the server's concern.
func say(s string) script {
	return func(c net.Conn, _ string) { _, _ = io.WriteString(c, s) }
}

// scripted starts a raw TCP server that runs s once for each connection and then
// closes it. It returns the base URL and the number of requests seen.
func scripted(t testing.TB, s script) (string, func() int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen int
	open := map[net.Conn]bool{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				head, err := readHead(bufio.NewReader(c))
				if err != nil {
					return
				}
				mu.Lock()
				seen++
				mu.Unlock()
				s(c, head)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return "http://" + l.Addr().String() + "/", func() int {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func readHead(r *bufio.Reader) (string, error) {
	var head string
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return head, err
		}
		head += line
		if line == "\r\n" {
			return head, nil
		}
	}
}

// wantKind fails unless err is an *Error of kind k.
func wantKind(t testing.TB, err error, k Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v (%T), want an *Error of kind %s", err, err, k)
	}
	if e.Kind != k {
		t.Fatalf("kind is %s (%v), want %s", e.Kind, err, k)
	}
	return e
}

// authority is a certificate authority for one test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key, file}
}

// issue makes a certificate for names, valid until notAfter.
func (a *authority) issue(t testing.TB, notAfter time.Time, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: notAfter,
		DNSNames: names, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serveTLS starts a server for names behind a and returns the rule that leads to it.
func serveTLS(t testing.TB, a *authority, h http.HandlerFunc, http2 bool, names ...string) ResolveRule {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = http2
	s.TLS = &tls.Config{Certificates: []tls.Certificate{a.issue(t, time.Now().Add(time.Hour), names...)}}
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	t.Cleanup(s.Close)
	return rule(t, fmt.Sprintf("*:443:%s", s.Listener.Addr()))
}

func rule(t testing.TB, s string) ResolveRule {
	t.Helper()
	r, err := ParseResolve(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answers is a resolver that gives one answer after the other, the last for ever.
type answers struct {
	mu    sync.Mutex
	lists [][]string
	err   error
	asked []string
}

func (a *answers) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, host)
	if a.err != nil {
		return nil, a.err
	}
	list := a.lists[0]
	if len(a.lists) > 1 {
		a.lists = a.lists[1:]
	}
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func (a *answers) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked)
}

// quiet swallows what servers log about peers that misbehave on purpose.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
