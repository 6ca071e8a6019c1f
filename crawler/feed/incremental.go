package feed

import "time"

// Incremental tells whether an entry has to be looked at again by one who last did so at prev: the time
// at which the page was fetched, or the child of an index read. Silence about changes is no promise that
// there were none, so an entry without LastMod is always due; so is everything for the zero prev. A date
// without a time covers its whole day, in any time zone.
//
// An entry is a claim of its publisher. One that always says "now" is always due: the caller's schedule
// has to bound that.
func Incremental(prev time.Time, e Entry) bool {
	return prev.IsZero() || e.LastMod.IsZero() || e.LastMod.Add(e.LastModSpan).After(prev)
}
