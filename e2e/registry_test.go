//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const registryBinary = "../bin/heed-registry"

// registry is a running bin/heed-registry at localhost, with an authority of its
// own.
type registry struct {
	folder, base, authority string
	client                  *http.Client
}

// startRegistry starts the server, with TLS if the scheme is https, and stops it
// when the test ends.
func startRegistry(t *testing.T, scheme string, args ...string) *registry {
	t.Helper()
	pair := newKeyPair(t, []string{"localhost"})
	port := freePort(t)
	r := &registry{folder: t.TempDir(), base: fmt.Sprintf("%s://localhost:%d", scheme, port)}
	r.authority = filepath.Join(r.folder, "authority.pem")
	cert, key := filepath.Join(r.folder, "cert.pem"), filepath.Join(r.folder, "key.pem")
	write(t, r.authority, pair.authority)
	write(t, cert, pair.cert)
	write(t, key, pair.key)
	transport := &http.Transport{TLSClientConfig: pair.client(t, "localhost")}
	t.Cleanup(transport.CloseIdleConnections)
	r.client = &http.Client{Transport: transport}

	door := []string{"--tls-cert", cert, "--tls-key", key}
	if scheme == "http" {
		door = []string{"--plain-http"}
	}
	var log bytes.Buffer
	cmd := exec.Command(registryBinary, slices.Concat([]string{"serve", "--data", r.data(), "--listen", fmt.Sprintf("localhost:%d", port),
		"--public-url", r.base, "--rate", "0"}, door, args)...)
	cmd.Stderr = &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("the registry ended before the test: %v", err)
		}
		<-ended
		if t.Failed() {
			t.Logf("registry: %s", tail(log.Bytes()))
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if resp, err := r.client.Get(r.base + "/healthz"); err == nil {
			resp.Body.Close()
			return r
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the registry does not answer at %s", r.base)
		case <-tick.C:
		}
	}
}

func (r *registry) data() string { return filepath.Join(r.folder, "data") }

// command runs the command beside the server and returns what it printed.
func (r *registry) command(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), registryBinary, append(args, "--data", r.data())...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("heed-registry %s: %v\n%s%s", strings.Join(args, " "), err, out, tail(stderr.Bytes()))
	}
	return out
}

// credentials are what publisher add prints.
type credentials struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

func (r *registry) publisher(t *testing.T, id string) (c credentials) {
	t.Helper()
	if err := json.Unmarshal(r.command(t, "publisher", "add", id, "--domains", "*", "--json"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// get reads a resource of the registry.
func (r *registry) get(t *testing.T, path string) []byte {
	t.Helper()
	resp, err := r.client.Get(r.base + path)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d, %v\n%s", path, resp.StatusCode, err, body)
	}
	return body
}

// npm gives the folder of npm packages; the test needs these of them, and a
// Node.js of its own, because the one of the system may be too old for them.
func npm(t *testing.T, names ...string) (folder, node string) {
	t.Helper()
	folder, err := filepath.Abs(readerFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "node") {
		if _, err := os.Stat(filepath.Join(folder, "node_modules", name)); err != nil {
			missing(t, name+" is not installed: see npm in .ci/run")
		}
	}
	return folder, filepath.Join(folder, "node_modules", ".bin", "node")
}

// run runs a program of Node.js to its end, in a folder of its own and trusting
// the authority of the registry. It gives what the program printed, both streams
// in their order.
func (r *registry) run(t *testing.T, node string, args ...string) (string, error) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), node, args...)
	cmd.Dir = home
	// Nothing but loopback is asked: no telemetry, no look for a newer version.
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, "NODE_EXTRA_CA_CERTS=" + r.authority,
		"REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
