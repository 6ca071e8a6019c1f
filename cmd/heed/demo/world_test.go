package demo

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started is a running world and a client that trusts its authority, follows
// its Resolve rules and nothing else.
func started(t *testing.T) (*World, *http.Client) {
	t.Helper()
	w, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := clientOf(t, w)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, client
}

func clientOf(t *testing.T, w *World) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(w.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("CA file holds no certificate")
	}
	rules := w.Resolve()
	return &http.Client{
		Transport: &http.Transport{
			TLSClientConfig:    &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
			DisableCompression: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				target, ok := lookUp(rules, address)
				if !ok {
					return nil, errors.New("no rule for " + address)
				}
				return new(net.Dialer).DialContext(ctx, network, target)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// lookUp applies rules of the form HOST:PORT:ADDR:PORT, the first that fits.
func lookUp(rules []string, address string) (string, bool) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", false
	}
	for _, rule := range rules {
		f := strings.SplitN(rule, ":", 3)
		if len(f) == 3 && glob(f[0], name) && f[1] == port {
			return f[2], true
		}
	}
	return "", false
}

// fetch reads one URL whole.
func fetch(t *testing.T, client *http.Client, url string, fields ...field) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		req.Header.Set(f.name, f.value)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestWorldStartsAndStopsClean(t *testing.T) {
	w, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ca := w.CAFile()
	if _, err := os.Stat(ca); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ca); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("CA file after Close: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	goleak.VerifyNone(t)
}

