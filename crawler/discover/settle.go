package discover

import (
	"slices"
	"time"
)

// accept ends the cycle with an index.
func (c *Cycle) accept(r Response, outcome Outcome) {
	m, held := &c.memory, c.memory.Copy
	m.NextAllowed = c.now.Add(readFreshness(r).interval(Index, c.in.Policy))
	if outcome.Reason == NotModified {
		m.Copy = held.confirmed(r, c.in, m.NextAllowed)
	} else {
		m.Copy = newCopy(c.step.URI, r, outcome.Text, c.in, m.NextAllowed)
		if held != nil && held.URI == m.Copy.URI && held.SHA256 != m.Copy.SHA256 && !held.matches(c.in) && !varies(r) {
			c.note(FindingNoVary)
		}
		c.result.Text, c.result.Coding = outcome.Text, r.Coding
	}
	m.State, m.Reason, m.Attempts, m.Withdrawn = StateIndex, outcome.Reason, 0, false
	m.Mechanism, m.AdvertisedURI, m.FinalURI, m.Redirects = c.step.Mechanism, c.step.Advertised, c.step.URI, c.step.Hop
	for _, finding := range outcome.Findings {
		c.note(finding)
	}
	if _, linked := m.Details[c.step.URI]; linked {
		c.note(FindingPointsAtDetail)
	}
	if c.step.Mechanism != WellKnown && slices.Contains(c.asked, WellKnown) {
		c.note(FindingNoWellKnown)
	}
	c.commit()
	c.show()
	c.result.Copy = m.Copy
	if m.Copy.NoStore && outcome.Text != nil {
		c.result.SHA256, c.result.DecodedBytes, c.result.Language = digestOf(outcome.Text), int64(len(outcome.Text)), outcome.Language
	}
}

func varies(r Response) bool {
	_, named := varyFields(r.Header)["accept-language"]
	return named
}

// finish ends the cycle without an index. A failure that may pass leaves the question open, even if others
// were for good; the ceiling closes it whatever else happened (LC-106).
func (c *Cycle) finish() {
	m := &c.memory
	state, reason := verdict(c.failures)
	c.result.Attempts = c.failures
	asked := len(c.result.Requests) > 0
	if state == StateNone && !asked && m.State == StateNone && (reason == NotAdvertised || c.allRemembered()) {
		c.replay(StateNone, m.Reason)
		return
	}
	m.State, m.Reason = state, reason
	m.Mechanism, m.AdvertisedURI, m.FinalURI, m.Redirects = "", "", "", 0
	if m.Copy != nil && (state == StateNone || slices.Contains(c.goneURIs, m.Copy.URI)) {
		m.Copy, m.Withdrawn = nil, true
	}
	if state == StateUndetermined {
		m.Attempts++
		m.NextAllowed = later(c.retryAt, c.now.Add(time.Minute))
	} else {
		m.Attempts = 0
		m.NextAllowed = c.nextProbe(reason)
	}
	c.commit()
	c.show()
	c.serveStale()
}

func (c *Cycle) allRemembered() bool {
	return !slices.ContainsFunc(c.failures, func(a Attempt) bool { return !a.Remembered && a.Reason != CrossOrigin })
}

// verdict picks what the failures add up to. Among failures for good the first that says more than "not
// there" is the reason, in the order of precedence.
func verdict(failures []Attempt) (State, Reason) {
	reason := NotAdvertised
	for _, failed := range failures {
		if failed.Reason == Ceiling {
			return StateNone, Ceiling
		}
		if reason == NotAdvertised || reason == NotFound && failed.Reason != NotFound {
			reason = failed.Reason
		}
	}
	for _, failed := range failures {
		if failed.State == StateUndetermined {
			return StateUndetermined, failed.Reason
		}
	}
	return StateNone, reason
}

// nextProbe is when a request may be worth while if nothing new is advertised.
func (c *Cycle) nextProbe(reason Reason) time.Time {
	if reason == Ceiling {
		return c.now.Add(negativeLife)
	}
	var next time.Time
	for _, entry := range c.memory.Negatives {
		if entry.Until.After(c.now) && (next.IsZero() || entry.Until.Before(next)) {
			next = entry.Until
		}
	}
	if next.IsZero() {
		return c.now.Add(indexFloor)
	}
	return next
}

func (c *Cycle) commit() {
	c.memory.CycleID++
	c.memory.Links = slices.DeleteFunc(slices.Clone(c.memory.Links), func(seen LinkSeen) bool { return !usable(seen, c.now) })
	c.pending, c.done = false, true
}

// show copies the memory into the result.
func (c *Cycle) show() {
	m, r := &c.memory, &c.result
	r.State, r.Reason, r.Mechanism = m.State, m.Reason, m.Mechanism
	r.AdvertisedURI, r.FinalURI, r.Redirects, r.NextAllowed = m.AdvertisedURI, m.FinalURI, m.Redirects, m.NextAllowed
	if r.FinalURI != "" {
		r.ContentOrigin = OriginOf(r.FinalURI)
	}
	if m.Copy != nil && m.State == StateIndex {
		r.ETag, r.LastModified, r.Language = m.Copy.ETag, m.Copy.LastModified, m.Copy.Language
		r.SHA256, r.DecodedBytes = m.Copy.SHA256, m.Copy.DecodedBytes
	}
}

// replay answers without a request and changes nothing but what time itself changed.
func (c *Cycle) replay(state State, reason Reason) {
	c.done = true
	c.show()
	c.result.State, c.result.Reason = state, reason
	c.serveStale()
}

// answerFromMemory serves a floor. A copy of another variant, one that must be revalidated before each
// use, and one that may not be kept are not served (LC-122, LC-129).
func (c *Cycle) answerFromMemory() {
	m := &c.memory
	if m.State != StateIndex {
		c.replay(m.State, m.Reason)
		return
	}
	if m.Copy == nil || m.Copy.NoStore || m.Copy.VaryAny || c.in.BodyEvicted || !m.Copy.matches(c.in) {
		c.replay(StateUndetermined, NotProbed)
		c.result.Copy, c.result.Stale = nil, false
		return
	}
	c.replay(StateIndex, Fresh)
	c.result.Copy = m.Copy
}

// serveStale offers the copy while the question is open: fresh as long as its time lasts, then stale for seven days.
func (c *Cycle) serveStale() {
	held := c.memory.Copy
	if c.result.State != StateUndetermined || held == nil || held.NoStore || held.VaryAny || c.in.BodyEvicted || !held.matches(c.in) {
		return
	}
	c.result.Copy, c.result.Stale = held, !held.FreshUntil.After(c.now)
}

// expireCopy drops a copy that could not be confirmed for seven days (LC-119).
func (c *Cycle) expireCopy() {
	if held := c.memory.Copy; held != nil && c.memory.State == StateUndetermined && !c.now.Before(held.FreshUntil.Add(staleLife)) {
		c.memory.Copy, c.memory.Withdrawn = nil, true
	}
}
