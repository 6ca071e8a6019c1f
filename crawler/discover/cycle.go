package discover

import (
	"slices"
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
	now    time.Time // of Begin, then of the latest answer

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
// from memory without a request. now is the time of the beginning.
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
