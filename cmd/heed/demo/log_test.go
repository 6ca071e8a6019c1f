package demo

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// sample is a log of two hosts; numbers are milliseconds.
func sample() Log {
	epoch := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }
	return Log{
		{Start: at(0), End: at(10), Half: 1, Host: "a", Target: "/", Status: 200, SentBytes: 100, InFlight: 1},
		{Start: at(5), End: at(20), Half: 1, Host: "b", Target: "/", Status: 429, SentBytes: 7, InFlight: 1},
		{Start: at(400), End: at(450), Half: 1, Host: "a", Target: "/x?q=1", Status: 404, InFlight: 2},
		{Start: at(2020), End: at(2030), Half: 2, Host: "b", Target: "/", Status: 200, SentBytes: 50, InFlight: 1},
		{Start: at(3000), End: at(3001), Half: 2, Host: "a", Target: "/", Status: 304, InFlight: 1},
		{Start: at(3300), Half: 2, Host: "a", Target: "/y", InFlight: 1},
	}
}

func TestLogFilters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		filter Filter
		want   int
	}{
		{"nothing set selects everything", Filter{}, 6},
		{"by host", Filter{Host: "a"}, 4},
		{"by half", Filter{Half: 2}, 3},
		{"by status", Filter{Status: 200}, 2},
		{"by pattern", Filter{Target: "/*"}, 6},
		{"by pattern with a query", Filter{Target: "*q=*"}, 1},
		{"by all of them", Filter{Half: 1, Host: "b", Target: "/", Status: 429}, 1},
		{"no such host", Filter{Host: "c"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := len(sample().Where(tt.filter)); got != tt.want {
				t.Errorf("%d requests, want %d", got, tt.want)
			}
		})
	}
	if n := sample().Count("a", "/"); n != 2 {
		t.Errorf("Count = %d", n)
	}
}

func TestLogFigures(t *testing.T) {
	log := sample()
	if got := log.Statuses(); len(got) != 4 || got[200] != 2 || got[304] != 1 || got[0] != 0 {
		t.Errorf("statuses %v: an answer under way has none", got)
	}
	if gap, ok := log.MinGap(); !ok || gap != 300*time.Millisecond {
		t.Errorf("shortest gap %s, %t: it belongs to one host", gap, ok)
	}
	if _, ok := log[:2].MinGap(); ok {
		t.Error("a gap between two hosts")
	}
	if n := log.MaxInFlight(); n != 2 {
		t.Errorf("in flight %d", n)
	}
	if gap, ok := log.Quiet(429); !ok || gap != 2*time.Second {
		t.Errorf("quiet after 429 for %s, %t", gap, ok)
	}
	if _, ok := log.Quiet(503); ok {
		t.Error("quiet after a status that was never sent")
	}
	if n := log.SavedBytes(); n != 100 {
		t.Errorf("saved %d octets", n)
	}
	if got := strings.Join(log.Hosts(), " "); got != "a b" {
		t.Errorf("hosts %q", got)
	}
}

func TestTheLogForgetsRatherThanGrowsForEver(t *testing.T) {
	w := furnish()
	w.record.requests = make(Log, maxRequests)
	p := player{t: t, world: w}
	p.ask(host("robots-allow"), "/", "200", false)
	if len(w.Log()) != maxRequests || len(w.record.open) != 0 || w.record.running != 0 {
		t.Errorf("%d requests, %d hosts open, %d handlers", len(w.Log()), len(w.record.open), w.record.running)
	}
}

func TestTheLogIsACopy(t *testing.T) {
	w := furnish()
	p := player{t: t, world: w}
	p.ask(host("robots-allow"), "/", "200", false)
	w.Log()[0].Host = "changed"
	if got := w.Log()[0].Host; got != host("robots-allow") {
		t.Errorf("host %q", got)
	}
}

// globModel is the pattern as a regular expression.
func globModel(pattern string) *regexp.Regexp {
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, ".*") + `\z`)
}

func TestGlobAgreesWithItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOf(rapid.SampledFrom([]rune("ab/*"))).Draw(t, "pattern")
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab/"))).Draw(t, "s")
		if got, want := glob(pattern, s), globModel(pattern).MatchString(s); got != want {
			t.Fatalf("glob(%q, %q) = %t, want %t", pattern, s, got, want)
		}
	})
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"*", ""}, {"a*a", "a"}, {"/*.pdf", "/x.pdf"}, {"**", "x"}, {"/loop/*", "/loop"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if strings.Contains(pattern, "*") || len(pattern) > 64 || len(s) > 256 {
			return
		}
		if !glob(pattern, pattern) || !glob("*", s) || !glob(pattern+"*", pattern+s) || !glob("*"+pattern, s+pattern) {
			t.Errorf("pattern %q, string %q", pattern, s)
		}
	})
}

func TestSizeIsForPeople(t *testing.T) {
	for octets, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 64 << 20: "64.0 MiB"} {
		t.Run(want, func(t *testing.T) {
			if got := size(octets); got != want {
				t.Errorf("size(%d) = %q", octets, got)
			}
		})
	}
}

func TestPluralOfOne(t *testing.T) {
	if a, b := plural(1, "request"), plural(0, "request"); a != "1 request" || b != "0 requests" {
		t.Errorf("%q, %q", a, b)
	}
}
