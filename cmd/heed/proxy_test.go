package main_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// testProxy tunnels to the sites of a farm, whatever public address it is asked for.
type testProxy struct {
	*httptest.Server
	mu    sync.Mutex
	lines []string
	wg    sync.WaitGroup
}

func newTestProxy(t *testing.T, f *farm, login string) *testProxy {
	p := &testProxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.lines = append(p.lines, r.Method+" "+r.RequestURI)
		p.mu.Unlock()
		if user, password, ok := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); !ok || user+":"+password != login {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		back, err := net.Dial("tcp", f.secure.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		front, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(front, "HTTP/1.1 200 OK\r\n\r\n")
		for _, pair := range [][2]net.Conn{{front, back}, {back, front}} {
			p.wg.Go(func() {
				_, _ = io.Copy(pair[0], pair[1])
				pair[0].Close()
			})
		}
	}))
	t.Cleanup(func() {
		p.Close()
		p.wg.Wait()
	})
	return p
}

// TestAProxyCarriesEverythingAndItsLoginIsNowhere crawls sites at a public address
// that only the proxy can reach, and then looks for the password in all that is left.
func TestAProxyCarriesEverythingAndItsLoginIsNowhere(t *testing.T) {
	t.Parallel()
	const login, secret = "pat:s3cret-w0rd", "s3cret-w0rd"
	f := newFarm(t, &politeSites{hosts: 1, pages: 3})
	p := newTestProxy(t, f, login)
	data := t.TempDir()
	environ := func(login string) []string {
		return append(f.environ(data), "HEED_ALLOW_ADDRESS=", "HEED_RESOLVE=*.test:443:93.184.216.34", "HEED_DELAY=1s", "HEED_CONTEXT=off",
			"HEED_PROXY=http://"+login+"@"+strings.TrimPrefix(p.URL, "http://"))
	}
	wrong := start(t, environ("pat:"+secret+"-wrong"), "fetch", "https://h00.test/", "--patience", "1s")
	if code := wrong.wait(t); code == 0 || strings.Contains(wrong.err.String(), secret) {
		t.Errorf("exit %d: %s", code, wrong.err.String())
	}
	var sum summary
	crawl := start(t, environ(login), "crawl", "https://h00.test/", "--json", "--max-pages", "2", "--log-level", "debug", "--job", "second")
	crawl.expect(t, 16).json(t, &sum)
	if sum.Pages != 2 || f.count("h00.test", "/robots.txt") != 1 {
		t.Errorf("summary %+v", sum)
	}
	for _, line := range p.lines {
		if line != "CONNECT 93.184.216.34:443" {
			t.Errorf("the proxy was asked for %q", line)
		}
	}
	printed := start(t, environ(login), "config", "print").expect(t, 0)
	for what, text := range map[string]string{"the log": crawl.err.String(), "the summary": crawl.out.String(), "config print": printed.out.String()} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows the password", what)
		}
	}
	files := 0
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(strings.TrimSuffix(path, ".open"), ".gz") {
			var r *gzip.Reader
			if r, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
				text, err = io.ReadAll(r)
			}
		}
		if err == nil && (bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte("cGF0OnMzY3JldC13MHJk"))) {
			t.Errorf("%s holds the password", path)
		}
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("%d files, %v", files, err)
	}
}
