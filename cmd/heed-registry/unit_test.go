package main

import (
	"os"
	"strings"
	"testing"
)

// The unit starts the command with flags that it has, and leaves alone the exit
// codes that a restart does not mend.
func TestTheSystemdUnitFitsTheCommand(t *testing.T) {
	text, err := os.ReadFile("heed-registry.service")
	if err != nil {
		t.Fatal(err)
	}
	settings := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			settings[name] = value
		}
	}
	command := strings.Fields(settings["ExecStart"])
	if len(command) < 4 || command[1] != "serve" {
		t.Fatalf("starts %q", command)
	}
	w := &world{t: t, folder: t.TempDir()}
	config := w.write("registry.yaml", []byte("public_url: https://registry.example\n"))
	args := []string{"config", "check"}
	for _, arg := range command[2:] {
		if strings.HasSuffix(arg, ".yaml") {
			arg = config
		}
		args = append(args, arg)
	}
	w.command(exitDone, args...)
	if settings["SuccessExitStatus"] != "11" || exitStopped != 11 {
		t.Errorf("a clean stop is %q", settings["SuccessExitStatus"])
	}
}
