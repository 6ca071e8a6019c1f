package api

import (
	"fmt"
	"os"
	"path/filepath"
)

// maxSocketPath is what the kernel takes as the name of a socket, less the final
// zero (sun_path, 108 octets on Linux, 104 elsewhere).
const maxSocketPath = 103

// reachable gives a name for the socket at path that is short enough. A long
// one is reached through the open folder; release closes it.
func reachable(path string) (name string, release func(), err error) {
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	name = fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(path))
	return name, func() { folder.Close() }, nil
}
