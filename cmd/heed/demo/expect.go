package demo

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Expectation is one thing that must be seen for a site to have shown its
// behaviour. The kinds are in this file, those about time in expect_pace.go and
// those about what was spent in expect_cost.go.
type Expectation interface {
	judge(evidence) finding
}

// evidence is all that may be looked at to judge a site.
type evidence struct {
	host string
	seen Observation
	log  Log // of the whole world
}

// requests gives those of the log that the filter selects, by default on the
// site's own host.
func (e evidence) requests(f Filter) Log {
	if f.Host == "" {
		f.Host = e.host
	}
	return e.log.Where(f)
}

// finding is what was observed, in words, and whether it is what was expected.
// did or why may be empty when there is nothing worth a word.
type finding struct {
	did, why string
	ok       bool
}

// Range is a number of times, both ends included.
type Range struct{ Min, Max int }

func exactly(n int) Range { return Range{n, n} }
func atLeast(n int) Range { return Range{n, math.MaxInt} }
func atMost(n int) Range  { return Range{0, n} }

func (r Range) holds(n int) bool { return r.Min <= n && n <= r.Max }

// Asked counts requests at the servers.
type Asked struct {
	Filter
	Times Range
}

func (x Asked) judge(e evidence) finding {
	n := len(e.requests(x.Filter))
	what := "anything"
	if x.Target != "" {
		what = x.Host + short(x.Target)
	}
	did := "asked " + what
	if x.Status != 0 {
		did = fmt.Sprintf("got %d for %s", x.Status, what)
	}
	switch n {
	case 0:
		did = "never " + did
	case 1:
		did += " once"
	default:
		did += fmt.Sprintf(" %d times", n)
	}
	if x.Half == 2 {
		did += " in the second half"
	}
	return finding{did: did, ok: x.Times.holds(n)}
}

// Only says that nothing but the given targets was asked of the site.
type Only struct{ Targets []string }

func (x Only) judge(e evidence) finding {
	var asked []string
	for _, r := range e.requests(Filter{}) {
		if !slices.ContainsFunc(x.Targets, func(p string) bool { return glob(p, r.Target) }) {
			return finding{did: "asked " + short(r.Target) + " too"}
		}
		if !slices.Contains(asked, r.Target) {
			asked = append(asked, r.Target)
		}
	}
	if len(asked) == 0 {
		return finding{did: "never asked anything", ok: true}
	}
	return finding{did: "asked nothing but " + strings.Join(asked, " and "), ok: true}
}

// Kept is the number of pages the crawler reports as kept.
type Kept struct{ Pages Range }

func (x Kept) judge(e evidence) finding { return finding{ok: x.Pages.holds(e.seen.Pages)} }

// Missing is the number of URLs the crawler reports as gone.
type Missing struct{ URLs Range }

func (x Missing) judge(e evidence) finding {
	return finding{ok: x.URLs.holds(e.seen.Gone)}
}

// Reason says that one of the codes was kept for at least one URL.
type Reason struct{ Codes []string }

func (x Reason) judge(e evidence) finding {
	counts := merged(e.seen.Refused, e.seen.Failed, e.seen.Waiting)
	for _, code := range x.Codes {
		if counts[code] > 0 {
			return finding{why: explained(code), ok: true}
		}
	}
	return finding{why: reasons(counts)}
}

// Context is how llm-context discovery ended. Empty lists accept anything.
type Context struct {
	State      string
	Reasons    []string
	Mechanisms []string
}

func (x Context) judge(e evidence) finding {
	state := e.seen.ContextState
	if state == "" {
		return finding{did: "sought no index"}
	}
	f := finding{did: "context " + state, why: explained(e.seen.ContextReason)}
	if e.seen.ContextMechanism != "" && state == "index" {
		f.did += " by " + e.seen.ContextMechanism
	}
	f.ok = state == x.State && among(x.Reasons, e.seen.ContextReason) && among(x.Mechanisms, e.seen.ContextMechanism)
	return f
}

// Use is what the record says about one purpose.
type Use struct{ Purpose, Answer string }

func (x Use) judge(e evidence) finding {
	answer := e.seen.Uses[x.Purpose]
	if answer == "" {
		return finding{did: "recorded nothing about " + x.Purpose}
	}
	f := finding{did: "recorded " + x.Purpose + "=" + answer, ok: answer == x.Answer}
	if code := e.seen.Withheld[x.Purpose]; code != "" {
		f.why = explained(code)
	}
	return f
}

// Declared says that every request for a page named the purposes it served.
type Declared struct{}

func (Declared) judge(e evidence) finding {
	pages, purpose := 0, ""
	for _, r := range e.requests(Filter{}) {
		if slices.Contains(policyDocuments(), r.Target) {
			continue
		}
		if pages++; r.Purpose == "" {
			return finding{did: "asked " + short(r.Target) + " without a word of its purpose"}
		}
		purpose = r.Purpose
	}
	return finding{did: "declared " + purpose, ok: pages > 0}
}

// Coded says that the site's pages went out in a coding and were kept.
type Coded struct{ Coding string }

func (x Coded) judge(e evidence) finding {
	n := 0
	var sent int64
	for _, r := range e.requests(Filter{Status: 200}) {
		if r.Coding == x.Coding {
			n++
			sent += r.SentBytes
		}
	}
	f := finding{did: fmt.Sprintf("read %s in %s", plural(n, "answer"), x.Coding), ok: n > 0 && e.seen.Pages > 0}
	if f.ok {
		f.why = size(sent) + " on the wire"
	}
	return f
}

func among(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }

// short cuts a target to what fits into a table. Targets are ASCII on the wire.
func short(target string) string {
	const room = 32
	if len(target) <= room {
		return target
	}
	return target[:room] + "…"
}

// size writes octets for people.
func size(octets int64) string {
	switch {
	case octets < 1<<10:
		return fmt.Sprintf("%d B", octets)
	case octets < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(octets)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MiB", float64(octets)/(1<<20))
	}
}

// lasting writes a duration for people.
func lasting(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }
