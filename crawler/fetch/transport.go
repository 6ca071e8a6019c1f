package fetch

import (
	"context"
	"net"
	"net/http"
	"time"
)

const (
	// maxIdleConns and idleConnLife bound kept-alive connections. Their life is
	// longer than most delays between two requests to a host, and shorter than the
	// time after which servers commonly drop them (60 s and more).
	//
	// How many of them lead to one host has no bound of its own: no more than the
	// pacer lets be asked at a time were ever opened there, and fewer than those
	// would be closed and opened again all the time.
	maxIdleConns = 512
	idleConnLife = 45 * time.Second
)

// newTransport builds the transport for ordinary requests (HTTP/2 where the
// server offers it, unless http1Only) or, if record is set, the HTTP/1.1 one
// whose connections keep the octets of heads.
func newTransport(d *dialer, l *Limits, http1Only, record bool) *http.Transport {
	t := &http.Transport{
		Proxy:                  nil, // one from the environment would bypass the guard; ours is in the dialler
		DialContext:            d.connect,
		DisableCompression:     true, // decode.go
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    maxIdleConns,
		IdleConnTimeout:        idleConnLife,
		ResponseHeaderTimeout:  l.Header,
		MaxResponseHeaderBytes: l.HeaderBytes,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	if http1Only || record {
		t.DialTLSContext = d.connectTLS("http/1.1")
	} else {
		t.Protocols.SetHTTP2(true)
		t.DialTLSContext = d.connectTLS("h2", "http/1.1")
	}
	if record {
		t.DialContext = recorded(t.DialContext, l.HeaderBytes)
		t.DialTLSContext = recorded(t.DialTLSContext, l.HeaderBytes)
	}
	return t
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

func recorded(dial dialFunc, headBytes int64) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		// net/http reads ahead by up to 4 KiB, and interim heads come on top.
		return &wireConn{Conn: conn, maxBytes: int(2*headBytes + 8*kib)}, nil
	}
}