func TestStartThatFailsLeavesNothingBehind(t *testing.T) {
	t.Run("no folder for the CA file", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir()+"/absent")
		if _, err := Start(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("the context has ended", func(t *testing.T) {
		folder := t.TempDir()
		t.Setenv("TMPDIR", folder)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Start(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	goleak.VerifyNone(t)
}

func TestSitesAreNamedAfterWhatTheyShow(t *testing.T) {
	sites := Sites()
	if len(sites) < 80 {
		t.Errorf("%d sites", len(sites))
	}
	seen := map[string]bool{}
	for _, s := range sites {
		if seen[s.Name] {
			t.Errorf("%s twice", s.Name)
		}
		seen[s.Name] = true
		label, ok := strings.CutSuffix(s.Name, "."+Domain)
		if s.card != nil {
			ok = strings.HasSuffix(s.Name, ".test") && !strings.HasSuffix(s.Name, Domain)
			label = ""
		}
		if !ok || strings.Contains(label, ".") {
			t.Errorf("%s is not directly under %s, so the certificate does not cover it", s.Name, Domain)
		}
		if s.Asks == "" || len(s.Expect) == 0 || len(s.Seeds()) == 0 {
			t.Errorf("%s is incomplete", s.Name)
		}
		if len(s.Asks) > 70 {
			t.Errorf("%s asks too long for a table: %q", s.Name, s.Asks)
		}
	}
}

func TestEverySeedLeadsToAPageThatSaysWhatTheSiteAsks(t *testing.T) {
	w, client := started(t)
	asks := map[string]Site{}
	for _, s := range Sites() {
		asks[s.Name] = s
	}
	for _, seed := range w.Seeds() {
		t.Run(seed, func(t *testing.T) {
			name := strings.TrimSuffix(seed[strings.Index(seed, "//")+2:], "/")
			site := asks[name]
			if site.cert != validCertificate {
				t.Skip("not to be reached; see the certificate test")
			}
			resp, body := fetch(t, client, "https://"+name+"/")
			if resp.Header.Get("Content-Encoding") == deflateRaw.label() { // comes unasked
				decoded, err := io.ReadAll(reader(t, deflateRaw, strings.NewReader(body)))
				if err != nil {
					t.Fatal(err)
				}
				body = string(decoded)
			}
			if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Fatalf("status %d, type %q", resp.StatusCode, resp.Header.Get("Content-Type"))
			}
			if !strings.Contains(body, "This site asks: ") || strings.Count(body, "<li>") < 3 {
				t.Errorf("home page without its sentence or links:\n%s", body)
			}
			if len(w.Log().Where(Filter{Host: name, Status: 200})) != 1 {
				t.Errorf("log: %+v", w.Log().Where(Filter{Host: name}))
			}
		})
	}
}

func TestCertificatesAreRefusedForTheReasonTheyAreThereFor(t *testing.T) {
	w, client := started(t)
	for name, is := range map[string]func(error) bool{
		"tls-expired": func(err error) bool {
			var e x509.CertificateInvalidError
			return errors.As(err, &e) && e.Reason == x509.Expired
		},
		"tls-wrong-name": func(err error) bool {
			var e x509.HostnameError
			return errors.As(err, &e)
		},
		"tls-unknown-authority": func(err error) bool {
			var e x509.UnknownAuthorityError
			return errors.As(err, &e)
		},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := client.Get("https://" + host(name) + "/")
			if err == nil {
				resp.Body.Close()
			}
			if !is(err) {
				t.Errorf("error = %v", err)
			}
		})
	}
	if log := w.Log(); len(log) != 0 {
		t.Errorf("requests came through: %+v", log)
	}
}

func TestGoodCertificatesOutlastAClockSetAheadByAMonth(t *testing.T) {
	w, _ := started(t)
	client := clientOf(t, w)
	defer client.CloseIdleConnections()
	transport, ok := client.Transport.(*http.Transport)
	if !ok {
		t.Fatalf("transport is %T", client.Transport)
	}
	transport.TLSClientConfig.Time = func() time.Time { return time.Now().Add(30 * 24 * time.Hour) }
	if resp, _ := fetch(t, client, "https://"+host("robots-allow")+"/"); resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestPrivateAddressLiesOutsideTheOpenedRange(t *testing.T) {
	w, client := started(t)
	target, ok := lookUp(w.Resolve(), privateHost+":443")
	if !ok || strings.HasPrefix(target, "127.0.0.1:") {
		t.Fatalf("target = %q", target)
	}
	if w.forbidden == nil {
		t.Skip("this machine has no second loopback address")
	}
	// Were a crawler to connect, it would be answered, and the log would tell.
	fetch(t, client, "https://"+privateHost+"/status")
	if w.Log().Count(privateHost, "/status") != 1 {
		t.Error("the request is not in the log")
	}
}

func TestNamesOutsideTheWorldAreMisdirected(t *testing.T) {
	w := furnish()
	s := &sink{}
	p := player{t: t, world: w, host: "elsewhere.test"}
	w.ServeHTTP(s, p.request("elsewhere.test", "/"))
	if s.status != http.StatusMisdirectedRequest {
		t.Errorf("status %d", s.status)
	}
}

// The cards are read the way heed reads them.
func TestTheRegistryServesTheCardsInTheirStates(t *testing.T) {
	_, client := started(t)
	for domain, want := range map[string]string{
		"card-fresh.test": `"dns-txt"`, "card-stale.test": `"stale"`, "card-unverified.test": `"unverified"`, "card-pending.test": `"pending"`, "card-above.test": `"dns-txt"`,
	} {
		resp, body := fetch(t, client, "https://"+registryHost+"/v1/site/"+domain)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"method":`+want) {
			t.Errorf("%s: status %d, no %s in %s", domain, resp.StatusCode, want, body)
		}
	}
	_, body := fetch(t, client, "https://"+registryHost+"/.well-known/botcentral-index.json")
	cards := 0
	for _, s := range Sites() {
		if s.card != nil {
			cards++
		}
	}
	if got := strings.Count(body, `"domain":`); got != cards-1 || strings.Contains(body, "card-pending") {
		t.Errorf("%d of %d cards are listed:\n%s", got, cards, body)
	}
}

func TestAnythingUnknownIs404(t *testing.T) {
	w := furnish()
	p := player{t: t, world: w, host: host("robots-allow")}
	p.ask(p.host, "/favicon.ico", "404", false)
}

func TestADripEndsWhenTheClientLeavesAndWhenTheWorldCloses(t *testing.T) {
	w, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := clientOf(t, w)
	open := func(ctx context.Context) *http.Response {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host("slow-drip")+"/harm", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	ctx, leave := context.WithCancel(t.Context())
	abandoned, stayed := open(ctx), open(t.Context())
	leave()
	abandoned.Body.Close()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(stayed.Body); err == nil {
		t.Error("the drip ended as if it were whole")
	}
	stayed.Body.Close()
	client.CloseIdleConnections()
	for _, r := range w.Log() {
		if r.End.IsZero() {
			t.Errorf("still running after Close: %+v", r)
		}
	}
	goleak.VerifyNone(t)
}

func TestAClosedWorldServesNothing(t *testing.T) {
	w := furnish()
	w.record.close()
	p := player{t: t, world: w, host: host("robots-allow")}
	p.ask(p.host, "/", "0", false)
	if len(w.Log()) != 0 {
		t.Error("recorded after Close")
	}
}

func TestAdvanceChangesWhatItSays(t *testing.T) {
	w, client := started(t)
	for _, tt := range []struct {
		name, site, path string
		before, after    string // in the body; "" for a status that is not 200
	}{
		{"a page is edited", "page-edited", "/round", "Sixty rolls", "six rolls"},
		{"a page is gone", "gone-page", "/second", "frogs", ""},
		{"robots.txt forbids more", "robots-changes", "/robots.txt", "Allow: /\n", "Disallow: /members/"},
		{"a site is down", "goes-503", "/", "four hives", ""},
		{"an index is new", "context-updated", "/guide.md", "whole text", "[Winter]"},
		{"everything else stays", "robots-allow", "/fog", "horn", "horn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.record.mu.Lock()
			w.record.half = 1
			w.record.mu.Unlock()
			url := "https://" + host(tt.site) + tt.path
			if _, body := fetch(t, client, url); !strings.Contains(body, tt.before) {
				t.Errorf("first half: no %q in\n%s", tt.before, body)
			}
			w.Advance()
			resp, body := fetch(t, client, url)
			if (resp.StatusCode == http.StatusOK) != (tt.after != "") || !strings.Contains(body, tt.after) {
				t.Errorf("second half: status %d, no %q in\n%s", resp.StatusCode, tt.after, body)
			}
		})
	}
}

func BenchmarkServeHTTP(b *testing.B) {
	w := furnish()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://"+host("robots-allow")+"/fog", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		w.ServeHTTP(&sink{}, r)
	}
}
