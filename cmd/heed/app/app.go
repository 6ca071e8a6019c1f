package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"heed/cmd/heed/api"
	"heed/config"
	"heed/crawler"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
	"heed/politeness/standards"
	"heed/store/archive"
	"heed/store/bolt"
	"heed/store/ledger"
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

func (a *App) openFetch() error {
	c := a.config
	o := fetch.Options{UserAgent: a.userAgent(), From: mailAddress(c.Contact), CAFiles: c.CAFile, SpoolDir: a.folder.spool(),
		HTTP1Only: c.Archive == "warc", BodyBudgetBytes: c.Limits.Bodies.Bytes(), Clock: a.options.Clock,
		Limits: fetch.Limits{MaxBodyBytes: c.PageBytes(), MemoryBodyBytes: c.Limits.SpoolAbove.Bytes(), HeaderBytes: c.Limits.Headers.Bytes(),
			MaxRatio: c.Limits.Ratio, RatioFreeBytes: c.Limits.RatioAfter.Bytes(), Connect: c.Limits.Connect.Std(), Header: c.Limits.HeaderWait.Std(),
			Total: c.Timeout.Std(), MinRateBytes: c.Limits.MinRate.Bytes(), MinRateAfter: c.Limits.MinRateAfter.Std()}}
	for _, s := range c.Resolve {
		r, err := fetch.ParseResolve(s)
		if err != nil {
			return fmt.Errorf("%w: resolve: %w", ErrSetting, err)
		}
		o.Resolve = append(o.Resolve, r)
	}
	for _, s := range c.AllowAddress {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return fmt.Errorf("%w: allow-address %q: %w", ErrSetting, s, err)
		}
		o.AllowAddress = append(o.AllowAddress, p)
	}
	if c.Proxy != "" {
		p, err := fetch.ParseProxy(string(c.Proxy))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrSetting, err)
		}
		o.Proxy = p
	}
	client, err := fetch.New(o)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	a.client = client
	a.push("fetch", func() error { client.Close(); return nil })
	return nil
}

// userAgent is what the crawler calls itself (product token, version, contact).
func (a *App) userAgent() string {
	if a.config.UserAgent != "" {
		return a.config.UserAgent
	}
	ua := "heed/" + a.options.Version
	if a.config.Contact != "" {
		ua += " (+" + a.config.Contact + ")"
	}
	return ua
}

// mailAddress is the address of a mailto: contact, for the From field.
func mailAddress(contact string) string {
	address, ok := strings.CutPrefix(contact, "mailto:")
	if !ok {
		return ""
	}
	return address
}

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

func (a *App) openPace(ctx context.Context, existed bool) error {
	o := pace.Defaults()
	o.Delay, o.PerHost = defaultDelay, 1
	o.Floor = a.floor
	o.PerAddress = a.config.PerAddress
	o.MaxCrawlDelay = a.config.Limits.CrawlDelay.Std()
	o.BackOffBase, o.BackOffMax = a.config.BackOff.Std(), a.config.BackOffMax.Std()
	o.Clock, o.Shelf, o.StartedAt = a.options.Clock, a.engine, a.options.Clock()
	settled, err := a.engine.LoadNote(ctx, paceNote, "settled")
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	// A new state has nothing to wait for. Any other start waits unless the last
	// stop was clean for the state and for the pacer alike.
	o.Restarted = existed && (!a.engine.Clean() || settled == nil)
	a.pacer = pace.New(o)
	a.push("pace", func() error {
		clean, err := a.pacer.Flush(context.Background())
		var note []byte
		if clean && err == nil {
			note = []byte{1}
		}
		return errors.Join(err, a.engine.SaveNote(context.Background(), paceNote, "settled", note))
	})
	return nil
}

// paceNote keeps whether the pacer could vouch for its state at the last stop.
const paceNote = "pace"

// defaultDelay is the smallest pause between requests to a host whose addresses
// are not all opened, unless an operator rule with a reason says otherwise.
const defaultDelay = time.Second

// libraryDocuments is how many policy documents stay parsed in memory, times two.
const libraryDocuments = 4096

