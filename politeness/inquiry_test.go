package politeness

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// boundSource reads one document that another source binds.
type boundSource struct {
	fakeSource
	by       string
	purposes Purposes
	also     string // a further document that its first one names
}

func (s boundSource) Where(origin string) []Place {
	return []Place{{URL: origin + "/" + s.name, Kind: s.name, MaxBytes: 1000, BoundBy: s.by, For: s.purposes}}
}

func (s boundSource) Read(p Place, d Document) Rules {
	r := boundRules{fakeRules: s.fakeSource.Read(p, d).(fakeRules), forbidden: d.Forbidden}
	if s.also != "" && p.Kind == s.name {
		r.refers = []Place{{URL: s.also, Kind: "further", BoundBy: s.by}}
	}
	return r
}

type boundRules struct {
	fakeRules
	forbidden bool
	refers    []Place
}

func (r boundRules) Refers() []Place { return r.refers }

func (r boundRules) Notes() []Note { return []Note{{Kind: "length", Text: fmt.Sprint(len(r.text))}} }

func (r boundRules) Judge(q Question) Opinion {
	o := r.fakeRules.Judge(q)
	if r.forbidden {
		o.Uses[Train], o.Closes = No, TDMUnclear
	}
	return o
}

func TestADocumentThatIsBound(t *testing.T) {
	robots, tdm := fakeSource{name: "robots"}, boundSource{fakeSource: fakeSource{name: "tdm"}, by: "robots"}
	stale := document("tdm", "/a train")
	stale.Expires = noon
	tests := []struct {
		name      string
		documents []*Document
		need      string
		opinions  []string
		train     Use
	}{
		{"is needed where the binding rules let it", []*Document{document("robots", "")}, "tdm", nil, Unsaid},
		{"is not asked for where they do not, and its source knows", []*Document{document("robots", "/tdm deny")}, "",
			[]string{"robots silent", "tdm silent"}, No},
		{"nor when a copy is stale", []*Document{document("robots", "/tdm deny"), stale}, "", []string{"robots silent", "tdm silent"}, No},
		{"a copy that was read before is read as forbidden", []*Document{document("robots", "/tdm deny"), document("tdm", "/a train")}, "",
			[]string{"robots silent", "tdm silent"}, No},
		{"it is not asked while the binding rules wait", []*Document{document("robots", "/tdm wait"), document("tdm", "")}, "",
			[]string{"robots silent", "tdm silent"}, Unsaid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t, &shelfCache{}, tt.documents, robots, tdm)
			for range 2 { // the second time from memory
				d, need, err := g.Before(t.Context(), about("/a"))
				if err != nil {
					t.Fatal(err)
				}
				if need != nil || tt.need != "" {
					if need == nil || need.Source != tt.need {
						t.Fatalf("need %+v, want %q", need, tt.need)
					}
					continue
				}
				if !slices.Equal(verdicts(d), tt.opinions) || d.Uses[Train] != tt.train {
					t.Errorf("%q with train %s, want %q with %s", verdicts(d), d.Uses[Train], tt.opinions, tt.train)
				}
			}
		})
	}
}

func TestABanEndsWhenTheBindingDocumentIsReplaced(t *testing.T) {
	tdm := boundSource{fakeSource: fakeSource{name: "tdm"}, by: "robots"}
	g := newGate(t, &shelfCache{}, []*Document{document("robots", "/tdm deny")}, fakeSource{name: "robots"}, tdm)
	if _, need, err := g.Before(t.Context(), about("/a")); need != nil || err != nil {
		t.Fatal(need, err)
	}
	if err := g.Library().Store(t.Context(), document("robots", "")); err != nil {
		t.Fatal(err)
	}
	if _, need, err := g.Before(t.Context(), about("/a")); err != nil || need == nil || need.Source != "tdm" {
		t.Errorf("need %+v, %v", need, err)
	}
}

