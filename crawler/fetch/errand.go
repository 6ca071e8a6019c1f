package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// errand is the state of one call of Do while it runs. It travels through colly
// as a context value and comes out with x filled.
type errand struct {
	c         *Client
	r         *Request
	req       *http.Request // what goes on the wire
	x         *Exchange
	share     *share
	maxBytes  int64
	cancel    context.CancelCauseFunc
	conn      *wireConn    // the connection in use, if it records
	forwarded bool         // goes to an HTTP proxy in absolute form
	first     atomic.Int64 // first octet of the answer, nanoseconds of the Unix epoch
	tries     int          // connections the request was given to
	sent      bool         // RoundTrip was reached
	answered  bool         // colly handed over a response
}

// run sends the request and reads the answer. The error is not classified yet.
func (e *errand) run(ctx context.Context) error {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              e.gotConn,
		GotFirstResponseByte: e.gotFirstByte,
	})
	transport := e.c.shared
	if e.r.WantRaw {
		transport = e.c.recording
	}
	res, err := transport.RoundTrip(e.req.WithContext(ctx))
	if e.conn != nil {
		e.x.RawRequestHead, e.x.RawResponseHead = e.conn.heads()
		if e.forwarded {
			e.x.RawRequestHead = withoutLogin(e.x.RawRequestHead)
		}
	}
	if ns := e.first.Load(); ns != 0 {
		e.x.RespondedAt = time.Unix(0, ns)
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if e.forwarded && res.StatusCode == http.StatusProxyAuthRequired {
		return &fault{kind: KindProxy, reason: "the proxy asks for credentials, or for others"}
	}
	e.head(res)
	if e.r.OnHead != nil {
		e.r.OnHead(e.x)
	}
	if res.StatusCode == http.StatusSwitchingProtocols {
		return &fault{kind: KindProtocol, reason: "switches protocols without being asked to"}
	}
	return e.receive(res)
}

// head records what the response head says.
func (e *errand) head(res *http.Response) {
	x := e.x
	x.Status, x.Proto, x.Header = res.StatusCode, res.Proto, res.Header
	x.Location = res.Header.Get("Location")
	x.Validators = ValidatorsOf(res.Header)
	x.Freshness = ParseFreshness(res.Header, res.StatusCode, x.RequestedAt, x.RespondedAt)
}

// gotConn runs once for each connection tried, before the request is written.
// net/http tries again by itself if a kept-alive connection turns out to be dead,
// and over HTTP/2 up to six times whenever a server resets streams. It does so at
// once, and cannot know whether the server saw the first try: a host with a delay
// would be asked twice in a millisecond. So a second try ends here, and whoever
// asked tries again in the host's turn.
func (e *errand) gotConn(info httptrace.GotConnInfo) {
	if e.tries++; e.tries > 1 {
		e.cancel(&fault{kind: KindReset, reason: "connection or stream was reset before an answer"})
		if !multiplexed(info.Conn) { // nothing is written to a closed connection, whoever wins the race with the cancellation
			info.Conn.Close()
		}
	}
	e.x.RequestedAt = e.c.clock()
	if ap, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
		e.x.RemoteAddr = netip.AddrPortFrom(plain(ap.Addr()), ap.Port())
	}
	e.conn = nil
	if conn, ok := info.Conn.(*wireConn); ok && e.r.WantRaw {
		conn.arm()
		e.conn = conn
	}
}

// multiplexed tells a connection that carries other requests, too.
func multiplexed(conn net.Conn) bool {
	t, ok := conn.(interface{ ConnectionState() tls.ConnectionState })
	return ok && t.ConnectionState().NegotiatedProtocol == "h2"
}

func (e *errand) gotFirstByte() { e.first.Store(e.c.clock().UnixNano()) }

// watchRate ends the fetch when the mean rate since now falls below the
// minimum, but not within the grace. One timer is set to the moment at which
// the octets read so far stop being enough. stop waits for nothing: a late
// firing finds the fetch over.
func (e *errand) watchRate(read *atomic.Int64) (stop func()) {
	l := &e.c.limits
	start := time.Now()
	due := func() time.Duration {
		// Both factors are bounded by options, a float cannot overflow here.
		paid := time.Duration(float64(read.Load()) / float64(l.MinRateBytes) * float64(time.Second))
		return max(l.MinRateAfter, paid) - time.Since(start)
	}
	var timer *time.Timer
	ready := make(chan struct{})
	timer = time.AfterFunc(l.MinRateAfter, func() {
		<-ready
		if left := due(); left > 0 {
			timer.Reset(left)
			return
		}
		e.cancel(&fault{kind: KindSlow, reason: "body comes too slowly"})
	})
	close(ready)
	return func() { timer.Stop() }
}

// ask is the URL colly gets to see: the origin. Colly parses and encodes URLs
// three times over and would turn "/a%zz" into another resource, so the exact
// target stays with the errand.
func (e *errand) ask() string { return e.req.URL.Scheme + "://" + e.req.URL.Host + "/" }
