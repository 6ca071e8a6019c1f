package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// status is what these tests read of `status --json`.
type status struct {
	Job      string
	PID      int
	Running  bool
	Paused   bool
	Stopping bool
	Active   int
	Total    struct{ Pages int }
}

// crawling is a farm, and a crawl of it that does not end by itself.
type crawling struct {
	*farm
	data string
	*process
}

const endless = 100_000 // pages of a host: more than any of these tests lets it have

func startCrawl(t *testing.T, data string, args ...string) crawling {
	t.Helper()
	f := newFarm(t, &politeSites{hosts: 3, pages: endless})
	c := crawling{f, data, start(t, f.environ(data), append([]string{"crawl", "h01.test", "h02.test", "--json", "--delay", "20ms"}, args...)...)}
	f.await(t, 2, func(r request) bool { return r.Target == "/" && r.Status == 200 })
	return c
}

func (c crawling) socket() string { return filepath.Join(c.data, "jobs", "default", "control.sock") }

// ask runs another command on the same job.
func (c crawling) ask(t *testing.T, code int, args ...string) *process {
	t.Helper()
	return start(t, c.environ(c.data), args...).expect(t, code)
}

func (c crawling) status(t *testing.T) (s status) {
	t.Helper()
	c.ask(t, 0, "status", "--json").json(t, &s)
	return s
}

// quiet tells whether no request comes for a while.
func (c crawling) quiet(d time.Duration) bool {
	_, changed := c.watch()
	select {
	case <-changed:
		return false
	case <-time.After(d):
		return true
	}
}

func TestControlSocketOfARunningCrawl(t *testing.T) {
	c := startCrawl(t, t.TempDir())
	pid := c.command.Process.Pid
	info, err := os.Stat(c.socket())
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Fatalf("control.sock: %v, %v; only its owner may use it", info.Mode(), err)
	}
	if s := c.status(t); !s.Running || s.Paused || s.Stopping || s.PID != pid || s.Job != "default" {
		t.Errorf("status %+v, want running as %d", s, pid)
	}

	t.Run("explain", func(t *testing.T) {
		var e struct {
			State string
			Now   struct{ Verdict string }
		}
		c.ask(t, 0, "explain", "https://h01.test/", "--json").json(t, &e)
		if e.State != "fetched" && e.State != "leased" || e.Now.Verdict != "allow" {
			t.Errorf("%+v", e)
		}
	})
	t.Run("check", func(t *testing.T) {
		c.ask(t, 0, "check", "https://h02.test/")
		c.ask(t, 20, "check", "https://h02.test/private/1")
		c.ask(t, 2, "check", "not a url")
	})
	t.Run("fetch", func(t *testing.T) {
		if p := c.ask(t, 0, "fetch", "https://h00.test/p/7"); !strings.Contains(p.out.String(), "h00.test 7") {
			t.Errorf("body %q", p.out.String())
		}
		c.ask(t, 20, "fetch", "https://h01.test/private/7")
		c.ask(t, 2, "fetch", "https://")
	})
	t.Run("context", func(t *testing.T) { c.ask(t, 9, "context", "h00.test") })
	t.Run("a second crawl is refused with the pid", func(t *testing.T) {
		p := c.ask(t, 1, "crawl", "h00.test")
		if text := p.err.String(); !strings.Contains(text, "process "+strconv.Itoa(pid)) || !strings.Contains(text, "heed stop") {
			t.Errorf("%q does not say who has the job and what to do", text)
		}
	})
	t.Run("another job in the same folder is not", func(t *testing.T) {
		c.ask(t, 16, "crawl", "h00.test", "--job", "other", "--max-pages", "1")
	})
	t.Run("verify says that it has to wait", func(t *testing.T) {
		if p := c.ask(t, 1, "verify"); !strings.Contains(p.err.String(), strconv.Itoa(pid)) {
			t.Errorf("%q does not say who has the job", p.err.String())
		}
	})
	t.Run("pause and resume", func(t *testing.T) {
		c.ask(t, 0, "pause")
		for c.status(t).Active > 0 {
		}
		if !c.status(t).Paused || !c.quiet(300*time.Millisecond) {
			t.Error("there were requests during a pause")
		}
		before := len(c.log())
		c.ask(t, 0, "resume", "--json")
		c.await(t, before+5, func(request) bool { return true })
	})
	t.Run("stop", func(t *testing.T) {
		c.ask(t, 0, "stop")
		var sum summary
		c.expect(t, 11).json(t, &sum)
		if sum.Exit != 11 || sum.Pages == 0 {
			t.Errorf("summary %+v", sum)
		}
	})
	if _, err := os.Lstat(c.socket()); !os.IsNotExist(err) {
		t.Errorf("control.sock is left behind: %v", err)
	}
	for _, verb := range []string{"pause", "resume", "stop"} {
		if p := c.ask(t, 1, verb); !strings.Contains(p.err.String(), "no crawl of this job is running") {
			t.Errorf("%s after the end: %q", verb, p.err.String())
		}
	}
	if s := c.status(t); s.Running || s.Total.Pages == 0 {
		t.Errorf("status after the end: %+v", s)
	}
}

