package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// partPattern names the file in the data folder in which a copy is made ready.
const partPattern = "backup-*.part"

// Backup writes a copy of the state file as of one moment, while the registry
// goes on. A registry that starts from it has another epoch, so that no cursor
// of the time after the backup is taken for one of its own, and cuts nothing off
// the write log it finds. It needs room for the copy in the data folder.
func (a Admin) Backup(ctx context.Context, w io.Writer) error {
	if err := a.server.shelf.backup(ctx, w); err != nil {
		return fmt.Errorf("registry: backup: %w", err)
	}
	return nil
}

func (s *shelf) backup(ctx context.Context, w io.Writer) (err error) {
	part, err := os.CreateTemp(s.folder, partPattern)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	err = s.db.View(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(part)
		return err
	})
	if err = closeWith(part, err); err != nil {
		return err
	}
	if err := renewEpoch(part.Name()); err != nil {
		return err
	}
	copied, err := os.Open(part.Name())
	if err != nil {
		return err
	}
	_, err = io.Copy(w, reading{ctx, copied})
	return closeWith(copied, err)
}

// reading ends with its context.
type reading struct {
	ctx  context.Context
	from io.Reader
}

// Read implements io.Reader.
func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// renewEpoch gives a copy its own epoch.
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

// dropParts removes what backups of a process that was killed have left.
func dropParts(folder string) error {
	parts, err := filepath.Glob(filepath.Join(folder, partPattern))
	for _, part := range parts {
		err = errors.Join(err, os.Remove(part))
	}
	return err
}
