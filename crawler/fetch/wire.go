package fetch

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
)

// wireConn records the heads that pass through an HTTP/1.1 connection. It sits
// above TLS, so it sees plain octets. One request is under way at a time; arm
// starts anew for each.
type wireConn struct {
	net.Conn
	maxBytes int // of one head; a longer one is not kept
	armed    atomic.Bool

	mu       sync.Mutex // guards the heads: reads and writes come from two goroutines
	request  headRecorder
	response headRecorder
}

func (c *wireConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.armed.Load() {
		c.mu.Lock()
		if c.response.take(p[:n], c.maxBytes) {
			c.armed.Store(false)
		}
		c.mu.Unlock()
	}
	return n, err
}

func (c *wireConn) Write(p []byte) (int, error) {
	// Recorded first: the answer may come, and end the recording, before Write returns.
	if c.armed.Load() {
		c.mu.Lock()
		c.request.take(p, c.maxBytes)
		c.mu.Unlock()
	}
	return c.Conn.Write(p)
}

// arm forgets what was recorded and records the next exchange.
func (c *wireConn) arm() {
	c.mu.Lock()
	c.request, c.response = headRecorder{}, headRecorder{interim: true}
	c.mu.Unlock()
	c.armed.Store(true)
}

// heads returns both heads, nil where one did not come to its end.
func (c *wireConn) heads() (request, response []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.request.head(), c.response.head()
}

// headRecorder collects octets up to and including the first empty line.
type headRecorder struct {
	interim  bool // skip 1xx heads other than 101
	octets   []byte
	end      int // length of the head, 0 until complete
	scanned  int // octets before this were looked at
	lost     bool
	complete bool
}

// take adds p and reports whether the head is complete or given up.
func (h *headRecorder) take(p []byte, maxBytes int) bool {
	if h.complete || h.lost {
		return true
	}
	h.octets = append(h.octets, p...)
	for {
		end := headEnd(h.octets, h.scanned)
		if end == 0 {
			// The empty line may be split over two reads; its octets are at most three.
			h.scanned = max(0, len(h.octets)-3)
			break
		}
		if !h.interim || !isInterim(h.octets) {
			h.end, h.complete = end, true
			h.octets = h.octets[:end:end]
			return true
		}
		h.octets, h.scanned = append([]byte(nil), h.octets[end:]...), 0
	}
	if len(h.octets) > maxBytes {
		h.octets, h.lost = nil, true
	}
	return h.lost
}

func (h *headRecorder) head() []byte {
	if !h.complete {
		return nil
	}
	return h.octets
}

// headEnd returns the length of the head in p, 0 if its empty line is not in
// there. A line ends with LF, with or without CR (RFC 9112 2.2).
func headEnd(p []byte, from int) int {
	for i := from; ; {
		nl := bytes.IndexByte(p[i:], '\n')
		if nl < 0 {
			return 0
		}
		i += nl + 1
		rest := p[i:]
		if len(rest) > 0 && rest[0] == '\n' {
			return i + 1
		}
		if len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
			return i + 2
		}
	}
}

// isInterim reports whether p starts with a status line of 1xx other than 101.
func isInterim(p []byte) bool {
	_, status, ok := bytes.Cut(p[:min(len(p), 32)], []byte(" "))
	status = bytes.TrimLeft(status, " ")
	return ok && len(status) >= 3 && status[0] == '1' && !bytes.HasPrefix(status, []byte("101"))
}
