package app

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/cmd/heed-registry/admin"
	"heed/cmd/heed-registry/settings"
	"heed/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, change func(*settings.Settings)) *App {
	t.Helper()
	s := settings.Default()
	s.Data, s.PlainHTTP, s.Listen, s.Resolver = filepath.Join(t.TempDir(), "data"), true, "127.0.0.1:0", "127.0.0.1:1"
	if change != nil {
		change(&s)
	}
	a, err := Open(s, Options{Version: "test", Log: slog.New(slog.DiscardHandler), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// serve runs the App until the returned function is called.
func serve(t *testing.T, a *App, cut context.Context) (at Addresses, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	began, done := make(chan Addresses, 1), make(chan error, 1)
	go func() { done <- a.Serve(ctx, cut, func(at Addresses) { began <- at }) }()
	select {
	case at = <-began:
	case err := <-done:
		cancel()
		t.Fatal(err)
	}
	return at, func() error {
		cancel()
		return <-done
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	r, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

func TestServingBeginsAndEnds(t *testing.T) {
	a := open(t, func(s *settings.Settings) { s.AdminListen = "127.0.0.1:0" })
	at, stop := serve(t, a, t.Context())
	for url, want := range map[string]int{
		"http://" + at.Public + "/healthz": 200, "http://" + at.Public + "/": 200, "http://" + at.Public + "/metrics": 404,
		"http://" + at.Admin + "/metrics": 200, "http://" + at.Admin + "/healthz": 200, "http://" + at.Admin + "/v1/publishers": 200,
		"http://" + at.Admin + "/v1/site/shop.example": 404,
	} {
		if status, body := get(t, url); status != want {
			t.Errorf("%s: %d, want %d: %.100s", url, status, want, body)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", at.Public); err == nil {
		t.Errorf("still listens: %v", c.Close())
	}
}

func TestAnAddressThatIsTakenEndsServing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, change := range map[string]func(*settings.Settings){
		"public": func(s *settings.Settings) { s.Listen = l.Addr().String() },
		"admin":  func(s *settings.Settings) { s.AdminListen = l.Addr().String() },
		"folder": func(s *settings.Settings) { s.TLSCert, s.TLSKey, s.PlainHTTP = "none.pem", "none.pem", false },
	} {
		a := open(t, change)
		if err := a.Serve(t.Context(), t.Context(), func(Addresses) { t.Error("began") }); err == nil {
			t.Errorf("%s: served", name)
		}
	}
}

func TestAwayFromLoopbackThereAreMetricsOnly(t *testing.T) {
	a := open(t, nil)
	figures := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })
	for address, want := range map[string]int{"127.0.0.1:9470": 200, "[::1]:9470": 200, "192.0.2.1:9470": 404, "0.0.0.0:9470": 404, "[::]:9470": 404} {
		h := a.operatorAt(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)), a.operator(figures), figures)
		for path, status := range map[string]int{"/metrics": 200, "/v1/publishers": want, "/v1/export": want} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("GET", path, nil)
			r.Host = address
			h.ServeHTTP(w, r)
			if w.Code != status {
				t.Errorf("%s at %s: %d, want %d", path, address, w.Code, status)
			}
		}
	}
}

func TestARegistryBelowAPathAnswersThereAndAtTheRoot(t *testing.T) {
	a := open(t, func(s *settings.Settings) { s.PublicURL = "https://example.org/bc" })
	h, err := a.public()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/bc/": 200, "/": 200, "/bc/about": 200, "/bc/openapi.json": 200, "/openapi.json": 200,
		"/bc/v1/snapshot": 200, "/v1/snapshot": 200, "/bc/.well-known/mcp.json": 200, "/bcd/": 404} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

// One bucket holds for everything that is read (BC-R-908).
func TestBCR908PagesAndToolsArePaidLikeReads(t *testing.T) {
	a := open(t, func(s *settings.Settings) { s.Rate = 7 })
	h, err := a.public()
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{"/", "/about", "/site/none.example", "/openapi.json", "/.well-known/mcp.json", "/mcp", "/v1/snapshot", "/"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if limited := w.Code == http.StatusTooManyRequests; limited != (i == 7) {
			t.Errorf("read %d, %s: %d", i+1, path, w.Code)
		}
	}
}

func TestErrorsOfTheRegistryAreThoseOfTheDoor(t *testing.T) {
	for from, to := range map[error]error{registry.ErrNotFound: admin.ErrNotFound, registry.ErrExists: admin.ErrExists, registry.ErrInvalid: admin.ErrInvalid,
		registry.ErrDamaged: admin.ErrDamaged, registry.ErrLocked: ErrInUse} {
		err := translated(fmt.Errorf("call: %w", from))
		if !errors.Is(err, from) || !errors.Is(err, to) || err.Error() != "call: "+from.Error() {
			t.Errorf("%v became %v", from, err)
		}
	}
	if err := translated(io.EOF); err != io.EOF {
		t.Errorf("another error became %v", err)
	}
	if translated(nil) != nil {
		t.Error("nothing became an error")
	}
}

