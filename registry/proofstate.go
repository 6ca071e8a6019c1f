package registry

import (
	"strings"
	"time"
)

// Method is what verification.method says of a domain, except for "stale",
// which follows from the time of the last check.
type Method uint8

const (
	Pending       Method = iota // no check has come to an end
	Unverified                  // a check ended without proof
	WellKnownFile               // proven by the file at the well-known URI
	DNSTXT                      // proven by a TXT record at the apex
)

var methodNames = [...]string{"pending", "unverified", "well-known-file", "dns-txt"}

// String gives the word of the draft.
func (m Method) String() string { return methodNames[m] }

// Proven tells whether the method is one of the two proofs (BC-P-001).
func (m Method) Proven() bool { return m == WellKnownFile || m == DNSTXT }

// CrawlHealth is what a check saw of the site's crawlability.
type CrawlHealth uint8

const (
	CrawlUnknown  CrawlHealth = iota // not looked at
	CrawlFine                        // robots.txt was answered and bars nobody whom the card allows
	CrawlBarred                      // robots.txt bars a token that the card's allow names
	CrawlNoRobots                    // robots.txt could not be had
)

// The rhythm of proof (BC-P-906, BC-P-022, BC-P-024).
const (
	defaultWindow = 168 * time.Hour
	maxCheckEvery = 84 * time.Hour
	secondMiss    = time.Hour // at least, between the two definite misses that end a proof
	retryFirst    = 15 * time.Minute
	retryMax      = 6 * time.Hour
	retryUnproven = 24 * time.Hour
	changedWithin = 24 * time.Hour // after a change of registration data
)

// proofState is what checks have found out about a domain.
type proofState struct {
	method    Method
	holder    string  // the publisher whose token was found
	checked   instant // last check with a definite result, zero for none
	proven    instant // last check that passed, zero for none
	missed    instant // first definite miss since then, zero for none
	failures  uint8   // checks in a row that found out nothing
	validated bool    // a trusted resolver validated the TXT record
	crawl     CrawlHealth
	note      string
}

// after is the state that a finding leads to; publisher is the one whose token
// was found. A pass counts, and so does a definite miss. Trouble on the way
// keeps what is known: the proof ages into stale and nothing flaps. The first
// definite miss of a proven card keeps its time of check, which would freshen
// it otherwise; the second, an hour later or more, ends the proof (BC-P-906).
func (p proofState) after(f Finding, publisher string, now instant) proofState {
	next := p
	next.note = clipNote(f.Note)
	switch {
	case f.Method.Proven():
		return proofState{method: f.Method, holder: publisher, checked: now, proven: now,
			validated: f.Validated && f.Method == DNSTXT, crawl: f.Crawl, note: next.note}
	case f.Method == Unverified && p.method.Proven() && !f.Partial:
		next.failures = 0
		if p.missed == 0 {
			next.missed = now
			return next
		}
		if now.since(p.missed) < secondMiss {
			return next
		}
		return proofState{method: Unverified, checked: now, proven: p.proven, crawl: f.Crawl, note: next.note}
	case f.Method == Unverified && !p.method.Proven():
		return proofState{method: Unverified, checked: now, proven: p.proven, crawl: f.Crawl, note: next.note}
	}
	if next.failures < 255 {
		next.failures++
	}
	if p.method.Proven() {
		next.note = p.note
	}
	return next
}

// due is when the proof is to be checked again. draw in [0,1) spreads checks
// over the tenth before that time, so that a day of many writes does not come
// back as a day of many checks.
func (p *proofState) due(window time.Duration, now instant, draw float64) instant {
	var wait time.Duration
	switch {
	case p.failures > 0:
		wait = min(retryFirst<<min(p.failures-1, 8), retryMax)
	case p.missed != 0:
		// Never early: a miss inside the hour would not count.
		return p.missed.add(secondMiss + time.Duration(draw*float64(secondMiss)/10))
	case p.method.Proven():
		wait = min(window/2, maxCheckEvery)
	default:
		wait = retryUnproven
	}
	return now.add(wait - time.Duration(draw*float64(wait)/10))
}

// maxNote bounds verification.note in octets.
const maxNote = 512

// clipNote makes a note of a checker fit to be served: one line, bounded.
func clipNote(note string) string {
	note = strings.Map(func(r rune) rune {
		if r < ' ' || 0x7F <= r && r < 0xA0 {
			return ' '
		}
		return r
	}, note)
	if len(note) > maxNote {
		note = note[:maxNote]
	}
	return strings.ToValidUTF8(note, "")
}
