package crawler

import "heed/frontier"

// Ending says why a run ended.
type Ending struct {
	Code EndCode
	Err  error
}

// EndCode is the reason, in the order in which it wins: a later one replaces an
// earlier one only if it is graver.
type EndCode uint8

const (
	EndDone      EndCode = iota // nothing is queued
	EndUndecided                // what is queued waits longer than the patience
	EndPages                    // page limit
	EndSize                     // octet limit
	EndTime                     // time limit
	EndSignal                   // asked to stop
	EndForced                   // asked to stop at once
	EndFull                     // no space on disk
	EndError                    // we failed
)

// Stop ends the run: visits under way finish, nothing new starts.
func (c *Crawler) Stop(code EndCode, err error) {
	e := &Ending{Code: code, Err: err}
	for {
		old := c.ending.Load()
		if old != nil && old.Code >= code {
			return
		}
		if c.ending.CompareAndSwap(old, e) {
			c.Resume() // a paused worker must see the end
			return
		}
	}
}

// Stopping tells whether the run is ending.
func (c *Crawler) Stopping() bool { return c.ending.Load() != nil }

// settled tells whether an idle frontier ends the run, and how: nothing is
// left, or nothing will be due within the patience.
func (c *Crawler) settled(o frontier.Outlook) (EndCode, bool) {
	switch {
	case c.KeepFresh != nil:
		return 0, false
	case o.Leased > 0 || c.active.Load() > 0:
		return 0, false
	case o.Queued == 0:
		return EndDone, true
	case !o.Next.IsZero() && o.Next.After(c.Clock().Add(c.Patience)):
		return EndUndecided, true
	}
	return 0, false
}
