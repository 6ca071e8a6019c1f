package politeness

import "testing"

func TestAP135Declaration(t *testing.T) {
	tests := map[string]Purposes{
		"":                                       0,
		"search, retrieve":                       PurposesOf(Index),
		"ai-use, retrieve":                       PurposesOf(Answer),
		"train-ai, train":                        PurposesOf(Train),
		"act":                                    PurposesOf(Act),
		"search, ai-use, retrieve":               PurposesOf(Index, Answer),
		"search, train-ai, act, retrieve, train": PurposesOf(Index, Train, Act),
	}
	for want, purposes := range tests {
		if got := Declaration(purposes); got != want {
			t.Errorf("AP-135 %s: %q, want %q", purposes, got, want)
		}
	}
}

func TestOnlyPurposesThatAreServedAreDeclared(t *testing.T) {
	d := Combine(Question{Method: "GET", Purposes: PurposesOf(Index, Train), Now: noon},
		[]Opinion{{Source: "aipref", Verdict: Silent, Uses: Uses{Train: No}, Closes: AIPrefDisallow, Declare: true}})
	if got := d.Declared(); got != PurposesOf(Index) || !d.Declare {
		t.Errorf("declared %s, asked to declare %t", got, d.Declare)
	}
	d.Uses = Everything(No)
	if got := d.Declared(); got != 0 {
		t.Errorf("declared %s although all is refused", got)
	}
}
