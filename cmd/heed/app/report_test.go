package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"heed/config"
	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

func TestFloor(t *testing.T) {
	pause := func(d time.Duration) *config.Duration { c := config.Duration(d); return &c }
	var since config.Date
	if err := since.UnmarshalText([]byte("2026-11-30")); err != nil {
		t.Fatal(err)
	}
	rule := func(host string, delay *config.Duration, perHost int) config.Rule {
		return config.Rule{Host: host, Delay: delay, PerHost: perHost, Because: "agreed", Since: since}
	}
	const ms = time.Millisecond
	for _, row := range []struct {
		name      string
		delay     time.Duration
		perHost   int
		allow     bool // 127.0.0.1 is opened
		rules     []config.Rule
		host      string
		wantDelay time.Duration
		wantSlots int
	}{
		{"the defaults", time.Second, 1, false, nil, "shop.test", time.Second, 1},
		{"more than the defaults is always fine", 3 * time.Second, 1, false, nil, "shop.test", 3 * time.Second, 1},
		{"less falls back where the address is not opened", 10 * ms, 8, false, nil, "shop.test", time.Second, 1},
		{"less holds where it is", 10 * ms, 8, true, nil, "shop.test", 10 * ms, 8},
		{"a host that was never looked up is not opened", 10 * ms, 8, true, nil, "elsewhere.example", time.Second, 1},
		{"several at a time with a long delay fall back to one", 5 * time.Second, 8, false, nil, "shop.test", 5 * time.Second, 1},
		{"a rule with a reason loosens", time.Second, 1, false, []config.Rule{rule("shop.test", pause(100*ms), 4)}, "shop.test", 100 * ms, 4},
		{"only its own host", time.Second, 1, false, []config.Rule{rule("shop.test", pause(100*ms), 4)}, "a.shop.test", time.Second, 1},
		{"a rule for names below", time.Second, 1, false, []config.Rule{rule("*.shop.test", pause(100*ms), 0)}, "a.shop.test", 100 * ms, 1},
		{"not for the name itself", time.Second, 1, false, []config.Rule{rule("*.shop.test", pause(100*ms), 0)}, "shop.test", time.Second, 1},
		{"a rule tightens", 10 * ms, 8, true, []config.Rule{rule("shop.test", pause(5*time.Second), 0)}, "shop.test", 5 * time.Second, 8},
		{"the first rule counts", time.Second, 1, false, []config.Rule{rule("shop.test", pause(2*time.Second), 0), rule("*.test", pause(9*time.Second), 0)}, "shop.test", 2 * time.Second, 1},
		{"a rule about something else is no rule about the delay", time.Second, 1, false,
			[]config.Rule{{Host: "shop.test", Ignore: []string{"robots"}, Because: "agreed", Since: since}, rule("*.test", pause(9*time.Second), 0)}, "shop.test", 9 * time.Second, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSite(t, nil)
			c := s.settings(t)
			c.Delay, c.PerHost, c.Rules = config.Duration(row.delay), row.perHost, row.rules
			if !row.allow {
				c.AllowAddress = nil
			}
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			a := open(t, c, options())
			defer a.Close()
			if delay, slots := a.floor(row.host); delay != row.wantDelay || slots != row.wantSlots {
				t.Errorf("%s and %d, want %s and %d", delay, slots, row.wantDelay, row.wantSlots)
			}
		})
	}
}

func TestHostsReport(t *testing.T) {
	pages := shop()
	pages["other.test/"] = `<!doctype html><a href=/gone>x</a>`
	pages["busy.test/"] = "429!Retry-After: 3600"
	s := newSite(t, pages)
	c := s.settings(t)
	patience := config.Duration(time.Second)
	c.Patience, c.Retries = &patience, 1
	if sum := crawl(t, c, options(), "http://shop.test/", "http://other.test/", "http://busy.test/"); sum.Exit != ExitUndecided {
		t.Errorf("exit %d", sum.Exit)
	}
	a := open(t, c, options())
	defer a.Close()
	all, err := a.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := all["shop.test"]
	if got == nil || got.Pages != 3 || got.Gone != 1 || got.Refused["robots.disallow"] != 1 || len(got.Failed) != 0 || got.Waiting["status-500"] != 1 ||
		got.Statuses[200] != 4 || got.Statuses[500] != 1 || got.Context != nil {
		t.Errorf("shop.test: %+v", got)
	}
	if got := all["other.test"]; got == nil || got.Pages != 1 || got.Gone != 1 || len(got.Refused) != 0 {
		t.Errorf("other.test: %+v", got)
	}
	if got := all["busy.test"]; got == nil || got.Waiting["status-429"] != 1 || got.Pages != 0 {
		t.Errorf("busy.test: %+v", got)
	}
}

