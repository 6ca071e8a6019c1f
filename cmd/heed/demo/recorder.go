package demo

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxRequests bounds the log. A demo makes about a thousand; a crawler that
// runs away is still counted as open and closed, only no longer remembered.
const maxRequests = 100_000

// recorder keeps the log of a world and knows which handlers are running.
type recorder struct {
	mu       sync.Mutex // guards all below
	requests Log
	open     map[string]int // handlers running per host
	running  int
	half     int
	closed   bool
	idle     chan struct{} // closed when the world is closed and no handler runs
}

func newRecorder() *recorder {
	return &recorder{open: map[string]int{}, half: 1, idle: make(chan struct{})}
}

// begin records the arrival. The index is -1 when the log is full; ok is false
// when the world has been closed and nothing may be served any more.
func (rec *recorder) begin(r *http.Request) (index, half int, ok bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.closed {
		return -1, rec.half, false
	}
	host := hostOf(r)
	rec.open[host]++
	rec.running++
	if len(rec.requests) == maxRequests {
		return -1, rec.half, true
	}
	scheme := "https"
	if r.TLS == nil {
		scheme = "http"
	}
	rec.requests = append(rec.requests, Request{
		Start: time.Now(), Half: rec.half, Scheme: scheme, Host: host, Method: r.Method, Target: r.RequestURI,
		IfNoneMatch: r.Header.Get("If-None-Match"), IfModifiedSince: r.Header.Get("If-Modified-Since"),
		Purpose:  r.Header.Get("Automation-Purpose"),
		InFlight: rec.open[host],
	})
	return len(rec.requests) - 1, rec.half, true
}

// end records how the answer went.
func (rec *recorder) end(index int, host string, w *countingWriter) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if index >= 0 {
		r := &rec.requests[index]
		r.End, r.Status, r.SentBytes = time.Now(), w.status, w.sentBytes
		r.Coding = w.Header().Get("Content-Encoding")
	}
	if rec.open[host]--; rec.open[host] == 0 {
		delete(rec.open, host)
	}
	rec.running--
	rec.settle()
}

func (rec *recorder) advance() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.half = 2
}

// close lets no further handler start. The channel is closed once none runs.
func (rec *recorder) close() <-chan struct{} {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !rec.closed {
		rec.closed = true
		rec.settle()
	}
	return rec.idle
}

// settle is called with mu held, once closed is set or a handler has ended.
func (rec *recorder) settle() {
	if !rec.closed || rec.running > 0 {
		return
	}
	select {
	case <-rec.idle:
	default:
		close(rec.idle)
	}
}

func (rec *recorder) snapshot() Log {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return append(Log(nil), rec.requests...)
}

// countingWriter notes the status and the octets of the body.
type countingWriter struct {
	http.ResponseWriter
	status    int
	sentBytes int64
}

func (w *countingWriter) WriteHeader(code int) {
	if w.status == 0 {
		w.status = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.sentBytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach Flush.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// hostOf is the Host field in lower case without its port.
func hostOf(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(host)
}
