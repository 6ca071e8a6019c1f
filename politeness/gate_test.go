package politeness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// shelfCache is a Cache in memory that can be told to fail.
type shelfCache struct {
	documents      map[string]*Document
	loading, saves error
	loads          int
}

func (c *shelfCache) LoadDocument(_ context.Context, url string) (*Document, error) {
	c.loads++
	return c.documents[url], c.loading
}

func (c *shelfCache) SaveDocument(_ context.Context, url string, d *Document) error {
	if c.saves != nil {
		return c.saves
	}
	if c.documents == nil {
		c.documents = map[string]*Document{}
	}
	c.documents[url] = d
	return nil
}

// fakeSource is a source whose document is a list of "path verdict" lines; a
// path without a line gets silence. Its name is also the name of its file.
type fakeSource struct {
	name     string
	response bool
	reads    *int
}

func (s fakeSource) Name() string { return s.name }

func (s fakeSource) Where(origin string) []Place {
	places := []Place{{URL: origin + "/" + s.name, Kind: s.name, MaxBytes: 1000}}
	if s.response {
		places = append(places, Place{Kind: "response", Response: true})
	}
	return places
}

func (s fakeSource) Read(p Place, d Document) Rules {
	if s.reads != nil {
		*s.reads++
	}
	if p.Response {
		return fakeRules{status: d.Status, text: d.Header.Get("Fake")}
	}
	return fakeRules{status: d.Status, text: string(d.Body), failure: d.Failure}
}

type fakeRules struct {
	status  int
	text    string
	failure *Failure
}

func (r fakeRules) Judge(q Question) Opinion {
	o := Opinion{Verdict: Silent}
	if r.failure != nil {
		return Opinion{Verdict: Wait, Reason: RobotsUnreachable, Until: r.failure.Next}
	}
	for line := range strings.Lines(r.text) {
		path, verdict, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path != q.Path {
			continue
		}
		switch verdict {
		case "deny":
			o.Verdict, o.Reason = Deny, RobotsDisallow
		case "wait":
			o.Verdict, o.Reason, o.Until = Wait, PaceNotYet, q.Now.Add(time.Minute)
		case "no-train":
			o.Uses[Train], o.Closes = No, "aipref.disallow"
		case "train":
			o.Uses[Train] = Yes
		}
	}
	return o
}

func (r fakeRules) Records(name string) []Record {
	var list []Record
	for line := range strings.Lines(r.text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+": "); ok {
			list = append(list, Record{Value: value})
		}
	}
	return list
}

// given is a source without documents.
type given struct {
	name string
	o    Opinion
}

func (s given) Name() string               { return s.name }
func (s given) Where(string) []Place       { return nil }
func (s given) Read(Place, Document) Rules { return s }
func (s given) Judge(Question) Opinion     { return s.o }
func quiet(name string) given              { return given{name, Opinion{Verdict: Silent}} }
func denying(name string) given            { return given{name, Opinion{Reason: ScopeHost}} }
func document(name, body string) *Document { return held(name, 200, body) }
func held(name string, status int, body string) *Document {
	return &Document{URL: "https://shop.test/" + name, Status: status, Body: []byte(body),
		FetchedAt: noon.Add(-time.Hour), Expires: noon.Add(time.Hour)}
}

func about(path string) Question {
	return Question{URL: "https://shop.test" + path, Origin: "https://shop.test", Host: "shop.test", Path: path,
		Method: "GET", Purposes: PurposesOf(Index), Mode: Crawl, Now: noon}
}

func newGate(t *testing.T, cache *shelfCache, documents []*Document, sources ...Source) *Gate {
	t.Helper()
	cache.documents = map[string]*Document{}
	for _, d := range documents {
		cache.documents[d.URL] = d
	}
	var n atomic.Int64
	return NewGate(sources, NewLibrary(cache, 16), func() string { return fmt.Sprint("id-", n.Add(1)) })
}

// verdicts lists "source verdict" of the opinions in order.
func verdicts(d Decision) []string {
	var list []string
	for _, o := range d.Opinions {
		list = append(list, o.Source+" "+o.Verdict.String())
	}
	return list
}

