package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Ledger appends lines. Its methods belong to one writer at a time; it guards
// itself against two, but only the caller can put things into order.
type Ledger struct {
	dir      string
	limit    int64 // size at which a segment is followed by a new one
	recovery Recovery

	mu      sync.Mutex // guards the rest
	file    *os.File   // nil: the next line begins a segment
	out     *bufio.Writer
	number  int // of the segment in file, or of the last one
	tip     link
	size    int64 // octets appended to the segment
	synced  int64 // octets that are durable
	over    bool  // nothing was appended since the last Sync: that group is over
	newFile bool  // the folder entry of the segment is not durable yet
	scratch []byte
	broken  error
}

// Position is where a line stands.
type Position struct {
	Seq     uint64
	Segment int   // number of the segment
	Offset  int64 // in octets of its plain form
}

// Append adds the chain members to a content made by Marshal and copies the
// line to the end. The order of calls is the order of commits: the first Append
// after a Sync says that the group before it is committed. After an error of
// the disk nothing can be appended any more; reopen the ledger with the marks
// that were committed.
func (l *Ledger) Append(content []byte) (Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return Position{}, l.broken
	}
	if !isContent(content) {
		return Position{}, fmt.Errorf("%w: %d octets of content %.80q", ErrEntry, len(content), content)
	}
	if err := l.append(content); err != nil {
		l.broken = fmt.Errorf("ledger: append: %w", err)
		return Position{}, l.broken
	}
	return Position{Seq: l.tip.seq, Segment: l.number, Offset: l.size - int64(len(l.scratch))}, nil
}

func (l *Ledger) append(content []byte) error {
	if l.over {
		l.over = false
		if l.file != nil && l.size >= l.limit {
			if err := l.finish(); err != nil {
				return err
			}
		}
	}
	if l.file == nil {
		if err := l.begin(); err != nil {
			return err
		}
	}
	l.scratch = l.tip.appendLine(l.scratch[:0], content)
	l.size += int64(len(l.scratch))
	_, err := l.out.Write(l.scratch)
	return err
}

// begin creates the next segment.
func (l *Ledger) begin() error {
	f, err := os.OpenFile(filepath.Join(l.dir, plainName(l.number+1)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	l.number++
	l.use(f, 0)
	l.newFile = true
	return nil
}

func (l *Ledger) use(f *os.File, size int64) {
	l.file, l.out, l.size, l.synced = f, bufio.NewWriterSize(f, 256<<10), size, size
}

// finish compresses the full segment, all of which is committed.
func (l *Ledger) finish() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	l.file = nil
	return compress(l.dir, l.number)
}

// Sync makes everything appended durable.
func (l *Ledger) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	if err := l.sync(); err != nil {
		l.broken = fmt.Errorf("ledger: sync: %w", err)
		return l.broken
	}
	return nil
}

func (l *Ledger) sync() error {
	l.over = true
	if l.file == nil || l.synced == l.size {
		return nil
	}
	if err := l.out.Flush(); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	if l.newFile {
		if err := syncFolder(l.dir); err != nil {
			return err
		}
		l.newFile = false
	}
	l.synced = l.size
	return nil
}

// Marks adds the durable end of the newest segment, as of the last Sync. It
// does so also while that segment is closed and the next one not begun: the
// chain must be anchored in every commit.
func (l *Ledger) Marks(into map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.number > 0 {
		into[markName(l.number)] = l.synced
	}
}

// Close makes everything durable and closes the file. The segment stays open
// for the next process. Closing again does nothing.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.broken, ErrClosed) {
		return nil
	}
	var err error
	if l.broken == nil {
		err = l.sync()
	}
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
		l.file = nil
	}
	l.broken = ErrClosed
	if err != nil {
		return fmt.Errorf("ledger: close: %w", err)
	}
	return nil
}