func TestADocumentForSomePurposesOnly(t *testing.T) {
	tdm := boundSource{fakeSource: fakeSource{name: "tdm"}, purposes: PurposesOf(Train)}
	granting := given{"card", Opinion{Verdict: Silent, Uses: Everything(Yes)}}
	g := newGate(t, &shelfCache{}, nil, granting, tdm)
	d, need, err := g.Before(t.Context(), about("/a"))
	if err != nil || need != nil || d.Verdict != Allow {
		t.Fatal(d.Verdict, need, err)
	}
	if d.Uses[Train] != Unsaid || d.Uses[Index] != Yes {
		t.Errorf("BC-C-025 without the document uses are %v", d.Uses)
	}
	q := about("/a")
	q.Purposes = PurposesOf(Index, Train)
	if _, need, err := g.Before(t.Context(), q); err != nil || need == nil || need.Source != "tdm" {
		t.Errorf("a job that trains needs %+v, %v", need, err)
	}
	stale := document("tdm", "/a train")
	stale.Expires = noon
	if err := g.Library().Store(t.Context(), stale); err != nil {
		t.Fatal(err)
	}
	if d, need, err := g.Before(t.Context(), about("/a")); err != nil || need != nil || d.Uses[Train] != Unsaid {
		t.Errorf("a stale copy grants: %v, need %v, %v", d.Uses, need, err)
	}
	if err := g.Library().Store(t.Context(), document("tdm", "/a train")); err != nil {
		t.Fatal(err)
	}
	if d, need, err := g.Before(t.Context(), about("/a")); err != nil || need != nil || d.Uses[Train] != Yes {
		t.Errorf("a fresh copy that is at hand counts: %v, need %v, %v", d.Uses, need, err)
	}
}

func TestADocumentThatNamesAnother(t *testing.T) {
	const further = "https://shop.test/license"
	rsl := boundSource{fakeSource: fakeSource{name: "rsl"}, by: "robots", also: further}
	robots := fakeSource{name: "robots"}
	g := newGate(t, &shelfCache{}, []*Document{document("robots", ""), document("rsl", "")}, robots, rsl)
	if _, need, err := g.Before(t.Context(), about("/a")); err != nil || need == nil || need.Place.URL != further {
		t.Fatalf("need %+v, %v", need, err)
	}
	if err := g.Library().Store(t.Context(), document("license", "/a deny")); err != nil {
		t.Fatal(err)
	}
	d, need, err := g.Before(t.Context(), about("/a"))
	if err != nil || need != nil || d.Verdict != Deny || d.Doc.URL != further || len(d.Opinions) != 3 {
		t.Errorf("%+v, need %v, %v", d.Opinion, need, err)
	}

	elsewhere := rsl
	elsewhere.also = "https://shop.test.evil.test/license"
	g = newGate(t, &shelfCache{}, []*Document{document("robots", ""), document("rsl", "")}, robots, elsewhere)
	if d, need, err := g.Before(t.Context(), about("/a")); err != nil || need != nil || d.Uses[Train] != No {
		t.Errorf("one of another origin: need %+v, uses %v, %v", need, d.Uses, err)
	}
}

func TestADenialThatConcernsTheRequestStillReadsDocuments(t *testing.T) {
	method := given{"method", Opinion{Reason: MethodActOff, Inquire: true}}
	g := newGate(t, &shelfCache{}, nil, method, fakeSource{name: "robots"}, fakeSource{name: "tdm"})
	if _, need, err := g.Before(t.Context(), about("/a")); err != nil || need == nil || need.Source != "robots" {
		t.Fatalf("need %+v, %v", need, err)
	}
	g = newGate(t, &shelfCache{}, []*Document{document("robots", "/a deny")}, method, fakeSource{name: "robots"}, fakeSource{name: "tdm"})
	d, need, err := g.Before(t.Context(), about("/a"))
	if err != nil || need != nil || d.Reason != MethodActOff || !slices.Equal(verdicts(d), []string{"method deny", "robots deny", "tdm not-asked"}) {
		t.Errorf("%s by %q, need %v, %v", d.Reason, verdicts(d), need, err)
	}
}

