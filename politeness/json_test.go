package politeness

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func indent(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

func TestADenialAsJSON(t *testing.T) {
	zone := time.FixedZone("elsewhere", 7200)
	doc := &DocumentRef{URL: "https://shop.example/robots.txt", Status: 200, SHA256: "9f86d0", FetchedAt: noon}
	q := Question{URL: "https://shop.example/private/a", Method: "GET", Mode: Crawl,
		Purposes: PurposesOf(Index, Train), Now: noon.In(zone), Rate: Rate{Delay: time.Second}}
	var train Uses
	train[Train] = No
	d := Combine(q, []Opinion{
		{Source: "operator", Verdict: Silent, Delay: 500 * time.Millisecond, Because: "agreed by mail"},
		{Source: "robots", Verdict: Deny, Reason: RobotsDisallow, Rule: Rule{"Disallow: /private/", 2}, Doc: doc},
		{Source: "automation", Verdict: NotAsked},
		{Source: "aipref", Verdict: Silent, Uses: train, Doc: doc},
		{Source: "pace", Verdict: Wait, Reason: PaceNotYet, Until: noon.Add(time.Second).In(zone)},
	})
	d.ID = "01JDXYZ"
	golden(t, "denial.golden.json", indent(t, d))
}

func TestAnAllowedRequestAsJSON(t *testing.T) {
	d := Combine(Question{URL: "https://shop.example/", Method: "GET", Mode: OnDemand,
		Purposes: PurposesOf(Index), Now: noon}, nil)
	d.ID = "01JDXYZ"
	golden(t, "allowed.golden.json", indent(t, d))
}

func TestAWaitAsJSON(t *testing.T) {
	d := Combine(Question{URL: "https://shop.example/", Method: "GET", Mode: Crawl, Purposes: PurposesOf(Index), Now: noon},
		[]Opinion{{Source: "robots", Verdict: Wait, Reason: RobotsUnreachable, Until: noon.Add(time.Hour)}})
	d.ID = "01JDXYZ"
	golden(t, "wait.golden.json", indent(t, d))
}

func TestUsesThatNobodyKnowsAreAnError(t *testing.T) {
	for _, text := range []string{`{"index":"maybe"}`, `{"Index":"yes"}`, `{"search":"no"}`, `{"train":""}`} {
		u := Everything(No)
		if err := u.UnmarshalJSON([]byte(text)); !errors.Is(err, ErrUse) || u != Everything(No) {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
	if err := new(Uses).UnmarshalJSON([]byte(`[]`)); err == nil {
		t.Error("a list is read as uses")
	}
	var u Uses
	if err := u.UnmarshalJSON([]byte(`{"train":"no"}`)); err != nil || u != (Uses{Train: No}) {
		t.Errorf("%v, %v", u, err)
	}
}
