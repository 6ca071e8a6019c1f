package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Recovery tells what Open found and did.
type Recovery struct {
	CutBytes int64    // cut off behind the mark of the open segment
	Unmarked []string // files set aside because no mark knows them, with their new names
}

// Recovered tells what Open did.
func (l *Ledger) Recovered() Recovery { return l.recovery }

// Open makes a folder ready for appending: it cuts the newest marked segment
// back to its mark, sets newer ones aside, finishes a compression that was
// under way, and goes on with the chain. ErrDamaged if committed lines are
// missing or the last one is not sound. Only one Ledger may have the folder
// open; the owner of the marks sees to that.
func Open(dir string, marks map[string]int64) (*Ledger, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	l := &Ledger{dir: dir, limit: segmentBytes, tip: origin(), over: true}
	if err := l.recover(marks); err != nil {
		return nil, errors.Join(err, l.closeFile())
	}
	return l, nil
}

func (l *Ledger) closeFile() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// newestMark gives the number and the mark of the newest segment that has
// committed lines, 0 if there is none.
func newestMark(marks map[string]int64) (number int, mark int64) {
	for key, size := range marks {
		name, ok := strings.CutPrefix(key, markPrefix)
		m := segmentName.FindStringSubmatch(name)
		if !ok || m == nil || m[2] != "" || size <= 0 {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil && n > number {
			number, mark = n, size
		}
	}
	return number, mark
}

func (l *Ledger) recover(marks map[string]int64) error {
	list, err := segments(l.dir)
	if err != nil {
		return err
	}
	newest, mark := newestMark(marks)
	var last segment
	for _, s := range list {
		switch {
		case s.number > newest:
			err = l.setAside(s)
		case s.number < newest && s.plain:
			err = compress(l.dir, s.number)
		case s.number == newest:
			last = s
		}
		if err != nil {
			return err
		}
	}
	if err := l.dropTemporary(); err != nil {
		return err
	}
	if newest == 0 {
		return syncFolder(l.dir)
	}
	if last.number == 0 {
		return fmt.Errorf("%w: %s has %d committed octets and is not there", ErrDamaged, plainName(newest), mark)
	}
	l.number = newest
	return l.resume(last, mark)
}

// resume opens the newest marked segment at its mark. One that was compressed
// goes on only if the state is older than it is (restored from a copy).
func (l *Ledger) resume(s segment, mark int64) error {
	if !s.plain {
		tail, size, err := l.tailOf(s.number)
		if err != nil {
			return err
		}
		if size == mark {
			l.synced = mark
			return l.adopt(tail)
		}
		if err := l.unpack(s.number); err != nil {
			return err
		}
	}
	path := filepath.Join(l.dir, plainName(s.number))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("ledger: open: %w", err)
	}
	l.use(f, mark)
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("ledger: open: %w", err)
	}
	if info.Size() < mark {
		return fmt.Errorf("%w: %s has %d octets, %d were committed", ErrDamaged, path, info.Size(), mark)
	}
	if l.recovery.CutBytes = info.Size() - mark; l.recovery.CutBytes > 0 {
		if err := errors.Join(f.Truncate(mark), f.Sync()); err != nil {
			return fmt.Errorf("ledger: cut: %w", err)
		}
	}
	from := max(0, mark-maxLineBytes)
	tail := make([]byte, mark-from)
	if _, err := f.ReadAt(tail, from); err != nil {
		return fmt.Errorf("ledger: open: %w", err)
	}
	if _, err := f.Seek(mark, io.SeekStart); err != nil {
		return fmt.Errorf("ledger: open: %w", err)
	}
	if err := l.adopt(tail); err != nil {
		return err
	}
	if s.plain && s.small { // the compressed form is of no use any more
		return l.remove(plainName(s.number) + suffixZstd)
	}
	return nil
}

// adopt takes the chain up behind the last line of tail.
func (l *Ledger) adopt(tail []byte) error {
	if len(tail) == 0 || tail[len(tail)-1] != '\n' {
		return fmt.Errorf("%w: %s: the mark is not at the end of a line", ErrDamaged, plainName(l.number))
	}
	tail = tail[:len(tail)-1]
	own, _, err := parts(tail[bytes.LastIndexByte(tail, '\n')+1:])
	if err != nil {
		return fmt.Errorf("%w: %s: last committed line: %w", ErrDamaged, plainName(l.number), err)
	}
	l.tip = own
	return nil
}

// tailOf gives the end of a compressed segment and its plain size.
func (l *Ledger) tailOf(number int) (tail []byte, size int64, err error) {
	r, name, err := openSegment(l.dir, number)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	buf := make([]byte, 0, 2*maxLineBytes)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf[:0], buf[len(buf)-maxLineBytes:]...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf, size = buf[:len(buf)+n], size+int64(n)
		if err == io.EOF {
			return buf, size, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("ledger: read %s: %w", name, err)
		}
	}
}

// unpack brings a compressed segment back into plain form.
func (l *Ledger) unpack(number int) error {
	r, name, err := openSegment(l.dir, number)
	if err != nil {
		return err
	}
	defer r.Close()
	plain := filepath.Join(l.dir, plainName(number))
	f, err := os.Create(plain + suffixTemp)
	if err != nil {
		return fmt.Errorf("ledger: unpack: %w", err)
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("ledger: unpack %s: %w", name, err)
	}
	if err := os.Rename(plain+suffixTemp, plain); err != nil {
		return fmt.Errorf("ledger: unpack: %w", err)
	}
	return l.remove(plainName(number) + suffixZstd)
}

// setAside renames the files of a segment that no mark knows. An empty one is
// removed: it says nothing.
func (l *Ledger) setAside(s segment) error {
	for _, name := range []string{plainName(s.number), plainName(s.number) + suffixZstd} {
		path := filepath.Join(l.dir, name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Size() == 0 {
			err = os.Remove(path)
		} else if err == nil {
			var to string
			if to, err = freeName(path + suffixUnmarked); err == nil {
				err = os.Rename(path, to)
				l.recovery.Unmarked = append(l.recovery.Unmarked, filepath.Base(to))
			}
		}
		if err != nil {
			return fmt.Errorf("ledger: set aside: %w", err)
		}
	}
	return nil
}

// freeName adds a number to a name that is taken.
func freeName(path string) (string, error) {
	for i, try := 2, path; ; i, try = i+1, path+"."+strconv.Itoa(i) {
		if _, err := os.Lstat(try); errors.Is(err, fs.ErrNotExist) {
			return try, nil
		} else if err != nil {
			return "", err
		}
	}
}

// dropTemporary removes what an interrupted compression left.
func (l *Ledger) dropTemporary() error {
	stray, err := filepath.Glob(filepath.Join(l.dir, "*.jsonl*"+suffixTemp))
	if err != nil {
		return fmt.Errorf("ledger: open: %w", err)
	}
	for _, path := range stray {
		if err := l.remove(filepath.Base(path)); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) remove(name string) error {
	if err := os.Remove(filepath.Join(l.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ledger: remove: %w", err)
	}
	return syncFolder(l.dir)
}
