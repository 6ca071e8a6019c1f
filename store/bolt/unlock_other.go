//go:build !unix

package bolt

import "os"

// abandon closes a file that bbolt panicked over.
func abandon(f *os.File) { f.Close() }
