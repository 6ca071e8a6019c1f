package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"heed/store/archive"
	"heed/store/bolt"
	"heed/store/ledger"
)

// seenURLs is how many fingerprints of known URLs are kept in memory, 8 octets
// each: they spare most of the look-ups that links cost.
const seenURLs = 1 << 20

// openStore opens state, archive and ledger. The two files are cut back to what
// the state says was committed, and from then on written only by its commits.
func (a *App) openStore() error {
	a.book = newNotebook(a.options.Log)
	engine, err := bolt.Open(a.folder.state(), bolt.Options{
		Delay: func(host string, _ []byte) time.Duration { d, _ := a.floor(host); return d },
		Slots: func(host string) int { _, n := a.floor(host); return n },
		Clock: a.options.Clock, CommitWindow: a.config.CommitWindow.Std(), Before: a.book.beforeCommit, Seen: seenURLs,
	})
	if err != nil {
		return fmt.Errorf("app: open the state of job %s: %w", a.config.Job, err)
	}
	a.engine = engine
	a.push("state", engine.Close)
	// Whoever wrote a pid has died: the state is locked by this process now.
	if err := os.Remove(a.folder.pid()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("app: remove the pid of a crawl that died: %w", err)
	}
	marks := engine.Marks()
	if a.config.Archive == "warc" {
		w, err := archive.Open(archive.Options{Dir: a.folder.archive(), IndexDir: a.folder.indexes(), Software: "heed/" + a.options.Version,
			Operator: a.config.Contact, Robots: "every signal of the site obeyed, see the ledger", Now: a.options.Clock}, marks)
		if err != nil {
			return fmt.Errorf("app: open the archive: %w", err)
		}
		a.book.archive, a.book.dir = w, a.folder.archive()
		for name, octets := range w.Recovered().Cut {
			a.reportCut(name, octets)
		}
		a.push("archive", a.book.close)
	}
	l, err := ledger.Open(a.folder.ledger(), marks)
	if err != nil {
		return fmt.Errorf("app: open the ledger: %w", err)
	}
	a.book.ledger = l
	a.reportCut("ledger", l.Recovered().CutBytes)
	a.push("ledger", l.Close)
	a.push("settlements", func() error {
		err := engine.Flush(context.Background())
		if err != nil {
			a.book.broken.Store(true)
		}
		return err
	})
	return nil
}

// reportCut tells of what a crash left behind in a file without committing it. The
// URLs of it are still queued.
func (a *App) reportCut(name string, octets int64) {
	if octets > 0 {
		a.options.Log.Info("cut back to what was committed before the last run ended", "file", name, "octets", octets)
	}
}
