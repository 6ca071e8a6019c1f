package discover

import (
	"maps"
	"time"
)

// AnswerDetail judges the response to a request for a detail and remembers it, each URI by itself (LC-145);
// everything that binds a context file binds a detail (LC-146). A redirect is not followed: its target is an
// ordinary URL. An outcome with the reason HTML is an ordinary page, too (LC-144).
func (m *Memory) AnswerDetail(step Step, r Response, in Inputs, now time.Time) Outcome {
	outcome := Judge(r, Detail, in.Policy)
	conditional := step.IfNoneMatch != "" || step.IfModifiedSince != ""
	switch {
	case outcome.Redirect:
		outcome = none(RedirectStatus)
	case outcome.Reason == NotModified && !conditional:
		outcome = Outcome{State: StateUndetermined, Reason: ServerError}
	}
	old := m.Details[step.URI]
	known := Known{State: outcome.State, Reason: outcome.Reason}
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
