package app

import (
	"slices"
	"testing"
	"time"

	"heed/config"
)

func TestEverythingThatTheOperatorLoosensIsTold(t *testing.T) {
	var since config.Date
	if err := since.UnmarshalText([]byte("2026-11-30")); err != nil {
		t.Fatal(err)
	}
	pause := func(d time.Duration) *config.Duration { c := config.Duration(d); return &c }
	got := loosened(config.Config{
		Rules: []config.Rule{
			{Host: "a.test", Deny: true, Because: "asked"},
			{Host: "b.test", Ignore: []string{"robots", "tdm"}, Because: "contract", Since: since},
			{Host: "c.test", Delay: pause(5 * time.Second)},
			{Host: "*.d.test", Delay: pause(100 * time.Millisecond), PerHost: 4, Because: "our own", Since: since},
			{Host: "e.test", AllowMethods: []string{"POST"}, Because: "trial", Since: since},
		},
		Silent: []config.Silent{{Purpose: "train", Because: "own texts", Since: since}},
		Act:    config.Act{Hosts: []config.ActHost{{Host: "f.test", Because: "orders", Since: since}}},
	})
	want := []string{
		"On b.test no heed is paid to robots, tdm since 2026-11-30, because: contract",
		"On *.d.test the delay is 100ms; 4 requests run at a time since 2026-11-30, because: our own",
		"On e.test methods are POST since 2026-11-30, because: trial",
		"Silence about the purpose train counts as permission since 2026-11-30, because: own texts",
		"Acting is enabled on f.test since 2026-11-30, because: orders",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
