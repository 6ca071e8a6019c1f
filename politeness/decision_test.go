package politeness

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func drawUses(label string) *rapid.Generator[Uses] {
	return rapid.Custom(func(t *rapid.T) Uses {
		var u Uses
		for p := range u {
			u[p] = Use(rapid.IntRange(int(Unsaid), int(No)).Draw(t, label))
		}
		return u
	})
}

func drawOpinion() *rapid.Generator[Opinion] {
	return rapid.Custom(func(t *rapid.T) Opinion {
		o := Opinion{
			Source:  rapid.SampledFrom([]string{"operator", "robots", "aipref", "pace"}).Draw(t, "source"),
			Verdict: Verdict(rapid.IntRange(int(Deny), int(NotAsked)).Draw(t, "verdict")),
			Delay:   time.Duration(rapid.IntRange(0, 90).Draw(t, "delay")) * time.Second,
			Uses:    drawUses("use").Draw(t, "uses"),
			Weak:    drawUses("weak").Draw(t, "weak"),
			Lifts:   Purposes(rapid.IntRange(0, 1<<purposeCount-1).Draw(t, "lifts")),
			Unread:  Purposes(rapid.IntRange(0, 1<<purposeCount-1).Draw(t, "unread")),
			Closes:  "aipref.disallow",
		}
		switch o.Verdict {
		case Deny:
			o.Reason = RobotsDisallow
		case Wait:
			o.Reason = PaceNotYet
			o.Until = noon.Add(time.Duration(rapid.IntRange(0, 3600).Draw(t, "until")) * time.Second)
		}
		return o
	})
}

func drawQuestion() *rapid.Generator[Question] {
	return rapid.Custom(func(t *rapid.T) Question {
		return Question{URL: "https://shop.test/", Mode: Crawl, Now: noon,
			Method:      rapid.SampledFrom([]string{"GET", "HEAD", "POST", ""}).Draw(t, "method"),
			Purposes:    Purposes(rapid.IntRange(0, 1<<purposeCount-1).Draw(t, "purposes")),
			SilentTrain: rapid.Bool().Draw(t, "silent train"),
			Rate:        Rate{Delay: time.Duration(rapid.IntRange(0, 90).Draw(t, "rate")) * time.Second}}
	})
}

// noGrant is o without what it permits, which leaves only what it restricts.
func noGrant(o Opinion) Opinion {
	for p := range o.Uses {
		if o.Uses[p] == Yes {
			o.Uses[p] = Unsaid
		}
		if o.Weak[p] == Yes {
			o.Weak[p] = Unsaid
		}
	}
	o.Lifts = 0
	return o
}

func TestAddingAnOpinionThatGrantsNothingNeverSoftens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion().Draw(t, "question")
		before := rapid.SliceOfN(drawOpinion(), 0, 6).Draw(t, "opinions")
		extra := noGrant(drawOpinion().Draw(t, "extra"))
		at := rapid.IntRange(0, len(before)).Draw(t, "position")
		after := append(append(append([]Opinion{}, before[:at]...), extra), before[at:]...)
		without, with := Combine(q, before), Combine(q, after)
		// Closed purposes are looked at last, so a wait may come before them:
		// while a source is waited for, a grant may still arrive.
		closed := without.Verdict == Deny && !slices.ContainsFunc(before, func(o Opinion) bool { return o.Verdict == Deny })
		if with.Verdict > without.Verdict && !(closed && with.Verdict == Wait) {
			t.Fatalf("%s became %s by %+v", without.Verdict, with.Verdict, extra)
		}
		if with.Verdict == Wait && without.Verdict == Wait && with.Until.Before(without.Until) {
			t.Fatalf("waits until %s, before %s", with.Until, without.Until)
		}
		if with.Delay < without.Delay {
			t.Fatalf("delay %s became %s", without.Delay, with.Delay)
		}
		for p := range with.Uses {
			if without.Uses[p] == No && with.Uses[p] != No && without.Verdict != Deny {
				t.Fatalf("use %s was no and became %s", Purpose(p), useNames[with.Uses[p]])
			}
		}
	})
}

