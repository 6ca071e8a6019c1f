package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Client sends requests. It is safe for concurrent use; make one and share it,
// because connections, lookups and the body budget live in it.
type Client struct {
	limits   Limits
	clock    func() time.Time
	guard    *guard
	dialer   *dialer
	workers  *workers
	budget   *budget
	codecs   *codecs
	buffers  *sync.Pool
	spoolDir string
	closed   atomic.Bool

	shared    *http.Transport // requests that need no octets of heads
	recording *http.Transport // requests that do, HTTP/1.1

	// Values of fields that are the same in every request; never written to.
	userAgent, from, acceptAny, acceptEncoding []string
}

// New checks o and returns a client. It starts nothing.
func New(o Options) (*Client, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	resolver := o.Resolver
	if r, ok := resolver.(*net.Resolver); ok {
		resolver = absoluteResolver{r}
	}
	guard, err := newGuard(o.AllowAddress, o.Clock)
	if err != nil {
		return nil, err
	}
	dialer, err := newDialer(&o, guard, newNames(resolver, o.Clock, o.Limits.Connect))
	if err != nil {
		return nil, err
	}
	c := &Client{
		limits:         o.Limits,
		clock:          o.Clock,
		guard:          guard,
		dialer:         dialer,
		workers:        newWorkers(o.UserAgent),
		budget:         newBudget(o.BodyBudgetBytes),
		codecs:         new(codecs),
		buffers:        newBufferPool(),
		spoolDir:       o.SpoolDir,
		userAgent:      []string{o.UserAgent},
		acceptAny:      []string{"*/*"},
		acceptEncoding: []string{acceptEncoding},
	}
	if o.From != "" {
		c.from = []string{o.From}
	}
	c.shared = newTransport(dialer, &c.limits, o.HTTP1Only, false)
	c.recording = newTransport(dialer, &c.limits, true, true)
	return c, nil
}

// Do sends r and reads the answer to its end. Every status is an answer and no
// error, redirects and 304 included. The exchange is never nil; after an error
// it holds what was learned. The error is an *Error.
func (c *Client) Do(ctx context.Context, r Request) (*Exchange, error) {
	x := &Exchange{URL: r.URL}
	f := c.do(ctx, &r, x)
	x.FinishedAt = c.clock()
	if f != nil {
		return x, &Error{Op: "do", URL: r.URL, Kind: f.kind, Reason: f.reason, Err: f.err}
	}
	return x, nil
}

func (c *Client) do(ctx context.Context, r *Request, x *Exchange) *fault {
	x.RequestedAt = c.clock()
	t, err := c.admit(r)
	if err != nil {
		return classify(ctx, ctx, err, false)
	}
	maxBytes := r.MaxBodyBytes
	if maxBytes == 0 {
		maxBytes = c.limits.MaxBodyBytes
	}
	share, err := c.budget.reserve(ctx, c.worstCase(r, maxBytes))
	if err != nil {
		return classify(ctx, ctx, err, false)
	}
	x.RequestedAt = c.clock()

	fctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	total := time.AfterFunc(c.limits.Total, func() {
		cancel(&fault{kind: KindTimeout, reason: "fetch took too long"})
	})
	defer total.Stop()
	e := &errand{c: c, r: r, x: x, share: share, maxBytes: maxBytes, cancel: cancel}
	e.forwarded = c.dialer.forwards(t)
	if e.req, err = c.wireRequest(r, t); err == nil {
		c.throughProxy(e, t)
		err = c.workers.fetch(fctx, e)
	}
	if err == nil {
		// A server that sees us hang up may end its answer in good order, and that
		// end may still arrive: what we cut off is no whole body for that.
		err = context.Cause(fctx)
	}
	if err != nil {
		_ = x.Close() // part of a body is not a body
		x.Body, x.RawBody, x.SHA256 = nil, nil, [32]byte{}
		share.keep(0)
		return classify(ctx, fctx, err, x.Status != 0)
	}
	return nil
}

