package discover

import (
	"slices"
	"strings"
	"time"
)

// Denied reports that the pending step was not sent. until is when permission may be known, for DeniedForNow.
func (c *Cycle) Denied(why Denial, until time.Time) {
	if !c.pending {
		return
	}
	switch why {
	case DeniedForNow:
		c.retryAt = later(c.retryAt, until)
		c.fail(Outcome{State: StateUndetermined, Reason: Unreachable, Stop: true}, c.now)
	case DeniedByGuard:
		c.fail(none(Refused), c.heldBack(negativeLife))
	default:
		if c.step.Hop == 0 && (c.step.Mechanism == Robots || c.step.Mechanism == Link) {
			c.note(FindingDisallowed) // (LC-041)
		}
		c.fail(none(Disallowed), c.heldBack(indexFloor))
	}
}

// heldBack bars a chain that cost a request before it was refused. An advertised URI refused outright cost
// none and is judged afresh next time, since permission may have changed.
func (c *Cycle) heldBack(life time.Duration) time.Time {
	if c.step.Hop == 0 {
		return c.now
	}
	return c.now.Add(life)
}

// Answer takes the response to the pending step.
func (c *Cycle) Answer(r Response) {
	if !c.pending {
		return
	}
	if c.step.Hop == 0 {
		c.asked = append(c.asked, c.step.Mechanism)
	}
	c.chain = append(c.chain, c.step.URI)
	outcome := Judge(r, Index, c.in.Policy)
	if outcome.Reason == NotModified && c.step.IfNoneMatch == "" && c.step.IfModifiedSince == "" {
		outcome = Outcome{State: StateUndetermined, Reason: ServerError} // nobody asked
	}
	c.log(r, outcome)
	switch {
	case outcome.Redirect:
		c.follow(r)
	case outcome.State == StateIndex:
		c.accept(r, outcome)
	case outcome.State == StateUndetermined:
		wait := undeterminedWait(r, outcome.Reason, c.memory.Attempts+1, c.in.Jitter)
		c.retryAt = later(c.retryAt, c.now.Add(wait))
		c.fail(outcome, c.now)
	case outcome.Reason == Gone:
		c.goneURIs = append(c.goneURIs, c.step.URI)
		c.fail(outcome, c.now.Add(goneLife))
	default:
		c.fail(outcome, c.now.Add(negativeLife))
	}
}

// follow judges the next hop before anybody requests it.
func (c *Cycle) follow(r Response) {
	locations := r.Header.Values("Location")
	failed := none(RedirectStatus) // nowhere to go, or two ways at once
	if len(locations) == 1 && locations[0] != "" {
		target, ok := c.in.Resolve(c.step.URI, locations[0])
		target, _, _ = strings.Cut(target, "#")
		switch {
		case len(c.chain) > maxRedirects:
			failed = none(Redirects)
		case !ok || len(target) > maxURIBytes:
		case !c.in.Policy.accepts(c.memory.Origin, c.step.URI, target):
			failed = none(CrossOrigin)
		case slices.Contains(c.chain, target):
			failed = none(Redirects) // a loop (LC-113)
		default:
			c.ask(target, c.step.Mechanism, c.step.Advertised, c.step.Hop+1)
			return
		}
	}
	c.fail(failed, c.now.Add(negativeLife))
}

// fail ends the chain. The candidate is barred until then, if that is in the future.
func (c *Cycle) fail(outcome Outcome, until time.Time) {
	c.pending = false
	c.failures = append(c.failures, Attempt{
		URI: c.step.Advertised, Mechanism: c.step.Mechanism, State: outcome.State, Reason: outcome.Reason,
	})
	if until.After(c.now) && outcome.State == StateNone {
		c.memory.bar(Negative{Mechanism: c.step.Mechanism, URI: c.step.Advertised, Reason: outcome.Reason, Until: until}, c.now)
	}
	if outcome.Stop {
		c.finish()
	}
}

func (c *Cycle) note(finding string) {
	if !slices.Contains(c.result.Findings, finding) {
		c.result.Findings = append(c.result.Findings, finding)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