func (a *App) openGate() error {
	rules, hosts := operatorRules(a.config), actHosts(a.config)
	if err := errors.Join(standards.Validate(rules), standards.ValidateActHosts(hosts)); err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	o := standards.Options{Token: a.config.Token, Operator: rules, ActHosts: hosts, MaxCrawlDelay: a.config.Limits.CrawlDelay.Std(), Disagreements: &a.second,
		NoDeclaration: a.config.DeclarePurpose == string(crawler.DeclareNever)}
	if a.cards != nil {
		s := a.cards.sources()
		o.Card, o.Registry = s[0], s[1]
	}
	sources := standards.All(o)
	for _, s := range standards.Loosenings(rules) {
		a.options.Log.Warn("operator rule loosens: " + s)
	}
	a.gate = politeness.NewGate(sources, politeness.NewLibrary(a.engine, libraryDocuments), newID)
	return nil
}

// newID makes ids that sort by time.
func newID() string { return ulid.Make().String() }

// openCrawler makes the conductor for the scope; nil is no scope.
func (a *App) openCrawler(scope *frontier.Scope) error {
	purposes, err := politeness.ParsePurposes(a.config.Purpose...)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	c := a.config
	policy, err := contextPolicy(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	rules, err := frontier.NewURLRules(a.rules())
	if err != nil {
		return fmt.Errorf("%w: url: %w", ErrSetting, err)
	}
	rooms := crawler.Rooms{Queue: a.engine, Gate: a.gate, Pace: a.pacer, Fetcher: a.client, Notes: a.engine, Sink: a.book, Scope: scope}
	if a.cards != nil {
		rooms.Cards = a.cards
	}
	next, err := crawler.New(crawler.Options{
		Purposes: purposes, SilentTrain: silentTrain(c), Declare: crawler.Declaration(c.DeclarePurpose), Workers: c.Workers, Score: c.Unscored,
		Retries: c.Retries, RetryBase: c.BackOff.Std(), RetryMax: c.BackOffMax.Std(), MaxRedirects: c.MaxRedirects, Delay: a.nominalDelay(), Patience: a.patience(5 * time.Minute),
		MaxPages: c.MaxPages, MaxBytes: c.SizeLimit.Bytes(), TimeLimit: c.TimeLimit.Std(),
		MaxBodyBytes: c.PageBytes(), MaxLinks: c.Limits.Links, MaxURLBytes: c.Limits.URL, MaxHostURLs: c.Limits.HostURLs, MaxDomainURLs: c.Limits.DomainURLs, MaxJobURLs: c.Limits.JobURLs, TrapRepeat: c.Limits.TrapRepeat, URLs: rules, Context: crawler.ContextMode(c.Context), Discover: policy, AcceptLanguage: c.AcceptLanguage,
		Lists:     crawler.ListOptions{On: c.Sitemaps == "auto", MaxBytes: c.Limits.Sitemap.Bytes(), MaxEntries: c.Limits.SitemapURLs, MaxDepth: c.Limits.SitemapDepth},
		KeepFresh: schedule(c),
		Types:     c.Types, Requisites: c.Requisites, MaxRate: c.MaxRate.Bytes(),
		Traps:   frontier.TrapLimits{Queries: c.Limits.PathQueries, Dates: c.Limits.PathDates, Hosts: c.Limits.DomainHosts, Bodies: c.Limits.SameBody},
		Budget:  crawler.Budget{HostPages: c.Budget.HostPages, HostBytes: c.Budget.HostBytes.Bytes(), DomainPages: c.Budget.DomainPages, DomainBytes: c.Budget.DomainBytes.Bytes(), JobPages: c.Budget.JobPages, JobBytes: c.Budget.JobBytes.Bytes()},
		Archive: c.Archive == "warc", Clock: a.options.Clock, Rand: rand.Float64, Log: a.options.Log,
	}, rooms)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	a.crawler.Store(next)
	if a.stopping.Load() {
		next.Stop(crawler.EndSignal, nil)
	}
	return nil
}

// schedule says when a job that keeps fresh asks again; nil for one that ends.
func schedule(c config.Config) *frontier.Schedule {
	if !c.KeepFresh {
		return nil
	}
	r := c.Recrawl
	return &frontier.Schedule{First: r.First.Std(), Min: r.Min.Std(), Max: r.Max.Std(), Gone: r.Gone.Std()}
}

func (a *App) patience(otherwise time.Duration) time.Duration {
	if a.config.Patience != nil {
		return a.config.Patience.Std()
	}
	return otherwise
}

// nominalDelay is the delay of a host that nothing special is known about: below
// the default only where addresses were opened.
func (a *App) nominalDelay() time.Duration {
	if len(a.config.AllowAddress) > 0 {
		return a.config.Delay.Std()
	}
	return max(a.config.Delay.Std(), defaultDelay)
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
