package discover

import (
	"slices"
	"strings"
	"time"
)

// Step is one request to make. It has passed the origin rules; robots.txt and the other signals of the
// URI's own origin, and the address, are the caller's to check, every time (LC-072, LC-110).
type Step struct {
	URI             string
	Mechanism       Mechanism
	Advertised      string // the candidate's URI, where the chain began
	Hop             int    // 0 for the advertised URI, then one a redirect
	Role            Role
	MaxBytes        int64 // ceiling in octets, for the wire and the decoded text
	IfNoneMatch     string
	IfModifiedSince string
}

// Denial is why the caller did not send a step.
type Denial uint8

const (
	// DeniedBySignal: the site forbids it. It concerns this URI only (LC-136).
	DeniedBySignal Denial = iota
	// DeniedByGuard: the address or scheme is closed to us.
	DeniedByGuard
	// DeniedForNow: permission is not known yet, as with an unreachable robots.txt; ends the cycle.
	DeniedForNow
)

// Cycle is one retrieval cycle: from asking for the context of an origin until one result is committed
// (LC-101). It is used by one goroutine. Next, then Answer or Denied, until Next answers false.
type Cycle struct {
	memory Memory // as it will be committed
	in     Inputs
	now    time.Time

	queue    []Candidate // not yet tried
	step     Step
	pending  bool
	chain    []string // URIs requested in this chain
	asked    []Mechanism
	failures []Attempt
	retryAt  time.Time // latest, of the failures that may pass
	goneURIs []string
	done     bool
	result   Result
}

// Begin opens a cycle. While a floor of the memory holds the cycle is over at once and Result answers
// from memory without a request. now is the time for the whole cycle.
func Begin(m Memory, in Inputs, now time.Time) *Cycle {
	c := &Cycle{memory: m.clone(), in: in, now: now}
	c.result = Result{Origin: m.Origin, AdvertisedBy: m.Origin}
	c.expireCopy()
	if in.RobotsUnreachable {
		c.replay(StateUndetermined, Unreachable)
		return c
	}
	if m.holds(now) {
		c.answerFromMemory()
		return c
	}
	c.result.Candidates = Rank(m, in, now)
	c.result.Findings = RecordFindings(in.Records)
	c.queue = c.result.Candidates
	return c
}

// holds reports that no request may be made whatever is advertised.
func (m *Memory) holds(now time.Time) bool {
	if !m.NextAllowed.After(now) {
		return false
	}
	return m.State == StateIndex || m.State == StateUndetermined || m.Reason == Ceiling
}

// Next returns the request to make. It is the same one until Answer or Denied; false means the cycle is over.
func (c *Cycle) Next() (Step, bool) {
	for !c.done && !c.pending {
		if len(c.queue) == 0 {
			c.finish()
			break
		}
		candidate := c.queue[0]
		c.queue = c.queue[1:]
		c.open(candidate)
	}
	if c.done {
		return Step{}, false
	}
	return c.step, true
}

// open starts a chain unless the candidate may not be asked for.
func (c *Cycle) open(candidate Candidate) {
	failed := Attempt{URI: candidate.URI, Mechanism: candidate.Mechanism, State: StateNone}
	if candidate.Declined != "" {
		failed.Reason = candidate.Declined
		c.failures = append(c.failures, failed)
		return
	}
	if slices.Contains(c.asked, candidate.Mechanism) {
		return // one chain a mechanism (LC-106)
	}
	if entry, barred := c.memory.barred(candidate, c.now); barred {
		failed.Reason, failed.Remembered = entry.Reason, true
		c.failures = append(c.failures, failed)
		return
	}
	c.chain = c.chain[:0]
	c.ask(candidate.URI, candidate.Mechanism, candidate.URI, 0)
}

func (c *Cycle) ask(uri string, mechanism Mechanism, advertised string, hop int) {
	c.step = Step{URI: uri, Mechanism: mechanism, Advertised: advertised, Hop: hop, MaxBytes: c.in.Policy.ceiling(Index)}
	c.memory.Copy.conditions(&c.step, c.in)
	c.pending = true
}

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
