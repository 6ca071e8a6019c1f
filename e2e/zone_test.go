//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/oauth2/clientcredentials"
)

// A card is proven by a TXT record in a signed zone, behind a real authoritative
// server and a real validating resolver: Debian's knot and unbound.
func TestBCP013ADomainIsProvenInASignedZone(t *testing.T) {
	for _, program := range []string{"knotd", "keymgr", "unbound"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program+" is not installed: apt-get install knot unbound")
		}
	}
	port := strconv.Itoa(freePort(t))
	r := startRegistry(t, "http", "--resolver", "127.0.0.1:"+port)
	account := r.publisher(t, "pub-7")
	oauth := clientcredentials.Config{ClientID: account.ID, ClientSecret: account.Secret, TokenURL: r.base + "/oauth/token"}
	press := oauth.Client(t.Context())
	r.send(t, press, http.MethodPut, "/v1/site/shop.example", `{"canonical":"https://shop.example"}`)
	var issued struct{ Line string }
	if err := json.Unmarshal(r.send(t, press, http.MethodPost, "/v1/site/shop.example/token", ""), &issued); err != nil {
		t.Fatal(err)
	}
	z := newZone(t, issued.Line)
	signed := z.keys()

	// The same zone under another key is bogus, and proves nothing.
	fields := strings.Fields(signed)
	fields[len(fields)-1] = strings.Repeat("0", len(fields[len(fields)-1]))
	end := z.validating("bogus", strings.Join(fields, " "), port)
	if got := r.check(t); got.Found != "pending" || got.State != "unproven" || !strings.Contains(got.Note, "SERVFAIL") {
		t.Errorf("under another key: %+v", got)
	}
	end()

	// Without a key for it the zone is insecure: a proof, not validated.
	end = z.validating("insecure", "", port)
	if got := r.check(t); got.Found != "dns-txt" || got.State != "fresh" || r.dnssec(t) != "unvalidated" {
		t.Errorf("without a key: %+v, %s", got, r.dnssec(t))
	}
	end()

	z.validating("good", signed, port)
	if got := r.check(t); got.Found != "dns-txt" || got.State != "fresh" || r.dnssec(t) != "validated" {
		t.Errorf("signed: %+v, %s", got, r.dnssec(t))
	}
}

// send sends a write, which must be taken, and returns the answer.
func (r *registry) send(t *testing.T, press *http.Client, method, path, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := press.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: status %d, %v\n%s", method, path, resp.StatusCode, err, answer)
	}
	return answer
}

// finding is what check --json prints.
type finding struct{ Found, State, Note string }

// check looks for the proof now; a check that finds none ends with another code.
func (r *registry) check(t *testing.T) (f finding) {
	t.Helper()
	var exit *exec.ExitError
	out, err := exec.CommandContext(t.Context(), registryBinary, "check", "shop.example", "--json", "--data", r.data()).Output()
	if err != nil && !errors.As(err, &exit) || json.Unmarshal(out, &f) != nil {
		t.Fatalf("check: %v\n%s", err, out)
	}
	return f
}

// dnssec is what the served card says about it.
func (r *registry) dnssec(t *testing.T) string {
	t.Helper()
	var card struct {
		Verification struct{ DNSSEC string }
	}
	if err := json.Unmarshal(r.get(t, "/v1/site/shop.example"), &card); err != nil {
		t.Fatal(err)
	}
	return card.Verification.DNSSEC
}

// signedZone is a signed zone in a folder, served by knotd.
type signedZone struct {
	t      *testing.T
	folder string
	port   string
	knot   string // configuration
}

// newZone serves shop.example with this TXT record, in two strings, beside
// another one.
func newZone(t *testing.T, line string) *signedZone {
	t.Helper()
	z := &signedZone{t: t, folder: t.TempDir(), port: strconv.Itoa(freePort(t))}
	if err := os.Mkdir(filepath.Join(z.folder, "db"), 0o700); err != nil {
		t.Fatal(err)
	}
	z.write("shop.zone", "$ORIGIN shop.example.\n$TTL 60\n@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n"+
		fmt.Sprintf("@ TXT \"v=spf1 -all\"\n@ TXT %q %q\n", line[:20], line[20:]))
	z.knot = z.write("knot.conf", fmt.Sprintf(`server:
    rundir: %[1]s
    listen: 127.0.0.1@%[2]s
database:
    storage: %[1]s/db
policy:
  - id: one-key
    algorithm: ecdsap256sha256
    single-type-signing: on
zone:
  - domain: shop.example
    storage: %[1]s
    file: shop.zone
    dnssec-signing: on
    dnssec-policy: one-key
`, z.folder, z.port))
	z.start("knotd", "-c", z.knot)
	asker := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", z.port))
	}}
	z.until("knotd", func() error {
		_, err := asker.LookupTXT(t.Context(), "shop.example.") // not before the zone is signed
		return err
	})
	return z
}

// until waits until a server answers as it should.
func (z *signedZone) until(what string, answers func() error) {
	z.t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := answers()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			z.t.Fatalf("%s does not answer: %v", what, err)
		case <-tick.C:
		}
	}
}

func (z *signedZone) write(name, text string) string {
	z.t.Helper()
	path := filepath.Join(z.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		z.t.Fatal(err)
	}
	return path
}

// start runs a server until end is called, at the latest until the test ends.
func (z *signedZone) start(program string, args ...string) (end func()) {
	z.t.Helper()
	cmd := exec.Command(program, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		z.t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if z.t.Failed() {
			z.t.Logf("%s: %s", program, &out)
		}
	})
	z.t.Cleanup(end)
	return end
}

// keys is the DS record of the zone, with the SHA-256 digest.
func (z *signedZone) keys() string {
	z.t.Helper()
	out, err := exec.CommandContext(z.t.Context(), "keymgr", "-c", z.knot, "shop.example", "ds").CombinedOutput()
	if err != nil {
		z.t.Fatalf("keymgr: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 6 && fields[4] == "2" {
			return strings.TrimSpace(line)
		}
	}
	z.t.Fatalf("no DS record in %s", out)
	return ""
}

// validating starts a resolver at a port that trusts the zone by this record, or
// does not know whether it is signed, and tells how to end it.
func (z *signedZone) validating(name, ds, port string) (end func()) {
	z.t.Helper()
	anchor := `domain-insecure: "shop.example"`
	if ds != "" {
		anchor = fmt.Sprintf("trust-anchor: %q", ds)
	}
	end = z.start("unbound", "-d", "-c", z.write(name+".conf", fmt.Sprintf(`server:
    interface: 127.0.0.1
    port: %s
    do-daemonize: no
    chroot: ""
    username: ""
    directory: %q
    pidfile: ""
    use-syslog: no
    do-not-query-localhost: no
    module-config: "validator iterator"
    %s
    local-zone: "example." nodefault
remote-control:
    control-enable: no
stub-zone:
    name: "shop.example"
    stub-addr: 127.0.0.1@%s
`, port, z.folder, anchor, z.port)))
	z.until("unbound", func() error {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			err = conn.Close()
		}
		return err
	})
	return end
}
