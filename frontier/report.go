package frontier

import "time"

// Host is what is known of a host.
type Host struct {
	Name    string
	Version uint64
	Next    time.Time // not claimed before
	Paused  bool
	Ready   int // URLs due
	Future  int // URLs due later
	Leased  int
	Known   int
	Pace    []byte
	Spent   Spent // of the last day on which anything was
}

// HostPatch changes a host. Nil leaves a member as it is.
type HostPatch struct {
	Next   *time.Time
	Paused *bool
	Pace   []byte
}

// Report explains one URL.
type Report struct {
	Item
	State  State
	Due    time.Time // for Future
	Reason string    // of the last outcome
	Until  time.Time // deadline of the grant, for Leased
	Host   Host
}

// Stats are counts over the whole job. In States an engine may count Future under
// Ready where telling them apart would need a scan.
type Stats struct {
	Known                                  int64
	Queued                                 int64 // ready, future and leased
	Leased                                 int64
	States                                 [Failed + 1]int64
	Hosts                                  int64 // that have a page, see [IsPage]
	HostsReady, HostsWaiting, HostsBlocked int64 // may be asked now; waits for its delay; waits longer or is paused
	Totals                                 Tally
	Spent                                  Spent // of the last day on which anything was
}