func TestAGrantNeverOutweighsARefusal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion().Draw(t, "question")
		opinions := rapid.SliceOfN(drawOpinion(), 1, 6).Draw(t, "opinions")
		d := Combine(q, opinions)
		for _, o := range opinions {
			if o.Verdict == Deny && d.Verdict != Deny {
				t.Fatalf("a denial of %s was outvoted: %s", o.Source, d.Verdict)
			}
			if o.Verdict == Wait && d.Verdict == Allow {
				t.Fatalf("a wait of %s was outvoted", o.Source)
			}
			for p := range o.Uses {
				if o.Uses[p] == No && d.Uses[p] != No {
					t.Fatalf("%s refused %s and it is %s", o.Source, Purpose(p), useNames[d.Uses[p]])
				}
			}
		}
	})
}

func TestOrderOfOpinionsDoesNotChangeTheVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion().Draw(t, "question")
		opinions := rapid.SliceOfN(drawOpinion(), 0, 6).Draw(t, "opinions")
		shuffled := rapid.Permutation(opinions).Draw(t, "shuffled")
		a, b := Combine(q, opinions), Combine(q, shuffled)
		if a.Verdict != b.Verdict || a.Uses != b.Uses || a.Delay != b.Delay || !a.Until.Equal(b.Until) {
			t.Fatalf("%v %v %v %v against %v %v %v %v", a.Verdict, a.Uses, a.Delay, a.Until, b.Verdict, b.Uses, b.Delay, b.Until)
		}
	})
}

func TestADecisionAlwaysHasAReasonAndOneOfThreeVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion().Draw(t, "question")
		d := Combine(q, rapid.SliceOfN(drawOpinion(), 0, 6).Draw(t, "opinions"))
		if d.Verdict > Allow {
			t.Fatalf("verdict %s", d.Verdict)
		}
		if d.Reason == "" || d.Verdict != Allow && d.Source == "" {
			t.Fatalf("%s without a reason or a source: %q %q", d.Verdict, d.Reason, d.Source)
		}
		if (d.Reason == Allowed) != (d.Verdict == Allow) {
			t.Fatalf("%s with reason %s", d.Verdict, d.Reason)
		}
		if d.Verdict == Deny && d.Uses != Everything(No) {
			t.Fatalf("denied but uses are %v", d.Uses)
		}
		if d.Weak != (Uses{}) {
			t.Fatalf("weak statements left over: %v", d.Weak)
		}
	})
}

