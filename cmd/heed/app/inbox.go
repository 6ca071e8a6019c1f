package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler"
)

// The inbox is a folder of the job into which others put seed files. Each is read
// once and then moved to inbox/done. A crash in between reads it again, which adds
// nothing twice.

const (
	inboxPoll  = time.Second // also how long a file must have been left alone
	inboxFiles = 100         // files taken in one go; the rest wait for the next
)

// inboxReady lists the files that nobody is writing any more. Hidden files and
// those named .part or .tmp are left to whoever writes them.
func (a *App) inboxReady() []string {
	entries, err := os.ReadDir(a.folder.inbox())
	if err != nil {
		a.options.Log.Warn("the inbox cannot be read", "err", err)
		return nil
	}
	var ready []string
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || name[0] == '.' || filepath.Ext(name) == ".part" || filepath.Ext(name) == ".tmp" {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < inboxPoll {
			continue
		}
		if ready = append(ready, filepath.Join(a.folder.inbox(), name)); len(ready) == inboxFiles {
			break
		}
	}
	return ready
}

// takeInbox reads the files that are there before a crawl begins.
func (a *App) takeInbox() (files []string, seeds []crawler.Seed) {
	for _, path := range a.inboxReady() {
		err := a.readInboxFile(path, func(s crawler.Seed) error { seeds = append(seeds, s); return nil })
		if err != nil {
			a.options.Log.Warn("a file of the inbox cannot be read", "file", path, "err", err)
			continue
		}
		files = append(files, path)
	}
	return files, seeds
}

// readInboxFile reads one file; lines that are no seeds are reported and skipped.
func (a *App) readInboxFile(path string, seed func(crawler.Seed) error) error {
	bad := 0
	err := ReadSeeds(path, seed, func(line int, err error) error {
		if bad++; bad <= 20 {
			a.options.Log.Warn("seed skipped", "file", path, "line", line, "err", err)
		}
		return nil
	})
	if bad > 20 {
		a.options.Log.Warn("seeds skipped", "file", path, "lines", bad)
	}
	return err
}

// closeInbox moves files away whose seeds are durable.
func (a *App) closeInbox(files []string) {
	for _, path := range files {
		if err := os.Rename(path, a.donePath(filepath.Base(path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.options.Log.Warn("a file of the inbox cannot be moved away; it will be read again", "file", path, "err", err)
		}
	}
}

// donePath is a free name in inbox/done.
func (a *App) donePath(name string) string {
	path := filepath.Join(a.folder.done(), name)
	if _, err := os.Lstat(path); err != nil {
		return path
	}
	return fmt.Sprintf("%s.%d", path, time.Now().UnixNano())
}

// watchInbox adds the seeds of files that appear while a crawl runs.
func (a *App) watchInbox(ctx context.Context) {
	tick := time.NewTicker(inboxPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, path := range a.inboxReady() {
			added, err := a.addInboxFile(ctx, path)
			if err != nil {
				a.options.Log.Warn("a file of the inbox was not taken", "file", path, "err", err)
				continue
			}
			a.closeInbox([]string{path})
			a.options.Log.Info("seeds taken from the inbox", "file", filepath.Base(path), "new", added)
		}
	}
}

func (a *App) addInboxFile(ctx context.Context, path string) (added int, err error) {
	var batch []crawler.Seed
	flush := func() error {
		answer, err := a.AddSeeds(ctx, api.SeedsRequest{Seeds: batch})
		added, batch = added+answer.Added, batch[:0]
		return err
	}
	err = a.readInboxFile(path, func(s crawler.Seed) error {
		if batch = append(batch, s); len(batch) == api.MaxSeeds {
			return flush()
		}
		return nil
	})
	if err == nil && len(batch) > 0 {
		err = flush()
	}
	return added, err
}
