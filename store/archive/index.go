package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// place is where an index line points.
type place struct {
	offset, length int64
	file           string
}

func placeOf(line []byte) (place, bool) {
	at := bytes.Index(line, []byte(" {"))
	if at < 0 {
		return place{}, false
	}
	var m struct{ Offset, Length, Filename string }
	if json.Unmarshal(line[at+1:], &m) != nil {
		return place{}, false
	}
	offset, err1 := strconv.ParseInt(m.Offset, 10, 64)
	length, err2 := strconv.ParseInt(m.Length, 10, 64)
	return place{offset, length, m.Filename}, err1 == nil && err2 == nil && offset >= 0 && length > 0
}

// indexLines gives the index lines of a WARC file of the given size: those in
// the unfinished index as far as they are sound, the others from the records.
// A crash may leave a torn or a zeroed tail in the unfinished index; nothing
// behind the first unsound line is believed.
func (a *Archive) indexLines(stem, warc string, size int64) ([][]byte, error) {
	text, err := os.ReadFile(a.indexPath(stem) + suffixOpen)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("archive: index: %w", err)
	}
	var lines [][]byte
	var end int64
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		p, ok := placeOf(text[:n])
		if !ok || p.file != stem+suffixWARC || p.offset < end || p.offset+p.length > size {
			break
		}
		lines, text, end = append(lines, text[:n]), text[n:], p.offset+p.length
	}
	x := indexer{file: stem + suffixWARC, emit: func(_ int64, line []byte) error {
		lines = append(lines, line)
		return nil
	}}
	if err := scan(warc, end, size, framing(), func(rec found) error { return x.see(rec) }); err != nil {
		return nil, err
	}
	return lines, x.flush()
}

// finishIndex writes the sorted index of a WARC file: whole or not at all.
func (a *Archive) finishIndex(stem, warc string, size int64) error {
	lines, err := a.indexLines(stem, warc, size)
	if err != nil {
		return err
	}
	slices.SortFunc(lines, bytes.Compare)
	temp := a.indexPath(stem) + ".tmp"
	if err := writeFile(temp, lines); err != nil {
		return fmt.Errorf("archive: index of %s: %w", stem, err)
	}
	if err := os.Rename(temp, a.indexPath(stem)); err != nil {
		return fmt.Errorf("archive: index of %s: %w", stem, err)
	}
	return syncFolder(a.options.IndexDir)
}

func writeFile(path string, pieces [][]byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Join(pieces, nil))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (a *Archive) warcPath(stem string) string {
	return filepath.Join(a.options.Dir, stem+suffixWARC)
}

func (a *Archive) indexPath(stem string) string {
	return filepath.Join(a.options.IndexDir, stem+suffixIndex)
}

// makeFinal finishes the index and then gives the WARC file its final name, so
// that a final file always has its index. It can be repeated after a crash at
// any point. The unfinished index goes last: while it is there nothing has to
// be read again.
func (a *Archive) makeFinal(stem string) error {
	warc := a.warcPath(stem)
	info, err := os.Stat(warc + suffixOpen)
	if err != nil {
		return fmt.Errorf("archive: finish: %w", err)
	}
	if err := a.finishIndex(stem, warc+suffixOpen, info.Size()); err != nil {
		return err
	}
	if err := os.Rename(warc+suffixOpen, warc); err != nil {
		return fmt.Errorf("archive: finish: %w", err)
	}
	if err := syncFolder(a.options.Dir); err != nil {
		return err
	}
	return removeIfThere(a.indexPath(stem) + suffixOpen)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}
