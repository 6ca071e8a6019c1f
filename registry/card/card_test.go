package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// object is a card under construction.
type object = map[string]any

// sample is a fresh card that grants everything.
func sample() object {
	return object{
		"botcentral": "1.1", "domain": "shop.test", "canonical": "https://shop.test/", "name": "Sample", "summary": "Invented.",
		"topics": []any{"garden"}, "allow_bots": true, "allow": []any{}, "deny": []any{}, "pointers": object{},
		"pages":        []any{object{"url": "https://shop.test/a", "rel": "home", "score": 90}},
		"updated":      "2026-11-20T12:00:00Z",
		"verification": object{"method": "dns-txt", "checked": "2026-11-30T10:00:00Z", "note": "TXT record matched"},
		"consent":      object{"retrieve": true, "train": true, "act": true, "cite": true, "tdm": "open"},
	}
}

// with is sample with members replaced; nil takes a member away.
func with(changes object) object {
	o := sample()
	for name, value := range changes {
		if o[name] = value; value == nil {
			delete(o, name)
		}
	}
	return o
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func mustParse(t testing.TB, v any) Card {
	t.Helper()
	c, err := Parse("", encode(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// null is a member that is there and says nothing.
var null = json.RawMessage("null")

func TestConsent(t *testing.T) {
	all := Consent{Retrieve: true, Train: true, Act: true, Cite: true, TDM: Open}
	defaults := Consent{Retrieve: true, Cite: true}
	tests := []struct {
		name    string
		consent any
		want    Consent
	}{
		{"BC-C-006 what is absent takes its default", object{"retrieve": true}, defaults},
		{"BC-C-006 a card without consent takes all defaults", nil, defaults},
		{"BC-D-014 retrieve defaults to true", object{}, defaults},
		{"BC-D-015 train defaults to false", object{"act": true}, Consent{Retrieve: true, Act: true, Cite: true}},
		{"BC-D-016 act defaults to false", object{"train": true}, Consent{Retrieve: true, Train: true, Cite: true}},
		{"BC-D-017 cite defaults to true, false takes the expectation away", object{"cite": false}, Consent{Retrieve: true}},
		{"BC-D-018 tdm defaults to reserved", object{"train": true}, Consent{Retrieve: true, Train: true, Cite: true}},
		{"BC-D-013 the five answers are independent", object{"retrieve": false, "train": true, "act": true, "tdm": "licensed"},
			Consent{Train: true, Act: true, Cite: true, TDM: Licensed}},
		{"BC-C-004 retrieve is not train", object{"retrieve": true, "train": false}, defaults},
		{"BC-C-933 retrieve yes is not true", object{"retrieve": "yes"}, Consent{Cite: true}},
		{"BC-C-933 retrieve null is present", object{"retrieve": null}, Consent{Cite: true}},
		{"BC-C-933 retrieve 1 is not true", object{"retrieve": 1}, Consent{Cite: true}},
		{"BC-C-933 train 1 is not true", object{"train": 1}, defaults},
		{"BC-C-933 train true as a string is not true", object{"train": "true", "act": []any{true}}, defaults},
		{"BC-C-933 an unknown tdm is reserved", object{"tdm": "none"}, defaults},
		{"BC-C-933 a tdm of another type is reserved", object{"tdm": 0}, defaults},
		{"BC-C-933 Open is not open", object{"tdm": "Open"}, defaults},
		{"BC-C-933 a consent that is null refuses", null, Consent{Cite: true}},
		{"BC-C-933 a consent that is an array refuses", []any{all}, Consent{Cite: true}},
		{"BC-C-933 Retrieve is another member than retrieve", object{"Retrieve": false, "TRAIN": true}, defaults},
		{"BC-D-023 members that are not known change nothing", object{"retrieve": true, "video": false}, defaults},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustParse(t, with(object{"consent": tt.consent})).Consent; got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestMasterSwitch(t *testing.T) {
	tests := []struct {
		name  string
		value any
		on    bool
	}{
		{"BC-D-007 true is on", true, true},
		{"BC-C-909 false closes all three although the consent says true", false, false},
		{"BC-C-933 a string is not true", "true", false},
		{"BC-C-933 null is not true", null, false},
		{"BC-C-933 a number is not true", 1, false},
		{"BC-D-023 absent is on", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, with(object{"allow_bots": tt.value, "allow": []any{"heed"}}))
			want := Consent{Cite: true, TDM: Open, Retrieve: tt.on, Train: tt.on, Act: tt.on}
			if c.AllowBots != tt.on || c.Consent != want {
				t.Errorf("%v %+v, want %v %+v", c.AllowBots, c.Consent, tt.on, want)
			}
		})
	}
}

func TestDeny(t *testing.T) {
	tests := []struct {
		name  string
		deny  any
		as    string
		sound bool
	}{
		{"BC-C-910 another case of our token", []any{"Other", "HEED"}, "HEED", true},
		{"BC-C-910 a version is no part of a token", []any{"heed/2.1"}, "heed/2.1", true},
		{"BC-C-910 a part of our token is not us", []any{"hee"}, "", true},
		{"BC-C-910 a token that begins like ours is not us", []any{"heedless", "heed bot"}, "", true},
		{"BC-C-910 everybody is us too", []any{"*"}, "*", true},
		{"BC-C-910 a second token of ours", []any{"heed-train"}, "heed-train", true},
		{"BC-C-913 tokens of others tell us nothing", []any{"Google-Extended", "GPTBot"}, "", true},
		{"BC-C-912 deny wins over allow", []any{"heed"}, "heed", true},
		{"one string is a list of one", "heed", "heed", true},
		{"nobody", []any{}, "", true},
		{"absent", nil, "", true},
		{"null may have named us", null, "", false},
		{"a number may have named us", 7, "", false},
		{"an object may have named us", object{"heed": true}, "", false},
		{"an entry that is no string may have named us", []any{1, "heed"}, "heed", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := mustParse(t, with(object{"deny": tt.deny, "allow": []any{"heed"}})).Hold([]string{"heed", "Heed-Train/1.0", ""})
			if h.DeniedAs != tt.as || h.Sound != tt.sound {
				t.Errorf("denied as %q, sound %v", h.DeniedAs, h.Sound)
			}
		})
	}
}

func TestAllowChangesNothing(t *testing.T) {
	plain := mustParse(t, sample()).Hold([]string{"heed"})
	for _, allow := range []any{[]any{"heed"}, []any{"OtherBot"}, "heed", null, 3} {
		h := mustParse(t, with(object{"allow": allow})).Hold([]string{"heed"})
		h.SHA256 = plain.SHA256
		if h != plain {
			t.Errorf("BC-C-911 allow %v: %+v", allow, h)
		}
	}
}

func TestVersion(t *testing.T) {
	for version, known := range map[any]bool{"1.0": true, "1.1": true, "1.7": true, "1.10": true, "2.0": false, "1": false,
		"1.": false, "1.x": false, "": false, 1.1: false, true: false, "11.0": false} {
		c := mustParse(t, with(object{"botcentral": version}))
		if h := c.Hold(nil); h.Known != known {
			t.Errorf("BC-C-932 version %v: known %v", version, h.Known)
		}
		if !c.Consent.Train {
			t.Errorf("BC-C-932 version %v: the consent was not read", version)
		}
	}
	if mustParse(t, with(object{"botcentral": nil})).Hold(nil).Known {
		t.Error("BC-C-932 a card without version is known")
	}
}

func TestRefused(t *testing.T) {
	long := with(object{"summary": strings.Repeat("a", MaxBytes)})
	deep := json.RawMessage(strings.Repeat("[", MaxNesting) + strings.Repeat("]", MaxNesting))
	wide := object{}
	for i := range MaxMembers + 1 {
		wide[fmt.Sprint("m", i)] = i
	}
	tests := []struct {
		name string
		raw  string
		want error
	}{
		{"BC-C-022 a card of another domain", string(encode(t, with(object{"domain": "other.test"}))), ErrDomain},
		{"BC-C-022 a card of no domain", string(encode(t, with(object{"domain": nil}))), ErrDomain},
		{"BC-C-023 a card over the size cap", string(encode(t, long)), ErrTooLarge},
		{"BC-C-023 a card over the nesting cap", string(encode(t, with(object{"x": deep}))), ErrNesting},
		{"BC-C-023 an object over the member cap", string(encode(t, with(object{"x": wide}))), ErrMembers},
		{"BC-C-933 two consent members", `{"domain":"shop.test","consent":{},"consent":{}}`, ErrDuplicate},
		{"BC-C-933 two members inside consent", `{"domain":"shop.test","consent":{"train":true,"train":false}}`, ErrDuplicate},
		{"BC-C-933 two names that are one when unescaped", `{"domain":"shop.test","allow_bots":true,"\u0061llow_bots":false}`, ErrDuplicate},
		{"BC-C-933 two members deep inside what is not known", `{"domain":"shop.test","x":[{"y":{"a":1,"a":2}}]}`, ErrDuplicate},
		{"BC-C-914 HTML", `<html>oops`, ErrSyntax},
		{"BC-C-914 nothing", ``, ErrSyntax},
		{"BC-C-914 half a card", `{"domain":"shop.test"`, ErrSyntax},
		{"BC-C-914 two cards", `{"domain":"shop.test"}{}`, ErrSyntax},
		{"BC-C-914 octets that are not UTF-8", "{\"domain\":\"shop.test\",\"name\":\"\xff\"}", ErrSyntax},
		{"BC-D-001 an array", `[{"domain":"shop.test"}]`, ErrNotCard},
		{"BC-D-001 a word", `null`, ErrNotCard},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("shop.test", []byte(tt.raw))
			if !errors.Is(err, tt.want) {
				t.Fatalf("%v, want %v", err, tt.want)
			}
			if h := c.Hold(nil); c.SHA256 != "" || h.HasCard() {
				t.Errorf("a card beside the error: %+v", c)
			}
		})
	}
	if _, err := Parse("shop.test", encode(t, with(object{"x": json.RawMessage(deep[1 : len(deep)-1])}))); err != nil {
		t.Errorf("BC-C-023 a card at the nesting cap: %v", err)
	}
}

func TestDomainIsComparedInLowerCase(t *testing.T) {
	for domain, ok := range map[string]bool{"Shop.Test": true, "shop.test.": true, "www.shop.test": false, "shop.testx": false} {
		if _, err := Parse("shop.test", encode(t, with(object{"domain": domain}))); (err == nil) != ok {
			t.Errorf("BC-D-004 %s: %v", domain, err)
		}
	}
}

func TestTextsOfStrangersAreBounded(t *testing.T) {
	c := mustParse(t, with(object{"name": "a\x1b[31mb\u0085" + strings.Repeat("ä", 300), "listed_by": []any{object{"id": "pub-7"}}}))
	if len(c.Name) > maxName || strings.ContainsAny(c.Name, "\x1b\u0085") || !strings.HasPrefix(c.Name, "a[31mbä") {
		t.Errorf("%d octets: %q", len(c.Name), c.Name)
	}
	if c.ListedBy != "pub-7" {
		t.Errorf("BC-R-912 listed_by %q", c.ListedBy)
	}
	for _, by := range []any{"pub-7", object{"id": "pub-7"}, []any{"pub-7", "pub-8"}} {
		if got := mustParse(t, with(object{"listed_by": by})).ListedBy; got != "pub-7" {
			t.Errorf("BC-R-912 listed_by %v: %q", by, got)
		}
	}
}

func TestGrantScope(t *testing.T) {
	tests := []struct {
		canonical string
		host      string
		want      bool
	}{
		{"https://shop.test", "shop.test", true},
		{"https://shop.test", "www.shop.test", true},
		{"https://shop.test", "blog.shop.test", false},
		{"https://shop.test", "www.blog.shop.test", false},
		{"https://shop.test", "notshop.test", false},
		{"https://Home.shop.test:8443/x", "home.shop.test", true},
		{"https://www.shop.test/", "shop.test", true},
		{"http://home.shop.test", "home.shop.test", false},
		{"https://other.test", "other.test", false},
		{"https://user@home.shop.test", "home.shop.test", false},
		{"", "shop.test", true},
	}
	for _, tt := range tests {
		h := mustParse(t, with(object{"canonical": tt.canonical})).Hold(nil)
		if got := h.Grants(tt.host); got != tt.want {
			t.Errorf("BC-C-902 canonical %q, host %q: %v", tt.canonical, tt.host, got)
		}
	}
	if h := (&Held{}); h.Grants("") || h.Grants("www.") || h.HasCard() || h.State(noon) != Unverified {
		t.Errorf("the zero value: %+v", h)
	}
}

// plainCard is what of a card may influence a decision.
func plainCard(c Card) Held {
	h := c.Hold([]string{"heed"})
	h.SHA256 = ""
	return h
}

func TestUnknownMembersChangeNothing(t *testing.T) {
	want := plainCard(mustParse(t, sample()))
	rapid.Check(t, func(t *rapid.T) {
		o := sample()
		at := rapid.SampledFrom([]string{"", "consent", "verification", "crawl"}).Draw(t, "at")
		for range 50 {
			name := "x_" + rapid.StringN(1, 12, -1).Draw(t, "name")
			value := rapid.SampledFrom([]any{true, false, nil, 1, "open", []any{1}, object{"train": false}}).Draw(t, "value")
			switch inner, ok := o[at].(object); {
			case at == "":
				o[name] = value
			case !ok:
				o[at] = object{name: value}
			default:
				inner[name] = value
			}
		}
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse("shop.test", raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := plainCard(c); got != want {
			t.Fatalf("BC-C-015 %+v, want %+v", got, want)
		}
	})
}

func TestPointersAreNotRead(t *testing.T) {
	want := plainCard(mustParse(t, sample()))
	c := mustParse(t, with(object{"pointers": object{"robots": "https://other.test/robots.txt", "llms": "https://other.test/"}, "topics": []any{"no-train"}}))
	if got := plainCard(c); got != want {
		t.Errorf("BC-C-017 BC-D-006 BC-D-009 %+v", got)
	}
}

func TestSpoilingAMemberNeverGrants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := sample()
		consent := o["consent"].(object)
		for _, name := range []string{"retrieve", "train", "act"} {
			consent[name] = rapid.Bool().Draw(t, name)
		}
		consent["tdm"] = rapid.SampledFrom([]string{"open", "licensed", "reserved"}).Draw(t, "tdm")
		o["deny"] = rapid.SampledFrom([]any{[]any{}, []any{"heed"}}).Draw(t, "deny")
		before := reach(t, o)
		target := rapid.SampledFrom([]object{o, consent, o["verification"].(object)}).Draw(t, "in")
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(target))).Draw(t, "member")
		if name == "domain" {
			return
		}
		target[name] = rapid.SampledFrom([]any{nil, "x", "yes", 1, -1, 1.5, []any{}, []any{7}, object{}}).Draw(t, "value")
		switch v := target["deny"].(type) {
		case string:
			return // this one is a list of others
		case []any:
			if len(v) == 0 {
				return // and this one is empty
			}
		}
		after := reach(t, o)
		if after.train && !before.train || after.act && !before.act || after.open && !before.open {
			t.Fatalf("%s: %+v became %+v", name, before, after)
		}
	})
}

