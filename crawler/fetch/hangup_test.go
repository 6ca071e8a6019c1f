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
	head   io.Reader
	end    io.Reader // after Close
	closed chan struct{}
	once   sync.Once
}

func (p *politePeer) Read(b []byte) (int, error) {
	if n, err := p.head.Read(b); err == nil {
		return n, nil
	}
	<-p.closed
	return p.end.Read(b)
}

func (p *politePeer) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *politePeer) Write(b []byte) (int, error)      { return len(b), nil }
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
				return &politePeer{closed: make(chan struct{}), end: strings.NewReader("0\r\n\r\n"),
					head: strings.NewReader("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")}, nil
			}
			x, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
			wantKind(t, err, tt.kind)
			if x.Body != nil || x.SHA256 != [32]byte{} {
				t.Errorf("a body of %d octets is handed over", x.DecodedBytes)
			}
		})
	}
}
