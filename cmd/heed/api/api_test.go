package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/politeness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// door records calls and answers with what it was given.
type door struct {
	calls  []string
	err    error
	hang   chan struct{} // if not nil, Fetch closes it and waits for the end of its context
	status api.Status
	answer api.FetchAnswer
}

func (d *door) call(format string, args ...any) error {
	d.calls = append(d.calls, fmt.Sprintf(format, args...))
	return d.err
}

func (d *door) Status(context.Context) (api.Status, error) { return d.status, d.call("status") }

func (d *door) Hosts(_ context.Context, q crawler.HostQuery) (api.HostsAnswer, error) {
	return api.HostsAnswer{Job: "j", HostList: crawler.HostList{More: q.Limit}}, d.call("hosts %d %s", q.Limit, q.Sort)
}

func (d *door) Check(_ context.Context, r api.CheckRequest) (politeness.Decision, error) {
	return politeness.Decision{ID: "01J", URL: r.URL, Method: r.Method}, d.call("check %s %s %v", r.URL, r.Method, r.Purpose)
}

func (d *door) Fetch(ctx context.Context, r api.FetchRequest) (api.FetchAnswer, error) {
	if d.hang != nil {
		close(d.hang)
		<-ctx.Done()
		return api.FetchAnswer{}, ctx.Err()
	}
	return d.answer, d.call("fetch %s %v %s", r.URL, r.Purpose, r.Patience)
}

func (d *door) Explain(_ context.Context, url string) (crawler.Explanation, error) {
	return crawler.Explanation{URL: url, State: "fetched", History: []crawler.Past{{URL: url, Sequence: 7}}}, d.call("explain %s", url)
}

func (d *door) Context(_ context.Context, r api.ContextRequest) (crawler.ContextResult, error) {
	result := crawler.ContextResult{}
	result.Origin, result.State = r.Origin, "none"
	return result, d.call("context %s %v %s", r.Origin, r.Home, r.Patience)
}

func (d *door) Card(_ context.Context, r api.CardRequest) (api.CardAnswer, error) {
	return api.CardAnswer{Domain: r.Domain}, d.call("card %s %v", r.Domain, r.Verify)
}

func (d *door) AddSeeds(_ context.Context, r api.SeedsRequest) (api.SeedsAnswer, error) {
	return api.SeedsAnswer{Given: len(r.Seeds)}, d.call("seeds")
}

func (d *door) Pause(context.Context) error  { return d.call("pause") }
func (d *door) Resume(context.Context) error { return d.call("resume") }
func (d *door) Stop(context.Context) error   { return d.call("stop") }

// open serves d on a socket and knocks at it.
func open(t *testing.T, d api.Door) (*api.Client, string) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "control.sock")
	server, err := api.Listen(socket, d)
	if err != nil {
		t.Fatal(err)
	}
	client, err := api.Dial(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return client, socket
}

