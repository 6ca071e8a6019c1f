package bolt

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"heed/frontier"
)

const (
	// lockTimeout is how long Open waits for another process to let go.
	lockTimeout = 200 * time.Millisecond

	// minMap is the smallest address space that is mapped. Remapping waits for
	// every open reader, so it is made rare; address space costs nothing.
	minMap = 1 << 28

	writable = "the file and its folder must be writable: make them so, or copy the job to where they are"

	advice = "restore the file from a copy, or remove it and start the job again: archive and ledger are files of their own and stay valid"
)

// Open opens the state file at path and makes it if there is none. It takes
// milliseconds at any size: nothing is scanned. Errors: [frontier.ErrInUse] if
// another process has it, [frontier.ErrVersion], [frontier.ErrDamaged],
// [frontier.ErrFull]; any other error is the operating system's.
func Open(path string, o Options) (*Engine, error) {
	o = o.withDefaults()
	db, err := openFile(path, o)
	if err != nil {
		return nil, err
	}
	e := newEngine(db, o)
	if !o.ReadOnly {
		err = dropCopy(path)
	}
	if err == nil {
		err = e.begin()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bolt: open %s: %w", path, err), db.Close())
	}
	if !o.ReadOnly {
		go e.write()
	} else {
		close(e.stopped)
	}
	return e, nil
}

// openFile opens the database at path. A file that was packed while this waited for
// its lock is not that one any more, and is let go.
func openFile(path string, o Options) (*bbolt.DB, error) {
	for {
		db, file, err := openOnce(path, o)
		if err != nil {
			return nil, err
		}
		held, err := file.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(path); err == nil && os.SameFile(held, there) {
				return db, nil
			}
		}
		if closed := db.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, fmt.Errorf("bolt: open %s: %w", path, err)
		}
	}
}

// openOnce opens the database and turns what goes wrong into errors of the
// frontier.
func openOnce(path string, o Options) (db *bbolt.DB, _ *os.File, err error) {
	size, err := intact(path)
	if err != nil {
		return nil, nil, fmt.Errorf("bolt: open %s: %w", path, err)
	}
	if size == 0 && o.ReadOnly {
		if _, err := os.Stat(path); err == nil {
			return nil, nil, fmt.Errorf("bolt: open %s: %w: it is empty; %s", path, frontier.ErrDamaged, advice)
		}
	}
	var file *os.File
	defer func() {
		if err != nil && file != nil {
			abandon(file) // a panic in bbolt leaves it open and locked
		}
	}()
	err = guard(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:         lockTimeout,
			FreelistType:    bbolt.FreelistMapType,
			InitialMmapSize: mapSize(size),
			ReadOnly:        o.ReadOnly,
			NoStatistics:    true,
			NoSync:          o.noSync,
			OpenFile: func(name string, flag int, perm os.FileMode) (*os.File, error) {
				var err error
				file, err = o.openFile(name, flag, perm)
				return file, err
			},
		})
		return err
	})
	switch {
	case err == nil:
		return db, file, nil
	case errors.Is(err, berrors.ErrTimeout):
		err = fmt.Errorf("%w: %s", frontier.ErrInUse, "another crawl or daemon has the file open")
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		err = fmt.Errorf("%w: %w; %s", frontier.ErrDamaged, err, advice)
	default:
		err = classify(err)
	}
	return nil, nil, fmt.Errorf("bolt: open %s: %w", path, err)
}

// mapSize is the address space for a file of this size: room to double.
func mapSize(fileBytes int64) int {
	size := int64(minMap)
	for size < 2*fileBytes {
		size *= 2
	}
	return int(size)
}

// guard runs f on the database and turns a panic, or a fault on a page that is
// not there, into [frontier.ErrDamaged]: bbolt trusts its file.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v; %s", frontier.ErrDamaged, p, advice)
		}
	}()
	return f()
}

// classify names the errors of the operating system that callers branch on.
func classify(err error) error {
	switch {
	case err == nil, errors.Is(err, frontier.ErrFull), errors.Is(err, frontier.ErrDamaged):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, berrors.ErrMaxSizeReached):
		return fmt.Errorf("%w: %w", frontier.ErrFull, err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; %s", err, writable)
	}
	return err
}

// begin checks the version, loads what is kept in memory and notes in the file
// that it is open, so that a stop without Close is seen the next time.
func (e *Engine) begin() error {
	if e.o.ReadOnly {
		return e.view(func(tx *bbolt.Tx) error { return e.load(tx) })
	}
	return guard(func() error {
		tx, err := e.db.Begin(true)
		if err != nil {
			return classify(err)
		}
		defer tx.Rollback()
		if err := e.create(tx); err != nil {
			return err
		}
		if err := migrate(tx, migrations); err != nil {
			return err
		}
		if err := e.load(tx); err != nil {
			return err
		}
		now := e.now()
		if e.clean = e.meta.clean; !e.clean {
			e.meta.uncleanAt = now
		}
		// A clock that was set back must not turn the old notice into a long pause.
		e.meta.uncleanAt = min(e.meta.uncleanAt, now)
		e.uncleanAt = e.meta.uncleanAt
		e.meta.clean = false
		e.meta.epoch++
		e.token = e.meta.epoch << epochShift
		if err := tx.Bucket(bucketMeta).Put(keyState, e.meta.append(nil)); err != nil {
			return err
		}
		return classify(tx.Commit())
	})
}

// create lays out an empty file. A file that holds something else is refused.
func (e *Engine) create(tx *bbolt.Tx) error {
	if tx.Bucket(bucketMeta) != nil {
		return nil
	}
	if k, _ := tx.Cursor().First(); k != nil {
		return fmt.Errorf("%w: it is not a state file of this program; %s", frontier.ErrDamaged, advice)
	}
	for _, name := range buckets {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	var secret [16]byte
	rand.Read(secret[:])
	m := tx.Bucket(bucketMeta)
	first := meta{clean: true, nextHost: 1}
	return errors.Join(
		m.Put(keySchema, binary.BigEndian.AppendUint32(nil, schema)),
		m.Put(keySecret, secret[:]),
		m.Put(keyState, first.append(nil)))
}

// load reads bucket "m".
func (e *Engine) load(tx *bbolt.Tx) error {
	m := tx.Bucket(bucketMeta)
	if m == nil {
		return fmt.Errorf("%w: it is not a state file of this program; %s", frontier.ErrDamaged, advice)
	}
	version := reader{b: m.Get(keySchema)}
	if found := version.u32(); !version.bad && found > schema {
		return fmt.Errorf("%w: it has schema %d, this program reads schema %d; open it with a later version of the program", frontier.ErrVersion, found, schema)
	} else if !version.bad && found < oldestReadable {
		return fmt.Errorf("%w: it has schema %d, which can be read only after an update: run the job, or anything else that may write", frontier.ErrVersion, found)
	}
	secret := reader{b: m.Get(keySecret)}
	e.key = hashKey{secret.u64(), secret.u64()}
	marks, ok := decodeMarks(m.Get(keyMarks))
	e.marks = marks
	ok = ok && !version.bad && !secret.bad && e.meta.decode(m.Get(keyState))
	for _, name := range buckets {
		ok = ok && tx.Bucket(name) != nil
	}
	if !ok {
		return fmt.Errorf("%w: its head cannot be read; %s", frontier.ErrDamaged, advice)
	}
	e.clean, e.uncleanAt, e.totals = e.meta.clean, e.meta.uncleanAt, e.meta
	e.published = tx.ID()
	return nil
}
