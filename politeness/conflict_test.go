package politeness

import (
	"reflect"
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