func TestAFolderWithoutARegistryIsToldAndNotMade(t *testing.T) {
	s := settings.Default()
	s.Data, s.Resolver = filepath.Join(t.TempDir(), "none"), "127.0.0.1"
	if _, err := Open(s, Options{Log: slog.New(slog.DiscardHandler)}); !errors.Is(err, ErrNoRegistry) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(s.Data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

func TestTheStateIsOpenOnce(t *testing.T) {
	a := open(t, nil)
	if _, err := Open(a.settings, Options{Log: slog.New(slog.DiscardHandler)}); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v", err)
	}
}

func TestLinesOfTheServerNameNoPeer(t *testing.T) {
	for line, want := range map[string]string{
		"http: TLS handshake error from 192.0.2.7:51234: EOF":                            "http: TLS handshake error from a reader: EOF",
		"http: TLS handshake error from [2001:db8::7%eth0]:51234: EOF":                   "http: TLS handshake error from a reader: EOF",
		"http: panic serving 192.0.2.7:1: x":                                             "http: panic serving a reader: x",
		"http2: server: error reading preface from client 192.0.2.7:443: timeout":        "http2: server: error reading preface from client a reader: timeout",
		"read tcp 127.0.0.1:8470->192.0.2.7:5: read: connection reset by peer":           "read tcp a reader->a reader: read: connection reset by peer",
		"http: superfluous response.WriteHeader call from heed/registry (x.go:12)":       "http: superfluous response.WriteHeader call from heed/registry (x.go:12)",
		"http: Accept error: accept tcp [::]:8470: too many open files; retrying in 5ms": "http: Accept error: accept tcp a reader: too many open files; retrying in 5ms",
	} {
		var out bytes.Buffer
		serverLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))).Print(line)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q became %q", line, out.String())
		}
	}
}

// pair writes a certificate for a name and its key.
func pair(t *testing.T, certFile, keyFile, name string, at time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "EC PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARenewedCertificateIsServedWithoutARestart(t *testing.T) {
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	pair(t, certFile, keyFile, "old.example", now)
	var out bytes.Buffer
	c, err := newCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	c.clock = func() time.Time { return now }
	name := func() string {
		served, err := c.forHello(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(served.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.DNSNames[0]
	}
	if got := name(); got != "old.example" {
		t.Errorf("serves %s", got)
	}
	pair(t, certFile, keyFile, "new.example", now.Add(time.Second))
	if got := name(); got != "old.example" {
		t.Errorf("the files are looked at with every handshake: %s", got)
	}
	now = now.Add(certificateAge)
	if got := name(); got != "new.example" {
		t.Errorf("serves %s after a renewal", got)
	}
	// Half a renewal, as a tool that writes file by file leaves it for a moment.
	if err := os.WriteFile(keyFile, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	now = now.Add(certificateAge)
	if got := name(); got != "new.example" || !strings.Contains(out.String(), "the former one stays") {
		t.Errorf("serves %s: %s", got, &out)
	}
	pair(t, certFile, keyFile, "newest.example", now.Add(time.Second))
	now = now.Add(certificateAge)
	if got := name(); got != "newest.example" {
		t.Errorf("serves %s after the renewal is whole", got)
	}
}

func TestNoMetricIsLabelledByWhatAStrangerSends(t *testing.T) {
	m, err := newMetrics(func() registry.Stats { return registry.Stats{Cards: 5, Failure: errors.New("x")} })
	if err != nil {
		t.Fatal(err)
	}
	h := m.watch(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
	var askers sync.WaitGroup
	for _, method := range []string{"GET", "POST", "BREW", "X-1", "X-2"} {
		askers.Go(func() { h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "/site/shop.example", nil)) })
	}
	askers.Wait()
	families, err := m.gatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"method", "status", "state", "outcome", "version"} // version is that of Go
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			for _, label := range metric.GetLabel() {
				if !slices.Contains(allowed, label.GetName()) || strings.Contains(label.GetValue(), "shop.example") || strings.HasPrefix(label.GetValue(), "X-") {
					t.Errorf("%s has label %s=%q", f.GetName(), label.GetName(), label.GetValue())
				}
			}
		}
		if f.GetName() == "heed_registry_http_requests_total" && len(f.GetMetric()) != 3 {
			t.Errorf("%d series of requests, want GET, POST and other", len(f.GetMetric()))
		}
		if f.GetName() == "heed_registry_failed" && f.GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Error("a registry that takes no writes looks sound")
		}
	}
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(w.Body.String(), "\nheed_registry_cards 5\n") {
		t.Errorf("metrics: %.200s", w.Body)
	}
}
