package crawler_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

const preferences = "/automation-preferences.txt"

// refusing is a shop whose every page but the first answers 403.
func refusing(t *testing.T, file reply) *world {
	w := newWorld(t)
	return w.on(shop+preferences, file).on(shop+"/", html("home")).on(shop+" *", status(403))
}

// permissive are preferences that permit reading everywhere.
func permissive() reply { return text("User-Agent: *\nScope: /\nAllowedMethods: GET, HEAD\n") }

// everyStandard leaves none of them out.
func everyStandard(s *setup) { s.every = true }

// ask crawls some paths of the shop in this order, with every standard asked.
func (w *world) ask(paths ...string) (*job, crawler.Ending) {
	w.t.Helper()
	j := w.open(everyStandard)
	var list []crawler.Seed
	for i, path := range paths {
		list = append(list, crawler.Seed{URL: shop + path, Score: 100 - i})
	}
	if _, err := j.AddSeeds(w.t.Context(), list); err != nil {
		w.t.Fatal(err)
	}
	end := j.run()
	j.close()
	return j, end
}

// wanted lists what was asked for after the documents of the first visit.
func (w *world) wanted() []string {
	var list []string
	for _, target := range w.targets(shop) {
		if !strings.HasPrefix(target, "/.well-known/") {
			list = append(list, target)
		}
	}
	return list
}

func TestAP142A403InSpiteOfPreferencesReadsThemAgainOnceAndPausesTheHostAfterThree(t *testing.T) {
	w := refusing(t, permissive())
	w.ask("/")
	w.time.advance(10 * time.Minute)
	w.forget()

	j, end := w.ask("/a", "/b", "/c", "/d")
	if got, want := w.wanted(), []string{"/a", preferences, "/b", "/c"}; !slices.Equal(got, want) {
		t.Fatalf("asked for %q, want %q", got, want)
	}
	w.gaps("shop.test", time.Second)
	if end.Code != crawler.EndUndecided {
		t.Errorf("ended with %d", end.Code)
	}
	if n := j.Decisions()[politeness.PaceBackOff]; n != 1 {
		t.Errorf("%d pauses are counted", n)
	}

	j = w.open(everyStandard)
	defer j.close()
	for path, want := range map[string]string{"/a": "failed status-403", "/b": "failed status-403", "/c": "failed status-403"} {
		if got := j.story(shop + path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	e, err := j.Explain(t.Context(), past{}, shop+"/d")
	if err != nil || e.Host.Reason != "pace.back-off" || e.Host.Next == nil {
		t.Fatalf("%+v, %v", e.Host, err)
	}
	if ahead := e.Host.Next.Sub(w.time.now()); ahead < 59*time.Minute || ahead > time.Hour {
		t.Errorf("the host waits for %v", ahead)
	}
	if reason, err := j.WaitReason(t.Context(), shop+"/d"); err != nil || reason != "pace.back-off" {
		t.Errorf("/d waits for %q, %v", reason, err)
	}
	if s, err := j.Status(t.Context()); err != nil || s.HostsBlocked != 1 {
		t.Errorf("%d hosts are blocked, %v", s.HostsBlocked, err)
	}
}

func TestAP142ThePreferencesReadAgainGiveTheReason(t *testing.T) {
	w := refusing(t, turns(permissive(), text("User-Agent: *\nScope: /\nDisallowedMethods: GET\n")))
	w.ask("/")
	w.time.advance(10 * time.Minute)
	w.forget()
	j, _ := w.ask("/a", "/b")
	if got, want := w.wanted(), []string{"/a", preferences}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	if v := j.book.last(shop + "/a"); v == nil || v.state != frontier.Refused || v.reason != "automation.method" {
		t.Errorf("%+v", v)
	}
}

func TestAP142A403ThatNoPermissionContradictsDoesNotCount(t *testing.T) {
	for _, tt := range []struct {
		name string
		file reply
	}{
		{"AP-142 there is no file", status(404)},
		{"AP-142 the file denies one of the purposes", text("User-Agent: *\nScope: /\nAllowedMethods: GET, HEAD\nDisallowedPurposes: search\n")},
		{"AP-142 the file is of a type that may only deny", answer(200, "User-Agent: *\nScope: /\nAllowedMethods: GET, HEAD\n", "Content-Type: application/octet-stream")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := refusing(t, tt.file)
			w.ask("/")
			w.time.advance(10 * time.Minute)
			w.forget()
			_, end := w.ask("/a", "/b", "/c", "/d")
			if got, want := w.wanted(), []string{"/a", "/b", "/c", "/d"}; !slices.Equal(got, want) || end.Code != crawler.EndDone {
				t.Errorf("asked for %q, ended with %d", got, end.Code)
			}
		})
	}
}

func TestAP142ASuccessBetweenThemBeginsTheRowAnew(t *testing.T) {
	w := refusing(t, permissive()).on(shop+"/c", html("c"))
	_, end := w.ask("/a", "/b", "/c", "/d", "/e")
	if got, want := w.wanted(), []string{preferences, "/a", "/b", "/c", "/d", "/e"}; !slices.Equal(got, want) || end.Code != crawler.EndDone {
		t.Errorf("asked for %q, ended with %d", got, end.Code)
	}
}

func TestAP142OnDemandThePreferencesAreReadAgainAndTheRequestIsNotRepeated(t *testing.T) {
	for _, tt := range []struct {
		name    string
		then    reply
		verdict politeness.Verdict
	}{
		{"AP-142 they still permit it", permissive(), politeness.Allow},
		{"AP-142 they do not any more", text("User-Agent: *\nScope: /\nDisallowedMethods: GET\n"), politeness.Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := refusing(t, turns(permissive(), tt.then))
			w.ask("/")
			w.time.advance(10 * time.Minute)
			w.forget()
			j := w.open(func(s *setup) { s.every, s.pace.Delay = true, time.Millisecond })
			f, err := j.Fetch(t.Context(), shop+"/a", crawler.Demand{Patience: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got, want := w.wanted(), []string{"/a", preferences}; !slices.Equal(got, want) {
				t.Errorf("asked for %q, want %q", got, want)
			}
			if f.Decision.Verdict != tt.verdict || f.Exchange.Status != 403 || f.Kept() {
				t.Errorf("%s (%s), status %d", f.Decision.Verdict, f.Decision.Reason, f.Exchange.Status)
			}
		})
	}
}
