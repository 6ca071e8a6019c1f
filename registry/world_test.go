package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testBase = "https://registry.test"
	shop     = "shop.example"
)

// startOfWorld is when every test begins.
var startOfWorld = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// world is a registry with a clock and a prover that do what a test says.
type world struct {
	*Server
	t      *testing.T
	folder string
	prover *fakeProver

	mu  sync.Mutex
	now time.Time
}

// fakeProver finds what a test has planted.
type fakeProver struct {
	mu       sync.Mutex
	findings map[string]Finding  // by domain; Method Pending with no note: look at planted
	planted  map[string][]string // tokens at the well-known URI of a domain
	asked    []ProofQuestion
	before   func() // called before a finding is given, may be nil
}

func (p *fakeProver) Prove(ctx context.Context, q ProofQuestion) Finding {
	if p.before != nil {
		p.before()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
	if f, ok := p.findings[q.Domain]; ok {
		return f
	}
	for i, token := range q.Tokens {
		for _, there := range p.planted[q.Domain] {
			if token == there {
				return Finding{Method: WellKnownFile, Token: i, Crawl: CrawlFine, Note: "line found in the file"}
			}
		}
	}
	return Finding{Method: Unverified, Crawl: CrawlFine, Note: "token absent"}
}

func (p *fakeProver) find(domain string, f Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.findings[domain] = f
}

func (p *fakeProver) plant(domain string, tokens ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.findings, domain)
	p.planted[domain] = tokens
}

func (p *fakeProver) questions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// newWorld opens a registry in a folder of its own.
func newWorld(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, folder: t.TempDir(), now: startOfWorld,
		prover: &fakeProver{findings: map[string]Finding{}, planted: map[string][]string{}}}
	w.open(change...)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

func (w *world) open(change ...func(*Options)) {
	w.t.Helper()
	o := Options{Path: w.folder, PublicURL: testBase, Name: "Test Registry", Clock: w.clock, Prover: w.prover,
		Draw: func() float64 { return 0 }}
	for _, c := range change {
		c(&o)
	}
	s, err := Open(o)
	if err != nil {
		w.t.Fatalf("open: %v", err)
	}
	w.Server = s
}

// reopen closes the registry and opens it again.
func (w *world) reopen(change ...func(*Options)) {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatalf("close: %v", err)
	}
	w.open(change...)
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(a.body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("answer %d is no JSON object: %v: %.200s", a.status, err, a.body)
	}
	return v
}

// code is the code of a problem document, which says what RFC 9457 wants said.
func (a answer) code(t *testing.T) string {
	t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("a refusal has the type %q", got)
	}
	said := a.json(t)
	code, _ := said["code"].(string)
	detail, _ := said["detail"].(string)
	if said["type"] != testBase+"/docs#"+code || said["title"] != http.StatusText(a.status) || fmt.Sprint(said["status"]) != fmt.Sprint(a.status) || detail == "" {
		t.Errorf("problem %s of an answer %d", a.body, a.status)
	}
	return code
}

// send sends a request; fields are name and value in turn.
func (w *world) send(method, path, body string, fields ...string) answer {
	w.t.Helper()
	r := httptest.NewRequest(method, testBase+path, strings.NewReader(body))
	r.RemoteAddr = "203.0.113.9:4711"
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "remote" {
			r.RemoteAddr = fields[i+1]
			continue
		}
		r.Header.Add(fields[i], fields[i+1])
	}
	rec := httptest.NewRecorder()
	w.Handler().ServeHTTP(rec, r)
	res := rec.Result()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

func (w *world) get(path string, fields ...string) answer {
	w.t.Helper()
	return w.send(http.MethodGet, path, "", fields...)
}

// expect reads a path that must answer 200.
func (w *world) expect(path string) map[string]any {
	w.t.Helper()
	a := w.get(path)
	if a.status != http.StatusOK {
		w.t.Fatalf("GET %s answers %d: %s", path, a.status, a.body)
	}
	return a.json(w.t)
}

