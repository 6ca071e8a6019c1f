package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

const (
	// compactStep is the number of octets copied in one transaction.
	compactStep = 64 << 20

	// packedSuffix names the copy until it takes the place of its original.
	packedSuffix = ".packed"
)

// Packed is what [Compact] did.
type Packed struct{ BeforeBytes, AfterBytes int64 }

// Compact packs the state file at path: it writes the copy without free space
// beside it, makes that durable, and renames it over the file. Whenever it is
// stopped or killed, path is either the old file or the new one, whole; what is
// left of a copy is removed by the next Compact or Open. No other process may have
// the file open, and none can open it meanwhile. It needs room for the copy.
//
// Errors are those of [Open], and [fs.ErrNotExist] if there is no file.
func Compact(path string) (p Packed, err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil { // the name that is replaced is the file's own
		return p, fmt.Errorf("bolt: compact: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return p, fmt.Errorf("bolt: compact: %w", err)
	}
	if p.BeforeBytes = info.Size(); p.BeforeBytes == 0 {
		return p, fmt.Errorf("bolt: compact %s: %w: it is empty; %s", path, frontier.ErrDamaged, advice)
	}
	o := Options{}.withDefaults()
	db, err := openFile(path, o) // its lock is held until the new file is in place
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	from := newEngine(db, o)
	if err := from.view(from.load); err != nil {
		return p, fmt.Errorf("bolt: compact %s: %w", path, err)
	}
	p.AfterBytes, err = replace(path, db)
	if err != nil {
		return p, fmt.Errorf("bolt: compact %s: %w", path, classify(err))
	}
	return p, nil
}

// replace puts a packed copy of a database in its place.
func replace(path string, from *bbolt.DB) (bytes int64, err error) {
	packed := path + packedSuffix
	if err := dropCopy(path); err != nil {
		return 0, err
	}
	if err = copyInto(packed, from); err == nil {
		var info os.FileInfo
		if info, err = os.Stat(packed); err == nil {
			bytes, err = info.Size(), os.Rename(packed, path)
		}
	}
	if err != nil {
		return 0, errors.Join(err, dropCopy(path))
	}
	return bytes, syncFolder(filepath.Dir(path))
}

// dropCopy removes what a compaction that was cut off has left behind. Whoever
// calls it holds the lock of the file.
func dropCopy(path string) error {
	if err := os.Remove(path + packedSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// copyInto copies a database into a new file and makes its content durable.
func copyInto(dst string, from *bbolt.DB) error {
	return guard(func() error {
		to, err := bbolt.Open(dst, 0o600, &bbolt.Options{Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType, NoSync: true, NoStatistics: true})
		if err != nil {
			return err
		}
		err = bbolt.Compact(to, from, compactStep)
		if err == nil {
			err = to.Sync()
		}
		return errors.Join(err, to.Close())
	})
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
