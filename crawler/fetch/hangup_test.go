package fetch

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// politePeer is a connection to a server that ends its answer in good order as
// soon as it sees the client hang up, and whose last octets are still read.
type politePeer struct {
	head io.Reader // once something was asked
	end  io.Reader // after Close

	asked, closed chan struct{}
	ask, hangUp   sync.Once
}

func newPolitePeer(head, end string) *politePeer {
	return &politePeer{head: strings.NewReader(head), end: strings.NewReader(end), asked: make(chan struct{}), closed: make(chan struct{})}
}

func (p *politePeer) Read(b []byte) (int, error) {
	select {
	case <-p.asked:
	case <-p.closed:
	}
	if n, err := p.head.Read(b); err == nil {
		return n, nil
	}
	<-p.closed
	return p.end.Read(b)
}

func (p *politePeer) Close() error {
	p.hangUp.Do(func() { close(p.closed) })
	return nil
}

func (p *politePeer) Write(b []byte) (int, error) {
	p.ask.Do(func() { close(p.asked) })
	return len(b), nil
}

func (p *politePeer) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (p *politePeer) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (p *politePeer) SetDeadline(time.Time) error      { return nil }
func (p *politePeer) SetReadDeadline(time.Time) error  { return nil }
func (p *politePeer) SetWriteDeadline(time.Time) error { return nil }

func TestABodyThatWeCutOffIsNotWholeThoughItsEndArrives(t *testing.T) {
	for name, tt := range map[string]struct {
		limit func(*Options)
		kind  Kind
	}{
		"it came too slowly": {func(o *Options) { o.Limits.MinRateAfter = 20 * time.Millisecond }, KindSlow},
		"it took too long":   {func(o *Options) { o.Limits.Total = 20 * time.Millisecond }, KindTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, tt.limit)
			c.shared.DialContext = func(context.Context, string, string) (net.Conn, error) {
				return newPolitePeer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "0\r\n\r\n"), nil
			}
			x, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
			wantKind(t, err, tt.kind)
			if x.Body != nil || x.SHA256 != [32]byte{} {
				t.Errorf("a body of %d octets is handed over", x.DecodedBytes)
			}
		})
	}
}
