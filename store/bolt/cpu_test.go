//go:build unix

package bolt

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// cpuTime is the CPU time of the process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rssAnon is the anonymous memory of the process in octets, 0 where the system
// does not tell.
func rssAnon() (bytes int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "RssAnon:") {
			fmt.Sscanf(line, "RssAnon: %d kB", &bytes)
		}
	}
	return bytes << 10
}
