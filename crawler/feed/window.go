package feed

import (
	"fmt"
	"io"
)

// windowBytes is all of a document that is in memory at a time, and the longest tag there may be.
const windowBytes = 64 << 10

// window is the part of a stream that is looked at: buf[pos:end] is unread.
type window struct {
	r        io.Reader
	buf      []byte
	pos, end int
	before   int64 // octets of the stream before buf[0]
	err      error // why the stream ended, io.EOF or a fault
}

func newWindow(r io.Reader) window {
	return window{r: r, buf: make([]byte, windowBytes)}
}

// offset is where the unread part starts in the stream.
func (w *window) offset() int64 { return w.before + int64(w.pos) }

// unread returns what is in the window; it is valid until more is called.
func (w *window) unread() []byte { return w.buf[w.pos:w.end] }

// full tells whether the window cannot take more without something being read.
func (w *window) full() bool { return w.end-w.pos == len(w.buf) }

// more adds to the unread part and answers false if the window is full or the stream has ended. The part
// at least doubles unless the stream ends, so that looking at it again from its start stays linear,
// however little the reader gives at a time.
func (w *window) more() bool {
	if w.err != nil || w.full() {
		return false
	}
	if w.pos > 0 {
		copy(w.buf, w.buf[w.pos:w.end])
		w.before += int64(w.pos)
		w.end -= w.pos
		w.pos = 0
	}
	had := w.end
	want := min(max(2*had, 1), len(w.buf))
	for idle := 0; w.end < want && w.err == nil; {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		w.err = err
		if n > 0 {
			idle = 0
		} else if idle++; idle == maxIdleReads && err == nil {
			w.err = fmt.Errorf("feed: read body: %w", io.ErrNoProgress)
		}
	}
	return w.end > had
}

// maxIdleReads is how often a reader may give neither octets nor an error, as in bufio.
const maxIdleReads = 100
