package frontier

import (
	"math"
	"net/http"
	"time"
)

// Schedule says when a URL that was settled is asked for again. It is pure: what
// it needs is in the record of the page, so nothing is stored for it and a change
// of the bounds counts at once.
type Schedule struct {
	First time.Duration // after the first answer, and after what was no page
	Min   time.Duration // never sooner
	Max   time.Duration // never later, but for what is gone
	Gone  time.Duration // after a second 404 or 410 in a row, and after a permanent redirect
}

// heuristicShare of the time since the last change is the first interval of a page
// that states no freshness (RFC 9111 4.2.2 names 10 % as typical).
const heuristicShare = 10

// Due is when a settled URL is due again; zero if it is not settled or was never
// asked for.
func (s Schedule) Due(state State, p Page) time.Time {
	if !state.Settled() || p.FetchedAt.IsZero() {
		return time.Time{}
	}
	switch state {
	case Gone:
		if p.Checks >= 2 {
			return p.FetchedAt.Add(s.Gone)
		}
		return p.FetchedAt.Add(s.First)
	case Redirected:
		if p.Status == http.StatusMovedPermanently || p.Status == http.StatusPermanentRedirect {
			return p.FetchedAt.Add(s.Gone)
		}
		return p.FetchedAt.Add(s.First)
	case Refused, Failed:
		return p.FetchedAt.Add(s.First)
	}
	due := p.FetchedAt.Add(s.interval(p))
	// Explicit freshness is the site's word that asking is for nothing, up to Max.
	if fresh := p.FreshUntil; fresh.After(due) {
		due = fresh
		if latest := p.FetchedAt.Add(s.Max); due.After(latest) {
			due = latest
		}
	}
	return due
}

// interval adapts to what was seen: First times the odds of finding a page
// unchanged, so that it settles where one check in two finds a change. Half a
// change and half a confirmation are assumed beforehand.
func (s Schedule) interval(p Page) time.Duration {
	base := s.First
	if modified, err := http.ParseTime(p.LastModified); err == nil && modified.Before(p.FetchedAt) {
		base = s.bounded(p.FetchedAt.Sub(modified) / heuristicShare)
	}
	compared := float64(max(p.Checks, 1) - 1)
	changed := min(float64(p.Changes), compared)
	odds := (compared - changed + 0.5) / (changed + 0.5)
	scaled := float64(base) * odds
	if scaled >= math.MaxInt64 {
		return s.Max
	}
	return s.bounded(time.Duration(scaled))
}

func (s Schedule) bounded(d time.Duration) time.Duration { return min(max(d, s.Min), s.Max) }
