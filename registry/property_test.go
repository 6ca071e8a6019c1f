package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/registry/card"
)

// value draws a JSON value of any kind.
func value(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Just[any](nil),
		rapid.Custom(func(t *rapid.T) any {
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
		}),
	}
	if depth > 0 {
		kinds = append(kinds, rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 3).AsAny(),
			rapid.MapOfN(rapid.String(), rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 3).AsAny())
	}
	return rapid.OneOf(kinds...)
}

func parse(t *rapid.T, text []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func TestUnknownMembersComeBackWhateverTheyAre(t *testing.T) {
	w := newWorld(t)
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(rapid.StringMatching(`x_[a-z"\\/<>\x{e4}]{0,5}`), value(3), 0, 5).Draw(t, "members")
		body := maps.Clone(members)
		body["canonical"] = "https://shop.example"
		text, err := json.Marshal(body)
		if err != nil {
			t.Skip("no JSON")
		}
		sub, err := w.validate.read(shop, text)
		if err != nil {
			if strings.Contains(string(text), "\uFFFD") || strings.Contains(string(text), `\ufffd`) {
				t.Skip("not Unicode")
			}
			t.Fatalf("%v for %s", err, text)
		}
		s := &site{domain: shop, publisher: "pub-7", updated: 1, facts: sub.facts, window: sub.window, rev: 1}
		served := render(nil, sub.raw, s)
		if _, err := card.ReadJSON(served, maxBodyBytes); err != nil {
			t.Fatalf("clients cannot read what is served: %v", err)
		}
		got, sent := parse(t, served), parse(t, text)
		for name := range members {
			if !reflect.DeepEqual(got[name], sent[name]) {
				t.Fatalf("%q: sent %v, served %v", name, sent[name], got[name])
			}
		}
		again, err := w.validate.read(shop, served)
		if err != nil {
			t.Fatalf("what was served cannot be written back: %v", err)
		}
		s.facts, s.window = again.facts, again.window
		if back := render(nil, again.raw, s); !reflect.DeepEqual(parse(t, back), got) {
			t.Fatalf("written back it is %s, was %s", back, served)
		}
	})
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := func(name string) instant { return instant(rapid.Int64Range(0, 1<<40).Draw(t, name)) }
		text := rapid.StringN(0, 40, -1)
		flag := rapid.Bool()
		s := &site{domain: shop, rev: rapid.Uint64().Draw(t, "rev"), seq: rapid.Uint64().Draw(t, "seq"), listed: flag.Draw(t, "listed"), stale: flag.Draw(t, "stale"),
			removed: i("removed"), publisher: text.Draw(t, "publisher"), updated: i("updated"), next: i("next"),
			window: time.Duration(rapid.IntRange(0, 1<<30).Draw(t, "window")) * time.Second,
			facts: facts{retrieve: flag.Draw(t, "r"), train: flag.Draw(t, "t"), act: flag.Draw(t, "a"), cite: flag.Draw(t, "c"), allowBots: flag.Draw(t, "b"),
				pointers: rapid.Uint8().Draw(t, "pointers"), tdm: text.Draw(t, "tdm"), name: text.Draw(t, "name"), text: text.Draw(t, "text"), terms: text.Draw(t, "terms")},
			proof: proofState{method: Method(rapid.IntRange(0, 3).Draw(t, "method")), holder: text.Draw(t, "holder"), checked: i("checked"), proven: i("proven"),
				missed: i("missed"), failures: rapid.Uint8().Draw(t, "failures"), validated: flag.Draw(t, "validated"), crawl: CrawlHealth(rapid.IntRange(0, 3).Draw(t, "crawl")), note: text.Draw(t, "note")},
			admitted: &admission{publisher: text.Draw(t, "admitted"), method: Method(rapid.IntRange(0, 3).Draw(t, "how")), at: i("at"), validated: flag.Draw(t, "v"), crawl: CrawlHealth(rapid.IntRange(0, 3).Draw(t, "ac"))}}
		if *s.admitted == (admission{}) {
			s.admitted = nil
		}
		copy(s.etag[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "etag"))
		record := appendSite(nil, s)
		got, err := readSite(shop, record, words{})
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%+v is read as %+v, %v", s, got, err)
		}
		if cut := rapid.IntRange(0, len(record)-1).Draw(t, "cut"); true {
			if _, err := readSite(shop, record[:cut], words{}); err == nil {
				t.Fatalf("%d octets of %d are read", cut, len(record))
			}
		}
	})
}

