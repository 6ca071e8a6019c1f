package main_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience bounds every wait of these tests. It is reached only by a failure.
const patience = 60 * time.Second

// farm is a set of web sites on loopback that remembers what it was asked: all
// names under .test, by TLS on port 443 and in clear on port 80.
type farm struct {
	caFile        string
	secure, plain net.Listener

	mu       sync.Mutex
	sites    http.Handler
	requests []request
	changed  chan struct{} // closed whenever requests changes
}

// request is one request as the servers saw it.
type request struct {
	Host, Method, Target string
	Start, End           time.Time // End is zero while it is being answered
	Status               int       // 0 if the answer never began
	IfNoneMatch          string
	UserAgent            string
}

// newFarm opens the sites and closes them at the end of the test.
func newFarm(t testing.TB, sites http.Handler) *farm {
	t.Helper()
	f := &farm{sites: sites, changed: make(chan struct{})}
	certificate := f.authority(t)
	f.secure, f.plain = listen(t), listen(t)
	serve := func(l net.Listener) *http.Server {
		srv := &http.Server{Handler: f, ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0),
			TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}}
		return srv
	}
	var wg sync.WaitGroup
	secure, plain := serve(f.secure), serve(f.plain)
	wg.Go(func() { _ = secure.ServeTLS(f.secure, "", "") }) // ends with ErrServerClosed
	wg.Go(func() { _ = plain.Serve(f.plain) })
	t.Cleanup(func() {
		secure.Close()
		plain.Close()
		wg.Wait()
	})
	return f
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// authority makes a CA, writes it to a file and lets it certify *.test.
func (f *farm) authority(t testing.TB) tls.Certificate {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	template := func(serial int64, ca bool) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "farm"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
			IsCA: ca, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, DNSNames: []string{"*.test"}}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	ca := template(1, true)
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	must(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	der, err := x509.CreateCertificate(rand.Reader, template(2, false), ca, &key.PublicKey, caKey)
	must(err)
	f.caFile = filepath.Join(t.TempDir(), "ca.pem") // no commas in names of tests: HEED_CA_FILE is a list
	must(os.WriteFile(f.caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// environ is the environment in which heed finds the sites; nothing of it is
// inherited but where programs and temporary files are.
func (f *farm) environ(data string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + data, "TMPDIR=" + os.TempDir(), atOnce,
		"HEED_CONTACT=https://contact.test/bot", "HEED_DATA=" + data, "HEED_CA_FILE=" + f.caFile, "HEED_ALLOW_ADDRESS=127.0.0.1/32", "HEED_DELAY=0s",
		"HEED_RESOLVE=*.test:443:" + f.secure.Addr().String() + ",*.test:80:" + f.plain.Addr().String(),
	}
}

func (f *farm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	f.mu.Lock()
	at := len(f.requests)
	f.requests = append(f.requests, request{Host: host, Method: r.Method, Target: r.RequestURI, Start: time.Now(), IfNoneMatch: r.Header.Get("If-None-Match"),
		UserAgent: r.UserAgent()})
	f.notify()
	sites := f.sites
	f.mu.Unlock()
	answer := &statusWriter{ResponseWriter: w}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.requests[at].End, f.requests[at].Status = time.Now(), answer.status
		f.notify()
	}()
	sites.ServeHTTP(answer, r)
}

// notify wakes whoever waits for requests. The mutex is held.
func (f *farm) notify() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// become replaces the sites.
func (f *farm) become(sites http.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sites = sites
}

// watch returns what was asked so far and a channel that is closed as soon as
// there is more.
func (f *farm) watch() ([]request, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]request(nil), f.requests...), f.changed
}

// log is a copy of what was asked so far.
func (f *farm) log() []request {
	log, _ := f.watch()
	return log
}

// await waits until as many requests as n are such.
func (f *farm) await(t testing.TB, n int, such func(request) bool) {
	t.Helper()
	if found := f.wait(n, such); found < n {
		t.Fatalf("only %d of %d requests came within %s", found, n, patience)
	}
}

// wait is await without an opinion: it returns how many there were in the end.
func (f *farm) wait(n int, such func(request) bool) int {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		log, changed := f.watch()
		found := 0
		for _, r := range log {
			if such(r) {
				found++
			}
		}
		if found >= n {
			return found
		}
		select {
		case <-changed:
		case <-deadline.C:
			return found
		}
	}
}

// count is how often a target of a host was asked for.
func (f *farm) count(host, target string) int {
	n, such := 0, asked(host, target)
	for _, r := range f.log() {
		if such(r) {
			n++
		}
	}
	return n
}

// asked selects the requests for a target of a host; "*" is any.
func asked(host, target string) func(request) bool {
	return func(r request) bool { return r.Host == host && (target == "*" || r.Target == target) }
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// chance is true once.
type chance struct{ taken atomic.Bool }

func (c *chance) take() bool { return c.taken.CompareAndSwap(false, true) }
