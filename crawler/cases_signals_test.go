package crawler_test

import (
	"slices"
	"testing"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/politeness"
)

func TestCase67LLMsTxtIsAWebPage(t *testing.T) {
	w := caseWorld(t, "67-llms-txt-is-a-web-page")
	for host, want := range map[string]discover.Reason{"http://html.test": discover.HTML, "http://plain.test": discover.HTMLShell} {
		j := w.open(func(s *setup) {
			brisk(s)
			s.seeds, s.Context = []string{host + "/"}, crawler.ContextAuto
		})
		j.run()
		r := j.contextOf(host, false)
		expect(t, r, discover.StateNone, want)
		if r.SHA256 != "" || len(r.Details) > 0 {
			t.Errorf("%s: the web page is held as a context document: %+v", host, r)
		}
		if w.hits(host+"/llms.txt") != 1 {
			t.Errorf("%s/llms.txt was asked for %d times", host, w.hits(host+"/llms.txt"))
		}
		w.never(host + "/docs")
		j.close()
	}
}

func TestCase69TDMReservationLimits(t *testing.T) {
	w := caseWorld(t, "69-tdm-reservation-limits")
	j := w.open(func(s *setup) {
		brisk(s)
		s.seeds, s.every = []string{shop + "/"}, true
		s.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
	})
	defer j.close()
	j.run()
	for path, want := range map[string]struct {
		train    politeness.Use
		word     politeness.Rule // the decisive one about mining
		conflict bool
	}{
		"/a":   {politeness.No, politeness.Rule{Text: "tdm-reservation: 1"}, false},
		"/b":   {politeness.No, politeness.Rule{Text: `<meta name="tdm-reservation" content="1">`}, false},
		"/c/x": {politeness.No, politeness.Rule{Text: `{"location":"/c/*","tdm-reservation":1}`}, false},
		"/d":   {politeness.Unsaid, politeness.Rule{Text: "tdm-reservation: 0"}, true},
		"/e":   {politeness.Unsaid, politeness.Rule{Text: "tdm-reservation: yes"}, false},
	} {
		j.ends(shop+path, "fetched")
		v := j.book.last(shop + path)
		if v == nil || v.body == "" {
			t.Fatalf("%s was not stored: %+v", path, v)
		}
		said := slices.DeleteFunc(slices.Clone(v.decision.Opinions), func(o politeness.Opinion) bool { return o.Source != "tdm" })
		last := said[len(said)-1]
		conflict := slices.ContainsFunc(politeness.Conflicts(said), func(c politeness.Conflict) bool { return c.Kind == politeness.ConflictReplaced })
		if v.decision.Uses[politeness.Train] != want.train || v.decision.Uses[politeness.Index] == politeness.No || last.Rule != want.word || conflict != want.conflict {
			t.Errorf("%s: %v, said %+v, conflict %v; want %+v", path, v.decision.Uses, last, conflict, want)
		}
		if again, err := j.JudgeStored(t.Context(), shop+path, nil, nil, politeness.PurposesOf(politeness.Train)); err != nil || again.Verdict == politeness.Allow {
			t.Errorf("%s may be used for training: %v, %v", path, again.Reason, err)
		}
	}
}
