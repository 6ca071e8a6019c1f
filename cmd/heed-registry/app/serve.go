package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"heed/cmd/heed-registry/admin"
)

// Bounds of one connection. Answers are small; a write has at most 256 KiB.
const (
	headerTimeout  = 10 * time.Second
	readTimeout    = 30 * time.Second
	writeTimeout   = 60 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 16 << 10
	// grace is how long answers under way may take once we stop.
	grace = 10 * time.Second
)

// Addresses are where a registry that serves can be found.
type Addresses struct {
	Public string
	Admin  string // "" for the socket alone
}

// Serve serves until ctx is done, then answers what is under way; when cut is
// done it stops at once. started is called when everything listens.
func (a *App) Serve(ctx, cut context.Context, started func(Addresses)) (err error) {
	figures, err := newMetrics(a.registry.Stats)
	if err != nil {
		return fmt.Errorf("app: serve: %w", err)
	}
	handler, err := a.public()
	if err != nil {
		return fmt.Errorf("app: serve: %w", err)
	}
	handler = figures.watch(handler)
	if a.settings.TLSCert != "" {
		handler = strictTransport(handler)
	}

	var stack []func(context.Context) error // of what was started, undone in reverse
	defer func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		defer context.AfterFunc(cut, cancel)()
		for i := len(stack) - 1; i >= 0; i-- {
			err = errors.Join(err, stack[i](within))
		}
	}()
	// The addresses are taken first: whoever finds the socket finds them, too.
	open, err := a.listenAll()
	if err != nil {
		return fmt.Errorf("app: serve: %w", err)
	}
	stack = append(stack, open.close)

	schedule, end := context.WithCancel(context.WithoutCancel(ctx))
	checked := make(chan error, 1)
	go func() { checked <- a.registry.Run(schedule) }()
	stack = append(stack, func(context.Context) error {
		end()
		return <-checked
	})

	operator := a.operator(figures.handler())
	socket, err := admin.Listen(a.settings.Data, operator)
	if err != nil {
		return err
	}
	stack = append(stack, func(context.Context) error { return socket.Close() })

	failed := make(chan error, 2)
	at := Addresses{Public: open.public.Addr().String()}
	if open.admin != nil {
		at.Admin = open.admin.Addr().String()
		stack = append(stack, a.start(open.admin, a.operatorAt(open.admin.Addr(), operator, figures.handler()), failed))
	}
	stack = append(stack, a.start(open.public, handler, failed))
	started(at)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	case err := <-checked: // never by itself
		checked <- err
		return err
	}
}

// listeners are the open addresses; admin may be nil.
type listeners struct{ public, admin net.Listener }

// close closes what nobody serves any more. Servers close their own listener,
// so it may be closed already.
func (l listeners) close(context.Context) error {
	for _, one := range []net.Listener{l.public, l.admin} {
		if one != nil {
			if err := one.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				return err
			}
		}
	}
	return nil
}

func (a *App) listenAll() (l listeners, err error) {
	if l.public, err = a.listen(); err != nil {
		return listeners{}, err
	}
	if a.settings.AdminListen != "" {
		if l.admin, err = net.Listen("tcp", a.settings.AdminListen); err != nil {
			return listeners{}, errors.Join(err, l.public.Close())
		}
	}
	return l, nil
}

// listen opens the public address, with TLS unless the settings say otherwise.
func (a *App) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", a.settings.Listen)
	if err != nil || a.settings.PlainHTTP {
		return l, err
	}
	c, err := newCertificate(a.settings.TLSCert, a.settings.TLSKey, a.options.Log)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, &tls.Config{GetCertificate: c.forHello, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}), nil
}

// start serves h on l and returns how to stop.
func (a *App) start(l net.Listener, h http.Handler, failed chan<- error) func(context.Context) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: serverLog(a.options.Log)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("app: serve: %w", err)
		}
	}()
	return func(within context.Context) error {
		err := server.Shutdown(within)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // whoever is left has had the time
		}
		<-done
		return err
	}
}

// operator is everything for the one who runs the registry.
func (a *App) operator(figures http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", admin.NewHandler(a))
	mux.Handle("GET /metrics", figures)
	mux.HandleFunc("GET /healthz", a.health)
	return mux
}

// operatorAt is what the address for administration serves. Nothing there asks
// who calls, so away from loopback it shows figures and nothing else.
func (a *App) operatorAt(at net.Addr, operator, figures http.Handler) http.Handler {
	if addr, err := netip.ParseAddrPort(at.String()); err == nil && addr.Addr().Unmap().IsLoopback() {
		return admin.Guard(a.settings.AdminListen, operator)
	}
	a.options.Log.Warn("the address for administration is not on loopback: it serves metrics only", "address", at.String())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", figures)
	mux.HandleFunc("GET /healthz", a.health)
	return mux
}

func (a *App) health(w http.ResponseWriter, r *http.Request) {
	if err := a.registry.Healthy(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n")) // the asker has gone
}
