// Command heed-registry is a registry of consent cards: it finds out who
// controls a domain, keeps what the owner says about automated use, and serves
// it to everyone over HTTP and the Model Context Protocol.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

// version is set by the build (-ldflags -X main.version=…).
var version = "dev"

// gcPercent trades processor time for memory: cards stay, and little else does, so
// a heap that may double would be mostly empty.
const gcPercent = 50

func main() {
	debug.SetGCPercent(gcPercent)
	env := environment{args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), version: version}
	os.Exit(env.run(context.Background()))
}
