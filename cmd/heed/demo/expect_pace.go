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
