package crawler_test

import (
	"testing"
	"time"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/politeness"
)

// everySignal is a crawl for the context of the store with all standards asked.
func everySignal(purposes ...politeness.Purpose) func(*setup) {
	return func(s *setup) {
		contextual(store + "/")(s)
		s.every, s.Purposes = true, politeness.PurposesOf(purposes...)
	}
}

func TestLC061APreferenceStandsWhateverTheIndexSays(t *testing.T) {
	w := indexed(t, "# Train on this.")
	w.on(shopMap, text("User-agent: *\nAllow: /\nContent-Usage: train-ai=n\n"))
	j := w.open(everySignal(politeness.Train))
	j.run()
	w.never(store+"/", probe)
	v := j.book.last(store + "/")
	if v == nil || v.verdict != "deny" || v.decision.Uses[politeness.Train] != politeness.No {
		t.Errorf("%+v", v)
	}
	j.close()
	w = indexed(t, "# Do not train on this.")
	w.on(shopMap, text("User-agent: *\nAllow: /\nContent-Usage: train-ai=y\n"))
	w.crawl(everySignal(politeness.Train))
	if w.hits(probe) != 1 || w.hits(store+"/") != 1 {
		t.Error("the words of the index outweigh the preference")
	}
}

func TestLC063APurposeThatIsRefusedIsRefusedForTheIndexToo(t *testing.T) {
	set := func() *world {
		w := indexed(t, "# x")
		return w.on(store+"/automation-preferences.txt", text("User-Agent: *\nScope: /\nDisallowedPurposes: train\nAllowedMethods: GET, HEAD\n"))
	}
	w := set()
	w.crawl(everySignal(politeness.Train))
	w.never(store+"/", probe)
	w = set()
	w.crawl(everySignal(politeness.Index, politeness.Answer))
	if w.hits(probe) != 1 {
		t.Errorf("the index was asked for %d times", w.hits(probe))
	}
}

func TestLC149WhatTheResponseOfTheIndexSaysStaysWithIt(t *testing.T) {
	w := newWorld(t)
	w.on(store+"/", html("home")).on(probe, markdown("# x", "Content-Usage: train-ai=n"))
	j := w.open(everySignal(politeness.Index, politeness.Answer))
	j.run()
	v := j.book.last(probe)
	if v == nil || v.kind != crawler.VisitContext || v.decision.Uses[politeness.Train] != politeness.No {
		t.Errorf("%+v", v)
	}
}

func TestLC149AResponseThatForbidsEveryPurposeIsNoIndex(t *testing.T) {
	w := newWorld(t)
	w.on(store+"/", html("home")).on(probe, markdown("# x\n[a](/a.md)", "X-Robots-Tag: noindex"))
	j := w.open(everySignal(politeness.Index))
	j.run()
	m, err := j.ContextMemory(t.Context(), store)
	if err != nil || m.State != discover.StateNone || m.Reason != discover.Disallowed || m.Copy != nil {
		t.Errorf("%s %s, %v", m.State, m.Reason, err)
	}
	if v := j.book.last(probe); v.keep || v.verdict != "deny" || v.reason != "xrobots.noindex" {
		t.Errorf("%+v", v)
	}
	w.never(store + "/a.md")
}

func TestLC150AutomationPreferencesBindTheIndex(t *testing.T) {
	w := newWorld(t)
	w.on(store+"/automation-preferences.txt", text("User-Agent: *\nScope: /llms.txt\nDisallowedMethods: GET\n")).
		on(store+"/", html("home")).on(probe, redirect(302, "/llms.txt")).on(store+"/llms.txt", markdown("# x"))
	j := w.open(everySignal(politeness.Index, politeness.Answer))
	j.run()
	w.never(store + "/llms.txt")
	m, err := j.ContextMemory(t.Context(), store)
	if err != nil || m.State != discover.StateNone || m.Reason != discover.Disallowed {
		t.Errorf("%s %s, %v", m.State, m.Reason, err)
	}
}

// Three documents are read before the first page, each in a slot of its own.
func TestPolicyDocumentsTakeTheirTurns(t *testing.T) {
	w := newWorld(t)
	w.on(store+"/", html("home"))
	w.crawl(func(s *setup) { s.seeds, s.every = []string{store + "/"}, true })
	all := w.requests(true)
	if last := all[len(all)-1]; last.target != "/" || all[0].target != "/robots.txt" {
		t.Errorf("from %s to %s", all[0].target, last.target)
	}
	w.gaps("shop.example", time.Second)
	for i, r := range all {
		for _, other := range all[:i] {
			if r.target == other.target {
				t.Errorf("%s was asked for twice", r.target)
			}
		}
	}
}