func TestBefore(t *testing.T) {
	stale := document("robots", "/a deny")
	stale.Expires = noon
	failed := held("robots", 0, "")
	failed.Failure = &Failure{Kind: "dns", Since: noon, At: noon, Next: noon.Add(time.Minute), Attempts: 1}
	retry := held("robots", 0, "")
	retry.Failure = &Failure{Kind: "dns", Since: noon, At: noon, Next: noon, Attempts: 1}
	between := held("robots", 0, "")
	between.Chain = &Chain{Next: "https://cdn.test/robots.txt", Hops: 1}
	robots, tdm := fakeSource{name: "robots"}, fakeSource{name: "tdm"}
	tests := []struct {
		name      string
		documents []*Document
		sources   []Source
		path      string
		need      string // source of the Need, empty for none
		opinions  []string
		verdict   Verdict
	}{
		{"a document that is not at hand is needed", nil, []Source{quiet("scope"), robots, tdm}, "/a", "robots", nil, Deny},
		{"documents are needed in table order", []*Document{document("tdm", "")}, []Source{robots, tdm}, "/a", "robots", nil, Deny},
		{"the next one is needed once the first is at hand", []*Document{document("robots", "")}, []Source{robots, tdm}, "/a", "tdm", nil, Deny},
		{"a stale one is needed again", []*Document{stale}, []Source{robots}, "/b", "robots", nil, Deny},
		{"one in the pause after a failure is not", []*Document{failed}, []Source{robots, tdm}, "/a", "",
			[]string{"robots wait", "tdm not-asked"}, Wait},
		{"and is when the pause is over", []*Document{retry}, []Source{robots}, "/a", "robots", nil, Deny},
		{"one between two redirects is", []*Document{between}, []Source{robots}, "/a", "robots", nil, Deny},
		{"all at hand and nobody objects", []*Document{document("robots", ""), document("tdm", "")},
			[]Source{quiet("scope"), robots, tdm, quiet("pace")}, "/a", "",
			[]string{"scope silent", "robots silent", "tdm silent", "pace silent"}, Allow},
		{"nothing is asked of an origin after a denial", nil, []Source{denying("scope"), robots, tdm}, "/a", "",
			[]string{"scope deny", "robots not-asked", "tdm not-asked"}, Deny},
		{"nothing is asked for after a document denies", []*Document{document("robots", "/a deny")}, []Source{robots, tdm, quiet("pace")}, "/a", "",
			[]string{"robots deny", "tdm not-asked", "pace silent"}, Deny},
		{"nothing is asked for after a document waits", []*Document{document("robots", "/a wait")}, []Source{robots, tdm}, "/a", "",
			[]string{"robots wait", "tdm not-asked"}, Wait},
		{"a document at hand is judged after a denial", []*Document{document("tdm", "/a deny")}, []Source{denying("scope"), robots, tdm}, "/a", "",
			[]string{"scope deny", "robots not-asked", "tdm deny"}, Deny},
		{"so is a stale one", []*Document{stale}, []Source{denying("scope"), robots}, "/a", "",
			[]string{"scope deny", "robots deny"}, Deny},
		{"but not one between two redirects", []*Document{between}, []Source{denying("scope"), robots}, "/a", "",
			[]string{"scope deny", "robots not-asked"}, Deny},
		{"a 404 is an answer and is not asked for again", []*Document{held("robots", 404, "")}, []Source{robots}, "/a", "",
			[]string{"robots silent"}, Allow},
		{"no sources at all", nil, nil, "/a", "", nil, Allow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t, &shelfCache{}, tt.documents, tt.sources...)
			d, need, err := g.Before(t.Context(), about(tt.path))
			if err != nil {
				t.Fatal(err)
			}
			if need != nil {
				if need.Source != tt.need || need.Place.URL != "https://shop.test/"+tt.need {
					t.Fatalf("needs %+v, want %q", need, tt.need)
				}
				if d.Verdict != Deny {
					t.Errorf("an unfinished decision says %s", d.Verdict)
				}
				return
			}
			if tt.need != "" {
				t.Fatalf("decided %s, want a need of %s", d.Verdict, tt.need)
			}
			if d.Verdict != tt.verdict || !slices.Equal(verdicts(d), tt.opinions) {
				t.Errorf("%s by %q, want %s by %q", d.Verdict, verdicts(d), tt.verdict, tt.opinions)
			}
			if d.ID != "id-1" {
				t.Errorf("id %q", d.ID)
			}
		})
	}
}

func TestANeedHandsOverTheCopyThatIsHeld(t *testing.T) {
	stale := document("robots", "x")
	stale.Expires = noon
	g := newGate(t, &shelfCache{}, []*Document{stale}, fakeSource{name: "robots"})
	_, need, err := g.Before(t.Context(), about("/a"))
	if err != nil || need == nil || need.Held == nil || string(need.Held.Body) != "x" {
		t.Fatalf("need %+v, %v", need, err)
	}
}

