package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// world is what surrounds a registry under test: an authority, the owner's site
// and DNS, and the folder of the registry.
type world struct {
	t      *testing.T
	folder string
	ca     string // PEM file
	roots  *x509.CertPool
	site   *httptest.Server
	dns    string // address

	mu       sync.Mutex
	files    map[string]http.HandlerFunc // of the site, by path
	records  []string                    // TXT of shop.example
	rcode    int                         // of DNS
	asked    []string                    // of the site
	validate bool                        // the resolver says that it has validated
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, folder: t.TempDir(), files: make(map[string]http.HandlerFunc)}
	certificate := w.authority("shop.example", "www.shop.example", "registry.test")
	w.site = httptest.NewUnstartedServer(http.HandlerFunc(w.serveSite))
	w.site.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	w.site.StartTLS()
	t.Cleanup(w.site.Close)
	w.serveDNS()
	return w
}

// authority makes a certificate for some names, trusted through w.ca.
func (w *world) authority(names ...string) tls.Certificate {
	w.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: names, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		w.t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		w.t.Fatal(err)
	}
	w.ca = w.write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	w.write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}))
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		w.t.Fatal(err)
	}
	w.roots = x509.NewCertPool()
	w.roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (w *world) write(name string, text []byte) string {
	w.t.Helper()
	path := filepath.Join(w.folder, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) serveSite(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked = append(w.asked, r.Host+r.URL.Path)
	h := w.files[r.URL.Path]
	w.mu.Unlock()
	if h == nil {
		http.NotFound(rw, r)
		return
	}
	h(rw, r)
}

func (w *world) serveDNS() {
	w.t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.dns = packets.LocalAddr().String()
	started, done := make(chan struct{}), make(chan error, 1)
	s := &dns.Server{PacketConn: packets, NotifyStartedFunc: func() { close(started) }, Handler: dns.HandlerFunc(w.answerDNS)}
	go func() { done <- s.ActivateAndServe() }()
	<-started
	w.t.Cleanup(func() {
		if err := errors.Join(s.Shutdown(), <-done); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) answerDNS(rw dns.ResponseWriter, q *dns.Msg) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := new(dns.Msg).SetReply(q)
	m.Rcode, m.AuthenticatedData = w.rcode, w.validate
	if q.Question[0].Qtype == dns.TypeTXT && strings.EqualFold(q.Question[0].Name, "shop.example.") {
		for _, text := range w.records {
			m.Answer = append(m.Answer, &dns.TXT{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: 1}, Txt: []string{text}})
		}
	}
	_ = rw.WriteMsg(m) // the asker may have gone
}

// change alters the world under its lock.
func (w *world) change(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// plainText serves a file as plain text.
func plainText(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, body) // the asker may have gone
	}
}

// data is the folder of the registry.
func (w *world) data() string { return filepath.Join(w.folder, "data") }

// command runs the command to its end and returns what it printed.
func (w *world) command(code int, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "heed-registry", append(args, "--data", w.data())...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, &out, &errs)
	}
	return out.String()
}

// proofArgs let proof checks find the world.
func (w *world) proofArgs() []string {
	return []string{"--resolver", w.dns, "--resolve", "*:443:" + w.site.Listener.Addr().String(), "--allow-address", "127.0.0.0/8", "--ca-file", w.ca}
}

// server is a running registry.
type server struct {
	w       *world
	cmd     *exec.Cmd
	address string
	client  *http.Client // that trusts it and finds it under its name
	log     *logBuffer
	ended   bool
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// serve starts the registry at https://registry.test and waits until it
// answers.
func (w *world) serve(args ...string) *server {
	w.t.Helper()
	port, err := freePort()
	if err != nil {
		w.t.Fatal(err)
	}
	s := &server{w: w, address: "127.0.0.1:" + port, log: new(logBuffer)}
	all := []string{"serve", "--data", w.data(), "--listen", s.address, "--public-url", "https://registry.test", "--name", "Test Registry",
		"--tls-cert", w.ca, "--tls-key", filepath.Join(w.folder, "key.pem")}
	s.cmd = exec.Command("heed-registry", append(append(all, w.proofArgs()...), args...)...)
	s.cmd.Stderr = s.log
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.kill() })
	if err := await(w.data()); err != nil {
		s.kill()
		w.t.Fatalf("the server does not answer: %v\n%s", err, s.log)
	}
	s.client = s.clientFrom("")
	return s
}

// clientFrom makes a client that comes from an address of loopback.
func (s *server) clientFrom(local string) *http.Client {
	dialer := &net.Dialer{}
	if local != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(local)}
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.w.roots}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, s.address)
		}}
	s.w.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (s *server) kill() {
	if !s.ended {
		s.ended = true
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()
	}
}

// stop tells the server to stop and returns its exit code.
func (s *server) stop() int {
	s.w.t.Helper()
	s.ended = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.w.t.Fatal(err)
	}
	_ = s.cmd.Wait() // the code says it
	return s.cmd.ProcessState.ExitCode()
}

// answer is an answer that has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// member reads a member of a JSON object by its path.
func (a answer) member(t *testing.T, path ...string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// ask sends a request with an optional bearer token and fields NAME: VALUE.
func (s *server) ask(client *http.Client, method, path, body string, fields ...string) answer {
	s.w.t.Helper()
	r, err := http.NewRequestWithContext(s.w.t.Context(), method, "https://registry.test"+path, strings.NewReader(body))
	if err != nil {
		s.w.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Set(name, value)
	}
	got, err := client.Do(r)
	if err != nil {
		s.w.t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		s.w.t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, string(text)}
}

// read sends an anonymous GET.
func (s *server) read(path string) answer {
	s.w.t.Helper()
	return s.ask(s.client, http.MethodGet, path, "")
}
