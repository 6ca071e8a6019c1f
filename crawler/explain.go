package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// Trace reads back what was recorded about a URL, newest first.
type Trace interface {
	// History returns at most limit ledger lines about url.
	History(ctx context.Context, url string, limit int) ([]Past, error)
}

// Past is one recorded visit.
type Past struct {
	Kind     VisitKind            `json:"kind"`
	At       time.Time            `json:"at"`
	URL      string               `json:"url"`
	State    string               `json:"state,omitempty"`
	Reason   string               `json:"reason,omitempty"`
	Status   int                  `json:"status,omitempty"`
	SHA256   string               `json:"sha256,omitempty"`
	Wire     int64                `json:"bytes_wire,omitempty"`
	Decoded  int64                `json:"bytes_decoded,omitempty"`
	Title    string               `json:"title,omitempty"`
	Decision *politeness.Decision `json:"decision,omitempty"`
	Sequence uint64               `json:"seq"`
}

// Explanation is everything recorded about a URL.
type Explanation struct {
	URL     string               `json:"url"`
	State   string               `json:"state"`
	Reason  string               `json:"reason,omitempty"`
	Says    string               `json:"sentence,omitempty"`
	Score   int                  `json:"score"`
	Depth   int                  `json:"depth"`
	Path    string               `json:"discovery_path,omitempty"`
	Parent  string               `json:"parent,omitempty"`
	Due     *time.Time           `json:"due,omitempty"`
	Tries   int                  `json:"attempts,omitempty"`
	Host    HostState            `json:"host"`
	Stored  *StoredPage          `json:"stored,omitempty"`
	History []Past               `json:"history"`
	Now     *politeness.Decision `json:"now,omitempty"` // what the documents at hand say today
	Differs bool                 `json:"differs"`       // today's verdict or uses are not the recorded ones

	Conflicts []politeness.Conflict `json:"conflicts,omitempty"` // signals of the site that contradict each other
	Notes     []politeness.Note     `json:"notes,omitempty"`     // oddities in its policy documents
}

// HostState is the host's part of an explanation.
type HostState struct {
	Name   string     `json:"name"`
	Next   *time.Time `json:"next,omitempty"`
	Reason string     `json:"reason,omitempty"` // why it is left alone for longer than its delay
	Paused bool       `json:"paused,omitempty"`
	Ready  int        `json:"ready"`
	Future int        `json:"future"`
	Known  int        `json:"known"`
}

// StoredPage is the copy that is held.
type StoredPage struct {
	Status       int        `json:"status"`
	FetchedAt    time.Time  `json:"fetched_at"`
	FreshUntil   *time.Time `json:"fresh_until,omitempty"`
	ETag         string     `json:"etag,omitempty"`
	LastModified string     `json:"last_modified,omitempty"`
	SHA256       string     `json:"sha256"`
	Location     string     `json:"location,omitempty"`
	Changes      uint32     `json:"changes"`
	Checks       uint32     `json:"checks"`
}

const historyLimit = 50

// Explain tells everything recorded about a URL, and what the documents at hand
// say about it today. It makes no request.
func (c *Crawler) Explain(ctx context.Context, trace Trace, url string) (Explanation, error) {
	e := Explanation{URL: url, State: frontier.Unknown.String()}
	report, err := c.Queue.Why(ctx, url)
	switch {
	case errors.Is(err, frontier.ErrUnknown):
		e.Reason = c.strangerReason(url)
	case err != nil:
		return e, fmt.Errorf("crawler: explain %s: %w", url, err)
	default:
		e.fill(report)
		e.Host.Reason = c.holdReason(report.Host.Name)
		if c.KeepFresh != nil && report.State.Settled() {
			e.Due = optional(c.KeepFresh.Due(report.State, report.Page))
		}
	}
	if e.History, err = trace.History(ctx, url, historyLimit); err != nil {
		return e, fmt.Errorf("crawler: explain %s: %w", url, err)
	}
	if e.Reason == "" && e.State == frontier.Unknown.String() {
		e.Reason = e.refusedLately()
	}
	e.Says = politeness.Reason(e.Reason).Sentence()
	e.judgeAgain(ctx, c)
	if e.Notes, err = c.Gate.Notes(ctx, frontier.Origin(url)); err != nil {
		return e, fmt.Errorf("crawler: explain %s: %w", url, err)
	}
	return e, nil
}

