package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A registry is killed while a publisher writes. What was acknowledged is there
// afterwards, and the state is sound. HEED_SLOW=1 kills 50 times.
func TestNothingAcknowledgedIsLostByAKill(t *testing.T) {
	kills := 3
	if slow() {
		kills = 50
	}
	w := newWorld(t)
	s := w.serve("--rate", "0", "--write-rate", "0")
	press := s.publisher("pub-7")
	acknowledged := 0
	for round := range kills {
		var next atomic.Int64
		next.Store(int64(acknowledged))
		done := make(chan int)
		go func() { // writes one card after the other until the server is gone
			last := acknowledged
			for n := acknowledged + 1; ; n++ {
				body := fmt.Sprintf(`{"canonical":"https://shop.example","x_number":%d}`, n)
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://registry.test/v1/site/shop.example", strings.NewReader(body))
				if err != nil {
					break
				}
				r.Header.Set("Content-Type", "application/json")
				a, err := press.Do(r)
				if err != nil {
					break
				}
				_ = a.Body.Close() // the status is all there is to know
				if a.StatusCode != 202 {
					break
				}
				last = n
				next.Store(int64(n))
			}
			done <- last
		}()
		waitUntil(t, func() bool { return next.Load() >= int64(acknowledged+5+round%7) })
		s.kill()
		acknowledged = <-done
		if out := w.command(0, "verify"); !strings.HasPrefix(out, "sound: 1 cards") {
			t.Fatalf("after kill %d: %s", round+1, out)
		}
		s.restart("--rate", "0", "--write-rate", "0")
		number, _ := s.read("/v1/site/shop.example").member(t, "x_number").(float64)
		// The write under way at the kill may have been kept, too.
		if int(number) < acknowledged || int(number) > acknowledged+1 {
			t.Fatalf("after kill %d the card is number %v, acknowledged was %d", round+1, number, acknowledged)
		}
		acknowledged = int(number)
	}
}

// restart starts the server again at the same address, so that clients of before
// find it.
func (s *server) restart(args ...string) {
	s.w.t.Helper()
	again := exec.Command("heed-registry", append(append([]string{"serve", "--data", s.w.data(), "--listen", s.address,
		"--public-url", "https://registry.test", "--name", "Test Registry", "--tls-cert", s.w.ca, "--tls-key", filepath.Join(s.w.folder, "key.pem")},
		s.w.proofArgs()...), args...)...)
	s.cmd, s.ended = again, false
	s.log = new(logBuffer)
	again.Stderr = s.log
	if err := again.Start(); err != nil {
		s.w.t.Fatal(err)
	}
	if err := await(s.w.data()); err != nil {
		s.w.t.Fatalf("the server does not come back: %v\n%s", err, s.log)
	}
}

func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.After(startPatienceInTests)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatal("waited in vain")
		case <-tick.C:
		}
	}
}

// A reader comes from an address of its own. It is nowhere afterwards: not in
// the log, not even of debugging, and not in the data folder.
func TestBCR036NothingOfAReaderIsKept(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--log-level", "debug", "--rate", "30/m")
	reader := s.clientFrom("127.0.0.99")
	limited := 0
	for range 100 {
		if a := s.ask(reader, "GET", "/.well-known/botcentral-index.json", ""); a.status == 429 {
			limited++
		}
	}
	if limited != 70 {
		t.Errorf("%d of 100 reads were refused, want 70", limited)
	}
	stranger := s.clientFrom("127.0.0.99")
	stranger.Transport.(*http.Transport).TLSClientConfig.RootCAs = nil // breaks off the handshake, which is logged
	if _, err := stranger.Get("https://registry.test/"); err == nil {
		t.Error("a handshake without trust succeeded")
	}
	if code := s.stop(); code != exitStopped {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(s.log.String(), "127.0.0.99") {
		t.Errorf("the log names the reader:\n%s", s.log)
	}
	if !strings.Contains(s.log.String(), "TLS handshake error from a reader") {
		t.Errorf("the log does not speak of the handshake:\n%s", s.log)
	}
	err := filepath.WalkDir(w.data(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(content), "127.0.0.99") {
			t.Errorf("%s names the reader", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBCR015EveryURLOfTheDiscoveryDocumentLeadsSomewhere(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	index := s.read("/.well-known/botcentral-index.json")
	for _, name := range []string{"search", "docs", "openapi", "schema", "changes", "snapshot", "mcp"} {
		text, _ := index.member(t, name).(string)
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.Host != "registry.test" {
			t.Errorf("%s is %q", name, text)
			continue
		}
		if a := s.read(u.RequestURI()); a.status == 404 || a.status >= 500 {
			t.Errorf("%s answers %d", text, a.status)
		}
	}
}

// The description and the server know the same paths and methods.
func TestTheDescriptionMatchesTheServer(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--rate", "0")
	var d struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(s.read("/openapi.json").body), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Paths) < 18 {
		t.Fatalf("only %d paths", len(d.Paths))
	}
	for path, methods := range d.Paths {
		for method, text := range methods {
			var op struct{ Responses map[string]json.RawMessage }
			if method == "parameters" || json.Unmarshal(text, &op) != nil {
				continue
			}
			a := s.ask(s.client, strings.ToUpper(method), strings.ReplaceAll(path, "{domain}", "none.example"), "")
			if _, described := op.Responses[fmt.Sprint(a.status)]; !described || strings.Contains(a.body, "no-resource") {
				t.Errorf("%s %s answers %d, which is not described: %s", method, path, a.status, a.body)
			}
		}
	}
}

func TestMetricsAndAdministrationAreNeverPublic(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--rate", "0")
	for _, path := range []string{"/metrics", "/v1/publishers", "/v1/status", "/v1/backup", "/v1/export", "/v1/verify", "/debug/pprof/", "/v1/rotate", "/v1/revoke"} {
		for _, method := range []string{"GET", "POST"} {
			if a := s.ask(s.client, method, path, ""); a.status != 404 && a.status != 405 {
				t.Errorf("%s %s answers %d: %.100s", method, path, a.status, a.body)
			}
		}
	}
}

// Many writers and readers at once, and a backup and an export in between: all
// of it fits together.
func TestABackupIsMadeWhileOthersWrite(t *testing.T) {
	w := newWorld(t)
	s := w.serve("--rate", "0", "--write-rate", "0")
	press := s.publisher("pub-7")
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for i := range 10 {
				if a := s.ask(press, "PUT", "/v1/site/shop.example", fmt.Sprintf(`{"canonical":"https://shop.example","x":%d}`, n*100+i)); a.status != 202 {
					t.Errorf("PUT: %+v", a)
				}
			}
		})
	}
	backup := filepath.Join(w.folder, "backup.db")
	w.command(0, "backup", backup)
	out := w.command(0, "export", "-")
	writers.Wait()
	if !strings.Contains(out, `"publisher"`) {
		t.Errorf("export: %s", out)
	}
	if out := w.command(0, "verify"); !strings.HasPrefix(out, "sound") {
		t.Errorf("verify: %s", out)
	}
	info, err := os.Stat(backup)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup: %v, %v", info, err)
	}
}