// account is a publisher of a test.
type account struct {
	w     *world
	id    string
	creds Credentials
	token string
}

// publisher adds an account and obtains a token for it.
func (w *world) publisher(id string, domains ...string) *account {
	w.t.Helper()
	creds, err := w.Admin().AddPublisher(w.t.Context(), id, "", domains)
	if err != nil {
		w.t.Fatal(err)
	}
	p := &account{w: w, id: id, creds: creds}
	p.login()
	return p
}

func (p *account) login() {
	p.w.t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {p.creds.ClientID}, "client_secret": {p.creds.ClientSecret}}
	a := p.w.send("POST", "/oauth/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	if a.status != http.StatusOK {
		p.w.t.Fatalf("token request answers %d: %s", a.status, a.body)
	}
	p.token, _ = a.json(p.w.t)["access_token"].(string)
}

func (p *account) send(method, path, body string, fields ...string) answer {
	p.w.t.Helper()
	return p.w.send(method, path, body, append(fields, "Authorization", "Bearer "+p.token, "Content-Type", "application/json")...)
}

func (p *account) put(domain, body string, fields ...string) answer {
	p.w.t.Helper()
	return p.send("PUT", "/v1/site/"+domain, body, fields...)
}

// write puts a card that must be accepted.
func (p *account) write(domain, body string) map[string]any {
	p.w.t.Helper()
	a := p.put(domain, body)
	if a.status != http.StatusOK && a.status != http.StatusAccepted {
		p.w.t.Fatalf("PUT %s answers %d: %s", domain, a.status, a.body)
	}
	return a.json(p.w.t)
}

// issue gets the verification token for a domain.
func (p *account) issue(domain string) string {
	p.w.t.Helper()
	a := p.send("POST", "/v1/site/"+domain+"/token", "")
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		p.w.t.Fatalf("token of %s: %d %s", domain, a.status, a.body)
	}
	token, _ := a.json(p.w.t)["token"].(string)
	return token
}

// check asks for a check that must be carried out.
func (p *account) check(domain string) map[string]any {
	p.w.t.Helper()
	a := p.send("POST", "/v1/site/"+domain+"/check", "")
	if a.status != http.StatusOK {
		p.w.t.Fatalf("check of %s: %d %s", domain, a.status, a.body)
	}
	return a.json(p.w.t)
}

// prove writes a card and has it proven.
func (p *account) prove(domain, body string) {
	p.w.t.Helper()
	p.write(domain, body)
	p.w.prover.plant(domain, p.issue(domain))
	if got := p.check(domain); got["state"] != "fresh" {
		p.w.t.Fatalf("check of %s gives %v", domain, got)
	}
}

func minimal(domain string) string { return fmt.Sprintf(`{"canonical":"https://%s"}`, domain) }

// full is a card with every member of the draft.
func full(domain string) string {
	return strings.ReplaceAll(`{"domain":"D","canonical":"https://D/","name":"Sample Shop","summary":"Invented shop.",
		"topics":["garden","tools"],"allow_bots":true,"allow":["SampleBot"],"deny":["RudeBot"],
		"pointers":{"robots":"https://D/robots.txt","sitemap":"https://D/sitemap.xml","llms":"https://D/llms.txt"},
		"pages":[{"url":"https://D/","rel":"home"},{"url":"https://www.D/help","rel":"help"},{"url":"https://D/x","rel":"page"}],
		"consent":{"retrieve":true,"train":true,"act":true,"cite":true,"tdm":"open"},
		"crawl":{"revalidate_hours":168},"language":"en","capabilities":["search"]}`, "D", domain)
}

func verification(c map[string]any) map[string]any {
	v, _ := c["verification"].(map[string]any)
	return v
}

func consent(c map[string]any) map[string]any {
	v, _ := c["consent"].(map[string]any)
	return v
}

func (w *world) card(domain string) map[string]any {
	w.t.Helper()
	return w.expect("/v1/site/" + domain)
}
