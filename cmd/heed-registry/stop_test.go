package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// halfSent opens a connection and sends a token request but for its last octet.
func (s *server) halfSent() *tls.Conn {
	s.w.t.Helper()
	c, err := tls.Dial("tcp", s.address, &tls.Config{RootCAs: s.w.roots, ServerName: "registry.test"})
	if err != nil {
		s.w.t.Fatal(err)
	}
	s.w.t.Cleanup(func() { c.Close() })
	const form = "grant_type=password&client_id=x&client_secret=y"
	if _, err := fmt.Fprintf(c, "POST /oauth/token HTTP/1.1\r\nHost: registry.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		len(form), form[:len(form)-1]); err != nil {
		s.w.t.Fatal(err)
	}
	return c
}

func (s *server) signal(sig syscall.Signal) {
	s.w.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.w.t.Fatal(err)
	}
}

// untilClosed waits until the server takes no connections any more.
func (s *server) untilClosed() {
	s.w.t.Helper()
	waitUntil(s.w.t, func() bool {
		c, err := tls.Dial("tcp", s.address, &tls.Config{RootCAs: s.w.roots, ServerName: "registry.test"})
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

func TestTheFirstSignalLetsAnswersUnderWayEnd(t *testing.T) {
	s := newWorld(t).serve()
	c := s.halfSent()
	// The server has the head of the request once it has answered another one
	// that was sent later.
	s.read("/healthz")
	s.signal(syscall.SIGTERM)
	s.untilClosed()
	if _, err := io.WriteString(c, "y"); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != 401 && a.StatusCode != 400 || !strings.Contains(string(body), "error") {
		t.Errorf("the answer under way: %d %s, %v", a.StatusCode, body, err)
	}
	s.ended = true
	_ = s.cmd.Wait() // the code says it
	if code := s.cmd.ProcessState.ExitCode(); code != exitStopped {
		t.Errorf("exit code %d, want %d: %s", code, exitStopped, s.log)
	}
}

func TestTheSecondSignalCutsThemOff(t *testing.T) {
	s := newWorld(t).serve()
	s.halfSent()
	s.read("/healthz")
	s.signal(syscall.SIGTERM)
	s.untilClosed()
	began := time.Now()
	s.signal(syscall.SIGINT)
	s.ended = true
	_ = s.cmd.Wait() // the code says it
	if code := s.cmd.ProcessState.ExitCode(); code != exitForced || time.Since(began) > 8*time.Second {
		t.Errorf("exit code %d after %v, want %d: %s", code, time.Since(began), exitForced, s.log)
	}
}