type reached struct{ train, act, open bool }

// reach is what a card grants, as a decision would read it.
func reach(t *rapid.T, o object) reached {
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("shop.test", raw)
	if err != nil {
		t.Fatal(err)
	}
	h := c.Hold([]string{"heed"})
	ok := h.State(noon) == Fresh && h.Known && h.Sound && h.DeniedAs == "" && h.Grants("shop.test")
	return reached{train: ok && h.Consent.Train, act: ok && h.Consent.Act, open: ok && h.Consent.TDM == Open}
}

func TestSameOctetsSameCard(t *testing.T) {
	raw := encode(t, sample())
	a, errA := Parse("shop.test", raw)
	b, errB := Parse("shop.test", bytes.Clone(raw))
	if errA != nil || errB != nil || fmt.Sprint(a) != fmt.Sprint(b) || len(a.SHA256) != 64 {
		t.Errorf("%v %v\n%+v\n%+v", errA, errB, a, b)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add([]byte(`{"domain":"shop.test","consent":{"train":tru}}`))
	f.Add([]byte(`{"domain":"shop.test","consent":null,"deny":[1,"heed"],"pages":[{"url":"//x"},{"href":"/a","score":101}]}`))
	f.Add([]byte(`{"domain":"shop.test","\u0064omain":"x"}`))
	f.Add([]byte(`[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := Parse("shop.test", raw)
		if err != nil {
			if c.SHA256 != "" {
				t.Fatal("a card beside an error")
			}
			return
		}
		for _, p := range Candidates(c, noon, 50) {
			if p.Score < 0 || p.Score > 100 {
				t.Fatalf("score %d", p.Score)
			}
		}
		h := c.Hold([]string{"heed"})
		if h.Domain != "shop.test" || !h.HasCard() {
			t.Fatalf("%+v", h)
		}
		// A general reader sees the same consent wherever it sees true.
		var general struct {
			Consent struct{ Train any } `json:"consent"`
		}
		if h.Consent.Train && json.Unmarshal(raw, &general) == nil && general.Consent.Train != true {
			t.Fatalf("train without a true: %s", raw)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	raw := encode(b, sample())
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("shop.test", raw); err != nil {
			b.Fatal(err)
		}
	}
}