func TestCombine(t *testing.T) {
	index, train := PurposesOf(Index), PurposesOf(Train)
	uses := func(p Purpose, u Use) (all Uses) { all[p] = u; return all }
	later := func(o Opinion, minutes int) Opinion {
		o.Verdict, o.Until = Wait, noon.Add(time.Duration(minutes)*time.Minute)
		return o
	}
	tests := []struct {
		name     string
		q        Question
		opinions []Opinion
		verdict  Verdict
		reason   Reason
		source   string
	}{
		{"nobody objects to indexing", Question{Purposes: index}, nil, Allow, Allowed, ""},
		{"no purpose at all is closed", Question{}, nil, Deny, PurposeNoGrant, "purpose"},
		{"the zero opinion denies", Question{Purposes: index}, []Opinion{{}}, Deny, "", ""},
		{"a verdict out of range denies", Question{Purposes: index},
			[]Opinion{{Source: "x", Verdict: Verdict(9), Reason: ScopeTrap}}, Deny, ScopeTrap, "x"},
		{"the first denial is the decisive one", Question{Purposes: index},
			[]Opinion{Quiet("a"), {Source: "b", Reason: ScopeHost}, {Source: "c", Reason: RobotsDisallow}}, Deny, ScopeHost, "b"},
		{"a denial beats a wait that comes first", Question{Purposes: index},
			[]Opinion{later(Opinion{Source: "a", Reason: RobotsUnreachable}, 5), {Source: "c", Reason: RobotsDisallow}}, Deny, RobotsDisallow, "c"},
		{"the latest wait is the decisive one", Question{Purposes: index},
			[]Opinion{later(Opinion{Source: "a", Reason: PaceNotYet}, 1), later(Opinion{Source: "b", Reason: PaceBackOff}, 9),
				later(Opinion{Source: "c", Reason: PaceNotYet}, 3)}, Wait, PaceBackOff, "b"},
		{"an explicit no beats a wait", Question{Purposes: train},
			[]Opinion{later(Opinion{Source: "a", Reason: PaceNotYet}, 1),
				{Source: "b", Verdict: Silent, Uses: uses(Train, No), Closes: "aipref.disallow"}}, Deny, "aipref.disallow", "b"},
		{"a no to one of two purposes does not", Question{Purposes: PurposesOf(Answer, Train)},
			[]Opinion{later(Opinion{Source: "a", Reason: PaceNotYet}, 1),
				{Source: "b", Verdict: Silent, Uses: uses(Train, No), Closes: "aipref.disallow"}}, Wait, PaceNotYet, "a"},
		{"a weak no does not, since it may be lifted yet", Question{Purposes: train},
			[]Opinion{later(Opinion{Source: "a", Reason: PaceNotYet}, 1),
				{Source: "b", Verdict: Silent, Weak: uses(Train, No), Closes: "tdm.reserved"}}, Wait, PaceNotYet, "a"},
		{"AP-143 a method that changes state serves acting only", Question{Method: "POST", Purposes: PurposesOf(Index, Act)},
			nil, Deny, PurposeNoGrant, "purpose"},
		{"AP-143 and needs an explicit yes", Question{Method: "POST", Purposes: PurposesOf(Index, Act)},
			[]Opinion{{Source: "card", Verdict: Silent, Uses: uses(Act, Yes)}}, Allow, Allowed, ""},
		{"a method that is not known changes state", Question{Method: "FETCH", Purposes: index}, nil, Deny, PurposeNoGrant, "purpose"},
		{"a no without a reason gets one of its source", Question{Purposes: train},
			[]Opinion{{Source: "tdm", Verdict: Silent, Uses: uses(Train, No)}}, Deny, TDMUnclear, "tdm"},
		{"a no without a reason of an unknown source gets one too", Question{Purposes: train},
			[]Opinion{{Source: "x", Verdict: Silent, Uses: uses(Train, No)}}, Deny, PurposeNoGrant, "x"},
		{"a wait beats a purpose closed by silence", Question{Purposes: train},
			[]Opinion{later(Opinion{Source: "a", Reason: PaceNotYet}, 1)}, Wait, PaceNotYet, "a"},
		{"silence closes training", Question{Purposes: train}, []Opinion{Quiet("a")}, Deny, PurposeNoGrant, "purpose"},
		{"silence about training is a yes where the operator says so", Question{Purposes: train, SilentTrain: true}, nil, Allow, Allowed, ""},
		{"silent training does not overrule a no", Question{Purposes: train, SilentTrain: true},
			[]Opinion{{Source: "a", Verdict: Silent, Uses: uses(Train, No), Closes: "aipref.disallow"}}, Deny, "aipref.disallow", "a"},
		{"a yes opens training", Question{Purposes: train},
			[]Opinion{{Source: "a", Verdict: Silent, Uses: uses(Train, Yes)}}, Allow, Allowed, ""},
		{"a no beats a yes whatever the order", Question{Purposes: train},
			[]Opinion{{Source: "a", Verdict: Silent, Uses: uses(Train, No), Closes: "aipref.disallow"},
				{Source: "b", Verdict: Silent, Uses: uses(Train, Yes)}}, Deny, "aipref.disallow", "a"},
		{"silence closes acting", Question{Purposes: PurposesOf(Act)}, nil, Deny, PurposeNoGrant, "purpose"},
		{"one open purpose is enough", Question{Purposes: PurposesOf(Index, Train)}, nil, Allow, Allowed, ""},
		{"closed purposes name who refused one of them", Question{Purposes: PurposesOf(Index, Train)},
			[]Opinion{Quiet("a"), {Source: "b", Verdict: Silent, Uses: uses(Index, No), Closes: "xrobots.noindex"}}, Deny, "xrobots.noindex", "b"},
		{"a refusal of another purpose closes nothing", Question{Purposes: index},
			[]Opinion{{Source: "b", Verdict: Silent, Uses: uses(Train, No), Closes: "aipref.disallow"}}, Allow, Allowed, ""},
		{"a weak no closes where nobody speaks strongly", Question{Purposes: index},
			[]Opinion{{Source: "card", Verdict: Silent, Weak: uses(Index, No), Closes: "tdm.reserved"}}, Deny, "tdm.reserved", "card"},
		{"an explicit no is named before silence that is explained", Question{Purposes: train},
			[]Opinion{{Source: "card", Verdict: Silent, Closes: CardPending},
				{Source: "tdm", Verdict: Silent, Uses: uses(Train, No), Closes: "tdm.reserved"}}, Deny, "tdm.reserved", "tdm"},
		{"BC-C-923 a grant beside a reservation is none", Question{Purposes: train},
			[]Opinion{{Source: "card", Verdict: Silent, Uses: uses(Train, Yes), Weak: uses(Train, No), Closes: "tdm.reserved"}},
			Deny, "tdm.reserved", "card"},
		{"BC-C-923 a grant of somebody else does not lift the reservation", Question{Purposes: train},
			[]Opinion{{Source: "card", Verdict: Silent, Uses: uses(Train, Yes), Weak: uses(Train, No), Closes: "tdm.reserved"},
				{Source: "aipref", Verdict: Silent, Uses: uses(Train, Yes)}}, Deny, "tdm.reserved", "card"},
		{"BC-C-924 the origin's own 0 lifts the reservation", Question{Purposes: train},
			[]Opinion{{Source: "card", Verdict: Silent, Uses: uses(Train, Yes), Weak: uses(Train, No), Closes: "tdm.reserved"},
				{Source: "tdm", Verdict: Silent, Lifts: train}}, Allow, Allowed, ""},
		{"BC-C-924 but grants nothing", Question{Purposes: train},
			[]Opinion{{Source: "card", Verdict: Silent, Weak: uses(Train, No), Closes: "tdm.reserved"},
				{Source: "tdm", Verdict: Silent, Lifts: train}}, Deny, PurposeNoGrant, "purpose"},
		{"nor does it lift a strong no", Question{Purposes: train},
			[]Opinion{{Source: "card", Verdict: Silent, Uses: uses(Train, No), Closes: "card.train-false"},
				{Source: "tdm", Verdict: Silent, Lifts: train}}, Deny, "card.train-false", "card"},
		{"a superseded no does not count", Question{Purposes: train},
			[]Opinion{{Source: "tdm", Verdict: Silent, Uses: uses(Train, No), Superseded: true},
				{Source: "card", Verdict: Silent, Uses: uses(Train, Yes)}}, Allow, Allowed, ""},
		{"a purpose whose document was not read is not granted", Question{Purposes: train},
			[]Opinion{{Source: "tdm", Verdict: NotAsked, Unread: train},
				{Source: "card", Verdict: Silent, Uses: uses(Train, Yes)}}, Deny, PurposeNoGrant, "purpose"},
		{"a weak yes does not lift a strong no", Question{Purposes: index},
			[]Opinion{{Source: "card", Verdict: Silent, Weak: uses(Index, Yes)},
				{Source: "tdm", Verdict: Silent, Uses: uses(Index, No), Closes: "tdm.reserved"}}, Deny, "tdm.reserved", "tdm"},
		{"a source that was not asked does not count", Question{Purposes: index},
			[]Opinion{{Source: "a", Verdict: NotAsked}}, Allow, Allowed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Now = noon
			if tt.q.Method == "" {
				tt.q.Method = "GET"
			}
			d := Combine(tt.q, tt.opinions)
			if d.Verdict != tt.verdict || d.Reason != tt.reason || d.Source != tt.source {
				t.Errorf("%s %s by %q, want %s %s by %q", d.Verdict, d.Reason, d.Source, tt.verdict, tt.reason, tt.source)
			}
			if !d.DecidedAt.Equal(noon) {
				t.Errorf("decided at %s", d.DecidedAt)
			}
		})
	}
}

