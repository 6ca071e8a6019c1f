package crawler

import (
	"time"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// VisitKind says what a request was for.
type VisitKind string

const (
	VisitPage    VisitKind = "page"
	VisitPolicy  VisitKind = "policy"
	VisitContext VisitKind = "context"
	VisitDetail  VisitKind = "detail"
	VisitList    VisitKind = "sitemap" // or a feed
	VisitCheck   VisitKind = "check"   // a decision without a request
)

// Visit is all there is to record of one step: a decision, and what came of it.
type Visit struct {
	Kind     VisitKind
	URL      string
	Item     frontier.Item // as it was queued; zero for policy documents and on-demand requests
	Decision *politeness.Decision
	Exchange *fetch.Exchange // nil if no request was sent
	Err      error           // why the exchange failed, nil if it did not
	State    frontier.State  // how it was settled
	Reason   string          // reason code, or kind of failure
	Keep     bool            // the body may be kept
	Title    string
	At       time.Time
}
