//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The commands of the README's section on a registry run as they stand there, but
// for the ports: from a registry that is started to a crawl that obeys a consent
// withdrawn.
func TestTheWalkthroughOfTheREADME(t *testing.T) {
	for _, program := range []string{"bash", "curl", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program+" is not installed")
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## A registry of your own\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if !found || len(blocks) < 2 {
		t.Fatalf("README.md has no walkthrough: %d blocks", len(blocks))
	}
	var script strings.Builder
	for _, block := range blocks {
		script.WriteString(block[1])
	}
	ports := strings.NewReplacer("8443", fmt.Sprint(freePort(t)), "8470", fmt.Sprint(freePort(t)))
	cmd := exec.CommandContext(t.Context(), "bash", "-c", ports.Replace(script.String()))
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "GOFLAGS=")
	// What the script has started goes with it, should it end early.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	t.Cleanup(func() {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil && err != syscall.ESRCH {
			t.Error(err)
		}
	})
	combined, err := cmd.CombinedOutput()
	out := string(combined)
	if err != nil {
		t.Errorf("the walkthrough: %v", err)
	}
	rest := out
	for _, want := range []string{
		"ok\n",
		`"method":"pending"`,
		"this check found well-known-file",
		`"method":"well-known-file"`, `"listed_by":"press"`,
		"page limit reached",
		"shop.example at https://registry.example: fresh, proof by well-known-file",
		`"retrieve":false`,
		"the clock is moved",
		"card.retrieve-false",
		"refused: card.retrieve-false",
		"Today's answer: deny",
		"exported written=0",
		"withheld reason=card.train-false pages=1",
	} {
		var ok bool
		if _, rest, ok = strings.Cut(rest, want); !ok {
			t.Fatalf("the walkthrough does not say %q, or not in its place:\n%s", want, out)
		}
	}
}
