package registry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// stateName is the state file in the data folder.
const stateName = "registry.db"

const lockPatience = time.Second // how long Open waits for another process

// shelf keeps the catalog: durable in the state file, and in memory for
// readers. One goroutine commits, see writer.go.
type shelf struct {
	db      *bbolt.DB
	folder  string
	secrets secrets
	clock   func() time.Time
	log     *writeLog // of the writer

	turn sync.RWMutex // held by the writer while file and memory may differ

	mu      sync.RWMutex // guards what follows
	catalog *catalog
	people  map[string]*publisher
	meta    meta
	failed  error // no more writes are taken

	queueMu sync.Mutex
	queue   []*operation
	closed  bool
	bell    chan struct{} // holds one ring
	stopped chan struct{}
}

// openShelf opens or creates the state of a folder and starts the writer.
func openShelf(folder string, clock func() time.Time) (*shelf, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("registry: make data folder: %w", err)
	}
	db, err := bbolt.Open(filepath.Join(folder, stateName), 0o600, &bbolt.Options{
		Timeout: lockPatience, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%w: %s", ErrLocked, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("registry: open state of %s: %w", folder, err)
	}
	s := &shelf{db: db, folder: folder, clock: clock, bell: make(chan struct{}, 1), stopped: make(chan struct{})}
	if err := s.load(); err != nil {
		return nil, closeAfter(db, err)
	}
	if err := dropParts(folder); err != nil { // the lock on the state is ours
		return nil, closeAfter(db, fmt.Errorf("registry: clear data folder: %w", err))
	}
	if s.log, err = openLog(folder, s.meta.LogBytes); err != nil {
		return nil, closeAfter(db, err)
	}
	s.meta.LogBytes = s.log.size
	go s.write()
	return s, nil
}

// load reads the catalog into memory.
func (s *shelf) load() error {
	err := s.db.Update(func(tx *bbolt.Tx) (err error) {
		if s.meta, s.secrets, err = prepare(tx); err != nil {
			return err
		}
		if s.meta.Renderer == renderer {
			return nil
		}
		s.meta.Renderer = renderer
		return s.rerender(tx)
	})
	if err != nil {
		return err
	}
	return s.db.View(func(tx *bbolt.Tx) (err error) {
		if s.people, err = loadPublishers(tx); err != nil {
			return err
		}
		s.catalog, err = loadCatalog(tx)
		return err
	})
}

// loadCatalog reads the records of all domains.
func loadCatalog(tx *bbolt.Tx) (*catalog, error) {
	b := tx.Bucket(bucketSite)
	c := newCatalog()
	shared := make(words)
	err := b.ForEach(func(key, record []byte) error {
		s, err := readSite(string(key), record, shared)
		if err != nil {
			return err
		}
		c.add(s)
		return nil
	})
	c.ready()
	return c, err
}

// rerender computes the ETags anew after the way of serving has changed.
func (s *shelf) rerender(tx *bbolt.Tx) error {
	c, err := loadCatalog(tx)
	if err != nil {
		return err
	}
	b := &batch{tx: tx, shelf: &shelf{catalog: c}, now: instantOf(s.clock()), meta: s.meta, sites: make(map[string]*site)}
	for _, known := range c.sorted() {
		next := *known
		if err := b.put(&next); err != nil {
			return err
		}
	}
	if err := b.finish(); err != nil {
		return err
	}
	s.meta = b.meta
	return nil
}

// lookup is what is known about a domain, nil for nothing.
func (s *shelf) lookup(domain string) *site {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.catalog.sites[domain]
}

// settle waits until a commit that is under way is in memory too.
func (s *shelf) settle() {
	s.turn.RLock()
	defer s.turn.RUnlock()
}

// close commits what is queued and closes the files.
func (s *shelf) close() error {
	s.queueMu.Lock()
	already := s.closed
	s.closed = true
	s.queueMu.Unlock()
	if already {
		return nil
	}
	s.ring()
	<-s.stopped
	return errors.Join(s.log.close(), s.db.Close())
}