func TestEveryCallArrivesAndIsAnswered(t *testing.T) {
	d := &door{status: api.Status{Job: "j", PID: 42, Version: "1.2.3", Pass: 3}}
	d.status.Running, d.status.URLsKnown = true, 9
	d.answer = api.FetchAnswer{FinalURL: "https://shop.test/b", Status: 200, Body: []byte("\x00\xff body"), Later: true, Envelope: &crawler.Envelope{Trust: "untrusted"}}
	c, _ := open(t, d)
	d.calls = nil // Dial asks for the status
	ctx := t.Context()
	check := func(got any, err error, want any) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	s, err := c.Status(ctx)
	check(s, err, d.status)
	hosts, err := c.Hosts(ctx, crawler.HostQuery{Limit: 3, Sort: "name"})
	check(hosts, err, api.HostsAnswer{Job: "j", HostList: crawler.HostList{More: 3}})
	decision, err := c.Check(ctx, api.CheckRequest{URL: "https://shop.test/a", Method: "HEAD", Purpose: []string{"index", "train"}})
	if err != nil || decision.ID != "01J" || decision.URL != "https://shop.test/a" || decision.Method != "HEAD" {
		t.Errorf("got %+v, %v", decision, err)
	}
	f, err := c.Fetch(ctx, api.FetchRequest{URL: "https://shop.test/a", Purpose: []string{"answer"}, Patience: 1500 * time.Millisecond})
	if err != nil || string(f.Body) != "\x00\xff body" || f.Status != 200 || !f.Later || f.Envelope == nil || f.Envelope.Trust != "untrusted" {
		t.Errorf("got %+v, %v", f, err)
	}
	e, err := c.Explain(ctx, "https://shop.test/ü?a=1&b=<>")
	if err != nil || e.State != "fetched" || len(e.History) != 1 || e.History[0].Sequence != 7 {
		t.Errorf("got %+v, %v", e, err)
	}
	r, err := c.Context(ctx, api.ContextRequest{Origin: "https://shop.test", Home: true, Patience: time.Minute})
	if err != nil || r.Origin != "https://shop.test" || r.State != "none" {
		t.Errorf("got %+v, %v", r, err)
	}
	seeds, err := c.AddSeeds(ctx, api.SeedsRequest{Seeds: []crawler.Seed{{URL: "https://shop.test/", Score: -1}}})
	check(seeds, err, api.SeedsAnswer{Given: 1})
	for _, command := range []func(context.Context) error{c.Pause, c.Resume, c.Stop} {
		if err := command(ctx); err != nil {
			t.Error(err)
		}
	}
	want := []string{"status", "hosts 3 name", "check https://shop.test/a HEAD [index train]", "fetch https://shop.test/a [answer] 1.5s",
		"explain https://shop.test/ü?a=1&b=<>", "context https://shop.test true 1m0s", "seeds", "pause", "resume", "stop"}
	if !reflect.DeepEqual(d.calls, want) {
		t.Errorf("calls %q, want %q", d.calls, want)
	}
}

func TestAFailedCallSaysWhy(t *testing.T) {
	d := &door{}
	c, _ := open(t, d)
	d.err = errors.New("the disk is on fire")
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"status":  func() error { _, err := c.Status(ctx); return err },
		"hosts":   func() error { _, err := c.Hosts(ctx, crawler.HostQuery{}); return err },
		"check":   func() error { _, err := c.Check(ctx, api.CheckRequest{}); return err },
		"fetch":   func() error { _, err := c.Fetch(ctx, api.FetchRequest{}); return err },
		"explain": func() error { _, err := c.Explain(ctx, ""); return err },
		"context": func() error { _, err := c.Context(ctx, api.ContextRequest{}); return err },
		"seeds":   func() error { _, err := c.AddSeeds(ctx, api.SeedsRequest{}); return err },
		"pause":   func() error { return c.Pause(ctx) },
		"resume":  func() error { return c.Resume(ctx) },
		"stop":    func() error { return c.Stop(ctx) },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "the disk is on fire") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	d := &door{}
	h := api.NewHandler(d)
	for _, row := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"no JSON", "POST", "/v1/check", "url=https://shop.test/", 400},
		{"nothing", "POST", "/v1/check", "", 400},
		{"JSON of another kind", "POST", "/v1/explain", `{"url":"https://shop.test/"}`, 400},
		{"a member of the wrong kind", "POST", "/v1/fetch", `{"patience":"soon"}`, 400},
		{"a megabyte and more", "POST", "/v1/explain", `"` + strings.Repeat("a", 1<<20) + `"`, 413},
		{"another method", "GET", "/v1/stop", "", 405},
		{"a question as a command", "POST", "/v1/status", "", 405},
		{"another version", "GET", "/v2/status", "", 404},
		{"another path", "GET", "/", "", 404},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(row.method, row.path, strings.NewReader(row.body)))
			if w.Code != row.status {
				t.Errorf("status %d, want %d: %s", w.Code, row.status, w.Body)
			}
			var p api.Problem
			if row.status != 404 && row.status != 405 {
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != row.status || p.Title == "" || p.Detail == "" {
					t.Errorf("not a problem document: %s", w.Body)
				}
				if kind := w.Header().Get("Content-Type"); kind != "application/problem+json" {
					t.Errorf("Content-Type %q", kind)
				}
			}
			if len(d.calls) > 0 {
				t.Errorf("the job was called: %q", d.calls)
			}
		})
	}
}

