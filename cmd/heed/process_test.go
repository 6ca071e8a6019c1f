package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// atOnce keeps the race detector from waiting a second at the end of every
// process; a race found by then is reported all the same (exit 66).
const atOnce = "GORACE=atexit_sleep_ms=0"

// process is one run of the binary.
type process struct {
	command  *exec.Cmd
	out, err output
	ended    chan struct{}
}

// start runs heed in an environment. Whatever is left at the end of the test is
// killed.
func start(t testing.TB, environ []string, args ...string) *process {
	t.Helper()
	p := &process{command: exec.Command(heed, args...), ended: make(chan struct{})}
	p.command.Env = environ
	p.out.changed, p.err.changed = make(chan struct{}), make(chan struct{})
	p.command.Stdout, p.command.Stderr = &p.out, &p.err
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // the exit code is read from ProcessState
	}()
	t.Cleanup(p.kill)
	return p
}

// kill is kill -9, and waits for the end. A second one does nothing.
func (p *process) kill() {
	_ = p.command.Process.Kill() // may have ended by itself
	<-p.ended
}

func (p *process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wait waits for the end and returns the exit code.
func (p *process) wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(patience):
		p.command.Process.Signal(syscall.SIGQUIT)
		<-p.ended
		t.Fatalf("%q did not end within %s:\n%s", p.command.Args[1:], patience, p.err.String())
		return -1
	}
}

// expect waits for the end and checks the exit code.
func (p *process) expect(t testing.TB, code int) *process {
	t.Helper()
	if got := p.wait(t); got != code {
		t.Fatalf("%q: exit %d, want %d\nstdout: %s\nstderr: %s", p.command.Args[1:], got, code, p.out.String(), p.err.String())
	}
	return p
}

// json reads standard output as one JSON object.
func (p *process) json(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.out.String()), v); err != nil {
		t.Fatalf("%q: standard output is not one JSON object: %v\n%s", p.command.Args[1:], err, p.out.String())
	}
}

// summary is what these tests read of `crawl --json`.
type summary struct {
	Exit         int
	Pages        int
	NotModified  int `json:"not_modified"`
	Refused      int
	Failed       int
	Pass         int
	URLsQueued   int `json:"urls_queued"`
	BytesDecoded int `json:"bytes_decoded"`
	Total        struct{ Pages, Failed, Refused int }
}

// output collects a stream and lets others wait for a text in it.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until the text was written.
func (o *output) await(t testing.TB, text string) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		o.mu.Lock()
		found, changed := strings.Contains(o.text.String(), text), o.changed
		o.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			t.Fatalf("%q was not written within %s: %s", text, patience, o.String())
		}
	}
}

// slow tells whether the tests run at full length (make slow).
func slow() bool { return os.Getenv("HEED_SLOW") != "" }
