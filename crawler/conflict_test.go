package crawler_test

import (
	"reflect"
	"testing"

	"heed/crawler"
	"heed/politeness"
)

func TestACheckListsConflicts(t *testing.T) {
	w := newWorld(t)
	w.on(shopMap, text("User-agent: *\nAllow: /\nContent-Signal: ai-train=yes\nContent-Usage: train-ai=n\n"))
	j := w.open(everySignal(politeness.Index))
	d, err := j.Check(t.Context(), store+"/a", crawler.Demand{})
	if err != nil {
		t.Fatal(err)
	}
	want := []politeness.Conflict{{Between: [2]string{"aipref", "content-signal"}, Kind: politeness.ConflictUse,
		Sentence: "content-signal grants train and aipref refuses it (aipref.disallow)."}}
	if !reflect.DeepEqual(d.Conflicts, want) {
		t.Errorf("%+v", d.Conflicts)
	}
	if v := j.book.last(store + "/a"); v == nil || !reflect.DeepEqual(v.decision.Conflicts, want) {
		t.Errorf("recorded: %+v", v)
	}
}

// An index that is advertised and closed is never asked for; that it was refused,
// and by whom, is recorded all the same.
func TestAnAdvertisedIndexThatIsClosedIsAConflict(t *testing.T) {
	const private = store + "/private/l.txt"
	for name, tt := range map[string]struct {
		set  func(*world)
		want []string
	}{
		"by a Link":        {func(w *world) { w.on(store+"/", linking("/private/l.txt")) }, []string{politeness.ConflictAdvertised}},
		"by a record":      {func(w *world) { w.on(shopMap, text("User-agent: *\nDisallow: /private/\nLLM-Context: "+private+"\n")) }, []string{politeness.ConflictAdvertised}},
		"behind the probe": {func(w *world) { w.on(probe, redirect(302, "/private/l.txt")) }, nil},
	} {
		for _, mode := range []politeness.Mode{politeness.Crawl, politeness.OnDemand} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				w := newWorld(t)
				w.on(shopMap, text("User-agent: *\nDisallow: /private/\n")).on(store+"/", html("home"))
				tt.set(w)
				j := w.open(func(s *setup) { everySignal(politeness.Index)(s); brisk(s) })
				if mode == politeness.Crawl {
					j.run()
				} else {
					j.contextOf(store, true)
				}
				w.never(private)
				v := j.book.last(private)
				if v == nil || v.kind != crawler.VisitContext || v.reason != "robots.disallow" {
					t.Fatalf("%+v", v)
				}
				if got := politeness.ConflictKinds(v.decision); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%v, want %v", got, tt.want)
				}
			})
		}
	}
}