func TestTheRuleBehindARefusedUseIsNamed(t *testing.T) {
	var closed Uses
	closed[Index] = No
	o := Opinion{Source: "aipref", Verdict: Silent, Uses: closed, Closes: "aipref.disallow",
		Rule: Rule{"Allow: /", 2}, UseRule: Rule{"Content-Usage: search=n", 7}}
	d := Combine(Question{Method: "GET", Purposes: PurposesOf(Index), Now: noon}, []Opinion{o})
	if d.Rule != o.UseRule {
		t.Errorf("rule %+v, want %+v", d.Rule, o.UseRule)
	}
	if d.Opinions[0].Rule != o.Rule || d.Opinions[0].Verdict != Silent {
		t.Errorf("the opinion itself was changed: %+v", d.Opinions[0])
	}
}

func TestTheLongestDelayHolds(t *testing.T) {
	q := Question{Purposes: PurposesOf(Index), Now: noon, Rate: Rate{Delay: 3 * time.Second}}
	opinions := []Opinion{{Verdict: Silent, Delay: time.Second}, {Verdict: Silent, Delay: 5 * time.Second}}
	if d := Combine(q, opinions); d.Delay != 5*time.Second {
		t.Errorf("delay %s, want 5s", d.Delay)
	}
	if d := Combine(q, opinions[:1]); d.Delay != 3*time.Second {
		t.Errorf("delay %s, want the pacer's 3s", d.Delay)
	}
}

