package politeness

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestVoteOfAnOpinionOnTheQuestion(t *testing.T) {
	no, yes := Uses{Index: No}, Uses{Index: Yes, Answer: Yes}
	for _, tt := range []struct {
		name     string
		purposes Purposes
		method   string
		opinion  Opinion
		want     Verdict
	}{
		{"silence", PurposesOf(Index), "GET", Opinion{Verdict: Silent}, Silent},
		{"a refusal of the only purpose", PurposesOf(Index), "GET", Opinion{Verdict: Silent, Uses: no}, Deny},
		{"a refusal of one of two", PurposesOf(Index, Answer), "GET", Opinion{Verdict: Silent, Uses: no}, Silent},
		{"a grant", PurposesOf(Index, Answer), "GET", Opinion{Verdict: Silent, Uses: yes}, Allow},
		{"a grant of one of two", PurposesOf(Index, Train), "GET", Opinion{Verdict: Silent, Uses: yes}, Silent},
		{"a grant that is reserved", PurposesOf(Train), "GET", Opinion{Verdict: Silent, Uses: Uses{Train: Yes}, Weak: Uses{Train: No}}, Deny},
		{"what gave way", PurposesOf(Index), "GET", Opinion{Verdict: Silent, Uses: no, Superseded: true}, Silent},
		{"a source that was not asked", PurposesOf(Index), "GET", Opinion{Verdict: NotAsked, Uses: no}, NotAsked},
		{"a word about the request goes first", PurposesOf(Index), "GET", Opinion{Verdict: Allow, Uses: no}, Allow},
		{"a stale card that closes by silence", PurposesOf(Train), "GET", Opinion{Source: "card", Verdict: Silent, Closes: CardStale}, Deny},
		{"a method that serves none of the purposes", PurposesOf(Index), "POST", Opinion{Verdict: Silent, Uses: no}, Silent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := Question{Method: tt.method, Purposes: tt.purposes, Now: time.Unix(1, 0).UTC()}
			d := Combine(q, []Opinion{tt.opinion})
			if got := d.Vote(&d.Opinions[0]); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var wire struct{ Opinions []struct{ Verdict string } }
			var back Decision
			if err := json.Unmarshal(text, &wire); err != nil || wire.Opinions[0].Verdict != tt.want.String() {
				t.Errorf("written %+v, %v", wire, err)
			}
			if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back.Opinions, d.Opinions) {
				t.Errorf("read back %+v, %v", back.Opinions, err)
			}
		})
	}
}

func TestWhatADecisionLeavesOpen(t *testing.T) {
	for _, tt := range []struct {
		name   string
		d      Decision
		silent bool
		want   Purposes
	}{
		{"silence", Decision{Opinion: Opinion{Verdict: Allow}}, false, PurposesOf(Index, Answer)},
		{"silence that the operator takes for a yes", Decision{Opinion: Opinion{Verdict: Allow}}, true, PurposesOf(Index, Answer, Train)},
		{"a grant and a refusal", Decision{Opinion: Opinion{Verdict: Allow, Uses: Uses{Index: No, Train: Yes}}}, false, PurposesOf(Answer, Train)},
		{"a denial", Decision{Opinion: Opinion{Verdict: Deny, Uses: Everything(Yes)}}, true, 0},
		{"a wait", Decision{Opinion: Opinion{Verdict: Wait, Uses: Everything(Yes)}}, true, 0},
	} {
		if got := tt.d.Open(tt.silent); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
