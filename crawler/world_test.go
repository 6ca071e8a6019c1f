package crawler_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
	"heed/politeness/standards"
	"heed/store/bolt"
)

// clock is real time plus what was leapt over.
type clock struct{ leapt atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.leapt.Load())) }

func (c *clock) advance(d time.Duration) { c.leapt.Add(int64(d)) }

// reach leaps to a time that lies ahead, and only there.
func (c *clock) reach(at time.Time) {
	for {
		old := c.leapt.Load()
		ahead := at.Sub(time.Now().Add(time.Duration(old)))
		if ahead <= 0 || c.leapt.CompareAndSwap(old, old+int64(ahead)) {
			return
		}
	}
}

// leaper is an engine whose idle workers do not wait for the next host: the clock
// goes there at once. So a crawl with a delay of a second takes milliseconds, and
// every gap a server sees is as long as it would have been.
type leaper struct {
	*bolt.Engine
	clock *clock
	most  time.Duration // longer waits are left alone: they end the run
	still bool          // no leaps at all
}

const glance = 5 * time.Millisecond // how long a worker waits for a commit before it looks at the clock

func (l *leaper) Claim(ctx context.Context, r frontier.ClaimRequest) ([]frontier.Grant, frontier.Outlook, error) {
	if l.still {
		return l.Engine.Claim(ctx, r)
	}
	r.MaxWait = min(r.MaxWait, glance)
	grants, outlook, err := l.Engine.Claim(ctx, r)
	if err == nil && len(grants) == 0 && outlook.Leased == 0 && !outlook.Next.IsZero() && !outlook.Next.After(l.clock.now().Add(l.most)) {
		l.clock.reach(outlook.Next)
	}
	return grants, outlook, err
}

// world is a few sites and the folder of one job.
type world struct {
	*server
	t     testing.TB
	time  *clock
	dir   string
	ca    *authority
	names map[string][][]string // addresses of names under .dns, one list a look-up, the last for ever
	ids   atomic.Int64
	log   *slog.Logger
}

func newWorld(t testing.TB) *world {
	t.Helper()
	c := &clock{}
	ca := newAuthority(t)
	return &world{server: newServer(t, c.now, ca), t: t, time: c, dir: t.TempDir(), ca: ca, names: map[string][][]string{},
		log: slog.New(slog.DiscardHandler)}
}

// on sets the reply for a URL; "origin *" is any other URL of an origin.
func (w *world) on(url string, r reply) *world {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.routes[url] = r
	return w
}

