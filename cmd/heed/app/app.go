package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"heed/cmd/heed/api"
	"heed/config"
	"heed/crawler"
	"heed/crawler/fetch"
	"heed/politeness"
	"heed/politeness/pace"
	"heed/store/bolt"
)

// ErrSetting is a setting that reads well but cannot be used: a file that is not
// there, a rule that contradicts itself.
var ErrSetting = errors.New("app: a setting cannot be used")

// Options is what the caller adds to the configuration.
type Options struct {
	Version string
	Log     *slog.Logger
	Clock   func() time.Time // nil is time.Now
}

// App is one job, open in this process.
type App struct {
	config  config.Config
	options Options
	folder  folder

	engine *bolt.Engine
	book   *notebook
	client *fetch.Client
	pacer  *pace.Pacer
	gate   *politeness.Gate
	cards  *cards // nil if no registry is configured

	jobMu sync.Mutex // guards job while a crawl runs
	job   jobState

	crawler  atomic.Pointer[crawler.Crawler] // replaced once a run knows its scope
	stopping atomic.Bool                     // somebody asked to stop, whichever crawler was there

	second atomic.Int64 // questions that the second reader of robots.txt refused

	undo []step // clean-ups, in the order in which they were pushed
}

// step is one clean-up and what it belongs to.
type step struct {
	name string
	do   func() error
}

var _ api.Door = (*App)(nil)

// Open opens the job that c names, making its folder if there is none. Errors:
// frontier.ErrInUse, ErrVersion, ErrDamaged, ErrFull among others.
func Open(ctx context.Context, c config.Config, o Options) (_ *App, err error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if offset := c.NowOffset.Std(); offset != 0 {
		still := o.Clock
		o.Clock = func() time.Time { return still().Add(offset) }
		o.Log.Warn("the clock is moved", "offset", offset.String())
	}
	a := &App{config: c, options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if a.folder, err = jobFolder(c.Data, c.Job); err != nil {
		return nil, err
	}
	existed := a.folder.exists()
	if err = a.folder.make(); err != nil {
		return nil, err
	}
	if err = a.openFetch(); err != nil {
		return nil, err
	}
	if err = a.openStore(); err != nil {
		return nil, err
	}
	if err = a.openPace(ctx, existed); err != nil {
		return nil, err
	}
	if err = a.openCards(ctx); err != nil {
		return nil, err
	}
	if err = a.openGate(); err != nil {
		return nil, err
	}
	if err = a.loadJob(ctx); err != nil {
		return nil, err
	}
	return a, a.openCrawler(nil)
}

// push leaves a clean-up for Close.
func (a *App) push(name string, do func() error) { a.undo = append(a.undo, step{name, do}) }

// Close undoes Open, newest first.
func (a *App) Close() error {
	var all []error
	for i := len(a.undo) - 1; i >= 0; i-- {
		if err := a.undo[i].do(); err != nil {
			all = append(all, fmt.Errorf("app: close %s: %w", a.undo[i].name, err))
		}
	}
	a.undo = nil
	return errors.Join(all...)
}

// PID is the process that crawls the job, 0 if the file does not say.
func PID(c config.Config) int {
	f, err := jobFolder(c.Data, c.Job)
	if err != nil {
		return 0
	}
	text, err := os.ReadFile(f.pid())
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}
