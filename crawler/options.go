package crawler

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// Options is what a job wants. Zero values are not defaults: whoever builds the
// crawler fills all of it.
type Options struct {
	Purposes      politeness.Purposes
	SilentTrain   bool
	SilentBecause string
	Declare       Declaration
	Workers       int
	Score         int // of pages that nobody scored, 0 to 100

	Retries      int // after the first attempt
	RetryBase    time.Duration
	RetryMax     time.Duration
	MaxRedirects int
	Delay        time.Duration // between requests to an ordinary host of the job, for the ceiling in reports
	Patience     time.Duration // waits longer than this end the run

	MaxPages  int64         // of this run; 0 is no limit
	MaxBytes  int64         // on the wire, of this run; 0 is no limit
	TimeLimit time.Duration // of this run; 0 is no limit

	MaxBodyBytes int64 // of a page, decoded
	MaxLinks     int   // of a page; the rest is counted
	MaxURLBytes  int   // longer links are counted only
	MaxHostURLs  int64 // known URLs of one host; 0 is no bound

	MaxDomainURLs int64              // of one registrable domain, with all its hosts
	MaxJobURLs    int64              // of the job, whoever found them
	URLs          *frontier.URLRules // spellings that are one page; nil is none
	TrapRepeat    int                // times that one segment may not occur in a path
	Traps         frontier.TrapLimits
	Budget        Budget
	Types         []string // media types whose bodies are kept, in lower case; none is all
	Requisites    bool     // images, scripts and style sheets of pages are queued, too
	MaxRate       int64    // octets a second over all hosts; 0 is no bound

	Lists     ListOptions
	KeepFresh *frontier.Schedule // the run does not end but asks again what is due; nil for a run to the end

	Context        ContextMode
	Discover       discover.Policy
	AcceptLanguage string // of requests for context files; "" sends none (LC-129)

	Archive bool // pages are archived, so the exact octets of each exchange are wanted
	Whole   bool // pages and lists are asked for without validators, so that each names its links again

	Clock func() time.Time
	Rand  func() float64 // jitter, in [0,1)
	Log   *slog.Logger
}

// ContextMode says what a job does about llm-context.
type ContextMode string

const (
	ContextAuto ContextMode = "auto" // the index of each origin beside its pages
	ContextOnly ContextMode = "only" // nothing but indexes and details
	ContextOff  ContextMode = "off"
)

// Fetcher sends one request. fetch.Client is one.
type Fetcher interface {
	// Do calls r.OnHead as soon as it has the head of an answer.
	Do(context.Context, fetch.Request) (*fetch.Exchange, error)
	// Address looks a host up as the dialler will, and tells whether all its
	// addresses lie in opened ranges.
	Address(ctx context.Context, host string, port uint16) (addr netip.Addr, open bool, err error)
	// Vet checks scheme, port and literal address without any I/O.
	Vet(url string) error
}

// Pacer says how soon. pace.Pacer is one.
type Pacer interface {
	Admit(host, address string) (*pace.Slot, pace.Wait)
	Hear(*pace.Slot, pace.Result) error
	Observe(*pace.Slot, pace.Result) pace.Next
	Release(*pace.Slot)
	Next(host string) pace.Wait
	SetCrawlDelay(host string, d time.Duration)
	Delay(host string) time.Duration
	State(host string) []byte
}

// Notes keeps small durable records: the llm-context memory of an origin.
type Notes interface {
	LoadNote(ctx context.Context, kind, key string) ([]byte, error)
	SaveNote(ctx context.Context, kind, key string, value []byte) error
}

// Sink makes the durable trace of a visit. The attachment is written when the
// settlement that carries it is committed. The sink does not keep v.Exchange.
type Sink interface {
	Prepare(v Visit) (frontier.Attachment, error)
}

// Rooms are the parts a crawler conducts.
type Rooms struct {
	Queue   frontier.Engine
	Gate    *politeness.Gate
	Pace    Pacer
	Fetcher Fetcher
	Notes   Notes
	Sink    Sink
	Cards   Cards           // nil where no registry is configured
	Scope   *frontier.Scope // nil where no job gives one
}
