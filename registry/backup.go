package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// Backup writes a copy of the state file as of one moment, while the registry
// goes on. The copy is complete when its name appears; a file of that name is
// not replaced. A registry that starts from it has another epoch, so that no
// cursor of the time after the backup is taken for one of its own, and cuts
// nothing off the write log it finds.
func (a Admin) Backup(ctx context.Context, path string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("registry: backup to %q: %w", path, err)
		}
	}()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(ErrExists, err)
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name()) // err says what matters
		}
	}()
	err = a.server.shelf.db.View(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(part)
		return err
	})
	if err = closeWith(part, err); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := renewEpoch(part.Name()); err != nil {
		return err
	}
	// Link and not rename: it fails if the name was taken meanwhile.
	if err := os.Link(part.Name(), path); err != nil {
		return err
	}
	if err := os.Remove(part.Name()); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// renewEpoch gives a copy its own epoch, and makes it durable.
func renewEpoch(path string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockPatience, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	return closeWith(db, db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketMeta)
		var m meta
		if err := json.Unmarshal(b.Get(keyMeta), &m); err != nil {
			return fmt.Errorf("%w: meta: %w", ErrDamaged, err)
		}
		m.Epoch, m.LogBytes = newEpoch(), allLines
		return putJSON(b, keyMeta, m)
	}))
}
