package feed

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// maxLayers is how often a body may be packed: once as a file, once more by a server that packs
// everything and forgets to say so.
const maxLayers = 2

// peekBytes is what is looked at before a layer is read; the XML declaration has to fit.
const peekBytes = 1024

// unpack takes the layers of gzip off, by their magic alone. Every layer is metered: a layer of empty
// gzip members costs work and yields nothing.
func unpack(r io.Reader, o Options) (*bufio.Reader, error) {
	packed := &meter{r: r, max: o.MaxBytes}
	top := bufio.NewReaderSize(packed, 4<<10)
	for layers := 0; ; layers++ {
		head, err := top.Peek(2)
		if err == io.ErrNoProgress { // bufio's own
			err = &sourceError{err}
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
			return top, nil
		}
		if layers == maxLayers {
			return nil, ErrLayers
		}
		unpacked, err := gzip.NewReader(top)
		if err != nil {
			return nil, damaged(err, ErrGzip)
		}
		top = bufio.NewReaderSize(&meter{
			r: layer{unpacked, ErrGzip}, max: o.MaxBytes, packed: packed, maxRatio: o.MaxRatio,
		}, 4<<10)
	}
}

// meter counts octets and fails at the first one over its limit, which it does not hand out. A fault is
// repeated for ever.
type meter struct {
	r    io.Reader
	max  int64
	read int64
	err  error

	packed   *meter // where the octets come from, nil for the body as given
	maxRatio int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.next(p)
	m.err = err
	return n, err
}

func (m *meter) next(p []byte) (int, error) {
	if room := m.max - m.read + 1; int64(len(p)) > room {
		p = p[:room]
	}
	n, err := m.r.Read(p)
	m.read += int64(n)
	if m.read > m.max {
		m.read--
		return n - 1, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, m.max)
	}
	if m.packed != nil && m.read > ratioFreeBytes && m.read/m.maxRatio > m.packed.read {
		return n, fmt.Errorf("%w: %d bytes out of %d", ErrRatio, m.read, m.packed.read)
	}
	if err != nil && err != io.EOF && m.packed == nil {
		err = &sourceError{err}
	}
	return n, err
}

// sourceError is a fault of the reader given by the caller, told apart from damage that a layer reports:
// both may be io.ErrUnexpectedEOF.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return "feed: read body: " + e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// layer marks the faults of a decoder as damage of one kind, unless they come from below it.
type layer struct {
	r      io.Reader
	damage error // the sentinel
}

func (l layer) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err, l.damage)
	}
	return n, err
}

func damaged(err, damage error) error {
	var source *sourceError
	if errors.As(err, &source) {
		return err
	}
	for _, below := range []error{ErrTooLarge, ErrRatio, ErrGzip} {
		if errors.Is(err, below) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", damage, err)
}
