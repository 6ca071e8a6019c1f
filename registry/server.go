package registry

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Options configure a [Server].
type Options struct {
	// Path is the data folder: the state file and the write log. It is created
	// if it is not there.
	Path string
	// PublicURL is the base of every URI that is handed out: https, or http on
	// loopback, a host, perhaps a path. The handler serves below that path and
	// at the root.
	PublicURL string
	// Name is shown in the discovery document; 1 to 256 octets.
	Name string
	// Clock tells the time; nil means time.Now.
	Clock func() time.Time
	// Prover checks proofs; without one, checks answer ErrNoProver and cards
	// stay pending.
	Prover Prover
	// Checks is the number of proof checks at a time; 0 means 8.
	Checks int
	// Rate is the number of reads a minute for each client address; 0 means no
	// limit.
	Rate int
	// WriteRate is the number of writes a minute for each publisher, checks
	// counting ten, so at least 10; 0 means no limit.
	WriteRate int
	// TrustedProxies are the peers whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix
	// KeepRemoved is how long the feed tells of a removed card; 0 means 90
	// days. Cursors from before are answered with 410.
	KeepRemoved time.Duration
	// Draw in [0,1) spreads proof checks; nil means random.
	Draw func() float64
	// Log takes what the operator should know; nil discards it. It is never
	// told about readers, and never a token.
	Log *slog.Logger
}

// Defaults of Options.
const (
	defaultChecks      = 8
	defaultKeepRemoved = 90 * 24 * time.Hour
)

// Server is one registry. Its methods may be called from any goroutine.
type Server struct {
	o        Options
	base     string // PublicURL without a final slash
	docs     string // where problem types lead
	clock    func() time.Time
	shelf    *shelf
	validate validator
	prepared *prepared
	lists    lists
	limiter  *limiter[netip.Prefix]
	writes   *limiter[string]
	bearer   *bearer
	checker  *checker
	counts   counts
	handler  http.Handler
}

// Open opens or creates the registry in a folder. It is ErrLocked if another
// process has it, ErrInvalid if an option is out of range, ErrDamaged if the
// state is not readable.
func Open(o Options) (*Server, error) {
	base, err := o.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, base: base, docs: base + "/docs", clock: o.Clock, prepared: newPrepared()}
	if s.validate.schema, err = newSchema(base + "/v1/schema.json"); err != nil {
		return nil, err
	}
	if s.shelf, err = openShelf(o.Path, o.Clock); err != nil {
		return nil, err
	}
	s.limiter = newLimiter[netip.Prefix](o.Rate, o.Clock)
	s.writes = newLimiter[string](o.WriteRate, o.Clock)
	if s.bearer, err = newBearer(base, s.shelf.secrets.Signing, o.Clock); err != nil {
		return nil, closeAfter(closer(s.shelf.close), err)
	}
	s.checker = newChecker(o.Checks)
	s.handler = s.routes()
	return s, nil
}

type closer func() error

// Close implements io.Closer.
func (c closer) Close() error { return c() }

// complete fills in defaults and gives the base of all URIs.
func (o *Options) complete() (base string, err error) {
	u, err := url.Parse(o.PublicURL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%w: public URL %q", ErrInvalid, o.PublicURL)
	case o.Path == "":
		return "", fmt.Errorf("%w: no data folder", ErrInvalid)
	case o.Name == "" || len(o.Name) > 256:
		return "", fmt.Errorf("%w: name of 1 to 256 octets expected", ErrInvalid)
	case o.Rate < 0 || o.WriteRate < 0 || 0 < o.WriteRate && o.WriteRate < priceCheck/priceWrite || o.Checks < 0 || o.KeepRemoved < 0:
		return "", fmt.Errorf("%w: a limit is out of range", ErrInvalid)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Draw == nil {
		o.Draw = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Checks == 0 {
		o.Checks = defaultChecks
	}
	if o.KeepRemoved == 0 {
		o.KeepRemoved = defaultKeepRemoved
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// Handler serves the public paths.
func (s *Server) Handler() http.Handler { return s.handler }

// Limited wraps a handler so that its answers are paid from the same buckets as
// all reads, for paths that others add beside Handler.
func (s *Server) Limited(next http.Handler) http.Handler { return s.reader(next) }

// Admin gives the operator's view.
func (s *Server) Admin() Admin { return Admin{s} }

// Admin is what the operator may do. It is never reachable through Handler.
type Admin struct{ server *Server }

// Close waits for what is being written and closes the files. Run must have
// returned.
func (s *Server) Close() error { return s.shelf.close() }

// counts are totals since Open.
type counts struct {
	reads, notModified, limited       atomic.Uint64
	writesAccepted, writesRefused     atomic.Uint64
	checksPassed, checksFailed        atomic.Uint64
	checksInconclusive, tokensGranted atomic.Uint64
}

// Stats are figures for metrics: states now, and totals since Open.
type Stats struct {
	Cards, Listed                     int
	Fresh, Stale, Unverified, Pending int
	ChecksDue                         int
	Publishers                        int
	CacheBytes                        int64
	Reads, NotModified, Limited       uint64
	WritesAccepted, WritesRefused     uint64
	Passed, Failed, Inconclusive      uint64
	TokensGranted                     uint64
	Head                              uint64 // sequence number of the last change
	Failure                           error  // no writes are taken any more
}

// Stats gives a snapshot. It walks the catalog: a few milliseconds for 100,000
// cards.
func (s *Server) Stats() Stats {
	c := &s.counts
	st := Stats{Reads: c.reads.Load(), NotModified: c.notModified.Load(), Limited: c.limited.Load(),
		WritesAccepted: c.writesAccepted.Load(), WritesRefused: c.writesRefused.Load(),
		Passed: c.checksPassed.Load(), Failed: c.checksFailed.Load(), Inconclusive: c.checksInconclusive.Load(),
		TokensGranted: c.tokensGranted.Load()}
	s.prepared.mu.Lock()
	st.CacheBytes = s.prepared.bytes
	s.prepared.mu.Unlock()
	now := instantOf(s.clock())
	s.shelf.mu.RLock()
	defer s.shelf.mu.RUnlock()
	st.Head, st.Failure, st.Publishers, st.Listed = s.shelf.meta.Head, s.shelf.failed, len(s.shelf.people), s.shelf.catalog.listed
	for _, known := range s.shelf.catalog.sites {
		if !known.hasCard() {
			continue
		}
		st.Cards++
		switch {
		case known.proof.method == Pending:
			st.Pending++
		case known.proof.method == Unverified:
			st.Unverified++
		case known.stale || known.expires() <= now:
			st.Stale++
		default:
			st.Fresh++
		}
		if known.next != 0 && known.next <= now {
			st.ChecksDue++
		}
	}
	return st
}

// Healthy tells why the registry cannot do its work, nil if it can.
func (s *Server) Healthy(context.Context) error {
	s.shelf.mu.RLock()
	defer s.shelf.mu.RUnlock()
	return s.shelf.failed
}