// throughProxy puts a request that is forwarded into absolute form (RFC 9112 3.2.2).
func (c *Client) throughProxy(e *errand, t target) {
	if !e.forwarded {
		return
	}
	e.req.URL.Path, e.req.URL.RawPath = "", ""
	e.req.URL.Opaque = "//" + e.req.URL.Host + t.path
	if p := c.dialer.proxy; p.login {
		e.req.Header[proxyLogin] = []string{p.basic()}
	}
}

// admit checks what can be checked without I/O.
func (c *Client) admit(r *Request) (target, error) {
	if c.closed.Load() {
		return target{}, &fault{kind: KindCancelled, err: ErrClosed}
	}
	if r.MaxBodyBytes < 0 {
		return target{}, &fault{kind: KindRequest, reason: "MaxBodyBytes is negative"}
	}
	return c.vetTarget(r.URL)
}

// worstCase is the memory a fetch may need for its bodies.
func (c *Client) worstCase(r *Request, maxBytes int64) int64 {
	if r.Method == http.MethodHead {
		return 0
	}
	n := min(c.limits.MemoryBodyBytes, maxBytes)
	if r.WantRaw {
		n *= 2
	}
	return n
}

// Vet checks scheme, literal or ruled address, and port of rawurl without any
// I/O. A name whose addresses are not known yet passes if they could be
// allowed; the address itself is vetted when it is dialled.
func (c *Client) Vet(rawurl string) error {
	if _, err := c.vetTarget(rawurl); err != nil {
		return c.wrap("vet", rawurl, err)
	}
	return nil
}

func (c *Client) vetTarget(rawurl string) (target, error) {
	t, err := parseTarget(rawurl)
	if err != nil {
		return t, err
	}
	if to, ok := matchRule(c.dialer.rules, t.name, t.port); ok {
		return t, c.guard.vet(to)
	}
	if t.addr.IsValid() {
		return t, c.guard.vet(netip.AddrPortFrom(t.addr, t.port))
	}
	if len(c.guard.allow) == 0 {
		return t, vetPort(t.port)
	}
	return t, nil
}

// Address returns the first address that a connection to host and port would
// use and that passes the guard, by the rules and cached lookups the dialler
// uses. open reports whether every address of host lies in an opened range.
func (c *Client) Address(ctx context.Context, host string, port uint16) (addr netip.Addr, open bool, err error) {
	literal, perr := netip.ParseAddr(host)
	name := host
	if perr != nil {
		t, err := parseTarget("http://" + host + "/")
		if err != nil {
			return netip.Addr{}, false, c.wrap("address", host, err)
		}
		name, literal = t.name, t.addr
	}
	aps, err := c.dialer.addresses(ctx, name, literal, port)
	if err != nil {
		return netip.Addr{}, false, c.wrap("address", host, classify(ctx, ctx, err, false))
	}
	open = true
	var refusal error
	for _, ap := range aps {
		open = open && c.guard.open(ap.Addr())
		if verr := c.guard.vet(ap); verr != nil {
			refusal = verr
		} else if !addr.IsValid() {
			addr = ap.Addr()
		}
	}
	if !addr.IsValid() {
		return netip.Addr{}, false, c.wrap("address", host, refusal)
	}
	return addr, open, nil
}

func (c *Client) wrap(op, url string, err error) error {
	var f *fault
	if !errors.As(err, &f) {
		f = &fault{kind: KindProtocol, err: err}
	}
	return &Error{Op: op, URL: url, Kind: f.kind, Reason: f.reason, Err: f.err}
}

// Close refuses further requests and closes idle connections. Requests under
// way run to their end; bodies stay readable until they are closed.
func (c *Client) Close() {
	c.closed.Store(true)
	c.shared.CloseIdleConnections()
	c.recording.CloseIdleConnections()
}
