package archive

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// Archive writes WARC files. Build may be called by anybody at any time. The
// other methods belong to one writer at a time; the archive guards itself
// against two, but only the caller can put things into order.
type Archive struct {
	options  Options
	recovery Recovery
	dedup    *dedup
	presses  sync.Pool // of *press
	buffers  sync.Pool // of *bytes.Buffer

	mu      sync.Mutex // guards the rest
	current *volume    // nil until something is appended
	retired []*volume  // full, but not known to be committed
	serial  int
	synced  bool // nothing was appended since the last Sync: that group is over
	newFile bool // a file was created since the last Sync: its folder entry is not durable
	broken  error
}

func newArchive(o Options) *Archive {
	return &Archive{
		options: o,
		dedup:   newDedup(dedupEntries),
		presses: sync.Pool{New: func() any { return newPress() }},
		buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
}

// Append copies a visit to the end of the current file and returns the
// location of its body. The order of calls is the order of commits: the first
// Append after a Sync says that the group before it is committed. After an
// error nothing can be appended any more; reopen the archive with the marks
// that were committed.
func (a *Archive) Append(p *Prepared) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return "", a.broken
	}
	if !p.spent.CompareAndSwap(false, true) {
		return "", fmt.Errorf("%w: appended or discarded before", ErrRecord)
	}
	defer p.release()
	if err := a.append(p); err != nil {
		a.broken = fmt.Errorf("archive: append: %w", err)
		return "", a.broken
	}
	return p.location, nil
}

func (a *Archive) append(p *Prepared) error {
	if a.synced {
		a.synced = false
		if err := a.finishRetired(); err != nil {
			return err
		}
	}
	if v := a.current; v != nil && (v.size >= a.options.MaxFileBytes || v.indexBytes >= maxIndexBytes) {
		a.retired, a.current = append(a.retired, v), nil
	}
	if a.current == nil {
		v, err := a.newVolume()
		if err != nil {
			return err
		}
		a.current, a.newFile = v, true
	}
	offset, err := a.current.append(p)
	if err != nil {
		return err
	}
	if p.store {
		p.location = location(a.current.name(), offset, p.firstBytes)
		p.self.Location = p.location
		a.dedup.add(p.key, p.self)
	}
	return nil
}

// Sync makes everything appended durable.
func (a *Archive) Sync() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return a.broken
	}
	if err := a.sync(); err != nil {
		a.broken = fmt.Errorf("archive: sync: %w", err)
		return a.broken
	}
	return nil
}

func (a *Archive) sync() error {
	for _, v := range a.open() {
		if err := v.sync(); err != nil {
			return err
		}
	}
	if a.newFile {
		if err := errors.Join(syncFolder(a.options.Dir), syncFolder(a.options.IndexDir)); err != nil {
			return err
		}
		a.newFile = false
	}
	a.synced = true
	return nil
}

func (a *Archive) open() []*volume {
	if a.current == nil {
		return a.retired
	}
	return append(a.retired[:len(a.retired):len(a.retired)], a.current)
}

// Marks adds the durable ends of all files that are not final yet, as of the
// last Sync.
func (a *Archive) Marks(into map[string]int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range a.open() {
		into[markPrefix+v.name()] = v.synced
	}
}

// Close makes the files final. Everything appended must be committed by then;
// when a commit failed, call Abandon instead. Closing again does nothing.
func (a *Archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(a.broken, ErrClosed) {
		return nil
	}
	if a.broken != nil {
		return a.abandon()
	}
	err := a.sync()
	if err == nil {
		a.retired, a.current = a.open(), nil
		err = a.finishRetired()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("archive: close: %w", err), a.abandon())
	}
	a.broken = ErrClosed
	return nil
}

// Abandon closes the files as they are, as a crash would: the next Open cuts
// them back to the marks that were committed.
func (a *Archive) Abandon() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(a.broken, ErrClosed) {
		return nil
	}
	return a.abandon()
}

func (a *Archive) abandon() error {
	var errs []error
	for _, v := range a.open() {
		errs = append(errs, v.close())
	}
	a.retired, a.current, a.broken = nil, nil, ErrClosed
	return errors.Join(errs...)
}

// finishRetired gives full files their final names.
func (a *Archive) finishRetired() error {
	for _, v := range a.retired {
		if err := v.close(); err != nil {
			return err
		}
		if err := a.makeFinal(v.stem); err != nil {
			return err
		}
	}
	a.retired = nil
	return nil
}

// location writes file:offset:length.
func location(file string, offset, length int64) string {
	b := make([]byte, 0, len(file)+24)
	b = strconv.AppendInt(append(append(b, file...), ':'), offset, 10)
	return string(strconv.AppendInt(append(b, ':'), length, 10))
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
