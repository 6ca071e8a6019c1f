package politeness

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// twice says something about a site by a document, and about a page by a field of
// its response that takes the document's place.
type twice struct{ paper }

func (twice) Name() string { return "twice" }
func (twice) Where(origin string) []Place {
	return append(paper{}.Where(origin), Place{Response: true, Kind: "field"})
}
func (twice) Read(p Place, d Document) Rules {
	if p.Kind == "field" {
		return field(d.Header.Get("Word"))
	}
	return paper{}
}

type field string

func (f field) Judge(Question) Opinion {
	switch f {
	case "no":
		return Opinion{Verdict: Silent, Uses: Uses{Train: No}, Closes: TDMReserved, Supersedes: true}
	case "deny":
		return Opinion{Verdict: Deny, Reason: XRobotsNoindex}
	}
	return Quiet("")
}

func TestADecisionIsRecalledFromWhatWasRecorded(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	held := shelfOnly{"https://a.test/paper": {URL: "https://a.test/paper", Status: 200, SHA256: "00", Expires: now.Add(time.Hour)}}
	g := NewGate([]Source{twice{}}, NewLibrary(held, 16), func() string { return "1" })
	for word, want := range map[string]Verdict{"": Allow, "no": Deny, "deny": Deny} {
		q := Question{URL: "https://a.test/x", Origin: "https://a.test", Host: "a.test", Path: "/x", Method: "GET", Purposes: PurposesOf(Train), Now: now}
		before, err := g.AtHand(t.Context(), q)
		if err != nil || before.Verdict != Allow {
			t.Fatalf("%+v, %v", before, err)
		}
		shown := q
		shown.Response = &Response{Status: 200, Header: http.Header{"Word": {word}}}
		recorded := g.After(before, shown)
		if recorded.Verdict != want {
			t.Fatalf("%q: %s, want %s", word, recorded.Verdict, want)
		}
		line, err := json.Marshal(recorded)
		if err != nil {
			t.Fatal(err)
		}
		var read Decision
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatal(err)
		}
		again := g.Recall(before, q, read)
		if again.Verdict != recorded.Verdict || again.Reason != recorded.Reason || again.Uses != recorded.Uses || len(again.Opinions) != len(recorded.Opinions) {
			t.Errorf("%q: recalled as\n %+v, recorded\n %+v", word, again, recorded)
		}
	}
}
