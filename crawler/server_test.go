package crawler_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
	"math/big"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// seen is one request as it arrived. net/http's own server refuses some of the
// request targets that a crawler has to send octet for octet, so these tests
// read the wire themselves.
type seen struct {
	at     time.Time // of arrival, by the clock of the world
	done   time.Time // when the answer was written
	origin string
	host   string
	method string
	target string
	header textproto.MIMEHeader
	flight int // requests of the same host under way, this one included
}

func (s seen) url() string { return s.origin + s.target }

// reply answers one request on its connection and tells whether the connection
// may be used again.
type reply func(c net.Conn, r *seen) (keep bool)

// server answers for every host of a world, on one TLS and one plain port.
type server struct {
	clock  func() time.Time
	tls    net.Listener
	plain  net.Listener
	certs  map[string]*tls.Certificate // by server name; "" for all others
	broken map[string]error            // server names whose handshake fails

	mu      sync.Mutex
	routes  map[string]reply
	log     []*seen
	flights map[string]int
	conns   map[net.Conn]bool
	closed  bool
	wg      sync.WaitGroup
}

func newServer(t testing.TB, clock func() time.Time, a *authority) *server {
	t.Helper()
	s := &server{clock: clock, routes: map[string]reply{}, flights: map[string]int{}, conns: map[net.Conn]bool{},
		certs: map[string]*tls.Certificate{}, broken: map[string]error{}}
	s.certs[""] = a.issue(t, time.Now().AddDate(20, 0, 0), "*.test", "*.example", "*.shop.example", "*.shop.test")
	var err error
	if s.plain, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if s.tls, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.broken[hello.ServerName]; err != nil {
			return nil, err
		}
		if c := s.certs[hello.ServerName]; c != nil {
			return c, nil
		}
		return s.certs[""], nil
	}}
	s.wg.Go(func() { s.accept(s.plain, "http") })
	s.wg.Go(func() { s.accept(tls.NewListener(s.tls, config), "https") })
	t.Cleanup(s.close)
	return s
}

func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	s.plain.Close()
	s.tls.Close()
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *server) accept(l net.Listener, scheme string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			c.Close()
			return
		}
		s.conns[c] = true
		s.wg.Go(func() {
			defer func() {
				c.Close()
				s.mu.Lock()
				delete(s.conns, c)
				s.mu.Unlock()
			}()
			s.converse(c, scheme)
		})
		s.mu.Unlock()
	}
}

// converse reads one request after the other until a reply ends the connection.
func (s *server) converse(c net.Conn, scheme string) {
	in := bufio.NewReader(c)
	for {
		r, ok := s.read(in, scheme)
		if !ok {
			return
		}
		answer := s.begin(r)
		keep := answer(c, r)
		s.end(r)
		if !keep {
			return
		}
	}
}

func (s *server) read(in *bufio.Reader, scheme string) (*seen, bool) {
	head := textproto.NewReader(in)
	line, err := head.ReadLine()
	if err != nil {
		return nil, false
	}
	method, rest, _ := strings.Cut(line, " ")
	target, _, _ := strings.Cut(rest, " ")
	h, err := head.ReadMIMEHeader()
	if err != nil {
		return nil, false
	}
	if n, _ := strconv.Atoi(h.Get("Content-Length")); n > 0 {
		if _, err := io.CopyN(io.Discard, in, int64(n)); err != nil {
			return nil, false
		}
	}
	host, _, _ := strings.Cut(h.Get("Host"), ":")
	return &seen{origin: scheme + "://" + h.Get("Host"), host: host, method: method, target: target, header: h}, true
}

// begin logs a request and finds its reply: that of the URL, of the origin, or
// 404.
func (s *server) begin(r *seen) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.at = s.clock()
	s.flights[r.host]++
	r.flight = s.flights[r.host]
	s.log = append(s.log, r)
	for _, key := range []string{r.url(), r.origin + " *"} {
		if answer := s.routes[key]; answer != nil {
			return answer
		}
	}
	return status(404)
}

