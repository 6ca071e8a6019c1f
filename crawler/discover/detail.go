package discover

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

var (
	// ErrNeedRequired reports an on-demand request for a detail without saying why the index does not
	// answer it (LC-056).
	ErrNeedRequired = errors.New("discover: detail needs justification")
	// ErrForeignDetail reports a detail outside the origin of its index.
	ErrForeignDetail = errors.New("discover: detail of another origin")
)

// NotDueError reports a detail whose floor still holds.
type NotDueError struct {
	URI   string
	Until time.Time
}

// Error names the detail and the time in UTC.
func (e *NotDueError) Error() string {
	return fmt.Sprintf("discover: detail %s not due before %s", e.URI, e.Until.UTC().Format(time.RFC3339))
}

// Demand says who wants a detail.
type Demand struct {
	OnDemand bool   // somebody waits for the answer; such a caller keeps to the index (LC-055)
	Need     string // why the index does not suffice, at most 200 octets are kept
}

const maxNeedBytes = 200

// PlanDetails divides the links of an index, as resolved in document order, into those worth asking for
// as details and ordinary discovered URLs (LC-069, LC-144). A detail lies in the origin that served the index
// and its path ends as text files end; a link to anything else goes to the queue under the ordinary rules,
// and so do all links inside details. What a detail really is its answer tells: see AnswerDetail.
func PlanDetails(indexURI string, links []string) (details, ordinary []string) {
	origin := OriginOf(indexURI)
	for _, link := range links {
		switch {
		case equivalent(link) == equivalent(indexURI):
		case origin != "" && OriginOf(link) == origin && namesText(link) && len(details) < maxDetails:
			details = append(details, link)
		default:
			ordinary = append(ordinary, link)
		}
	}
	return details, ordinary
}

func namesText(uri string) bool {
	if end := strings.IndexAny(uri, "?#"); end >= 0 {
		uri = uri[:end]
	}
	dot := strings.LastIndexByte(uri, '.')
	if dot < strings.LastIndexByte(uri, '/') {
		return false
	}
	switch strings.ToLower(uri[dot+1:]) {
	case "md", "markdown", "mdx", "txt", "text":
		return true
	}
	return false
}

// DetailStep names the request for one detail of the index in memory. The floors hold for each URI by
// itself (LC-145); everything that binds a context file binds a detail (LC-146). It returns
// ErrForeignDetail, ErrNeedRequired or a *NotDueError when nothing may be asked.
func (m *Memory) DetailStep(uri string, demand Demand, in Inputs, now time.Time) (Step, error) {
	if m.State != StateIndex || OriginOf(uri) == "" || OriginOf(uri) != OriginOf(m.FinalURI) {
		return Step{}, fmt.Errorf("%w: %.200q", ErrForeignDetail, uri)
	}
	if demand.OnDemand && strings.TrimSpace(demand.Need) == "" {
		return Step{}, fmt.Errorf("%w: %.200q", ErrNeedRequired, uri)
	}
	known := m.Details[uri]
	if known.NextAllowed.After(now) {
		return Step{}, &NotDueError{URI: uri, Until: known.NextAllowed}
	}
	step := Step{URI: uri, Mechanism: m.Mechanism, Advertised: m.FinalURI, Role: Detail, MaxBytes: in.Policy.ceiling(Detail)}
	known.Copy.conditions(&step, in)
	return step, nil
}

// AnswerDetail judges the response to a step of DetailStep and remembers it. A redirect is not followed: its
// target is an ordinary URL. An outcome with the reason HTML is an ordinary page, too.
func (m *Memory) AnswerDetail(step Step, demand Demand, r Response, in Inputs, now time.Time) Outcome {
	outcome := Judge(r, Detail, in.Policy)
	conditional := step.IfNoneMatch != "" || step.IfModifiedSince != ""
	switch {
	case outcome.Redirect:
		outcome = none(RedirectStatus)
	case outcome.Reason == NotModified && !conditional:
		outcome = Outcome{State: StateUndetermined, Reason: ServerError}
	}
	old := m.Details[step.URI]
	known := Known{State: outcome.State, Reason: outcome.Reason, Need: cut(demand.Need, maxNeedBytes)}
	switch {
	case outcome.Reason == NotModified && old.Copy != nil:
		known.NextAllowed = now.Add(readFreshness(r).interval(Detail, in.Policy))
		known.Copy = old.Copy.confirmed(r, in, known.NextAllowed)
	case outcome.State == StateIndex:
		known.NextAllowed = now.Add(readFreshness(r).interval(Detail, in.Policy))
		known.Copy = newCopy(step.URI, r, outcome.Text, in, known.NextAllowed)
	case outcome.State == StateUndetermined:
		known.Attempts = old.Attempts + 1
		known.NextAllowed = now.Add(undeterminedWait(r, outcome.Reason, known.Attempts, in.Jitter))
		if old.Copy != nil && now.Before(old.Copy.FreshUntil.Add(staleLife)) {
			known.Copy = old.Copy
		}
	case outcome.Reason == Gone:
		known.NextAllowed = now.Add(goneLife)
	default:
		known.NextAllowed = now.Add(negativeLife)
	}
	m.remember(step.URI, known)
	return outcome
}

// remember keeps the number of details bounded: the one whose floor ends first gives way.
func (m *Memory) remember(uri string, known Known) {
	m.Details = maps.Clone(m.Details) // other values of this memory keep theirs
	if m.Details == nil {
		m.Details = map[string]Known{}
	}
	if _, have := m.Details[uri]; !have && len(m.Details) >= maxDetails {
		oldest := ""
		for other, entry := range m.Details {
			first := m.Details[oldest].NextAllowed
			if oldest == "" || entry.NextAllowed.Before(first) || entry.NextAllowed.Equal(first) && other < oldest {
				oldest = other
			}
		}
		delete(m.Details, oldest)
	}
	m.Details[uri] = known
}

func cut(s string, limit int) string {
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "")
	}
	return s
}