// judgeAgain asks the question of the newest recorded decision again, with the
// documents at hand and with what the response said then; without a decision, the
// job's own question. What scope and address guard said is taken as recorded: it
// is not the site's word, and an address is looked up for a request only.
func (e *Explanation) judgeAgain(ctx context.Context, c *Crawler) {
	o := ask{method: http.MethodGet, mode: politeness.Crawl}
	recorded := e.lastDecision()
	if recorded != nil {
		o = ask{method: recorded.Method, mode: recorded.Mode, purposes: recorded.Purposes}
	}
	q := c.inHindsight(e.URL, o)
	if recorded != nil {
		q.Scope, q.Guard = recorded.ReasonOf("scope"), recorded.ReasonOf("guard")
	}
	d, err := c.Gate.AtHand(ctx, q)
	if err != nil {
		return
	}
	if recorded != nil {
		d = c.Gate.Recall(d, q, *recorded)
		e.Differs = d.Verdict != recorded.Verdict || d.Uses != recorded.Uses
	}
	e.Now, e.Conflicts = &d, politeness.Conflicts(d.Opinions)
}

// lastDecision is the newest recorded one, nil if there is none.
func (e *Explanation) lastDecision() *politeness.Decision {
	for _, p := range e.History {
		if p.Decision != nil {
			return p.Decision
		}
	}
	return nil
}

// holdReason says why a host is left alone for longer than its delay, "" if it is
// not.
func (c *Crawler) holdReason(host string) string {
	switch w := c.Pace.Next(host); w.Reason {
	case pace.ReasonRetryAfter, pace.ReasonBackOff:
		return w.Reason
	}
	return ""
}

// strangerReason says why a URL that nobody stored would not have been, as far
// as the URL alone can tell.
func (c *Crawler) strangerReason(url string) string {
	if scope := c.scope(); scope != nil {
		if r := scope.Judge(url, 1, false); r != "" {
			return r
		}
	}
	return frontier.Trap(url, c.TrapRepeat)
}

// refusedLately is the reason of the last recorded refusal of a URL that was never
// queued.
func (e *Explanation) refusedLately() string {
	for _, p := range e.History {
		if p.State == frontier.Refused.String() {
			return p.Reason
		}
	}
	return ""
}

func (e *Explanation) fill(r frontier.Report) {
	e.State, e.Reason, e.Score, e.Depth, e.Path, e.Parent = r.State.String(), r.Reason, r.Score, r.Depth, r.Path, r.Parent
	e.Tries = r.Attempts
	e.Due = optional(r.Due)
	e.Host = HostState{Name: r.Host.Name, Next: optional(r.Host.Next), Paused: r.Host.Paused, Ready: r.Host.Ready, Future: r.Host.Future, Known: r.Host.Known}
	if p := r.Page; !p.FetchedAt.IsZero() {
		e.Stored = &StoredPage{Status: p.Status, FetchedAt: p.FetchedAt, FreshUntil: optional(p.FreshUntil), ETag: p.ETag, LastModified: p.LastModified,
			SHA256: fmt.Sprintf("%x", p.Digest), Location: p.Location, Changes: p.Changes, Checks: p.Checks}
	}
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// WaitReason says why a queued URL is not being asked for, as far as the
// documents at hand and the pacer can tell; "" if nothing holds it.
func (c *Crawler) WaitReason(ctx context.Context, url string) (string, error) {
	d, need, err := c.Gate.Before(ctx, c.question(ctx, url, ask{method: "GET", mode: politeness.Crawl}))
	switch {
	case err != nil:
		return "", fmt.Errorf("crawler: why %s waits: %w", url, err)
	case need != nil:
		return c.Pace.Next(frontier.HostKey(url)).Reason, nil
	case d.Verdict == politeness.Allow:
		return "", nil
	}
	return string(d.Reason), nil
}