func (s *server) end(r *seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.done = s.clock()
	s.flights[r.host]--
}

// requests returns the log so far, without the requests for robots.txt unless
// they are asked for.
func (s *server) requests(withRobots bool) []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []seen
	for _, r := range s.log {
		if withRobots || r.target != "/robots.txt" {
			out = append(out, *r)
		}
	}
	return out
}

func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// answer is a whole response with the length of its body.
func answer(code int, body string, fields ...string) reply {
	return func(c net.Conn, r *seen) bool {
		var b bytes.Buffer
		fmt.Fprintf(&b, "HTTP/1.1 %d X\r\nDate: %s\r\n", code, r.at.UTC().Format(http.TimeFormat))
		for _, f := range fields {
			b.WriteString(f + "\r\n")
		}
		bodyless := code == 204 || code == 304 || code < 200
		if !bodyless {
			fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
		}
		b.WriteString("\r\n")
		if !bodyless && r.method != http.MethodHead {
			b.WriteString(body)
		}
		_, err := c.Write(b.Bytes())
		return err == nil
	}
}

func status(code int, fields ...string) reply { return answer(code, "", fields...) }

func redirect(code int, location string) reply { return status(code, "Location: "+location) }

func html(body string, fields ...string) reply {
	return answer(200, "<!doctype html><title>page</title>"+body, append([]string{"Content-Type: text/html; charset=utf-8"}, fields...)...)
}

// links is a page with one link to each target.
func links(targets ...string) reply {
	var b strings.Builder
	for _, target := range targets {
		fmt.Fprintf(&b, "<a href=%q>x</a>\n", target)
	}
	return html(b.String())
}

func text(body string, fields ...string) reply {
	return answer(200, body, append([]string{"Content-Type: text/plain; charset=utf-8"}, fields...)...)
}

func markdown(body string, fields ...string) reply {
	return answer(200, body, append([]string{"Content-Type: text/markdown; charset=utf-8"}, fields...)...)
}

// tagged answers 304 to whoever holds the tag, else as otherwise does.
func tagged(tag string, otherwise reply, fields ...string) reply {
	return func(c net.Conn, r *seen) bool {
		if r.header.Get("If-None-Match") == tag {
			return status(304, append([]string{"Etag: " + tag}, fields...)...)(c, r)
		}
		return otherwise(c, r)
	}
}

// turns answers each time with the next of its replies, the last for ever.
func turns(replies ...reply) reply {
	var mu sync.Mutex
	return func(c net.Conn, r *seen) bool {
		mu.Lock()
		next := replies[0]
		if len(replies) > 1 {
			replies = replies[1:]
		}
		mu.Unlock()
		return next(c, r)
	}
}

// octets sends s as it is and ends the connection.
func octets(s string) reply {
	return func(c net.Conn, _ *seen) bool {
		_, _ = io.WriteString(c, s) // the peer may be gone already
		return false
	}
}

// hold sends s and keeps the connection until the peer gives up.
func hold(s string) reply {
	return func(c net.Conn, _ *seen) bool {
		if _, err := io.WriteString(c, s); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
		return false
	}
}

// endless sends first and then s until the peer hangs up.
func endless(first, s string) reply {
	return func(c net.Conn, _ *seen) bool {
		if _, err := io.WriteString(c, first); err != nil {
			return false
		}
		for {
			if _, err := io.WriteString(c, s); err != nil {
				return false
			}
		}
	}
}

// reset sends s and resets the connection.
func reset(s string) reply {
	return func(c net.Conn, _ *seen) bool {
		if _, err := io.WriteString(c, s); err != nil {
			return false
		}
		if t, ok := c.(*tls.Conn); ok {
			c = t.NetConn()
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
		return false
	}
}

func gzipped(t testing.TB, body []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// authority is a certificate authority of one test.
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
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(20, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
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

func (a *authority) issue(t testing.TB, notAfter time.Time, names ...string) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: notAfter,
		DNSNames: names, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// errHandshake is why a server name fails its handshake.
var errHandshake = errors.New("no certificate for this name")
