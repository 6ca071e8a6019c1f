package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// closeWait is how long Close waits for calls under way to give their answer.
const closeWait = 5 * time.Second

// Server serves a door on a socket.
type Server struct {
	path   string
	http   *http.Server
	cancel context.CancelFunc // ends the context of every call
	done   chan error
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
	calls, cancel := context.WithCancel(context.Background())
	s := &Server{path: path, cancel: cancel, done: make(chan error, 1), http: &http.Server{Handler: NewHandler(d), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return calls }}}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// Close stops serving, tells calls under way to end, waits for their answers and
// removes the socket: the call that stops a crawl is itself under way when the
// crawl ends. Whoever has not ended by closeWait is cut off.
func (s *Server) Close() error {
	s.cancel()
	wait, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	err := s.http.Shutdown(wait)
	if err != nil {
		err = s.http.Close()
	}
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, os.Remove(s.path))
}