func TestHistory(t *testing.T) {
	s := newSite(t, shop())
	c := s.settings(t)
	const passes = 3
	crawl(t, c, options(), "http://shop.test/")
	for range passes - 1 {
		crawl(t, c, options())
	}
	a := open(t, c, options())
	defer a.Close()
	past, err := history{a.folder.ledger()}.History(t.Context(), "http://shop.test/a", 10)
	if err != nil || len(past) != passes {
		t.Fatalf("%d lines, %v, want %d", len(past), err, passes)
	}
	if past[passes-1].State != "fetched" || past[0].State != "not-modified" || past[0].Status != 304 {
		t.Errorf("newest first: %+v", past)
	}
	for i, p := range past {
		if p.URL != "http://shop.test/a" || p.Kind != crawler.VisitPage || p.Decision == nil || p.Decision.Reason != politeness.Allowed || p.Decision.ID == "" {
			t.Errorf("line %d: %+v", i, p)
		}
		if i > 0 && p.Sequence >= past[i-1].Sequence {
			t.Errorf("line %d is not older than the one before it", i)
		}
	}
	if past, err := (history{a.folder.ledger()}).History(t.Context(), "http://shop.test/a", 2); err != nil || len(past) != 2 {
		t.Errorf("limit 2: %d lines, %v", len(past), err)
	}
	if past, err := (history{a.folder.ledger()}).History(t.Context(), "http://shop.test/never", 2); err != nil || past == nil || len(past) != 0 {
		t.Errorf("a stranger: %v, %v", past, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (history{a.folder.ledger()}).History(ended, "http://shop.test/a", 2); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestExitCodes(t *testing.T) {
	s := newSite(t, shop())
	c := s.settings(t)
	a := open(t, c, options())
	defer a.Close()
	if _, err := a.Crawl(t.Context(), seedsOf(t, "http://shop.test/"), false); err != nil {
		t.Fatal(err)
	}
	counts := func(pages, unchanged, failed int64) (st crawler.Status) {
		st.Run.Pages, st.Run.NotModified, st.Run.Failed = pages, unchanged, failed
		return st
	}
	for _, row := range []struct {
		end  crawler.EndCode
		run  crawler.Status
		want int
	}{
		{crawler.EndDone, counts(1, 0, 0), 0},
		{crawler.EndDone, counts(1, 0, 9), 0},
		{crawler.EndDone, counts(0, 1, 9), 0},
		{crawler.EndDone, counts(0, 0, 0), 0},
		{crawler.EndDone, counts(0, 0, 1), 1},
		{crawler.EndError, counts(1, 0, 0), 1},
		{crawler.EndFull, counts(1, 0, 0), 3},
		{crawler.EndSignal, counts(1, 0, 0), 11},
		{crawler.EndForced, counts(1, 0, 0), 13},
		{crawler.EndSize, counts(1, 0, 0), 14},
		{crawler.EndTime, counts(1, 0, 0), 15},
		{crawler.EndPages, counts(1, 0, 0), 16},
		{crawler.EndUndecided, counts(1, 0, 0), 24},
	} {
		t.Run(fmt.Sprintf("end %d with %d pages, %d unchanged, %d failed", row.end, row.run.Run.Pages, row.run.Run.NotModified, row.run.Run.Failed), func(t *testing.T) {
			if got, err := a.exit(t.Context(), crawler.Ending{Code: row.end}, row.run); err != nil || got != row.want {
				t.Errorf("%d, %v, want %d", got, err, row.want)
			}
		})
	}
	t.Run("every seed was refused", func(t *testing.T) {
		c := s.settings(t)
		if sum := crawl(t, c, options(), "http://shop.test/private/x", "http://shop.test/private/y"); sum.Exit != ExitRefused {
			t.Errorf("exit %d", sum.Exit)
		}
	})
	t.Run("one seed was not", func(t *testing.T) {
		c := s.settings(t)
		if sum := crawl(t, c, options(), "http://shop.test/private/x", "http://shop.test/b"); sum.Exit != ExitDone {
			t.Errorf("exit %d", sum.Exit)
		}
	})
	t.Run("no seeds at all", func(t *testing.T) {
		a := open(t, s.settings(t), options())
		defer a.Close()
		if _, err := a.Crawl(t.Context(), nil, false); !errors.Is(err, ErrNoSeeds) {
			t.Errorf("%v", err)
		}
	})
}

func TestRememberKeepsTheOrderAndNoSeedTwice(t *testing.T) {
	var j jobState
	j.remember([]crawler.Seed{{URL: "b"}, {URL: "a"}, {URL: "b"}})
	j.remember([]crawler.Seed{{URL: "a"}, {URL: "c"}})
	if want := []string{"b", "a", "c"}; !slices.Equal(j.Seeds, want) {
		t.Errorf("%q, want %q", j.Seeds, want)
	}
}

func TestJobNames(t *testing.T) {
	for name, good := range map[string]bool{"default": true, "a.b-c_9": true, "": false, ".": false, "..": false, ".hidden": false, "a/b": false, "a b": false, "ä": false, "a\x00": false} {
		f, err := jobFolder("data", name)
		if (err == nil) != good || !good && !errors.Is(err, ErrJobName) {
			t.Errorf("%q: %s, %v", name, f, err)
		}
	}
}

func TestAJobNoteThatCannotBeRead(t *testing.T) {
	for note, want := range map[string]error{`{"version":1`: frontier.ErrDamaged, `{"version":2}`: frontier.ErrVersion} {
		c := newSite(t, nil).settings(t)
		a := open(t, c, options())
		if err := a.engine.SaveNote(t.Context(), jobNote, "state", []byte(note)); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if a, err := Open(t.Context(), c, options()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", note, err, want)
			if err == nil {
				a.Close()
			}
		}
	}
}
