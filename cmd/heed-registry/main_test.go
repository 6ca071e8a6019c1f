package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"heed/cmd/heed-registry/admin"
)

// The test binary is the command, too, under the name heed-registry in PATH: all
// tests of this package run real processes.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"heed-registry": main}) }

// TestScript plays testdata/script. Besides the commands of testscript there
// are
//
//	registry CODE ARGS…  run the command, which must end with this code
//	port NAME            put a free port of loopback into a variable
//	await DIR            wait until a server answers in a data folder
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"registry": scriptRegistry, "port": scriptPort, "await": scriptAwait,
		},
	})
}

func scriptRegistry(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: registry CODE ARGS…")
	}
	code := 0
	if err := ts.Exec("heed-registry", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func scriptPort(ts *testscript.TestScript, _ bool, args []string) {
	port, err := freePort()
	if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Setenv(args[0], port)
}

func scriptAwait(ts *testscript.TestScript, _ bool, args []string) {
	if err := await(ts.MkAbs(args[0])); err != nil {
		ts.Fatalf("%v", err)
	}
}

// freePort gives a port that was free a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// startPatienceInTests bounds the start of a process on a busy machine.
const startPatienceInTests = 60 * time.Second

// await waits until a server answers on the socket of a folder.
func await(folder string) error {
	deadline := time.Now().Add(startPatienceInTests)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		client, err := admin.Dial(context.Background(), folder)
		if err == nil {
			client.Close()
			return nil
		}
		if time.Now().After(deadline) {
			return err
		}
		<-tick.C
	}
}

func slow() bool { return os.Getenv("HEED_SLOW") != "" }
