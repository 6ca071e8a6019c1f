package demo

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// headTimeout is how long a connection may take to say what it wants.
const headTimeout = 10 * time.Second

func listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("demo: listen on %s: %w", address, err)
	}
	return l, nil
}

// serve runs one server until Close. HTTP/1.1 only: an archiving crawler asks
// for nothing else, and the log then has one request per exchange on the wire.
func (w *World) serve(base context.Context, l net.Listener, secure bool) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	srv := &http.Server{
		Handler:           w,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headTimeout,
		Protocols:         protocols,
		// Refused handshakes are what some sites are for; the rows tell about them.
		ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: w.certificate,
		},
	}
	w.servers = append(w.servers, srv)
	w.serving.Go(func() {
		if secure {
			_ = srv.ServeTLS(l, "", "") // ends with http.ErrServerClosed
			return
		}
		_ = srv.Serve(l)
	})
}

// certificate picks by SNI. Names outside the world get the good one, which
// does not cover them.
func (w *World) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return w.certs[w.sites[hello.ServerName].cert], nil
}

// ServeHTTP records the request and hands it to the site that the Host field
// names, in the state of the current half.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	index, half, ok := w.record.begin(r)
	if !ok {
		return
	}
	counting := &countingWriter{ResponseWriter: rw}
	host := hostOf(r)
	defer func() { w.record.end(index, host, counting) }()
	site, known := w.sites[host]
	if host == registryHost && w.cards != nil {
		w.cards.handler().ServeHTTP(counting, r)
		return
	}
	if !known {
		status(http.StatusMisdirectedRequest).ServeHTTP(counting, r)
		return
	}
	site.handler(r.URL.Path, half).ServeHTTP(counting, r)
}
