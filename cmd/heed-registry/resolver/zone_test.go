package resolver_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/cmd/heed-registry/resolver"
	"heed/registry/proof"
)

// A signed zone behind a real authoritative server, asked through a real
// validating resolver: Debian's knot and unbound. HEED_SLOW=1 runs it where both
// are installed.
func TestBCP013ASignedZoneIsValidatedByARealResolver(t *testing.T) {
	if os.Getenv("HEED_SLOW") == "" {
		t.Skip("set HEED_SLOW=1")
	}
	for _, program := range []string{"knotd", "keymgr", "unbound"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs knot and unbound: %v", err)
		}
	}
	z := newZone(t)
	signed := z.keys()

	good := z.validating("good", signed)
	got, err := askUntil(t, good)
	want := []string{"v=spf1 -all", "botcentral-verify=T"}
	slices.Sort(got.Records)
	slices.Sort(want)
	if err != nil || !got.Validated || !slices.Equal(got.Records, want) {
		t.Errorf("validated: %+v, %v", got, err)
	}

	// The same zone under another key is bogus, and says nothing.
	fields := strings.Fields(signed)
	fields[len(fields)-1] = strings.Repeat("0", len(fields[len(fields)-1]))
	bogus := z.validating("bogus", strings.Join(fields, " "))
	if got, err := askUntil(t, bogus); !errors.Is(err, resolver.ErrServer) || got.Records != nil {
		t.Errorf("bogus: %+v, %v", got, err)
	}

	// Without a key for it the zone is insecure: an answer, not validated.
	insecure := z.validating("insecure", "")
	if got, err := askUntil(t, insecure); err != nil || got.Validated || len(got.Records) != 2 {
		t.Errorf("insecure: %+v, %v", got, err)
	}
}

// askUntil asks until the resolver is up; an answer of it, even a refusal, ends
// the wait.
func askUntil(t *testing.T, address string) (proof.Text, error) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		got, err := ask(t, address)
		if !errors.Is(err, resolver.ErrUnreachable) && !errors.Is(err, resolver.ErrTimeout) {
			return got, err
		}
		select {
		case <-deadline:
			return got, err
		case <-tick.C:
		}
	}
}

// signedZone is a signed zone in a folder, served by knotd.
type signedZone struct {
	t      *testing.T
	folder string
	port   string
	knot   string // configuration
}

func newZone(t *testing.T) *signedZone {
	t.Helper()
	z := &signedZone{t: t, folder: t.TempDir(), port: freePort(t)}
	if err := os.Mkdir(filepath.Join(z.folder, "db"), 0o700); err != nil {
		t.Fatal(err)
	}
	z.write("shop.zone", "$ORIGIN shop.example.\n$TTL 60\n@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n"+
		"@ TXT \"v=spf1 -all\"\n@ TXT \"botcentral-verify=\" \"T\"\n")
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
	if _, err := askUntil(t, "127.0.0.1:"+z.port); err != nil && !errors.Is(err, resolver.ErrServer) {
		t.Fatal(err)
	}
	return z
}

func (z *signedZone) write(name, text string) string {
	z.t.Helper()
	path := filepath.Join(z.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		z.t.Fatal(err)
	}
	return path
}

// start runs a server until the test ends.
func (z *signedZone) start(program string, args ...string) {
	z.t.Helper()
	cmd := exec.Command(program, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		z.t.Fatal(err)
	}
	z.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if z.t.Failed() {
			z.t.Logf("%s: %s", program, &out)
		}
	})
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

// validating starts a resolver that trusts the zone by this record, and returns
// its address.
func (z *signedZone) validating(name, ds string) string {
	z.t.Helper()
	port := freePort(z.t)
	anchor := `domain-insecure: "shop.example"`
	if ds != "" {
		anchor = fmt.Sprintf("trust-anchor: %q", ds)
	}
	z.start("unbound", "-d", "-c", z.write(name+".conf", fmt.Sprintf(`server:
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
	return "127.0.0.1:" + port
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
