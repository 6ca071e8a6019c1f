package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Server serves a door on a socket.
type Server struct {
	path string
	http *http.Server
	done chan error
}

// Listen makes the socket at path and serves d until Close. A file left by a
// process that died is replaced; the caller holds the job's lock, so nobody
// alive can own it.
func Listen(path string, d Door) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("api: listen: %w", err)
	}
	name, release, err := reachable(path)
	if err != nil {
		return nil, fmt.Errorf("api: listen: %w", err)
	}
	l, err := net.Listen("unix", name)
	release()
	if err != nil {
		return nil, fmt.Errorf("api: listen: %w", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // its name may have been a detour
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("api: listen: %w", err)
	}
	s := &Server{path: path, http: &http.Server{Handler: NewHandler(d), ReadHeaderTimeout: 10 * time.Second}, done: make(chan error, 1)}
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
