package demo

import (
	"fmt"
	"time"
)

// tolerance is how much of a delay may be missing in the servers' view. A
// client counts from when it sent; the first request of a connection arrives
// later than that by the handshake, which shortens the gap behind it.
const tolerance = 0.1

func kept(asked, seen time.Duration) bool {
	return float64(seen) >= float64(asked)*(1-tolerance)
}

// Delay is the time asked for between two requests. At least two gaps have to
// be there, and never two requests at once.
type Delay struct{ Min time.Duration }

func (x Delay) judge(e evidence) finding {
	own := e.requests(Filter{})
	gap, found := own.MinGap()
	if !found || len(own) < 3 {
		return finding{did: "asked too little to show a delay"}
	}
	f := finding{
		did: "shortest gap " + lasting(gap),
		ok:  kept(x.Min, gap) && own.MaxInFlight() == 1,
	}
	if own.MaxInFlight() > 1 {
		f.did += fmt.Sprintf(", %d at once", own.MaxInFlight())
	}
	if e.seen.Delay > 0 {
		f.why = "delay in force " + lasting(e.seen.Delay)
		f.ok = f.ok && e.seen.Delay >= x.Min
	}
	return f
}

// Quiet is the silence asked for after an answer with the status.
type Quiet struct {
	Status int
	Min    time.Duration
}

func (x Quiet) judge(e evidence) finding {
	own := e.requests(Filter{})
	if len(own.Where(Filter{Status: x.Status})) == 0 {
		return finding{did: fmt.Sprintf("met no %d", x.Status)}
	}
	gap, found := own.Quiet(x.Status)
	if !found {
		return finding{did: fmt.Sprintf("stopped after the %d", x.Status), ok: true}
	}
	return finding{did: fmt.Sprintf("silent for %s after the %d", lasting(gap), x.Status), ok: kept(x.Min, gap)}
}

// Revalidated says that in the second half every page was asked for with the
// validator that the site gives and was answered 304.
type Revalidated struct {
	ByDate  bool // If-Modified-Since; otherwise If-None-Match
	Targets string
	Times   Range
}

func (x Revalidated) judge(e evidence) finding {
	name := "If-None-Match"
	if x.ByDate {
		name = "If-Modified-Since"
	}
	n, bare := 0, 0
	for _, r := range e.requests(Filter{Half: 2, Target: x.Targets, Status: 304}) {
		validator := r.IfNoneMatch
		if x.ByDate {
			validator = r.IfModifiedSince
		}
		if validator == "" {
			bare++
			continue
		}
		n++
	}
	return finding{
		did: fmt.Sprintf("%d × %s answered 304", n, name),
		why: "saved " + size(e.requests(Filter{}).SavedBytes()),
		ok:  bare == 0 && x.Times.holds(n),
	}
}

// Unforced says that whatever was asked for again in the second half carried a
// validator. Not asking at all is fine: a copy may still be fresh, or its floor
// not reached.
type Unforced struct{ Target string }

func (x Unforced) judge(e evidence) finding {
	again := e.requests(Filter{Half: 2, Target: x.Target})
	if len(again) == 0 {
		return finding{did: "kept its copy of " + x.Target, ok: true}
	}
	for _, r := range again {
		if r.IfNoneMatch == "" && r.IfModifiedSince == "" {
			return finding{did: "asked " + x.Target + " again without a validator"}
		}
	}
	return finding{did: "asked " + x.Target + " again with its validator", ok: true}
}

// Once says that no target was asked for more than once in either half.
type Once struct{}

func (Once) judge(e evidence) finding {
	type visit struct {
		half   int
		target string
	}
	seen := map[visit]int{}
	for _, r := range e.requests(Filter{}) {
		v := visit{r.Half, r.Target}
		if seen[v]++; seen[v] > 1 {
			return finding{did: "asked " + r.Target + " more than once"}
		}
	}
	return finding{did: "asked nothing twice", ok: true}
}

// Bounded says that no answer got further than so many octets, buffers on the
// way included.
type Bounded struct{ MaxBytes int64 }

func (x Bounded) judge(e evidence) finding {
	var most int64
	for _, r := range e.requests(Filter{}) {
		most = max(most, r.SentBytes)
	}
	return finding{did: "was sent at most " + size(most), ok: most > 0 && most <= x.MaxBytes}
}

// GaveUp says that in the first half every request for the target had ended
// within the time, although the site would have gone on for ever.
type GaveUp struct {
	Target string
	Within time.Duration
}

func (x GaveUp) judge(e evidence) finding {
	var longest time.Duration
	for _, r := range e.requests(Filter{Half: 1, Target: x.Target}) {
		if r.End.IsZero() {
			return finding{did: "is still reading " + x.Target}
		}
		longest = max(longest, r.End.Sub(r.Start))
	}
	return finding{did: "gave up after " + lasting(longest), ok: longest > 0 && longest <= x.Within}
}
