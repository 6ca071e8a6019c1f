package demo

import (
	"fmt"
	"time"
)

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

// Spared says that pages read in the first half were not asked for in the
// second, because the site had said how long they hold.
type Spared struct{ Targets []string }

func (x Spared) judge(e evidence) finding {
	var spared int64
	for _, target := range x.Targets {
		before := e.requests(Filter{Half: 1, Target: target, Status: 200})
		if len(before) == 0 {
			return finding{did: "never read " + target}
		}
		if len(e.requests(Filter{Half: 2, Target: target})) > 0 {
			return finding{did: "asked " + target + " again although it was fresh"}
		}
		spared += before[len(before)-1].SentBytes
	}
	return finding{did: "asked for none of " + plural(len(x.Targets), "fresh page") + " again", why: "spared " + size(spared), ok: true}
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
			return finding{did: "asked " + short(r.Target) + " more than once"}
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
