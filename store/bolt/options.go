package bolt

import (
	"os"
	"time"

	"heed/frontier"
)

// Defaults and bounds of [Options].
const (
	defaultWindow      = 500 * time.Millisecond
	defaultSettlements = 500
	defaultOps         = 16_000

	// maxAhead bounds a stored next time, seen from the start: a larger one was
	// written under a clock that was wrong, or is a pause longer than a day
	// that may as well be confirmed once a day.
	maxAhead = 25 * time.Hour
)

// Options configure an [Engine]. The zero value is usable.
type Options struct {
	// Delay tells how long a host waits after an unclean stop, and after a
	// grant that lapsed, given the pacer's state. Nil waits 1 s. It must be quick
	// and not call the engine.
	Delay func(host string, pace []byte) time.Duration

	PerHost int                   // slots of each host; below 1 means 1
	Slots   func(host string) int // slots of one host, in place of PerHost; must be quick and not call the engine

	Clock func() time.Time // nil means time.Now

	// A commit starts when this much time has passed since the first operation
	// of the group, when the group is full, or at once when a caller waits for
	// it or workers have nothing else to do. Zero means 500 ms.
	CommitWindow     time.Duration
	GroupSettlements int // settlements in a group; zero means 500
	GroupOps         int // outcomes and links in a group; zero means 16,000

	// Before is called once for each group that has attachments. The marks it
	// returns replace those of the group before; nil leaves them.
	Before frontier.BeforeCommit

	// Seen is the number of fingerprints of known URLs that are kept in RAM, 8
	// octets each, to spare look-ups of links that were seen before. Zero
	// looks everything up on disk.
	Seen int

	// ReadOnly opens the file for reports. Everything that writes fails.
	ReadOnly bool

	// For tests: another way to open files, and commits without fsync.
	openFile func(name string, flag int, perm os.FileMode) (*os.File, error)
	noSync   bool
}

// withDefaults fills what was left out.
func (o Options) withDefaults() Options {
	if o.Delay == nil {
		o.Delay = func(string, []byte) time.Duration { return time.Second }
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.CommitWindow <= 0 {
		o.CommitWindow = defaultWindow
	}
	if o.GroupSettlements <= 0 {
		o.GroupSettlements = defaultSettlements
	}
	if o.GroupOps <= 0 {
		o.GroupOps = defaultOps
	}
	if o.openFile == nil {
		o.openFile = os.OpenFile
	}
	return o
}

// slots is the number of grants a host may have at a time.
func (o *Options) slots(host string) int {
	if o.Slots != nil {
		return max(o.Slots(host), 1)
	}
	return max(o.PerHost, 1)
}
