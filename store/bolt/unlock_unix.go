//go:build unix

package bolt

import (
	"os"
	"syscall"
)

// abandon closes a file that bbolt panicked over. Its mapping stays behind and
// would keep the lock, so that is let go first.
func abandon(f *os.File) {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}