// LookupNetIP implements fetch.Resolver for names that no rule leads to us.
func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lists := w.names[host]
	if len(lists) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(lists) > 1 {
		w.names[host] = lists[1:]
	}
	var out []netip.Addr
	for _, s := range lists[0] {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

// setup is what a test may change before the rooms are made.
type setup struct {
	crawler.Options
	fetch   fetch.Options
	pace    pace.Options
	signals standards.Options
	seeds   []string
	scope   frontier.ScopeKind
	depth   int
	exclude []string
	include []string
	pass    uint64 // above 0: known pages are asked for again
	refresh bool
	still   bool // the clock does not leap
	perHost int
	fetcher func(crawler.Fetcher) crawler.Fetcher
	engine  func(frontier.Engine) frontier.Engine
	sink    crawler.Sink
	cards   crawler.Cards
	noScope bool
	extra   []politeness.Source // asked besides the standards
	every   bool                // every standard, not only those that need no document but robots.txt
}

// job is a crawler with the real rooms, open.
type job struct {
	*crawler.Crawler
	world  *world
	engine *leaper
	pacer  *pace.Pacer
	gate   *politeness.Gate
	client *fetch.Client
	book   *recorder
	once   sync.Once
}

// open makes the rooms over the folder of the world, the way the program does.
func (w *world) open(change func(*setup)) *job {
	w.t.Helper()
	s := w.defaults()
	if change != nil {
		change(&s)
	}
	client, err := fetch.New(s.fetch)
	if err != nil {
		w.t.Fatal(err)
	}
	j := &job{world: w, client: client, book: newRecorder()}
	path := filepath.Join(w.dir, "state.db")
	_, err = os.Stat(path)
	existed := err == nil
	engine, err := bolt.Open(path, bolt.Options{Clock: w.time.now, CommitWindow: 20 * time.Millisecond, PerHost: s.perHost,
		Delay: func(string, []byte) time.Duration { return s.pace.Delay }})
	if err != nil {
		client.Close()
		w.t.Fatal(err)
	}
	j.engine = &leaper{Engine: engine, clock: w.time, most: s.Patience, still: s.still}
	s.pace.Shelf, s.pace.PerHost, s.pace.Restarted = engine, s.perHost, existed && !engine.Clean()
	j.pacer = pace.New(s.pace)
	j.gate = politeness.NewGate(s.sources(), politeness.NewLibrary(engine, 64), func() string {
		return fmt.Sprintf("d%06d", w.ids.Add(1))
	})
	rooms := crawler.Rooms{Queue: j.engine, Gate: j.gate, Pace: j.pacer, Fetcher: client, Notes: engine, Sink: j.book, Cards: s.cards}
	if !s.noScope {
		if rooms.Scope, err = frontier.NewScope(s.scope, s.seeds, s.include, s.exclude, s.depth); err != nil {
			w.t.Fatal(err)
		}
	}
	if s.fetcher != nil {
		rooms.Fetcher = s.fetcher(client)
	}
	if s.engine != nil {
		rooms.Queue = s.engine(j.engine)
	}
	if s.sink != nil {
		rooms.Sink = s.sink
	}
	if j.Crawler, err = crawler.New(s.Options, rooms); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(j.close)
	if len(s.seeds) > 0 {
		var list []crawler.Seed
		for _, url := range s.seeds {
			canonical, err := frontier.Canonical(url)
			if err != nil {
				w.t.Fatal(err)
			}
			list = append(list, crawler.Seed{URL: canonical, Score: -1})
		}
		if _, err := j.AddSeeds(w.t.Context(), list); err != nil {
			w.t.Fatal(err)
		}
	}
	if s.pass > 0 {
		if _, err := engine.Renew(w.t.Context(), s.pass, w.time.now(), s.refresh); err != nil {
			w.t.Fatal(err)
		}
	}
	return j
}

// sources are the standards. Those with documents of their own take slots of a
// host; most of these tests count slots and leave them out.
func (s *setup) sources() []politeness.Source {
	all := append(standards.All(s.signals), s.extra...)
	if s.every {
		return all
	}
	return slices.DeleteFunc(all, func(source politeness.Source) bool {
		return slices.ContainsFunc(source.Where("https://shop.test"), func(p politeness.Place) bool {
			return !p.Response && p.URL != "https://shop.test/robots.txt"
		})
	})
}

// close stops cleanly, as the program does.
func (j *job) close() {
	j.once.Do(func() {
		if err := j.engine.Engine.Flush(context.Background()); err != nil {
			j.world.t.Errorf("flush: %v", err)
		}
		if _, err := j.pacer.Flush(context.Background()); err != nil {
			j.world.t.Errorf("pace: %v", err)
		}
		if err := j.engine.Engine.Close(); err != nil {
			j.world.t.Errorf("close: %v", err)
		}
		j.client.Close()
	})
}

func (w *world) rule(pattern string, port int, l net.Listener) fetch.ResolveRule {
	r, err := fetch.ParseResolve(fmt.Sprintf("%s:%d:%s", pattern, port, l.Addr()))
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// defaults are those of the program where that can be, with the address guard
// opened for the loopback addresses of the servers.
func (w *world) defaults() setup {
	s := setup{scope: frontier.ScopeAny, depth: -1, perHost: 1}
	s.Options = crawler.Options{
		Purposes: politeness.PurposesOf(politeness.Index, politeness.Answer), Workers: 1, Score: 50,
		Retries: 3, RetryBase: 30 * time.Second, RetryMax: time.Hour, MaxRedirects: 5, Patience: 5 * time.Minute,
		MaxBodyBytes: 1 << 20, MaxLinks: 5000, MaxURLBytes: 2048, TrapRepeat: 4,
		Context: crawler.ContextOff, Discover: discover.DefaultPolicy(),
		Clock: w.time.now, Rand: func() float64 { return 0.5 }, Log: w.log,
	}
	s.fetch = fetch.Options{UserAgent: "heed/test (+https://crawler.test/about)", CAFiles: []string{w.ca.file}, SpoolDir: w.dir, Clock: w.time.now,
		AllowAddress: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Resolver: w,
		Limits: fetch.Limits{MaxBodyBytes: 1 << 20, MemoryBodyBytes: 64 << 10, HeaderBytes: 16 << 10, RatioFreeBytes: 64 << 10,
			Connect: 5 * time.Second, Header: 5 * time.Second, Total: 20 * time.Second}}
	for _, pattern := range []string{"*.test", "*.example"} {
		s.fetch.Resolve = append(s.fetch.Resolve, w.rule(pattern, 443, w.tls), w.rule(pattern, 8443, w.tls), w.rule(pattern, 80, w.plain))
	}
	s.pace = pace.Defaults()
	s.pace.Clock, s.pace.Rand, s.pace.AdaptiveFactor = w.time.now, s.Rand, 0
	s.signals = standards.Options{Token: "heed", MaxCrawlDelay: time.Minute}
	return s
}

// crawl runs one job to its end and closes it.
func (w *world) crawl(change func(*setup)) (*job, crawler.Ending) {
	w.t.Helper()
	j := w.open(change)
	end := j.run()
	j.close()
	return j, end
}

// run runs a job to its end; an end for an error of our own fails the test.
func (j *job) run() crawler.Ending {
	j.world.t.Helper()
	ctx, cancel := context.WithTimeout(j.world.t.Context(), 50*time.Second)
	defer cancel()
	end, err := j.Run(ctx)
	if err != nil || end.Code >= crawler.EndForced {
		j.world.t.Fatalf("the run ended with %d: %v", end.Code, err)
	}
	return end
}

// seeds starts a job from these URLs.
func seeds(urls ...string) func(*setup) { return func(s *setup) { s.seeds = urls } }

// targets lists what was asked of an origin, in order, robots.txt left out.
func (w *world) targets(origin string) []string {
	var out []string
	for _, r := range w.requests(false) {
		if r.origin == origin {
			out = append(out, r.target)
		}
	}
	return out
}

// hits counts the requests for a URL.
func (w *world) hits(url string) int {
	n := 0
	for _, r := range w.requests(true) {
		if r.url() == url {
			n++
		}
	}
	return n
}

// of returns the requests for a URL.
func (w *world) of(url string) []seen {
	var out []seen
	for _, r := range w.requests(true) {
		if r.url() == url {
			out = append(out, r)
		}
	}
	return out
}

// gaps fails if two requests of a host started closer together than least, or
// ran side by side.
func (w *world) gaps(host string, least time.Duration) {
	w.t.Helper()
	var last *seen
	for _, r := range w.requests(true) {
		if r.host != host {
			continue
		}
		if r.flight > 1 {
			w.t.Errorf("%s: %d requests at once for %s", host, r.flight, r.target)
		}
		// A server sees a request somewhat after it was started, one by one.
		if last != nil && r.at.Sub(last.at) < least-20*time.Millisecond {
			w.t.Errorf("%s: %s only %v after %s, want %v", host, r.target, r.at.Sub(last.at), last.target, least)
		}
		last = &r
	}
}

// recorder is a sink that remembers.
type recorder struct {
	mu     sync.Mutex
	visits []visit
}

// visit is a crawler.Visit without what must be given back.
type visit struct {
	kind     crawler.VisitKind
	url      string
	verdict  string
	reason   string
	status   int
	state    frontier.State
	title    string
	body     string // if it may be kept
	keep     bool
	digest   [32]byte
	decision politeness.Decision
	item     frontier.Item
	failure  fetch.Kind
	raw      string // as received, without chunks
	at       time.Time
}

func newRecorder() *recorder { return &recorder{} }

// location is where the n-th body is said to lie.
type location string

func (l location) Location() string { return string(l) }

// Prepare implements crawler.Sink.
func (r *recorder) Prepare(v crawler.Visit) (frontier.Attachment, error) {
	n := visit{kind: v.Kind, url: v.URL, reason: v.Reason, state: v.State, title: v.Title, keep: v.Keep, item: v.Item, at: v.At}
	if v.Decision != nil {
		n.decision, n.verdict = *v.Decision, v.Decision.Verdict.String()
		if n.reason == "" {
			n.reason = string(v.Decision.Reason)
		}
	}
	if v.Err != nil {
		n.failure = fetch.KindOf(v.Err)
	}
	place := ""
	if x := v.Exchange; x != nil {
		n.status, n.digest = x.Status, x.SHA256
		if v.Keep && v.Err == nil && x.Body != nil {
			body, err := x.Body.Bytes(16 << 20)
			if err != nil {
				return nil, fmt.Errorf("read a body back: %w", err)
			}
			n.body = strings.Clone(string(body))
			if x.RawBody != nil {
				raw, err := x.RawBody.Bytes(16 << 20)
				if err != nil {
					return nil, fmt.Errorf("read a raw body back: %w", err)
				}
				n.raw = strings.Clone(string(raw))
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.body != "" {
		place = fmt.Sprintf("record-%d", len(r.visits))
	}
	r.visits = append(r.visits, n)
	return location(place), nil
}

// all returns the visits so far.
func (r *recorder) all() []visit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]visit(nil), r.visits...)
}

// last is the newest visit of a URL, nil if there is none.
func (r *recorder) last(url string) *visit {
	all := r.all()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].url == url {
			return &all[i]
		}
	}
	return nil
}

// story is the end of a URL in the frontier, "state reason".
func (j *job) story(url string) string {
	report, err := j.engine.Why(context.Background(), url)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(report.State.String() + " " + report.Reason)
}
