package politeness

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestConflicts(t *testing.T) {
	robots := Opinion{Source: "robots", Verdict: Allow, Reason: Allowed, Rule: Rule{"Allow: /", 2}}
	tests := []struct {
		name     string
		opinions []Opinion
		want     []Conflict
	}{
		{"nobody speaks", []Opinion{Quiet("robots"), Quiet("tdm")}, nil},
		{"robots opens what the card denies", []Opinion{robots, {Source: "card", Reason: CardRetrieveFalse}},
			[]Conflict{{[2]string{"robots", "card"}, ConflictAccess, `robots allows by "Allow: /" what card denies (card.retrieve-false).`}}},
		{"silence of robots opens nothing", []Opinion{Quiet("robots"), {Source: "card", Reason: CardRetrieveFalse}}, nil},
		{"train granted beside a reservation", []Opinion{{Source: "card", Verdict: Silent, Uses: Uses{Train: Yes}},
			{Source: "tdm", Verdict: Silent, Uses: Uses{Train: No}, Closes: TDMReserved}},
			[]Conflict{{[2]string{"card", "tdm"}, ConflictUse, "card grants train and tdm refuses it (tdm.reserved)."}}},
		{"BC-C-923 within one card", []Opinion{{Source: "card", Verdict: Silent, Uses: Uses{Train: Yes}, Weak: Uses{Train: No}}},
			[]Conflict{{[2]string{"card", "card"}, ConflictReservation, "card grants train and reserves it at once."}}},
		{"BC-C-012 the origin's 0 against a card", []Opinion{{Source: "card", Verdict: Silent, Weak: Uses{Train: No}},
			{Source: "tdm", Verdict: Silent, Lifts: PurposesOf(Train)}},
			[]Conflict{{[2]string{"card", "tdm"}, ConflictReservation, "card and tdm disagree whether train is reserved."}}},
		{"Content-Signal against Content-Usage", []Opinion{{Source: "aipref", Verdict: Silent, Uses: Uses{Train: No}, Closes: AIPrefDisallow},
			{Source: "content-signal", Verdict: Silent, Uses: Uses{Index: Yes, Train: Yes}}},
			[]Conflict{{[2]string{"aipref", "content-signal"}, ConflictUse, "content-signal grants train and aipref refuses it (aipref.disallow)."}}},
		{"case 69 a field against the file", []Opinion{{Source: "tdm", Verdict: Silent, Uses: Uses{Train: No}, Superseded: true},
			{Source: "tdm", Verdict: Silent, Lifts: PurposesOf(Train), Supersedes: true}},
			[]Conflict{{[2]string{"tdm", "tdm"}, ConflictReplaced, "The response contradicts what tdm said before."}}},
		{"a field that repeats the file", []Opinion{{Source: "tdm", Verdict: Silent, Uses: Uses{Train: No}, Superseded: true},
			{Source: "tdm", Verdict: Silent, Uses: Uses{Train: No}, Supersedes: true}}, nil},
		{"a field where the file says nothing", []Opinion{{Source: "tdm", Verdict: Silent, Superseded: true},
			{Source: "tdm", Verdict: Silent, Uses: Uses{Train: No}, Supersedes: true}}, nil},
		{"a superseded word contradicts nobody else", []Opinion{{Source: "card", Verdict: Silent, Uses: Uses{Train: Yes}},
			{Source: "tdm", Verdict: Silent, Uses: Uses{Train: No}, Superseded: true}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Conflicts(tt.opinions); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestWhatIsAdvertisedAndDenied(t *testing.T) {
	d := Decision{URL: "https://shop.test/llms.txt", Opinion: Opinion{Source: "robots", Verdict: Deny, Reason: RobotsDisallow}}
	want := []Conflict{{[2]string{"llm-context", "robots"}, ConflictAdvertised,
		"llm-context advertises https://shop.test/llms.txt, which robots denies (robots.disallow)."}}
	if got := Advertised("llm-context", d); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for _, v := range []Verdict{Allow, Wait} {
		d.Verdict = v
		if got := Advertised("llm-context", d); got != nil {
			t.Errorf("%s: %+v", v, got)
		}
	}
	d.Verdict = Deny
	for _, r := range []Reason{OperatorDeny, ScopeHost, GuardAddress} {
		d.Reason = r
		if got := Advertised("sitemap", d); got != nil {
			t.Errorf("the site does not contradict itself by %s: %+v", r, got)
		}
	}
}

func TestKindsOfADecisionAreThoseOfItsConflicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opinions := rapid.SliceOfN(drawOpinion(), 0, 6).Draw(t, "opinions")
		d := Decision{Opinions: opinions}
		if rapid.Bool().Draw(t, "advertised") {
			d.Conflicts = []Conflict{{Kind: ConflictAdvertised}}
		}
		want := map[string]bool{}
		for _, c := range append(Conflicts(opinions), d.Conflicts...) {
			want[c.Kind] = true
		}
		if got := ConflictKinds(d); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// Leaving out who cannot contradict anybody must not hide a conflict.
func TestAMuteOpinionHasNoConflict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawOpinion().Draw(t, "one"), drawOpinion().Draw(t, "other")
		if !a.mute() && !b.mute() {
			return
		}
		between(&a, &b, func(c clash) { t.Fatalf("%+v", c.conflict()) })
	})
}

func TestConflictsSurviveAJourneyAsJSON(t *testing.T) {
	d := Decision{Conflicts: []Conflict{{[2]string{"card", "tdm"}, ConflictUse, "card grants train and tdm refuses it (tdm.reserved)."}}}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back Decision
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back.Conflicts, d.Conflicts) {
		t.Errorf("%+v, %v", back.Conflicts, err)
	}
	if text, err = json.Marshal(Decision{}); err != nil || bytes.Contains(text, []byte("conflicts")) {
		t.Errorf("without any: %s, %v", text, err)
	}
}

// The ledger keeps opinions whole, so that what was decided can be joined again.
func TestAnOpinionSurvivesAJourneyAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOpinion().Draw(t, "opinion")
		o.Closes, o.UseRule = TDMReserved, Rule{"/x", 3}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var back Opinion
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		q := drawQuestion().Draw(t, "question")
		want, got := Combine(q, []Opinion{o}), Combine(q, []Opinion{back})
		if got.Verdict != want.Verdict || got.Reason != want.Reason || got.Uses != want.Uses || back.Lifts != o.Lifts || back.Unread != o.Unread {
			t.Fatalf("%s came back as %+v", text, back)
		}
	})
}

// Ten sources that agree: what nearly every decision looks like.
func BenchmarkConflictKindsOfADecisionWithoutAny(b *testing.B) {
	d := Decision{Opinions: make([]Opinion, 0, 12)}
	for _, source := range []string{"operator", "scope", "guard", "method", "robots", "automation", "card", "registry", "tdm", "aipref", "content-signal", "xrobots"} {
		d.Opinions = append(d.Opinions, Quiet(source))
	}
	b.ReportAllocs()
	for b.Loop() {
		if ConflictKinds(d) != nil {
			b.Fatal("a conflict among the silent")
		}
	}
}

func TestOneVoiceAloneHasAConflictWithItselfAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOpinion().Draw(t, "opinion")
		for _, c := range Conflicts([]Opinion{o}) {
			if c.Between[0] != c.Between[1] || c.Kind != ConflictReservation {
				t.Fatalf("%+v", c)
			}
		}
	})
}
