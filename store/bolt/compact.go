package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// compactStep is the number of octets copied in one transaction.
const compactStep = 64 << 20

// Compact copies the state file at path, which no process may have open for
// writing, to dst without its free space. There must be nothing at dst; after
// an error there is nothing again. The copy is durable on return; to use it,
// rename it over path.
func Compact(path, dst string) (err error) {
	from, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("bolt: compact to %s: %w", dst, err)
	}
	err = f.Close()
	if err == nil {
		err = copyInto(dst, from.db)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("bolt: compact %s to %s: %w", path, dst, classify(err)), os.Remove(dst))
	}
	return nil
}

// copyInto copies a database into an empty file and makes file and name
// durable.
func copyInto(dst string, from *bbolt.DB) error {
	return guard(func() error {
		to, err := bbolt.Open(dst, 0o600, &bbolt.Options{Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType, NoSync: true})
		if err != nil {
			return err
		}
		err = bbolt.Compact(to, from, compactStep)
		if err == nil {
			err = to.Sync()
		}
		return errors.Join(err, to.Close(), syncFolder(filepath.Dir(dst)))
	})
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