func TestTheZeroVerdictAndTheZeroDecisionDeny(t *testing.T) {
	var d Decision
	if d.Verdict != Deny || d.Verdict.String() != "deny" || d.Err() == nil {
		t.Errorf("zero decision: %s, error %v", d.Verdict, d.Err())
	}
	if got := Verdict(200).String(); got != "deny" {
		t.Errorf("verdict out of range is %q", got)
	}
	v := Allow
	if err := v.UnmarshalText([]byte("permit")); err == nil || v != Deny {
		t.Errorf("unknown name gives %s, error %v", v, err)
	}
	for want := range verdictNames {
		var v Verdict
		if err := v.UnmarshalText([]byte(verdictNames[want])); err != nil || v != Verdict(want) {
			t.Errorf("%q reads as %s, error %v", verdictNames[want], v, err)
		}
	}
}

func TestARefusalIsAnErrorOnlyForWhoAsksForOne(t *testing.T) {
	d := Decision{URL: "https://shop.test/a", Method: "GET",
		Opinion: Opinion{Verdict: Deny, Reason: RobotsDisallow, Rule: Rule{"Disallow: /a", 3}}}
	var denied *DeniedError
	if err := d.Err(); !errors.As(err, &denied) || denied.Decision.URL != d.URL {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{"GET https://shop.test/a", "deny", "robots.disallow", "line 3", "Disallow: /a"} {
		if !strings.Contains(denied.Error(), part) {
			t.Errorf("%q does not say %q", denied.Error(), part)
		}
	}
	d.Verdict = Allow
	if err := d.Err(); err != nil {
		t.Errorf("an allowed request gives %v", err)
	}
}