func TestNoHistoryOfChecksMakesAProofOfNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := proofState{}
		now := instant(1_800_000_000)
		lastPass, passed := instant(0), false
		for range rapid.IntRange(1, 30).Draw(t, "checks") {
			now = now.add(time.Duration(rapid.IntRange(1, 400).Draw(t, "minutes")) * time.Minute)
			f := Finding{Method: Method(rapid.IntRange(0, 3).Draw(t, "method")), Partial: rapid.Bool().Draw(t, "partial"), Note: "n"}
			before := p
			p = p.after(f, "pub-7", now)
			if f.Method.Proven() {
				lastPass, passed = now, true
			}
			switch {
			case p.method.Proven() && (!passed || p.checked != lastPass || p.proven != lastPass || p.holder != "pub-7"):
				t.Fatalf("%+v although the last pass was at %d", p, lastPass)
			case p.checked < before.checked, p.checked != before.checked && p.checked != now:
				t.Fatalf("checked goes from %d to %d at %d", before.checked, p.checked, now)
			case f.Method == Pending && (p.method != before.method || p.checked != before.checked):
				t.Fatalf("trouble changes %+v into %+v", before, p)
			case before.method.Proven() && !p.method.Proven() && (f.Method != Unverified || f.Partial || before.missed == 0 || now.since(before.missed) < secondMiss):
				t.Fatalf("%+v ends with %+v", before, f)
			}
			if due := p.due(defaultWindow, now, rapid.Float64Range(0, 0.999).Draw(t, "draw")); due <= now-1 || due > now.add(maxCheckEvery) {
				t.Fatalf("%+v is due at %d, now is %d", p, due, now)
			}
		}
	})
}

// TestAModelOfTheRegistry writes, checks, removes and waits at random, and
// compares the feed, the list and the snapshot with each other after each step.
func TestAModelOfTheRegistry(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.KeepRemoved = 48 * time.Hour })
	w.publisher("pub-7", "*")
	mirror, cursor := map[string]string{}, ""
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			p := &account{w: w, id: "pub-7"}
			token, err := w.bearer.issue(w.shelf.publisher("pub-7"), scopeWrite)
			if err != nil {
				rt.Fatal(err)
			}
			p.token = token
			domain := fmt.Sprintf("d%d.example", rapid.IntRange(0, 5).Draw(rt, "domain"))
			switch rapid.IntRange(0, 6).Draw(rt, "what") {
			case 0, 1:
				body := fmt.Sprintf(`{"canonical":"https://%s","x":%d,"crawl":{"revalidate_hours":%d}}`, domain, rapid.IntRange(0, 3).Draw(rt, "x"), rapid.IntRange(1, 50).Draw(rt, "window"))
				if a := p.put(domain, body); a.status != http.StatusOK && a.status != http.StatusAccepted {
					rt.Fatalf("PUT: %d %s", a.status, a.body)
				}
			case 2:
				p.send("DELETE", "/v1/site/"+domain, "")
			case 3, 4:
				p.issue(domain)
				w.prover.find(domain, Finding{Method: Method(rapid.IntRange(0, 3).Draw(rt, "found")), Note: "n"})
				p.send("POST", "/v1/site/"+domain+"/check", "")
			case 5:
				w.pass(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
			case 6:
				if rapid.IntRange(0, 3).Draw(rt, "reopen") == 0 {
					w.reopen(func(o *Options) { o.KeepRemoved = 48 * time.Hour })
				}
			}
			// Removals are forgotten only behind what the follower has read.
			cursor = followFeed(t, w.Server, mirror, cursor)
			if err := w.purge(t.Context(), instantOf(w.clock())); err != nil {
				rt.Fatal(err)
			}
			compareWithCatalog(t, w.Server, mirror)
			if t.Failed() {
				rt.Fatal("the feed and the catalog differ")
			}
		}
	})
	w.sound()
}