func TestNothingMoreIsAskedForOnceEveryPurposeIsRefused(t *testing.T) {
	g := newGate(t, &shelfCache{}, []*Document{document("aipref", "/a no-train")}, fakeSource{name: "aipref"}, fakeSource{name: "tdm"})
	q := about("/a")
	q.Purposes = PurposesOf(Train)
	d, need, err := g.Before(t.Context(), q)
	if err != nil || need != nil || d.Verdict != Deny || d.Reason != AIPrefDisallow {
		t.Errorf("LC-063 %s %s, need %v, %v", d.Verdict, d.Reason, need, err)
	}
	q.Purposes = PurposesOf(Index, Train)
	if _, need, err := g.Before(t.Context(), q); err != nil || need == nil {
		t.Errorf("with a purpose left: need %v, %v", need, err)
	}
}

func TestThatADocumentIsMissingIsRemembered(t *testing.T) {
	cache := &shelfCache{}
	g := newGate(t, cache, nil, fakeSource{name: "robots"})
	for range 3 {
		if _, need, err := g.Before(t.Context(), about("/a")); err != nil || need == nil || need.Held != nil {
			t.Fatal(need, err)
		}
	}
	if cache.loads != 1 {
		t.Errorf("the cache was asked %d times", cache.loads)
	}
	if d, err := g.Library().Copy(t.Context(), "https://shop.test/robots"); d != nil || err != nil {
		t.Errorf("a copy of nothing: %+v, %v", d, err)
	}
}

func TestNotesNameTheirSource(t *testing.T) {
	tdm := boundSource{fakeSource: fakeSource{name: "tdm"}}
	g := newGate(t, &shelfCache{}, []*Document{document("robots", ""), document("tdm", "abc")}, fakeSource{name: "robots"}, tdm)
	notes, err := g.Notes(t.Context(), "https://shop.test")
	if err != nil || !slices.Equal(notes, []Note{{Source: "tdm", Kind: "length", Text: "3"}}) {
		t.Errorf("%+v, %v", notes, err)
	}
}

// supersedingSource says in its file what "no-train" and "train" say, and takes
// the word of a response for the better one.
type supersedingSource struct{ fakeSource }

func (s supersedingSource) Read(p Place, d Document) Rules {
	return supersedingRules{s.fakeSource.Read(p, d).(fakeRules), p.Response}
}

type supersedingRules struct {
	fakeRules
	response bool
}

func (r supersedingRules) Judge(q Question) Opinion {
	o := r.fakeRules.Judge(q)
	o.Supersedes = r.response && o.Uses != (Uses{})
	return o
}

func TestAResponseSupersedesItsOwnSourceOnly(t *testing.T) {
	tdm := supersedingSource{fakeSource{name: "tdm", response: true}}
	aipref := fakeSource{name: "aipref"}
	tests := []struct {
		name, tdm, aipref, field string
		train                    Use
	}{
		{"a yes takes the place of a no", "/a no-train", "", "/a train", Yes},
		{"a no takes the place of a yes", "/a train", "", "/a no-train", No},
		{"a yes leaves the no of another source", "/a no-train", "/a no-train", "/a train", No},
		{"silence leaves all as it is", "/a no-train", "", "", No},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t, &shelfCache{}, []*Document{document("tdm", tt.tdm), document("aipref", tt.aipref)}, tdm, aipref)
			q := about("/a")
			q.Purposes = PurposesOf(Index, Train)
			before, need, err := g.Before(t.Context(), q)
			if err != nil || need != nil || before.Verdict != Allow {
				t.Fatal(before.Verdict, need, err)
			}
			q.Response = &Response{Status: 200, Header: http.Header{"Fake": {tt.field}}}
			after := g.After(before, q)
			if after.Verdict != Allow || after.Uses[Train] != tt.train {
				t.Errorf("%s, train %s, want %s", after.Verdict, after.Uses[Train], tt.train)
			}
			if tt.field != "" && !after.Opinions[0].Superseded || before.Opinions[0].Superseded {
				t.Error("the file's word is not marked, or was marked in the decision before")
			}
		})
	}
}

func TestPausesOfAPlace(t *testing.T) {
	l := NewLibrary(&shelfCache{}, 16)
	p := place("automation")
	p.Pauses = [3]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
	for i, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour} {
		d, err := l.Unreachable(t.Context(), p, "status", 503, noon, time.Time{})
		if err != nil || d.Failure.Next.Sub(noon) != want {
			t.Errorf("AP-104 failure %d: pause %s, want %s, %v", i+1, d.Failure.Next.Sub(noon), want, err)
		}
	}
}
