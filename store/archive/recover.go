package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Recovery tells what Open found and did. Names are those of files without
// folders.
type Recovery struct {
	Cut       map[string]int64 // octets cut off behind the mark
	Removed   []string         // unfinished files of which nothing was committed
	Reindexed []string         // index read back from the WARC file
	Unmarked  []string         // final files that the marks do not know: kept as they are
	Missing   []string         // files that the marks know and the folder does not: moved away, or lost
}

// Recovered tells what Open did.
func (a *Archive) Recovered() Recovery { return a.recovery }

// Open makes the folders ready for appending: it cuts every file back to its
// mark, removes unfinished ones without a mark, and makes the others final.
// ErrDamaged if a file is shorter than its mark, or cannot be read up to it.
// Only one Archive may have the folders open; the owner of the marks sees to
// that.
func Open(o Options, marks map[string]int64) (*Archive, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{o.Dir, o.IndexDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("archive: open: %w", err)
		}
	}
	a := newArchive(o)
	if err := a.recover(marks); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Archive) recover(marks map[string]int64) error {
	a.recovery.Cut = make(map[string]int64)
	entries, err := os.ReadDir(a.options.Dir)
	if err != nil {
		return fmt.Errorf("archive: open: %w", err)
	}
	seen := make(map[string]bool)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "spool-") && strings.HasSuffix(e.Name(), ".tmp") {
			if err := removeIfThere(filepath.Join(a.options.Dir, e.Name())); err != nil {
				return err
			}
		}
		stem, serial, open, ok := stemOf(e.Name(), a.options.Prefix)
		if !ok || !strings.HasPrefix(e.Name()[len(stem):], suffixWARC) {
			continue
		}
		a.serial = max(a.serial, serial+1)
		key := markPrefix + stem + suffixWARC
		mark, marked := marks[key]
		seen[key] = true
		if open {
			err = a.recoverOpen(stem, mark)
		} else {
			err = a.recoverFinal(stem, mark, marked)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(marks)) {
		name, ours := strings.CutPrefix(key, markPrefix)
		if _, serial, _, ok := stemOf(name, a.options.Prefix); ours && ok && !seen[key] {
			a.recovery.Missing = append(a.recovery.Missing, name)
			a.serial = max(a.serial, serial+1)
		}
	}
	return a.dropStrayIndexes()
}

func (a *Archive) recoverOpen(stem string, mark int64) error {
	path := a.warcPath(stem) + suffixOpen
	if mark == 0 {
		a.recovery.Removed = append(a.recovery.Removed, filepath.Base(path))
		return errors.Join(removeIfThere(path), removeIfThere(a.indexPath(stem)+suffixOpen), removeIfThere(a.indexPath(stem)))
	}
	if err := a.cut(path, mark); err != nil {
		return err
	}
	return a.makeFinal(stem)
}

// recoverFinal leaves a final file alone unless the state is older than it is
// (restored from a copy): then it is cut like any other.
func (a *Archive) recoverFinal(stem string, mark int64, marked bool) error {
	path := a.warcPath(stem)
	if !marked {
		a.recovery.Unmarked = append(a.recovery.Unmarked, filepath.Base(path))
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("archive: open: %w", err)
	}
	size := info.Size()
	_, err = os.Stat(a.indexPath(stem))
	indexed := err == nil
	if marked && size != mark {
		if err := a.cut(path, mark); err != nil {
			return err
		}
		size, indexed = mark, false
	}
	if !indexed {
		a.recovery.Reindexed = append(a.recovery.Reindexed, filepath.Base(path))
		if err := a.finishIndex(stem, path, size); err != nil {
			return err
		}
	}
	return removeIfThere(a.indexPath(stem) + suffixOpen)
}

// cut shortens a file to its mark, durably.
func (a *Archive) cut(path string, mark int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("archive: cut: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("archive: cut: %w", err)
	}
	switch size := info.Size(); {
	case size < mark:
		return fmt.Errorf("%w: %s has %d octets, %d were committed", ErrDamaged, path, size, mark)
	case size == mark:
		return nil
	default:
		a.recovery.Cut[filepath.Base(path)] = size - mark
	}
	if err := f.Truncate(mark); err != nil {
		return fmt.Errorf("archive: cut: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("archive: cut: %w", err)
	}
	return nil
}

// dropStrayIndexes removes what a crash left of an unfinished index whose WARC
// file is gone, and half-written finished ones.
func (a *Archive) dropStrayIndexes() error {
	entries, err := os.ReadDir(a.options.IndexDir)
	if err != nil {
		return fmt.Errorf("archive: open: %w", err)
	}
	for _, e := range entries {
		name, half := strings.CutSuffix(e.Name(), ".tmp")
		stem, _, open, ok := stemOf(name, a.options.Prefix)
		if !ok || !half && !open {
			continue
		}
		if _, err := os.Stat(a.warcPath(stem) + suffixOpen); half || errors.Is(err, fs.ErrNotExist) {
			if err := removeIfThere(filepath.Join(a.options.IndexDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
