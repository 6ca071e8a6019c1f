package standards

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/politeness"
)

// tdmWord says in a word what an opinion means for training.
func tdmWord(o politeness.Opinion) string {
	switch {
	case o.Uses[politeness.Train] == politeness.No && o.Reason == politeness.TDMReserved:
		return "reserved"
	case o.Uses[politeness.Train] == politeness.No && o.Reason == politeness.TDMUnclear:
		return "unclear"
	case o.Lifts == politeness.PurposesOf(politeness.Train):
		return "open"
	case o.Uses == politeness.Uses{} && o.Lifts == 0:
		return "unset"
	}
	return fmt.Sprintf("%+v", o)
}

func tdmDocument(body string) politeness.Document {
	d := *plainDocument("https://shop.test"+tdmPath, body)
	d.Header = http.Header{"Content-Type": {"application/json"}}
	return d
}

func TestTDMFile(t *testing.T) {
	tests := []struct {
		name, body, path, want string
	}{
		{"BC-C-026 the first match decides", `[{"location":"/a/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]`, "/a/x", "open"},
		{"BC-C-026 not the longest", `[{"location":"/","tdm-reservation":1},{"location":"/a/","tdm-reservation":0}]`, "/a/x", "reserved"},
		{"BC-C-026 no match is unset", `[{"location":"/a/","tdm-reservation":1}]`, "/b", "unset"},
		{"BC-C-026 an empty array is unset", `[]`, "/b", "unset"},
		{"BC-C-026 a policy beside it", `[{"location":"/","tdm-reservation":1,"tdm-policy":"https://shop.test/p"}]`, "/b", "reserved"},
		{"BC-C-027 a star and an end", `[{"location":"/img/*.jpg$","tdm-reservation":1}]`, "/img/a/b.jpg", "reserved"},
		{"BC-C-027 the query is compared", `[{"location":"/img/*.jpg$","tdm-reservation":1}]`, "/img/a.jpg?x=1", "unset"},
		{"BC-C-027 case counts", `[{"location":"/img/*.jpg$","tdm-reservation":1}]`, "/IMG/a.jpg", "unset"},
		{"BC-C-027 unreserved escapes are decoded", `[{"location":"/img/*.jpg$","tdm-reservation":1}]`, "/img/%61.jpg", "reserved"},
		{"BC-C-028 two", `[{"location":"/","tdm-reservation":2}]`, "/", "unset"},
		{"BC-C-028 true", `[{"location":"/","tdm-reservation":true}]`, "/", "unset"},
		{"BC-C-028 a word", `[{"location":"/","tdm-reservation":"yes"}]`, "/", "unset"},
		{"BC-C-028 null", `[{"location":"/","tdm-reservation":null}]`, "/", "unset"},
		{"BC-C-028 one, written otherwise", `[{"location":"/","tdm-reservation":1.0}]`, "/", "reserved"},
		{"BC-C-937 an object", `{"tdm":"optout"}`, "/", "unclear"},
		{"BC-C-937 no JSON", `tdm-reservation: 1`, "/", "unclear"},
		{"BC-C-937 a web page", `<!doctype html>`, "/", "unclear"},
		{"BC-C-937 nothing", ``, "/", "unclear"},
		{"BC-C-937 a comma too many", `[{"location":"/","tdm-reservation":1},]`, "/", "unclear"},
		{"BC-C-937 no end", `[{"location":"/","tdm-reservation":0}`, "/", "unclear"},
		{"BC-C-937 something behind it", `[{"location":"/","tdm-reservation":0}] x`, "/", "unclear"},
		{"BC-C-937 a member without a location", `[{"location":"/a","tdm-reservation":0},{"tdm-reservation":1}]`, "/b", "unclear"},
		{"BC-C-937 an earlier member decides all the same", `[{"location":"/a","tdm-reservation":0},{"tdm-reservation":1}]`, "/a", "open"},
		{"BC-C-937 a member without a value", `[{"location":"/"}]`, "/b", "unclear"},
		{"BC-C-937 a location that is none", `[{"location":"photos","tdm-reservation":0}]`, "/b", "unclear"},
		{"BC-C-937 a member that is no object", `[1]`, "/b", "unclear"},
		{"BC-C-937 a value twice", `[{"location":"/","tdm-reservation":1,"tdm-reservation":0}]`, "/b", "unclear"},
		{"a byte order mark", "\xEF\xBB\xBF" + `[{"location":"/","tdm-reservation":1}]`, "/", "reserved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tdmDocument(tt.body)
			if got := tdmWord(readTDMFile(&d).Judge(ask(tt.path))); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestTDMAnswers(t *testing.T) {
	open, reserved := `[{"location":"/","tdm-reservation":0}]`, `[{"location":"/","tdm-reservation":1}]`
	with := func(body string, change func(*politeness.Document)) politeness.Document {
		d := tdmDocument(body)
		change(&d)
		return d
	}
	status := func(s int) func(*politeness.Document) { return func(d *politeness.Document) { d.Status = s } }
	failing := func(age time.Duration) func(*politeness.Document) {
		return func(d *politeness.Document) {
			d.FetchedAt = noon.Add(-age)
			d.Failure = &politeness.Failure{Kind: "status", Status: 503, Since: noon, At: noon, Next: noon.Add(time.Minute), Attempts: 1}
		}
	}
	barred := func(d *politeness.Document) { d.Forbidden = true }
	tests := []struct {
		name string
		doc  politeness.Document
		want string
	}{
		{"BC-C-025 404 takes no part", with(reserved, status(404)), "unset"},
		{"BC-C-025 403 takes no part", with(reserved, status(403)), "unset"},
		{"BC-C-025 redirects that led nowhere", with("", status(302)), "unset"},
		{"BC-C-937 never answered", with("", func(d *politeness.Document) { failing(0)(d); d.Status, d.FetchedAt = 0, time.Time{} }), "unclear"},
		{"BC-C-937 429", with("", status(429)), "unclear"},
		{"a young copy while it fails", with(open, failing(time.Hour)), "open"},
		{"an old copy while it fails", with(open, failing(25*time.Hour)), "unclear"},
		{"a reservation outlasts any failure", with(reserved, failing(900*time.Hour)), "reserved"},
		{"forbidden by robots.txt", with("", func(d *politeness.Document) { barred(d); d.Status = 0 }), "unclear"},
		{"forbidden by robots.txt since it was read", with(open, barred), "unclear"},
		{"forbidden by robots.txt, and reserved", with(reserved, barred), "reserved"},
		{"larger than what is read", with(open, func(d *politeness.Document) { d.Truncated = true }), "unclear"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tdmWord(readTDMFile(&tt.doc).Judge(ask("/"))); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestTDMBounds(t *testing.T) {
	one := `{"location":"/a","tdm-reservation":0}`
	if _, err := parseTDM([]byte("[" + strings.Repeat(one+",", tdmMaxRules) + one + "]")); !errors.Is(err, errTDMRules) {
		t.Errorf("%v", err)
	}
	rules, err := parseTDM([]byte("[" + strings.Repeat(one+",", tdmMaxRules-1) + one + "]"))
	if err != nil || len(rules) != tdmMaxRules {
		t.Errorf("%d rules, %v", len(rules), err)
	}
	if _, err := parseTDM([]byte(strings.Repeat("[", 200_000))); err == nil {
		t.Error("a tower of arrays is read")
	}
}

func TestTDMResponse(t *testing.T) {
	field := func(values ...string) http.Header { return http.Header{"Tdm-Reservation": values} }
	meta := func(values ...string) (list []politeness.Meta) {
		for _, v := range values {
			list = append(list, politeness.Meta{Name: "TDM-Reservation", Content: v})
		}
		return list
	}
	tests := []struct {
		name   string
		header http.Header
		meta   []politeness.Meta
		want   string
		over   bool // takes the place of the file
	}{
		{"nothing", nil, nil, "unset", false},
		{"BC-C-029 a field of 1", field("1"), nil, "reserved", true},
		{"BC-C-029 a field of 0", field(" 0 "), nil, "open", true},
		{"BC-C-030 meta over field", field("1"), meta("0"), "open", true},
		{"BC-C-030 meta of 1 over a field of 0", field("0"), meta("1"), "reserved", true},
		{"BC-C-028 an invalid field is unset", field("yes"), nil, "unset", false},
		{"BC-C-028 an invalid meta leaves the field", field("1"), meta("yes"), "reserved", true},
		{"BC-C-937 fields that contradict each other", field("0", "1"), nil, "unclear", true},
		{"BC-C-937 in one line", field("0, 1"), nil, "unclear", true},
		{"BC-C-937 metas that contradict each other", field("0"), meta("1", "0"), "unclear", true},
		{"a field repeated", field("1", "1", "1"), nil, "reserved", true},
		{"a field beside an invalid one", field("1", "x"), nil, "reserved", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := afterResponse(t, "tdm", Options{}, politeness.Crawl, tt.header, tt.meta...)
			if got := tdmWord(o); got != tt.want || o.Supersedes != tt.over {
				t.Errorf("%s, supersedes %t", got, o.Supersedes)
			}
		})
	}
	if o := afterResponse(t, "tdm", Options{}, politeness.Crawl, field("yes")); o.Reason != politeness.TDMUnclear || o.Rule.Text != "tdm-reservation: yes" {
		t.Errorf("case 69 an invalid value is not recorded: %+v", o)
	}
}

// cardThatTrains is a fresh card with train=true and a tdm value.
func cardThatTrains(tdm politeness.Use) constantSource {
	o := politeness.Quiet("card")
	o.Uses = politeness.Everything(politeness.Yes)
	if tdm == politeness.No {
		o.Weak[politeness.Train], o.Closes = politeness.No, politeness.TDMReserved
	}
	return constantSource{o}
}

// constantSource is a source that always says the same.
type constantSource struct{ o politeness.Opinion }

func (s constantSource) Name() string                                                { return s.o.Source }
func (constantSource) Where(string) []politeness.Place                               { return nil }
func (s constantSource) Read(politeness.Place, politeness.Document) politeness.Rules { return s }
func (s constantSource) Judge(politeness.Question) politeness.Opinion                { return s.o }

func TestTDMAgainstTheCard(t *testing.T) {
	tests := []struct {
		name  string
		card  politeness.Use // what the card reserves
		file  string         // empty for 404
		field string
		want  politeness.Use
	}{
		{"BC-C-923 card open, nothing from the origin", politeness.Yes, "", "", politeness.Yes},
		{"BC-C-923 card reserved, nothing from the origin", politeness.No, "", "", politeness.No},
		{"BC-C-012 file 1 over card open", politeness.Yes, "1", "", politeness.No},
		{"BC-C-012 file 0 over card reserved", politeness.No, "0", "", politeness.Yes},
		{"BC-C-924 header 0 over card reserved", politeness.No, "", "0", politeness.Yes},
		{"BC-C-924 header 1 over file 0 and card open", politeness.Yes, "0", "1", politeness.No},
		{"BC-C-029 header 0 over file 1", politeness.No, "1", "0", politeness.Yes},
		{"BC-C-937 header that contradicts itself", politeness.Yes, "0", "0, 1", politeness.No},
		{"BC-C-028 invalid header leaves the file", politeness.Yes, "1", "yes", politeness.No},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tdmDocument(fmt.Sprintf(`[{"location":"/","tdm-reservation":%s}]`, tt.file))
			if tt.file == "" {
				d = tdmDocument("")
				d.Status = 404
			}
			r, a := robotsDocument(nil), plainDocument("https://shop.test"+automationPath, "")
			g := gateOver(Options{Token: "heed", Card: cardThatTrains(tt.card)}, memoryCache{r.URL: r, a.URL: a, d.URL: &d})
			q := ask("/p/1")
			q.Purposes = politeness.PurposesOf(politeness.Index, politeness.Answer, politeness.Train)
			before, need, err := g.Before(t.Context(), q)
			if need != nil || err != nil || before.Verdict != politeness.Allow {
				t.Fatal(before.Verdict, need, err)
			}
			q.Response = &politeness.Response{Status: 200, Header: http.Header{}}
			if tt.field != "" {
				q.Response.Header.Set("tdm-reservation", tt.field)
			}
			after := g.After(before, q)
			if after.Verdict != politeness.Allow || after.Uses[politeness.Train] != tt.want {
				t.Errorf("%s, train %s, want %s", after.Verdict, after.Uses[politeness.Train], tt.want)
			}
		})
	}
}

func TestWithoutACardZeroGrantsNothing(t *testing.T) {
	d := tdmDocument(`[{"location":"/","tdm-reservation":0}]`)
	r, a := robotsDocument(nil), plainDocument("https://shop.test"+automationPath, "")
	g := gateOver(Options{Token: "heed"}, memoryCache{r.URL: r, a.URL: a, d.URL: &d})
	q := ask("/p/1")
	q.Purposes = politeness.PurposesOf(politeness.Train)
	if got, need, err := g.Before(t.Context(), q); need != nil || err != nil || got.Reason != politeness.PurposeNoGrant {
		t.Errorf("BC-C-924 %s %s, need %v, %v", got.Verdict, got.Reason, need, err)
	}
}

func TestCase69TDMReservationLimits(t *testing.T) {
	file := tdmDocument(`[{"location":"/c/*","tdm-reservation":1},{"location":"/d","tdm-reservation":1,"tdm-policy":"http://shop.test/policy.json"}]`)
	r, a := robotsDocument(nil), plainDocument("https://shop.test"+automationPath, "")
	g := gateOver(Options{Token: "heed"}, memoryCache{r.URL: r, a.URL: a, file.URL: &file})
	tests := []struct {
		path   string
		header http.Header
		meta   []politeness.Meta
		reason politeness.Reason // of the last word of tdm
	}{
		{"/a", http.Header{"Tdm-Reservation": {"1"}}, nil, politeness.TDMReserved},
		{"/b", nil, []politeness.Meta{{Name: "tdm-reservation", Content: "1"}}, politeness.TDMReserved},
		{"/c/x", nil, nil, politeness.TDMReserved},
		{"/d", http.Header{"Tdm-Reservation": {"0"}}, nil, ""},
		{"/e", http.Header{"Tdm-Reservation": {"yes"}}, nil, politeness.TDMUnclear},
	}
	for _, tt := range tests {
		q := ask(tt.path)
		q.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
		before, need, err := g.Before(t.Context(), q)
		if need != nil || err != nil {
			t.Fatal(need, err)
		}
		q.Response = &politeness.Response{Status: 200, Header: tt.header, Meta: tt.meta}
		after := g.After(before, q)
		if after.Verdict != politeness.Allow || after.Uses[politeness.Index] == politeness.No {
			t.Errorf("%s is not indexed: %s", tt.path, after.Verdict)
		}
		if after.Uses[politeness.Train] == politeness.Yes {
			t.Errorf("%s may be trained on", tt.path)
		}
		var last politeness.Opinion
		for _, o := range after.Opinions {
			if o.Source == "tdm" {
				last = o
			}
		}
		if last.Reason != tt.reason {
			t.Errorf("%s: tdm says %q, want %q", tt.path, last.Reason, tt.reason)
		}
		if conflicts := politeness.Conflicts(after.Opinions); (len(conflicts) > 0) != (tt.path == "/d") {
			t.Errorf("%s: conflicts %+v", tt.path, conflicts)
		}
	}
}

func TestOnlyATrainingJobAsksForTheFile(t *testing.T) {
	r, a := robotsDocument(nil), plainDocument("https://shop.test"+automationPath, "")
	g := gateOver(Options{Token: "heed"}, memoryCache{r.URL: r, a.URL: a})
	if _, need, err := g.Before(t.Context(), ask("/p/1")); need != nil || err != nil {
		t.Errorf("BC-C-025 an index needs %+v, %v", need, err)
	}
	q := ask("/p/1")
	q.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
	if _, need, err := g.Before(t.Context(), q); err != nil || need == nil || need.Place.URL != "https://shop.test"+tdmPath {
		t.Errorf("BC-C-025 training needs %+v, %v", need, err)
	}
}

func TestReservationsJoinWithoutOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) reservation { return reservation(rapid.IntRange(0, int(tdmUnclear)).Draw(t, "value")) })
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		if a.and(b) != b.and(a) || a.and(a) != a || a.and(tdmUnset) != a {
			t.Fatalf("%d and %d", a, b)
		}
	})
}
