package fetch

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
)

// A server that takes a request on a kept-alive connection and closes it without
// an answer has seen the request. net/http would send it again at once.
func TestARequestIsNotSentAgainOnAnotherConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var second atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveOnce(conn, &second)
		}
	}()
	for range 50 {
		c := newClient(t, func(o *Options) { o.AllowAddress = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
		base := "http://" + l.Addr().String()
		x, err := c.Do(t.Context(), Request{URL: base + "/first"})
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		second.Store(0)
		x, err = c.Do(t.Context(), Request{URL: base + "/second"})
		x.Close()
		if err == nil || KindOf(err) != KindReset {
			t.Fatalf("the second request ended with %v, want a reset", err)
		}
		if n := second.Load(); n != 1 {
			t.Fatalf("the second request reached the server %d times", n)
		}
		c.Close()
	}
}

// serveOnce answers /first and closes the connection on /second.
func serveOnce(conn net.Conn, second *atomic.Int64) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if req.URL.Path == "/second" {
			second.Add(1)
			return
		}
		if _, err := conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")); err != nil {
			return
		}
	}
}
