package crawler_test

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"
)

// gated tells that a request has come and answers when it may.
func gated(started chan<- string, free <-chan struct{}, then reply) reply {
	return func(c net.Conn, r *seen) bool {
		started <- r.target
		<-free
		return then(c, r)
	}
}

func testContext(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 50*time.Second)
}

// allocated is what was allocated so far, freed or not, in octets.
func allocated() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}
