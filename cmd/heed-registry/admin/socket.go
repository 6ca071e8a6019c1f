package admin

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// socketFile is the name of the socket in the data folder.
const socketFile = "control.sock"

// maxSocketPath is what the kernel takes as the name of a socket, less the final
// zero (sun_path: 108 octets on Linux, 104 elsewhere).
const maxSocketPath = 103

// socketName gives a name of the folder's socket that is short enough. A long
// one leads through the open folder; release closes it.
func socketName(folder string) (name string, release func(), err error) {
	path := filepath.Join(folder, socketFile)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	open, err := os.Open(folder)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", open.Fd(), socketFile), func() { open.Close() }, nil
}

// Server serves a handler on the socket of a data folder.
type Server struct {
	path string
	http *http.Server
	done chan error
}

// Listen makes the socket and serves h until Close. A file left by a process
// that died is replaced; the caller holds the lock of the state, so nobody alive
// can own it.
func Listen(folder string, h http.Handler) (*Server, error) {
	path := filepath.Join(folder, socketFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("admin: listen: %w", err)
	}
	name, release, err := socketName(folder)
	if err != nil {
		return nil, fmt.Errorf("admin: listen: %w", err)
	}
	l, err := net.Listen("unix", name)
	release()
	if err != nil {
		return nil, fmt.Errorf("admin: listen: %w", err)
	}
	if unix, ok := l.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // its name may have been a detour
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("admin: listen: %w", err), l.Close())
	}
	s := &Server{path: path, http: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}, done: make(chan error, 1)}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// Close stops serving, cuts off calls under way and removes the socket.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, os.Remove(s.path))
}
