package pace

import (
	"testing"
	"time"
)

func TestOptionsLeftOutHaveTheirDefaults(t *testing.T) {
	d := Defaults()
	o := New(Options{Delay: -1, PerAddress: -1, BackOffBase: 2 * time.Hour}).opts
	if o.Delay != 0 || o.PerAddress != 0 {
		t.Errorf("Delay %v, PerAddress %d: below zero is none", o.Delay, o.PerAddress)
	}
	if o.BackOffBase != o.BackOffMax {
		t.Errorf("a first back-off of %v above the last of %v", o.BackOffBase, o.BackOffMax)
	}
	if o.PerHost != d.PerHost || o.MaxHosts != d.MaxHosts || o.MaxCrawlDelay != d.MaxCrawlDelay ||
		o.RetryAfterMax != d.RetryAfterMax || o.BackOffMax != d.BackOffMax || o.MaxAdaptive != d.MaxAdaptive {
		t.Errorf("got %+v", o)
	}
	if o.Clock == nil || o.Rand == nil || o.StartedAt.IsZero() {
		t.Error("no clock, no jitter or no start")
	}
}
