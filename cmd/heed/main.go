// Command heed is a crawler and fetch daemon that does what the site asked.
package main

import (
	"context"
	"os"
)

// version is set by the build (-ldflags -X main.version=…).
var version = "dev"

func main() {
	env := environment{args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), version: version}
	os.Exit(env.run(context.Background()))
}
