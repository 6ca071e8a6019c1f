package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/config"
	"heed/crawler"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is one server that is every host under .test, in clear.
type site struct {
	server *httptest.Server
	pages  map[string]string // by host and path; robots.txt among them

	mu    sync.Mutex
	asked []string
}

func newSite(t *testing.T, pages map[string]string) *site {
	t.Helper()
	s := &site{pages: pages}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Host+r.RequestURI)
	s.mu.Unlock()
	body, ok := s.pages[r.Host+r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if code, field, special := strings.Cut(body, "!"); special && len(code) == 3 { // "503!Retry-After: 60"
		status, err := strconv.Atoi(code)
		if err != nil {
			status = http.StatusTeapot // a mistake in the test
		}
		if name, value, ok := strings.Cut(field, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("ETag", `"1"`)
	if r.Header.Get("If-None-Match") == `"1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprint(w, body)
}

func (s *site) count(target string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, a := range s.asked {
		if a == target {
			n++
		}
	}
	return n
}

// settings are those of a job that crawls the site without waiting.
func (s *site) settings(t *testing.T) config.Config {
	t.Helper()
	c := config.Default()
	c.Data, c.Contact = t.TempDir(), "https://contact.test/bot"
	c.Resolve, c.AllowAddress = []string{"*.test:80:" + s.server.Listener.Addr().String()}, []string{"127.0.0.1/32"}
	c.Delay, c.MinFree, c.Context, c.Retries = 0, 0, "off", 0
	return c
}

func options() Options { return Options{Version: "1.2.3", Log: slog.New(slog.DiscardHandler)} }

func open(t *testing.T, c config.Config, o Options) *App {
	t.Helper()
	a, err := Open(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// crawl opens the job, runs it once and closes it.
func crawl(t *testing.T, c config.Config, o Options, urls ...string) Summary {
	t.Helper()
	a := open(t, c, o)
	sum, err := a.Crawl(t.Context(), seedsOf(t, urls...), false)
	if err != nil {
		t.Errorf("crawl: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	return sum
}

func seedsOf(t *testing.T, urls ...string) []crawler.Seed {
	t.Helper()
	var list []crawler.Seed
	for _, u := range urls {
		s, err := ParseSeed(u)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// shop is a host with a page of every ending.
func shop() map[string]string {
	return map[string]string{
		"shop.test/robots.txt": "User-agent: *\nDisallow: /private/\n",
		"shop.test/":           `<!doctype html><a href=/a>a</a> <a href=/b>b</a> <a href=/private/c>c</a> <a href=/missing>m</a> <a href=/broken>x</a>`,
		"shop.test/a":          "<!doctype html>a",
		"shop.test/b":          "<!doctype html>b",
		"shop.test/broken":     "500!",
		"shop.test/busy":       "429!Retry-After: 3600",
	}
}

// clock can be set.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) jump(d time.Duration) { c.ahead.Add(int64(d)) }

func TestCloseUndoesOpenNewestFirst(t *testing.T) {
	a := open(t, newSite(t, nil).settings(t), options())
	var opened, closed []string
	for i := range a.undo {
		s := &a.undo[i]
		opened = append(opened, s.name)
		do := s.do
		s.do = func() error { closed = append(closed, s.name); return do() }
	}
	if got, want := fmt.Sprint(opened), "[fetch state archive ledger settlements pace]"; got != want {
		t.Errorf("opened %s, want %s", got, want)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(closed), "[pace settlements ledger archive state fetch]"; got != want {
		t.Errorf("closed %s, want %s", got, want)
	}
	if err := a.Close(); err != nil || len(closed) != len(opened) {
		t.Errorf("a second Close: %v, %v", err, closed)
	}
}

func TestOpenThatFailsLeavesNothingOpen(t *testing.T) {
	c := newSite(t, nil).settings(t)
	for name, spoil := range map[string]func(*config.Config){
		"purpose":   func(c *config.Config) { c.Purpose = []string{"sell"} },
		"job":       func(c *config.Config) { c.Job = "../out" },
		"CA file":   func(c *config.Config) { c.CAFile = []string{"nowhere.pem"} },
		"rule":      func(c *config.Config) { c.Rules = []config.Rule{{Host: "a b", Deny: true}} },
		"mechanism": func(c *config.Config) { c.Mechanisms = []string{"telepathy"} },
	} {
		bad := c
		spoil(&bad)
		if a, err := Open(t.Context(), bad, options()); err == nil {
			t.Errorf("%s: opened", name)
			a.Close()
		}
	}
	open(t, c, options()).Close() // fails with ErrInUse if something still has the state
}

func TestAJobIsOpenOnce(t *testing.T) {
	c := newSite(t, nil).settings(t)
	a := open(t, c, options())
	defer a.Close()
	if b, err := Open(t.Context(), c, options()); err == nil {
		b.Close()
		t.Fatal("opened twice")
	}
	if pid := PID(c); pid != 0 {
		t.Errorf("pid %d, but nobody crawls", pid)
	}
}

func TestPassesOfAJob(t *testing.T) {
	s := newSite(t, shop())
	c := s.settings(t)
	if Exists(c) {
		t.Error("the job exists before it was opened")
	}
	first := crawl(t, c, options(), "http://shop.test/")
	if first.Exit != ExitDone || first.Pass != 1 || first.Pages != 3 || first.Refused != 1 || first.Gone != 1 || first.Failed != 1 {
		t.Errorf("first pass %+v", first)
	}
	if !Exists(c) {
		t.Error("the job does not exist")
	}
	second := crawl(t, c, options())
	if second.Pass != 2 || second.Pages != 0 || second.NotModified != 3 || second.Total.Pages != 3 {
		t.Errorf("second pass %+v", second)
	}
	if n := s.count("shop.test/private/c"); n != 0 {
		t.Errorf("a forbidden page was asked for %d times", n)
	}
}

func TestAStopBeforeTheRunCounts(t *testing.T) {
	s := newSite(t, shop())
	c := s.settings(t)
	a := open(t, c, options())
	if err := a.Stop(t.Context()); err != nil { // as by a signal while seeds are stored
		t.Fatal(err)
	}
	sum, err := a.Crawl(t.Context(), seedsOf(t, "http://shop.test/"), false)
	if err != nil || sum.Exit != ExitStopped || sum.URLsQueued != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if n := s.count("shop.test/"); n != 0 {
		t.Errorf("%d requests after the stop", n)
	}
	if sum := crawl(t, c, options()); sum.Exit != ExitDone || sum.Pages != 3 {
		t.Errorf("the run after it: %+v", sum)
	}
}

func TestACutBeforeTheRunCounts(t *testing.T) {
	a := open(t, newSite(t, shop()).settings(t), options())
	defer a.Close()
	ctx, cut := context.WithCancel(t.Context())
	cut()
	if sum, err := a.Crawl(ctx, seedsOf(t, "http://shop.test/"), false); err != nil || sum.Exit != ExitForced {
		t.Errorf("exit %d, %v, want %d", sum.Exit, err, ExitForced)
	}
}

func TestAClockThatJumpsBack(t *testing.T) {
	// Nothing is asked early, even if that is by a clock that was wrong before; the
	// run says so and ends, and goes on when the clock is right again.
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("between two runs and killed %v", killed), func(t *testing.T) {
			s := newSite(t, shop())
			c := s.settings(t)
			k := &clock{}
			var said bytes.Buffer
			o := Options{Version: "1.2.3", Log: slog.New(slog.NewTextHandler(&said, nil)), Clock: k.now}
			crawl(t, c, o, "http://shop.test/")
			if killed {
				unclean(t, c)
			}
			asked := len(s.asked)
			if strings.Contains(said.String(), "clock") {
				t.Errorf("a word about the clock when nothing is wrong: %s", said.String())
			}
			k.jump(-48 * time.Hour)
			if sum := crawl(t, c, o); sum.Exit != ExitUndecided || len(s.asked) != asked {
				t.Errorf("after the jump: exit %d, %d requests", sum.Exit, len(s.asked)-asked)
			}
			if !strings.Contains(said.String(), "the clock is behind the last run") {
				t.Errorf("no word about the clock: %s", said.String())
			}
			k.jump(48 * time.Hour)
			if sum := crawl(t, c, o); sum.Exit != ExitDone || sum.NotModified != 3 {
				t.Errorf("with the clock right again: %+v", sum)
			}
			verifySound(t, c)
		})
	}
}

// A clock that is set while a job runs: hosts may have to wait for it, pages may
// come due; the run ends all the same, and with the clock right again the job does.
func TestAClockThatJumpsDuringARun(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, -24 * time.Hour, 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			k := &clock{}
			var once atomic.Bool
			s := newSite(t, shop())
			s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/a" && once.CompareAndSwap(false, true) {
					k.jump(jump)
				}
				s.ServeHTTP(w, r)
			})
			c := s.settings(t)
			c.Delay = config.Duration(10 * time.Millisecond)
			o := options()
			o.Clock = k.now
			sum := crawl(t, c, o, "http://shop.test/")
			if sum.Exit != ExitDone && sum.Exit != ExitUndecided || !once.Load() {
				t.Errorf("with a jump in it: %+v", sum)
			}
			verifySound(t, c)
			k.jump(-jump)
			if sum.Exit == ExitUndecided {
				sum = crawl(t, c, o)
			}
			if sum.Exit == ExitUndecided || sum.URLsQueued != 0 || sum.Total.Pages != 3 {
				t.Errorf("with the clock right again: %+v", sum)
			}
		})
	}
}

// unclean leaves the job as a kill does: its lock is free, its state says that
// it is open.
func unclean(t *testing.T, c config.Config) {
	t.Helper()
	a := open(t, c, options())
	f := a.folder
	copied := t.TempDir()
	copyTree(t, string(f), copied)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	copyTree(t, copied, string(f))
}
