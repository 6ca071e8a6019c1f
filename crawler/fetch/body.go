package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// Body is a body that has been read to its end, in memory or in an unlinked
// file. A nil Body is empty. Its methods may be called from several goroutines;
// nothing may be used after Close.
type Body struct {
	content *content
	closed  atomic.Bool
}

// content is shared by the bodies that are octet for octet the same: without a
// content coding the raw body is the decoded one.
type content struct {
	refs  atomic.Int32
	size  int64
	mem   []byte
	file  *os.File // nil if in memory
	path  string   // of file, where an open file cannot be unlinked
	share *share
}

func newBody(c *content) *Body {
	c.refs.Add(1)
	return &Body{content: c}
}

// Len returns the size in octets.
func (b *Body) Len() int64 {
	if b == nil {
		return 0
	}
	return b.content.size
}

// Spooled reports whether the body is in a file.
func (b *Body) Spooled() bool { return b != nil && b.content.file != nil }

// Reader returns a new reader from the start. Several may be used side by side.
func (b *Body) Reader() *io.SectionReader {
	switch {
	case b == nil:
		return io.NewSectionReader(bytes.NewReader(nil), 0, 0)
	case b.content.file != nil:
		return io.NewSectionReader(b.content.file, 0, b.content.size)
	default:
		return io.NewSectionReader(bytes.NewReader(b.content.mem), 0, b.content.size)
	}
}

// Bytes returns the whole body, or ErrBodyTooLarge if it is longer than
// maxBytes. The slice must not be changed; for a body in memory it is no copy.
func (b *Body) Bytes(maxBytes int64) ([]byte, error) {
	if b.Len() > maxBytes {
		return nil, ErrBodyTooLarge
	}
	if b == nil {
		return nil, nil
	}
	if b.content.file == nil {
		return b.content.mem, nil
	}
	p := make([]byte, b.content.size)
	if _, err := io.ReadFull(b.Reader(), p); err != nil {
		return nil, fmt.Errorf("fetch: read back a spooled body of %d octets: %w", b.content.size, err)
	}
	return p, nil
}

// Close gives back memory budget and file. Further calls do nothing.
func (b *Body) Close() error {
	if b == nil || b.closed.Swap(true) || b.content.refs.Add(-1) > 0 {
		return nil
	}
	b.content.share.keep(0)
	if b.content.file != nil {
		return closeSpool(b.content.file, b.content.path)
	}
	return nil
}

func closeSpool(f *os.File, path string) error {
	err := f.Close()
	if path != "" {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// sink collects a body of unknown length: in a buffer while it is short, then
// in a file.
type sink struct {
	dir     string
	memory  int64 // the longest body kept in memory, octets
	scratch *[]byte
	buffers *sync.Pool
	file    *os.File
	path    string // see content
	size    int64
}

// firstBufferBytes holds most pages whole; the buffers are reused.
const firstBufferBytes = 32 << 10

func newBufferPool() *sync.Pool {
	return &sync.Pool{New: func() any { p := make([]byte, 0, firstBufferBytes); return &p }}
}

func newSink(buffers *sync.Pool, dir string, memoryBytes int64) *sink {
	return &sink{dir: dir, memory: memoryBytes, buffers: buffers, scratch: buffers.Get().(*[]byte)}
}

// space returns where the next octets may be read to; commit takes them over.
func (s *sink) space() []byte {
	b := *s.scratch
	if len(b) == cap(b) {
		b = append(b, 0)[:len(b)]
		*s.scratch = b
	}
	return b[len(b):cap(b)]
}

// commit takes over the first n octets of the last space.
func (s *sink) commit(n int) error {
	b := *s.scratch
	b = b[:len(b)+n]
	*s.scratch = b
	s.size += int64(n)
	if s.file == nil && s.size <= s.memory {
		return nil
	}
	if s.file == nil {
		if err := s.spool(); err != nil {
			return &fault{kind: KindSpool, reason: "create spool file", err: err}
		}
	}
	*s.scratch = b[:0]
	if _, err := s.file.Write(b); err != nil {
		return &fault{kind: KindSpool, reason: "write spool file", err: err}
	}
	return nil
}

// write copies p in; see commit.
func (s *sink) write(p []byte) error {
	for len(p) > 0 {
		n := copy(s.space(), p)
		if err := s.commit(n); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// spool opens the file and takes its name away at once, so that neither a crash
// nor kill -9 leaves it behind. A system that refuses (Windows) gets its file
// removed when the body is closed.
func (s *sink) spool() error {
	f, err := os.CreateTemp(s.dir, "heed-body-*")
	if err != nil {
		return err
	}
	if os.Remove(f.Name()) != nil {
		s.path = f.Name()
	}
	s.file = f
	return nil
}

// finish turns what was collected into content that holds sh, shrunk to the
// memory really used. The sink must not be used afterwards.
func (s *sink) finish(sh *share) *content {
	c := &content{size: s.size, file: s.file, path: s.path, share: sh}
	if s.file == nil {
		c.mem = bytes.Clone(*s.scratch)
	}
	sh.keep(int64(len(c.mem)))
	s.file = nil
	s.release()
	return c
}

// discard throws away what was collected.
func (s *sink) discard() {
	if s.file != nil {
		_ = closeSpool(s.file, s.path) // the content is not wanted, nor is its fate
		s.file = nil
	}
	s.release()
}

func (s *sink) release() {
	if s.scratch == nil {
		return
	}
	*s.scratch = (*s.scratch)[:0]
	s.buffers.Put(s.scratch)
	s.scratch = nil
}