func TestOnlyTheOwnerMayUseTheSocket(t *testing.T) {
	_, socket := open(t, &door{})
	info, err := os.Stat(socket)
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale.sock")
	server, err := api.Listen(stale, &door{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(stale, stale+".kept"); err != nil { // as a crash would leave it
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, socket := range []string{stale, stale + ".kept", filepath.Join(dir, "file"), filepath.Join(dir, "none"), filepath.Join(dir, strings.Repeat("x", 120), "none")} {
		if _, err := api.Dial(t.Context(), socket); !errors.Is(err, api.ErrNobody) {
			t.Errorf("%s: %v, want ErrNobody", filepath.Base(socket), err)
		}
	}
	t.Run("and the place can be taken", func(t *testing.T) {
		server, err := api.Listen(stale+".kept", &door{status: api.Status{PID: 7}})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		c, err := api.Dial(t.Context(), stale+".kept")
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	})
}

func TestLongPaths(t *testing.T) {
	for _, length := range []int{1, 100, 200} { // of one folder in the path
		dir := filepath.Join(t.TempDir(), strings.Repeat("d", length), strings.Repeat("e", length))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		socket := filepath.Join(dir, "control.sock")
		server, err := api.Listen(socket, &door{status: api.Status{PID: length}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := api.Dial(t.Context(), socket)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := c.Status(t.Context()); err != nil || s.PID != length {
			t.Errorf("path of %d octets: %+v, %v", len(socket), s, err)
		}
		c.Close()
		if err := server.Close(); err != nil {
			t.Errorf("path of %d octets: %v", len(socket), err)
		}
		if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("path of %d octets: the socket is left behind: %v", len(socket), err)
		}
	}
	if _, err := api.Listen(filepath.Join(t.TempDir(), strings.Repeat("x", 120), "none"), &door{}); err == nil {
		t.Error("listening in a folder that is not there went well")
	}
}

func TestCloseEndsCallsUnderWayAndGivesTheirAnswers(t *testing.T) {
	d := &door{hang: make(chan struct{})}
	socket := filepath.Join(t.TempDir(), "control.sock")
	server, err := api.Listen(socket, d)
	if err != nil {
		t.Fatal(err)
	}
	c, err := api.Dial(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answered := make(chan error, 1)
	go func() {
		_, err := c.Fetch(t.Context(), api.FetchRequest{URL: "https://shop.test/"})
		answered <- err
	}()
	<-d.hang
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-answered; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("the call got %v, want the answer of a call that was ended", err)
	}
}

// stopper closes its server while it is being called, as the end of a crawl does.
type stopper struct {
	door
	stop chan struct{}
}

func (s *stopper) Stop(context.Context) error {
	close(s.stop)
	return nil
}

func TestTheCallThatStopsACrawlIsAnswered(t *testing.T) {
	for range 200 {
		d := &stopper{stop: make(chan struct{})}
		socket := filepath.Join(t.TempDir(), "s")
		server, err := api.Listen(socket, d)
		if err != nil {
			t.Fatal(err)
		}
		c, err := api.Dial(t.Context(), socket)
		if err != nil {
			t.Fatal(err)
		}
		closed := make(chan error, 1)
		go func() {
			<-d.stop
			closed <- server.Close()
		}()
		if err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}

func TestAnAnswerThatIsNoJSON(t *testing.T) {
	for body, status := range map[string]int{"hello": 200, "<html>bad gateway</html>": 502, "": 200} {
		socket := filepath.Join(t.TempDir(), "s")
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		server.Listener.Close()
		server.Listener = unixListener(t, socket)
		server.Start()
		if _, err := api.Dial(t.Context(), socket); !errors.Is(err, api.ErrNobody) {
			t.Errorf("%q: %v", body, err)
		}
		server.Close()
	}
}

func unixListener(t *testing.T, path string) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// FuzzRequest sends any body to every call: the answer is the door's or a problem
// document, never a crash.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{`"https://shop.test/"`, `{"url":"https://shop.test/","purpose":["index"]}`, `{"patience":1e9}`, `[`, `null`, "\xff", `{"url":{}}`} {
		f.Add(seed)
	}
	h := api.NewHandler(&door{})
	f.Fuzz(func(t *testing.T, body string) {
		for _, call := range []string{"check", "fetch", "explain", "context", "pause"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/"+call, strings.NewReader(body)))
			switch w.Code {
			case 200, 204:
			case 400, 413:
				var p api.Problem
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != w.Code {
					t.Errorf("%s: %d with %q", call, w.Code, w.Body)
				}
			default:
				t.Errorf("%s: %d", call, w.Code)
			}
		}
	})
}
