package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Domain is the name under which all sites lie but those with a consent card,
// which have domains of their own. ".test" is never delegated (RFC 6761 6.2), so
// a mistake cannot reach anybody.
const Domain = "demo.test"

// World is the running set of servers.
type World struct {
	record *recorder
	sites  map[string]Site // by host
	seeds  []string
	certs  wallet
	cards  *catalog // nil until Start
	folder string   // temporary, holds the CA file and the registry
	cancel context.CancelFunc

	secure, plain net.Listener
	forbidden     net.Listener // where private-address leads; nil if the machine has no second loopback address
	servers       []*http.Server
	serving       sync.WaitGroup
	shut          sync.Once
	shutErr       error
}

// Start opens the world on ephemeral loopback ports. Handlers end when ctx
// ends, but only Close frees the listeners and the CA file. The error names the
// step that failed; nothing is left open then.
func Start(ctx context.Context) (*World, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("demo: start: %w", err)
	}
	w := furnish()
	base, cancel := context.WithCancel(ctx)
	w.cancel = cancel
	if err := w.open(base); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// furnish makes a world without servers: it records and answers, but nothing
// leads to it yet.
func furnish() *World {
	w := &World{record: newRecorder(), sites: map[string]Site{}}
	for _, s := range Sites() {
		w.sites[s.Name] = s
		w.seeds = append(w.seeds, s.Seeds()...)
	}
	return w
}

// open makes certificates, file, listeners and servers, in this order.
func (w *World) open(base context.Context) error {
	now := time.Now()
	known, err := newAuthority("heed demo authority", now)
	if err != nil {
		return err
	}
	unknown, err := newAuthority("an authority nobody trusts", now)
	if err != nil {
		return err
	}
	if w.certs, err = newWallet(known, unknown, w.names(), now); err != nil {
		return err
	}
	if w.folder, err = os.MkdirTemp("", "heed-demo-"); err != nil {
		return fmt.Errorf("demo: folder for the CA file: %w", err)
	}
	if err := os.WriteFile(w.CAFile(), known.pem(), 0o600); err != nil {
		return fmt.Errorf("demo: CA file: %w", err)
	}
	if w.cards, err = openCatalog(base, w.folder, w.sites, now); err != nil {
		return err
	}
	if w.secure, err = listen(base, "127.0.0.1:0"); err != nil {
		return err
	}
	if w.plain, err = listen(base, "127.0.0.1:0"); err != nil {
		return err
	}
	// A machine may lack IPv6 or further 127/8 addresses. The row of
	// private-address then rests on the crawler's word alone.
	for _, address := range []string{"[::1]:0", "127.0.0.2:0"} {
		if w.forbidden, err = listen(base, address); err == nil {
			break
		}
	}
	w.serve(base, w.secure, true)
	w.serve(base, w.plain, false)
	if w.forbidden != nil {
		w.serve(base, w.forbidden, true)
	}
	return nil
}

// Seeds are the URLs to start from, one or more per site.
func (w *World) Seeds() []string { return append([]string(nil), w.seeds...) }

// Resolve gives the rules that lead the names here, as HOST:PORT:ADDR:PORT,
// special names before the wildcard.
func (w *World) Resolve() []string {
	// Without a second loopback address the name leads to one that is private
	// everywhere and that the guard has to refuse just the same.
	elsewhere := "10.0.0.1:443"
	if w.forbidden != nil {
		elsewhere = w.forbidden.Addr().String()
	}
	return []string{
		privateHost + ":443:" + elsewhere,
		"*.test:443:" + w.secure.Addr().String(),
		"*.test:80:" + w.plain.Addr().String(),
	}
}

// Registry is the origin of the registry that has the cards.
func (w *World) Registry() string { return "https://" + registryHost }

// names are those that the good certificate has to cover.
func (w *World) names() []string {
	names := []string{"*." + Domain}
	for _, s := range w.sites {
		if s.card != nil {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// AllowAddress gives the one address the crawler may open. It leaves out the
// address behind private-address on purpose.
func (w *World) AllowAddress() []string { return []string{"127.0.0.1/32"} }

// CAFile is the path of the authority's certificate (PEM). It is gone after Close.
func (w *World) CAFile() string { return filepath.Join(w.folder, "ca.pem") }

// Advance begins the second half. Requests that are being answered finish in
// the state they met.
func (w *World) Advance() { w.record.advance() }

// Log is a copy of what the servers saw so far.
func (w *World) Log() Log { return w.record.snapshot() }

// Close ends all handlers and listeners, waits for them and removes the CA
// file. Further calls give the same result. The log stays readable.
func (w *World) Close() error {
	w.shut.Do(func() { w.shutErr = w.close() })
	return w.shutErr
}

func (w *World) close() error {
	idle := w.record.close()
	var errs []error
	// Connections go before the context: a body that is cut off must not look
	// as if its handler had come to an end.
	for _, srv := range w.servers {
		errs = append(errs, srv.Close())
	}
	if len(w.servers) == 0 { // opening failed half-way: the listeners have no owner yet
		for _, l := range []net.Listener{w.secure, w.plain, w.forbidden} {
			if l != nil {
				errs = append(errs, l.Close())
			}
		}
	}
	w.cancel()
	w.serving.Wait()
	<-idle
	if w.cards != nil {
		errs = append(errs, w.cards.close())
	}
	if w.folder != "" {
		errs = append(errs, os.RemoveAll(w.folder))
	}
	return errors.Join(errs...)
}
