package frontier

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var trapNow = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func TestCalendarsEndWhereNobodyWroteAnything(t *testing.T) {
	traps := NewTraps(TrapLimits{Dates: 100})
	for url, trap := range map[string]bool{
		"http://a.test/2026/11/30/news":         false,
		"http://a.test/events/2028-12":          false,
		"http://a.test/events/2029/01":          true,
		"http://a.test/events/2031-5":           true,
		"http://a.test/cal?year=2099&month=02":  true,
		"http://a.test/cal?year=2026&month=02":  false,
		"http://a.test/cal/0987/3":              true,
		"http://a.test/archive/1923/05/12":      false,
		"http://a.test/product/9999/13":         false, // no month
		"http://a.test/product/99991/1":         false, // no year
		"http://a.test/p/2099":                  false,
		"http://a.test/2099/123":                false,
		"http://a.test/2099&x":                  false,
		"http://2099/01":                        false, // a host
		"http://a.test/iso/2099-01-01T00:00:00": true,
		"http://a.test/":                        false,
	} {
		if got := traps.Judge(url, trapNow); (got == "scope.trap") != trap {
			t.Errorf("%s: %q, want a trap: %v", url, got, trap)
		}
	}
}

func TestAGroupHasItsLimitAndKnownMembersPass(t *testing.T) {
	traps := NewTraps(TrapLimits{Queries: 3, Dates: 3, Hosts: 3, Bodies: 3})
	for name, ask := range map[string]func(i int) string{
		"scope.trap queries": func(i int) string { return traps.Judge(fmt.Sprintf("http://a.test/find?q=%d", i), trapNow) },
		"scope.trap dates":   func(i int) string { return traps.Judge(fmt.Sprintf("http://a.test/2026/11/%d", i), trapNow) },
		"scope.budget hosts": func(i int) string { return traps.NewHost(fmt.Sprintf("h%d.a.test", i)) },
		"scope.trap bodies":  func(i int) string { return traps.SameBody("a.test", [32]byte{1}, fmt.Sprintf("http://a.test/%d", i)) },
	} {
		for round := range 2 {
			for i := range 6 {
				got := ask(i)
				if i < 3 && got != "" || i >= 3 && (got == "" || name[:len(got)] != got) {
					t.Errorf("%s: round %d, member %d: %q", name, round, i, got)
				}
			}
		}
	}
	for what, got := range map[string]string{
		"another path":   traps.Judge("http://a.test/other?q=9", trapNow),
		"no query":       traps.Judge("http://a.test/find", trapNow),
		"another shape":  traps.Judge("http://a.test/en/2026/11/9", trapNow),
		"another domain": traps.NewHost("h9.b.test"),
		"another body":   traps.SameBody("a.test", [32]byte{2}, "http://a.test/9"),
		"another host":   traps.SameBody("b.test", [32]byte{1}, "http://b.test/9"),
	} {
		if got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
	off := NewTraps(TrapLimits{})
	for i := range 1000 {
		if off.Judge(fmt.Sprintf("http://a.test/2099/01/?q=%d", i), trapNow) != "" || off.NewHost(fmt.Sprintf("h%d.a.test", i)) != "" {
			t.Fatal("a limit that is off holds")
		}
	}
}

func TestTheMemoryOfTrapsIsBounded(t *testing.T) {
	traps := NewTraps(TrapLimits{Queries: 1 << 30})
	for i := range trapMemory + 1000 {
		traps.Judge(fmt.Sprintf("http://a.test/find?q=%d", i), trapNow)
	}
	if len(traps.seen) > trapMemory || len(traps.sizes) > trapMemory {
		t.Errorf("%d members of %d groups", len(traps.seen), len(traps.sizes))
	}
}

func TestTrapsTakeAnyURL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traps := NewTraps(TrapLimits{Queries: 2, Dates: 2, Hosts: 2})
		url := rapid.String().Draw(t, "url")
		if rapid.Bool().Draw(t, "canonical") {
			url = "http://a.test/" + url
		}
		first, second := traps.Judge(url, trapNow), traps.Judge(url, trapNow)
		if first != second {
			t.Fatalf("asked twice: %+v, then %+v", first, second)
		}
	})
}

func BenchmarkTrapsJudge(b *testing.B) {
	b.ReportAllocs()
	traps := NewTraps(TrapLimits{Queries: 1000, Dates: 1000})
	for b.Loop() {
		traps.Judge("https://www.shop.test/articles/2026/11/a-fairly-long-title?page=2", trapNow)
	}
}