func TestSocketLeftByAKill(t *testing.T) {
	t.Parallel()
	c := startCrawl(t, t.TempDir())
	c.kill()
	if _, err := os.Lstat(c.socket()); err != nil {
		t.Fatalf("the kill left no socket: %v", err)
	}
	if s := c.status(t); s.Running {
		t.Errorf("%+v", s)
	}
	c.ask(t, 1, "pause")
	c.ask(t, 16, "crawl", "--max-pages", "1", "--delay", "20ms")
	c.ask(t, 0, "verify")
}

func TestDataFolderWithALongPath(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), strings.Repeat("a-long-name/", 20))
	c := startCrawl(t, data)
	if len(c.socket()) < 200 {
		t.Fatal("the path is not long")
	}
	if s := c.status(t); s.PID != c.command.Process.Pid {
		t.Errorf("status %+v does not come from the crawl", s)
	}
	c.ask(t, 0, "stop")
	c.expect(t, 11)
}

func TestCallsToASocketNobodyShouldHaveOpened(t *testing.T) {
	// Something else listens where the socket belongs: it is not believed to be a
	// crawl, and the next crawl takes the place.
	f := newFarm(t, &politeSites{hosts: 1, pages: 2})
	data := t.TempDir()
	start(t, f.environ(data), "crawl", "h00.test").expect(t, 0)
	socket := filepath.Join(data, "jobs", "default", "control.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("the temporary folder's path is too long for a socket:", err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("220 mail.test ready\r\n"))
			conn.Close()
		}
	}()
	start(t, f.environ(data), "status").expect(t, 0)
	start(t, f.environ(data), "crawl").expect(t, 0)
}

func TestSignals(t *testing.T) {
	t.Parallel()
	t.Run("the first lets requests finish and the crawl goes on later", func(t *testing.T) {
		c := startCrawl(t, t.TempDir())
		c.signal(t, syscall.SIGINT)
		var sum summary
		c.expect(t, 11).json(t, &sum)
		if n := len(c.log()); sum.URLsQueued == 0 || sum.Pages == 0 || n == 0 {
			t.Errorf("summary %+v after %d requests", sum, n)
		}
		c.ask(t, 0, "verify")
		before := c.log()
		c.ask(t, 16, "crawl", "--max-pages", "3", "--delay", "20ms")
		checkRepeats(t, c.log(), nil)
		if len(c.log()) <= len(before) {
			t.Error("the second run asked for nothing")
		}
	})
	t.Run("the second cuts them off", func(t *testing.T) {
		f := newFarm(t, siteFiles(filepath.Join("testdata", "hanging")))
		data := t.TempDir()
		p := start(t, f.environ(data), "crawl", "hang.test", "--json")
		f.await(t, 1, asked("hang.test", "/"))
		p.signal(t, syscall.SIGTERM)
		p.err.await(t, "once more to cut them off")
		p.signal(t, syscall.SIGTERM)
		var sum summary
		p.expect(t, 13).json(t, &sum)
		if sum.URLsQueued != 1 {
			t.Errorf("%d URLs are queued, the one that was cut off should be", sum.URLsQueued)
		}
		start(t, f.environ(data), "verify").expect(t, 0)
	})
}