func TestAnOpinionNamesItsDocument(t *testing.T) {
	g := newGate(t, &shelfCache{}, []*Document{document("robots", "/a deny")}, fakeSource{name: "robots"})
	d, _, err := g.Before(t.Context(), about("/a"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Doc == nil || d.Doc.URL != "https://shop.test/robots" || d.Doc.Status != 200 || d.Source != "robots" {
		t.Errorf("decision of %q by %+v", d.Source, d.Doc)
	}
}

func TestTheSameQuestionOverTheSameDocumentsGetsTheSameAnswer(t *testing.T) {
	reads := 0
	g := newGate(t, &shelfCache{}, []*Document{document("robots", "/a deny")}, fakeSource{name: "robots", reads: &reads})
	first, _, _ := g.Before(t.Context(), about("/a"))
	second, _, err := g.Before(t.Context(), about("/a"))
	if err != nil {
		t.Fatal(err)
	}
	first.ID, second.ID = "", ""
	if a, b := indent(t, first), indent(t, second); a != b {
		t.Errorf("%s\nbecame\n%s", a, b)
	}
	if reads != 1 {
		t.Errorf("the document was parsed %d times", reads)
	}
}

func TestACacheThatFailsIsAnErrorAndNoPermission(t *testing.T) {
	broken := errors.New("disk gone")
	g := newGate(t, &shelfCache{loading: broken}, nil, fakeSource{name: "robots"})
	d, need, err := g.Before(t.Context(), about("/a"))
	if !errors.Is(err, broken) || need != nil || d.Verdict != Deny {
		t.Errorf("%s, need %v, error %v", d.Verdict, need, err)
	}
	if _, err := g.Records(t.Context(), "https://shop.test", "sitemap"); !errors.Is(err, broken) {
		t.Errorf("records: %v", err)
	}
}

func TestAfter(t *testing.T) {
	both := PurposesOf(Index, Train)
	tests := []struct {
		name     string
		file     string
		field    string
		purposes Purposes
		before   Verdict
		after    Verdict
		train    Use
	}{
		{"a response without a word changes nothing", "/a train", "", both, Allow, Allow, Yes},
		{"a response narrows the uses", "/a train", "/a no-train", both, Allow, Allow, No},
		{"a response closes the only purpose", "/a train", "/a no-train", PurposesOf(Train), Allow, Deny, No},
		{"a response denies", "", "/a deny", both, Allow, Deny, No},
		{"a response grants what nobody refused", "", "/a train", both, Allow, Allow, Yes},
		{"a response does not open what was denied", "/a deny", "/a train", PurposesOf(Train), Deny, Deny, No},
		{"a response does not open what nobody granted", "", "/a train", PurposesOf(Train), Deny, Deny, No},
		{"a response denies what was waited for", "/a wait", "/a deny", both, Wait, Deny, No},
		{"a response does not end a wait", "/a wait", "/a train", both, Wait, Wait, Yes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t, &shelfCache{}, []*Document{document("aipref", tt.file)}, quiet("scope"), fakeSource{name: "aipref", response: true})
			q := about("/a")
			q.Purposes = tt.purposes
			before, need, err := g.Before(t.Context(), q)
			if err != nil || need != nil || before.Verdict != tt.before {
				t.Fatalf("before: %s, need %v, %v", before.Verdict, need, err)
			}
			opinions := slices.Clone(before.Opinions)
			q.Response = &Response{Status: 200, Header: http.Header{"Fake": {tt.field}}}
			after := g.After(before, q)
			if after.Verdict != tt.after || after.Uses[Train] != tt.train {
				t.Errorf("%s with train %s, want %s with %s", after.Verdict, useNames[after.Uses[Train]], tt.after, useNames[tt.train])
			}
			if after.ID != before.ID {
				t.Errorf("the decision changed its id to %q", after.ID)
			}
			if !slices.Equal(opinions, before.Opinions) {
				t.Error("the earlier decision was changed")
			}
		})
	}
}

func TestRecordsAreCollectedInTableOrder(t *testing.T) {
	g := newGate(t, &shelfCache{}, []*Document{document("robots", "sitemap: /a\nsitemap: /b\nhost: x\n"), document("tdm", "sitemap: /c\n")},
		quiet("scope"), fakeSource{name: "robots"}, fakeSource{name: "absent"}, fakeSource{name: "tdm", response: true})
	records, err := g.Records(t.Context(), "https://shop.test", "sitemap")
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, r := range records {
		values = append(values, r.Value)
	}
	if !slices.Equal(values, []string{"/a", "/b", "/c"}) {
		t.Errorf("records %q", values)
	}
	if other, _ := g.Records(t.Context(), "https://other.test", "sitemap"); other != nil {
		t.Errorf("another origin has %v", other)
	}
}

func TestADecisionReadsBackFromJSON(t *testing.T) {
	g := newGate(t, &shelfCache{}, []*Document{document("robots", "/a deny")}, quiet("scope"), fakeSource{name: "robots"})
	d, _, err := g.Before(t.Context(), about("/a"))
	if err != nil {
		t.Fatal(err)
	}
	text := indent(t, d)
	var back Decision
	if err := back.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if again := indent(t, back); again != text {
		t.Errorf("%s\nread back as\n%s", text, again)
	}
}
