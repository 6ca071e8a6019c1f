package standards

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/politeness"
	"heed/registry/card"
)

// fixedShelf holds cards by domain.
type fixedShelf map[string][]card.Held

func (s fixedShelf) Lookup(domain string) []card.Held { return s[domain] }

// registrable is a suffix list in which test and pages.test are suffixes.
func registrable(host string) string {
	labels := strings.Split(host, ".")
	keep := 2
	if strings.HasSuffix(host, ".pages.test") {
		keep = 3
	}
	return strings.Join(labels[max(len(labels)-keep, 0):], ".")
}

// members are parts of a card in JSON.
type members map[string]any

// cardOf is a fresh card of shop.test that grants everything, with some members
// replaced, as the mirror holds it. The member proof stands for verification:
// "dns-txt 2h" is method and age.
func cardOf(t testing.TB, changes ...members) card.Held {
	t.Helper()
	m := members{"botcentral": "1.1", "domain": "shop.test", "canonical": "https://shop.test", "allow_bots": true, "allow": []any{}, "deny": []any{},
		"proof": "dns-txt 2h", "consent": members{"retrieve": true, "train": true, "act": true, "tdm": "open"}}
	for _, c := range changes {
		maps.Copy(m, c)
	}
	if proof, ok := m["proof"].(string); ok {
		method, age, _ := strings.Cut(proof, " ")
		v := members{"method": method}
		if ago, err := time.ParseDuration(age); err == nil {
			v["checked"] = noon.Add(-ago).Format(time.RFC3339)
		}
		m["verification"] = v
	}
	delete(m, "proof")
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	c, err := card.Parse("", raw)
	if err != nil {
		t.Fatal(err)
	}
	h := c.Hold([]string{"heed"})
	h.Registry, h.URL, h.FetchedAt = "https://registry.test", "https://registry.test/v1/site/"+h.Domain, noon.Add(-time.Hour)
	return h
}

func consent(m members) members { return members{"consent": m} }

// judge asks the card source and joins what it says.
func judge(s CardShelf, o CardOptions, q politeness.Question, others ...politeness.Opinion) (politeness.Opinion, politeness.Decision) {
	o.Registrable = registrable
	opinions := slices.Clone(others)
	for _, source := range []politeness.Source{Card(s, o), Registry(s, o)} {
		one := source.Read(politeness.Place{}, politeness.Document{}).Judge(q)
		one.Source = source.Name()
		opinions = append(opinions, one)
	}
	return opinions[len(others)], politeness.Combine(q, opinions)
}

func questionFor(host string, list ...politeness.Purpose) politeness.Question {
	q := ask("/p/1")
	q.Host, q.Origin, q.URL = host, "https://"+host, "https://"+host+"/p/1"
	q.Purposes = politeness.PurposesOf(list...)
	return q
}

const (
	pIndex  = politeness.Index
	pAnswer = politeness.Answer
	pTrain  = politeness.Train
	pAct    = politeness.Act
)

var (
	retrieveFalse = consent(members{"retrieve": false, "train": true, "act": true, "tdm": "open"})
	trainFalse    = consent(members{"retrieve": true, "tdm": "open"})
	pending       = members{"proof": "pending"}
	unverified    = members{"proof": "unverified 1h"}
	stale         = members{"proof": "dns-txt 200h"}
)

// TestCardByClause asks one purpose under one card, on its own. An empty reason
// is a permission.
func TestCardByClause(t *testing.T) {
	deny := func(list ...any) members { return members{"deny": list} }
	tests := []struct {
		name    string
		card    []members
		purpose politeness.Purpose
		reason  politeness.Reason
	}{
		{"BC-C-001 retrieve false closes indexing, whatever train says", []members{retrieveFalse}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-001 and answers", []members{retrieveFalse}, pAnswer, politeness.CardRetrieveFalse},
		{"BC-C-001 and not training", []members{retrieveFalse}, pTrain, ""},
		{"BC-C-002 retrieve true permits retrieval", nil, pIndex, ""},
		{"BC-C-003 BC-C-004 BC-D-015 training needs train", []members{trainFalse}, pTrain, politeness.CardTrainFalse},
		{"BC-D-014 retrieval does not look at train", []members{trainFalse}, pIndex, ""},
		{"BC-C-005 BC-D-016 act needs act", []members{trainFalse}, pAct, politeness.CardActFalse},
		{"BC-C-005 a fresh act=true is a yes of the policy", nil, pAct, ""},
		{"BC-C-006 defaults grant retrieval", []members{consent(members{})}, pIndex, ""},
		{"BC-C-006 and no training", []members{consent(members{})}, pTrain, politeness.CardTrainFalse},
		{"BC-C-013 BC-C-905 a stale card still forbids", []members{stale, retrieveFalse}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-905 retrieval follows a stale card", []members{stale}, pIndex, ""},
		{"BC-C-905 its train is suspended", []members{stale}, pTrain, politeness.CardStale},
		{"BC-C-905 its act is suspended", []members{stale}, pAct, politeness.CardStale},
		{"BC-C-905 also where it reserves mining by default", []members{stale, consent(members{"train": true})}, pTrain, politeness.CardStale},
		{"BC-C-014 pending grants no training", []members{pending}, pTrain, politeness.CardPending},
		{"BC-C-014 AP-143 pending grants no act", []members{pending}, pAct, politeness.CardPending},
		{"BC-C-014 unverified grants no training", []members{unverified}, pTrain, politeness.CardUnverified},
		{"BC-C-014 unverified grants no act", []members{unverified}, pAct, politeness.CardUnverified},
		{"BC-C-904 unverified restrictions bind", []members{unverified, retrieveFalse}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-904 unverified allow_bots=false binds", []members{unverified, {"allow_bots": false}}, pIndex, politeness.CardAllowBotsOff},
		{"BC-C-904 unverified deny binds", []members{unverified, deny("heed")}, pIndex, politeness.CardDeniedByName},
		{"BC-C-904 pending restrictions do not", []members{pending, retrieveFalse}, pIndex, ""},
		{"BC-C-904 pending deny does not", []members{pending, deny("heed")}, pIndex, ""},
		{"BC-C-904 pending allow_bots=false does not", []members{pending, {"allow_bots": false}}, pIndex, ""},
		{"BC-C-906 method dns-txt that was never checked", []members{{"proof": "dns-txt"}}, pTrain, politeness.CardUnverified},
		{"BC-C-907 checked 2 h ahead", []members{{"proof": "dns-txt -2h"}}, pTrain, politeness.CardStale},
		{"BC-C-908 a window of 1000 h counts as 168 for grants", []members{stale, {"crawl": members{"revalidate_hours": 1000}}}, pTrain, politeness.CardStale},
		{"BC-C-908 a window of 0 counts as 168", []members{{"proof": "dns-txt 100h", "crawl": members{"revalidate_hours": 0}}}, pTrain, ""},
		{"BC-D-020 a window of 24 h", []members{{"proof": "dns-txt 25h", "crawl": members{"revalidate_hours": 24}}}, pTrain, politeness.CardStale},
		{"BC-C-909 allow_bots off closes retrieval, allow lifts nothing", []members{{"allow_bots": false, "allow": []any{"heed"}}}, pIndex, politeness.CardAllowBotsOff},
		{"BC-C-909 and training", []members{{"allow_bots": false}}, pTrain, politeness.CardAllowBotsOff},
		{"BC-C-909 and acts", []members{{"allow_bots": false}}, pAct, politeness.CardAllowBotsOff},
		{"BC-C-910 our token in another case", []members{deny("Other", "HEED")}, pIndex, politeness.CardDeniedByName},
		{"BC-C-910 for training too", []members{deny("Heed/1.0")}, pTrain, politeness.CardDeniedByName},
		{"BC-C-910 everybody", []members{deny("*")}, pAnswer, politeness.CardDeniedByName},
		{"BC-C-910 a part of our token", []members{deny("hee", "heedful")}, pIndex, ""},
		{"BC-C-911 allow of others is no bar", []members{{"allow": []any{"OtherBot"}}}, pIndex, ""},
		{"BC-C-911 allow of us upgrades nothing", []members{trainFalse, {"allow": []any{"heed"}}}, pTrain, politeness.CardTrainFalse},
		{"BC-C-912 in both lists: deny wins", []members{deny("heed"), {"allow": []any{"heed"}}}, pIndex, politeness.CardDeniedByName},
		{"BC-C-913 tokens of others", []members{deny("Google-Extended")}, pTrain, ""},
		{"BC-C-923 train with tdm absent", []members{consent(members{"train": true})}, pTrain, politeness.TDMReserved},
		{"BC-C-923 train with tdm reserved", []members{consent(members{"train": true, "tdm": "reserved"})}, pTrain, politeness.TDMReserved},
		{"BC-C-923 train with tdm licensed and no licence", []members{consent(members{"train": true, "tdm": "licensed"})}, pTrain, politeness.TDMReserved},
		{"BC-C-923 train with tdm open", nil, pTrain, ""},
		{"BC-C-923 a reservation does not touch retrieval", []members{consent(members{"train": true})}, pIndex, ""},
		{"BC-C-932 version 1.7 grants", []members{{"botcentral": "1.7"}}, pTrain, ""},
		{"BC-C-932 version 2.0 grants nothing", []members{{"botcentral": "2.0"}}, pTrain, politeness.CardVersion},
		{"BC-C-932 no version grants nothing", []members{{"botcentral": nil}}, pAct, politeness.CardVersion},
		{"BC-C-932 version 2.0 restricts", []members{{"botcentral": "2.0"}, retrieveFalse}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-933 retrieve yes", []members{consent(members{"retrieve": "yes"})}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-933 retrieve null", []members{consent(members{"retrieve": nil})}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-933 train 1", []members{consent(members{"train": 1, "tdm": "open"})}, pTrain, politeness.CardTrainFalse},
		{"BC-C-933 allow_bots as a string", []members{{"allow_bots": "true"}}, pIndex, politeness.CardAllowBotsOff},
		{"BC-C-933 a deny list nobody can read grants nothing", []members{{"deny": nil}}, pTrain, politeness.CardInvalid},
		{"BC-C-934 no verification and train true", []members{{"proof": nil}}, pTrain, politeness.CardUnverified},
		{"BC-C-934 no verification and retrieve false", []members{{"proof": nil}, retrieveFalse}, pIndex, politeness.CardRetrieveFalse},
		{"BC-C-015 BC-D-023 members that are not known", []members{{"zz": []any{1, 2}}, consent(members{"retrieve": true, "video": false})}, pIndex, ""},
		{"BC-D-006 topics carry no policy", []members{{"topics": []any{"no-train"}}}, pTrain, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := questionFor("shop.test", tt.purpose)
			o, d := judge(fixedShelf{"shop.test": {cardOf(t, tt.card...)}}, CardOptions{}, q)
			if o.Reason.Sentence() == "" && o.Reason != "" || o.Closes != "" && o.Closes != o.Reason {
				t.Errorf("reasons %q and %q", o.Reason, o.Closes)
			}
			if tt.reason == "" {
				if d.Verdict != politeness.Allow {
					t.Errorf("%s %s", d.Verdict, d.Reason)
				}
				return
			}
			if d.Verdict != politeness.Deny || o.Closes != tt.reason || d.Reason != tt.reason || d.Source != "card" {
				t.Errorf("%s %s by %q, the card says %q, want %s", d.Verdict, d.Reason, d.Source, o.Closes, tt.reason)
			}
			if o.Doc == nil || o.Doc.URL != "https://registry.test/v1/site/shop.test" || len(o.Doc.SHA256) != 64 || o.Doc.Status != 200 {
				t.Errorf("document %+v", o.Doc)
			}
		})
	}
}

func TestCardSwitches(t *testing.T) {
	licensed := consent(members{"train": true, "tdm": "licensed"})
	tests := []struct {
		name    string
		card    []members
		o       CardOptions
		purpose politeness.Purpose
		allowed bool
	}{
		{"BC-C-904 switched: unverified restrictions are ignored", []members{unverified, retrieveFalse}, CardOptions{IgnoreUnverified: true}, pIndex, true},
		{"BC-C-904 switched: stale ones are not", []members{stale, retrieveFalse}, CardOptions{IgnoreUnverified: true}, pIndex, false},
		{"BC-C-904 switched: unverified still grants nothing", []members{unverified}, CardOptions{IgnoreUnverified: true}, pTrain, false},
		{"BC-C-923 switched: train is enough", []members{consent(members{"train": true})}, CardOptions{TrainDespiteTDM: true}, pTrain, true},
		{"BC-C-923 a licence on record", []members{licensed}, CardOptions{Licensed: func(d string) bool { return d == "shop.test" }}, pTrain, true},
		{"BC-C-923 a licence of another domain", []members{licensed}, CardOptions{Licensed: func(d string) bool { return d == "other.test" }}, pTrain, false},
		{"BC-C-923 a licence does not lift a reservation", []members{consent(members{"train": true})}, CardOptions{Licensed: func(string) bool { return true }}, pTrain, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, d := judge(fixedShelf{"shop.test": {cardOf(t, tt.card...)}}, tt.o, questionFor("shop.test", tt.purpose))
			if d.Verdict == politeness.Allow != tt.allowed {
				t.Errorf("%s %s", d.Verdict, d.Reason)
			}
		})
	}
}

func TestCardScope(t *testing.T) {
	tests := []struct {
		name    string
		domain  string
		card    []members
		host    string
		purpose politeness.Purpose
		reason  politeness.Reason
	}{
		{"BC-C-902 the bare domain is inside the grant", "shop.test", nil, "shop.test", pTrain, ""},
		{"BC-C-902 its www host", "shop.test", nil, "www.shop.test", pTrain, ""},
		{"BC-C-902 the canonical host", "shop.test", []members{{"canonical": "https://home.shop.test/"}}, "home.shop.test", pTrain, ""},
		{"BC-C-902 another host is not", "shop.test", nil, "blog.shop.test", pTrain, politeness.CardScope},
		{"BC-C-902 for act neither", "shop.test", nil, "blog.shop.test", pAct, politeness.CardScope},
		{"BC-C-902 restrictions bind it", "shop.test", []members{retrieveFalse}, "blog.shop.test", pIndex, politeness.CardRetrieveFalse},
		{"BC-C-902 a deny by name reaches deep", "shop.test", []members{{"deny": []any{"heed"}}}, "a.b.shop.test", pIndex, politeness.CardDeniedByName},
		{"BC-C-902 so does a reservation", "shop.test", []members{consent(members{"train": true})}, "blog.shop.test", pTrain, politeness.CardScope},
		{"BC-C-901 a domain that ends alike is another one", "shop.test", []members{retrieveFalse}, "notshop.test", pIndex, ""},
		{"BC-C-901 a tenant's own card", "t1.pages.test", []members{retrieveFalse}, "t1.pages.test", pIndex, politeness.CardRetrieveFalse},
		{"BC-C-901 a platform's card does not rule its tenants", "pages.test", []members{retrieveFalse}, "t1.pages.test", pIndex, ""},
		{"BC-C-901 a card of the host itself", "blog.shop.test", nil, "blog.shop.test", pTrain, ""},
		{"BC-C-901 binds what is below it", "blog.shop.test", []members{retrieveFalse}, "x.blog.shop.test", pIndex, politeness.CardRetrieveFalse},
		{"BC-C-901 and not its siblings", "blog.shop.test", []members{retrieveFalse}, "news.shop.test", pIndex, ""},
		{"BC-C-901 an address has no card", "192.0.2.1", []members{retrieveFalse}, "192.0.2.1", pIndex, ""},
		{"BC-C-901 an IPv6 address has none", "2001:db8::1.2.3.4", []members{retrieveFalse}, "2001:db8::1.2.3.4", pIndex, ""},
		{"BC-C-901 a single label has none", "localhost", []members{retrieveFalse}, "localhost", pIndex, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := cardOf(t, append([]members{{"domain": tt.domain, "canonical": "https://" + tt.domain}}, tt.card...)...)
			o, d := judge(fixedShelf{tt.domain: {h}}, CardOptions{}, questionFor(tt.host, tt.purpose))
			if (d.Verdict == politeness.Allow) != (tt.reason == "") || o.Closes != tt.reason {
				t.Errorf("%s, %q, want %q", d.Verdict, o.Closes, tt.reason)
			}
		})
	}
}

func TestMissingCards(t *testing.T) {
	unavailable := []card.Held{{Registry: "https://registry.test", Status: card.Unavailable}}
	unread := []card.Held{{Registry: "https://registry.test", Status: card.Unread}}
	invalid := []card.Held{{Registry: "https://registry.test", Status: card.Invalid}}
	tests := []struct {
		name    string
		held    []card.Held
		purpose politeness.Purpose
		verdict politeness.Verdict
		card    politeness.Reason
		from    politeness.Reason // of the registry
	}{
		{"BC-C-903 no card: others decide on retrieval", nil, pIndex, politeness.Allow, "", ""},
		{"BC-C-903 no card: no training", nil, pTrain, politeness.Deny, politeness.CardMissing, ""},
		{"BC-C-903 no card: no act", nil, pAct, politeness.Deny, politeness.CardMissing, ""},
		{"BC-C-914 registry down: others decide on retrieval", unavailable, pIndex, politeness.Allow, "", ""},
		{"BC-C-914 registry down: no training", unavailable, pTrain, politeness.Deny, "", politeness.RegistryUnavailable},
		{"BC-C-914 registry down: no act", unavailable, pAct, politeness.Deny, "", politeness.RegistryUnavailable},
		{"a card that is listed and unread is waited for", unread, pIndex, politeness.Wait, "", ""},
		{"BC-C-933 a card nobody can read: retrieval goes on", invalid, pIndex, politeness.Allow, "", ""},
		{"BC-C-933 a card nobody can read: no training", invalid, pTrain, politeness.Deny, politeness.CardInvalid, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, d := judge(fixedShelf{"shop.test": tt.held}, CardOptions{}, questionFor("shop.test", tt.purpose))
			if d.Verdict != tt.verdict || o.Closes != tt.card || d.Opinions[1].Closes != tt.from {
				t.Errorf("%s %s: card %q, registry %q", d.Verdict, d.Reason, o.Closes, d.Opinions[1].Closes)
			}
			if want := tt.card + tt.from; tt.verdict == politeness.Deny && (d.Reason != want || d.Source != want.Area()) {
				t.Errorf("%s by %q, want %s", d.Reason, d.Source, want)
			}
			if tt.verdict == politeness.Wait && (d.Source != "registry" || !d.Until.Equal(noon.Add(registryPause))) {
				t.Errorf("%q until %s", d.Source, d.Until)
			}
			if d.Uses[pTrain] == politeness.Yes || d.Uses[pAct] == politeness.Yes {
				t.Errorf("uses %v", d.Uses)
			}
		})
	}
}

func TestAnotherSignalMayGrantTrainingWithoutACard(t *testing.T) {
	yes := politeness.Opinion{Source: "aipref", Verdict: politeness.Silent}
	yes.Uses[pTrain] = politeness.Yes
	for name, tt := range map[string]struct {
		held []card.Held
		want politeness.Verdict
	}{
		"product 8.4 no card":                               {nil, politeness.Allow},
		"product 8.4 a card that is pending":                {[]card.Held{cardOf(t, pending, trainFalse)}, politeness.Allow},
		"product 8.4 a stale grant is silence":              {[]card.Held{cardOf(t, stale)}, politeness.Allow},
		"product 8.4 a card that says no":                   {[]card.Held{cardOf(t, trainFalse)}, politeness.Deny},
		"BC-C-923 holds besides: a card that reserves":      {[]card.Held{cardOf(t, consent(members{"train": true}))}, politeness.Deny},
		"BC-C-923 also a stale one":                         {[]card.Held{cardOf(t, stale, consent(members{"train": true}))}, politeness.Deny},
		"BC-C-904 an unverified card that says no":          {[]card.Held{cardOf(t, unverified, trainFalse)}, politeness.Deny},
		"BC-C-914 a registry that is down is no evidence":   {[]card.Held{{Status: card.Unavailable}}, politeness.Allow},
		"BC-C-933 a card that cannot be read is not either": {[]card.Held{{Status: card.Invalid}}, politeness.Allow},
	} {
		if _, d := judge(fixedShelf{"shop.test": tt.held}, CardOptions{}, questionFor("shop.test", pTrain), yes); d.Verdict != tt.want {
			t.Errorf("%s: %s %s", name, d.Verdict, d.Reason)
		}
	}
	q := questionFor("shop.test", pTrain)
	q.SilentTrain = true
	if _, d := judge(fixedShelf{}, CardOptions{}, q); d.Verdict != politeness.Allow {
		t.Errorf("product 8.4 silence that the operator takes for a yes: %s %s", d.Verdict, d.Reason)
	}
	if _, d := judge(fixedShelf{"shop.test": {cardOf(t, trainFalse)}}, CardOptions{}, q); d.Verdict != politeness.Deny {
		t.Errorf("product 8.4 a no is no silence: %s", d.Verdict)
	}
}

func TestTheOriginsOwnReservationReplacesThatOfTheCard(t *testing.T) {
	reserving := cardOf(t, consent(members{"train": true, "tdm": "reserved"}))
	tests := []struct {
		name string
		held card.Held
		file string // tdmrep.json, empty for 404
		want politeness.Reason
	}{
		{"BC-C-012 open against 1", cardOf(t), `[{"location":"/","tdm-reservation":1}]`, politeness.TDMReserved},
		{"BC-C-012 reserved against 0", reserving, `[{"location":"/","tdm-reservation":0}]`, ""},
		{"BC-C-924 unset leaves the card's word in force", reserving, `[]`, politeness.TDMReserved},
		{"BC-C-924 no file leaves it", reserving, ``, politeness.TDMReserved},
		{"BC-C-924 0 replaces tdm, never train", cardOf(t, trainFalse), `[{"location":"/","tdm-reservation":0}]`, politeness.CardTrainFalse},
		{"BC-C-925 open and no file", cardOf(t), ``, ""},
		{"BC-C-937 a file nobody can read", cardOf(t), `{"tdm":"optout"}`, politeness.TDMUnclear},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &politeness.Document{URL: "https://shop.test/.well-known/tdmrep.json", Status: 200, Body: []byte(tt.file), FetchedAt: noon, Expires: noon.Add(time.Hour)}
			if tt.file == "" {
				d.Status = 404
			}
			o := (tdm{}).Read((tdm{}).Where("https://shop.test")[0], *d).Judge(questionFor("shop.test", pTrain))
			o.Source = "tdm"
			_, got := judge(fixedShelf{"shop.test": {tt.held}}, CardOptions{}, questionFor("shop.test", pTrain), o)
			if got.Verdict == politeness.Allow != (tt.want == "") || tt.want != "" && got.Reason != tt.want {
				t.Errorf("%s %s", got.Verdict, got.Reason)
			}
		})
	}
}

func TestBCC007BCC017BCC024BCC922ACardNeverLiftsAnotherRefusal(t *testing.T) {
	for _, verdict := range []politeness.Verdict{politeness.Deny, politeness.Wait} {
		other := politeness.Opinion{Source: "robots", Verdict: verdict, Reason: politeness.RobotsDisallow, Until: noon.Add(time.Hour)}
		_, d := judge(fixedShelf{"shop.test": {cardOf(t, members{"allow": []any{"heed"}, "pointers": members{"robots": "https://other.test/robots.txt"}})}},
			CardOptions{}, questionFor("shop.test", pIndex), other)
		if d.Verdict != verdict || d.Source != "robots" {
			t.Errorf("BC-C-007 BC-C-017 BC-C-024 BC-C-922 %s by %q", d.Verdict, d.Source)
		}
	}
}

func TestSeveralRegistries(t *testing.T) {
	second := func(changes ...members) card.Held {
		h := cardOf(t, changes...)
		h.Registry, h.URL = "https://second.test", "https://second.test/v1/site/shop.test"
		return h
	}
	for name, tt := range map[string]struct {
		held    []card.Held
		purpose politeness.Purpose
		reason  politeness.Reason
	}{
		"BC-C-915 fresh yes, stale no":                     {[]card.Held{cardOf(t), second(stale, trainFalse)}, pTrain, politeness.CardTrainFalse},
		"BC-C-915 fresh yes, no second card":               {[]card.Held{cardOf(t)}, pTrain, ""},
		"BC-C-915 fresh yes, stale yes":                    {[]card.Held{second(stale), cardOf(t)}, pTrain, ""},
		"BC-C-915 the second denies retrieval":             {[]card.Held{cardOf(t), second(stale, retrieveFalse)}, pIndex, politeness.CardRetrieveFalse},
		"BC-C-915 the second is pending and ignored":       {[]card.Held{cardOf(t), second(pending, retrieveFalse)}, pIndex, ""},
		"BC-C-915 open and reserved":                       {[]card.Held{cardOf(t), second(consent(members{"train": true}))}, pTrain, politeness.TDMReserved},
		"BC-C-915 newer is not stronger":                   {[]card.Held{second(members{"updated": "2026-11-30T11:00:00Z"}), cardOf(t, members{"updated": "2020-01-01T00:00:00Z"}, trainFalse)}, pTrain, politeness.CardTrainFalse},
		"BC-C-915 the second was never heard":              {[]card.Held{cardOf(t), {Registry: "https://second.test", Status: card.Unavailable}}, pTrain, ""},
		"BC-C-915 a refusal counts without the other word": {[]card.Held{cardOf(t, trainFalse), {Status: card.Unavailable}}, pTrain, politeness.CardTrainFalse},
	} {
		o, d := judge(fixedShelf{"shop.test": tt.held}, CardOptions{}, questionFor("shop.test", tt.purpose))
		if strings.HasSuffix(name, "never heard") {
			if d.Verdict != politeness.Deny || d.Opinions[1].Closes != politeness.RegistryUnavailable {
				t.Errorf("%s: %s %s", name, d.Verdict, d.Reason)
			}
			continue
		}
		if (d.Verdict == politeness.Allow) != (tt.reason == "") || o.Closes != tt.reason {
			t.Errorf("%s: %s %q", name, d.Verdict, o.Closes)
		}
		if strings.Contains(name, "second denies") && o.Doc.URL != "https://second.test/v1/site/shop.test" {
			t.Errorf("%s: %+v", name, o.Doc)
		}
	}
}

func TestAProofThatWasSeenKeepsRestrictionsOfAPendingCard(t *testing.T) {
	h := cardOf(t, pending, retrieveFalse)
	h.SeenProof = true
	shelf := fixedShelf{"shop.test": {h}}
	if o, d := judge(shelf, CardOptions{}, questionFor("shop.test", pIndex)); d.Verdict != politeness.Deny || o.Closes != politeness.CardRetrieveFalse {
		t.Errorf("BC-C-904 %s %q", d.Verdict, o.Closes)
	}
	if o, d := judge(shelf, CardOptions{}, questionFor("shop.test", pTrain)); d.Verdict != politeness.Deny || o.Closes != politeness.CardPending {
		t.Errorf("BC-C-904 and grants nothing: %s %q", d.Verdict, o.Closes)
	}
}

func TestAnInvalidCardKeepsTheRestrictionsOfTheFormerOne(t *testing.T) {
	h := cardOf(t, retrieveFalse)
	h.Status = card.Invalid
	shelf := fixedShelf{"shop.test": {h}}
	if o, _ := judge(shelf, CardOptions{}, questionFor("shop.test", pIndex)); o.Closes != politeness.CardRetrieveFalse {
		t.Errorf("BC-C-933 %q", o.Closes)
	}
	if o, d := judge(shelf, CardOptions{}, questionFor("shop.test", pTrain)); d.Verdict != politeness.Deny || o.Closes != politeness.CardInvalid {
		t.Errorf("BC-C-933 and grants nothing: %s %q", d.Verdict, o.Closes)
	}
}

func TestBCC919BCC929ConsentMustHoldAtEachUse(t *testing.T) {
	shelf := fixedShelf{"shop.test": {cardOf(t)}}
	if _, d := judge(shelf, CardOptions{}, questionFor("shop.test", pTrain)); d.Uses[pTrain] != politeness.Yes {
		t.Fatalf("%v", d.Uses)
	}
	shelf["shop.test"] = []card.Held{cardOf(t, trainFalse)}
	if _, d := judge(shelf, CardOptions{}, questionFor("shop.test", pTrain)); d.Uses[pTrain] != politeness.No {
		t.Errorf("BC-C-919 BC-C-929 withdrawn between fetch and export: %v", d.Uses)
	}
	q := questionFor("shop.test", pTrain)
	q.Now = noon.Add(170 * time.Hour)
	if o, d := judge(fixedShelf{"shop.test": {cardOf(t)}}, CardOptions{}, q); d.Verdict != politeness.Deny || o.Closes != politeness.CardStale {
		t.Errorf("BC-C-919 grown stale between fetch and export: %s %q", d.Verdict, o.Closes)
	}
}

func TestUsesOfOtherPurposesAreRecorded(t *testing.T) {
	o, d := judge(fixedShelf{"shop.test": {cardOf(t, trainFalse)}}, CardOptions{}, questionFor("shop.test", pIndex))
	want := politeness.Uses{pIndex: politeness.Yes, pAnswer: politeness.Yes, pTrain: politeness.No, pAct: politeness.No}
	if d.Verdict != politeness.Allow || d.Uses != want || o.Doc == nil {
		t.Errorf("BC-D-015 %s %v, want %v", d.Verdict, d.Uses, want)
	}
	if o.Rule.Text != "consent.train: false" {
		t.Errorf("rule %q", o.Rule.Text)
	}
	o, d = judge(fixedShelf{"shop.test": {cardOf(t, retrieveFalse)}}, CardOptions{}, questionFor("shop.test", pIndex, pAnswer, pTrain))
	if d.Verdict != politeness.Allow || o.Closes != politeness.CardRetrieveFalse || d.Uses[pTrain] != politeness.Yes {
		t.Errorf("one open purpose is enough: %s %v", d.Verdict, d.Uses)
	}
	if o, _ := judge(fixedShelf{}, CardOptions{}, questionFor("none.test", pIndex)); o.Uses != (politeness.Uses{}) || o.Reason != "" {
		t.Errorf("BC-C-903 no card says nothing about retrieval: %+v", o)
	}
}

func TestBCC928EachHostIsJudgedByItsOwnCards(t *testing.T) {
	shelf := fixedShelf{"a.test": {cardOf(t, members{"domain": "a.test"})}, "b.test": {cardOf(t, members{"domain": "b.test"}, retrieveFalse)}}
	for host, want := range map[string]politeness.Verdict{"a.test": politeness.Allow, "b.test": politeness.Deny} {
		if _, d := judge(shelf, CardOptions{}, questionFor(host, pIndex)); d.Verdict != want {
			t.Errorf("BC-C-928 %s: %s", host, d.Verdict)
		}
	}
}

// TestBCC921PolicyDocumentsAreReadWhateverTheCardSays lets every document be missing.
func TestBCC921PolicyDocumentsAreReadWhateverTheCardSays(t *testing.T) {
	cache := memoryCache{}
	g := gateOver(Options{Card: Card(fixedShelf{"shop.test": {cardOf(t, retrieveFalse)}}, CardOptions{Registrable: registrable})}, cache)
	for range 10 {
		d, need, err := g.Before(t.Context(), questionFor("shop.test", pIndex))
		if err != nil {
			t.Fatal(err)
		}
		if need == nil {
			if d.Reason != politeness.CardRetrieveFalse || cache["https://shop.test/robots.txt"] == nil {
				t.Errorf("BC-C-921 %s with %d documents read", d.Reason, len(cache))
			}
			return
		}
		url := need.Place.URL
		if !slices.Contains([]string{"https://shop.test/robots.txt", "https://shop.test/automation-preferences.txt"}, url) {
			t.Fatalf("BC-C-921 asked for %s", url)
		}
		missing := &politeness.Document{URL: url, FinalURL: url, Status: 404, FetchedAt: noon, Expires: noon.Add(time.Hour)}
		if err := g.Library().Store(t.Context(), missing); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("BC-C-921 no decision")
}

func TestBCC918PurposesAreAClosedList(t *testing.T) {
	if _, err := politeness.ParsePurposes("misc"); err == nil {
		t.Error("BC-C-918 an unknown purpose")
	}
	if set, err := politeness.ParsePurposes("retrieve"); err != nil || set != politeness.PurposesOf(pIndex, pAnswer) {
		t.Errorf("BC-C-918 retrieve is %s, %v", set, err)
	}
}

// TestBCC920ActNeedsMoreThanACard holds that act=true opens no method by itself.
func TestBCC920ActNeedsMoreThanACard(t *testing.T) {
	o := Options{Card: Card(fixedShelf{"shop.test": {cardOf(t)}}, CardOptions{Registrable: registrable})}
	q := questionFor("shop.test", pAct)
	q.Method, q.Mode = "POST", politeness.OnDemand
	d, _, err := gateOver(o, memoryCache{}).Before(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if d.Verdict == politeness.Allow {
		t.Error("BC-C-005 BC-C-920 POST without a word of the operator")
	}
}

func TestAnOperatorMayIgnoreTheCardOfAHost(t *testing.T) {
	o := Options{Card: Card(fixedShelf{"shop.test": {cardOf(t, retrieveFalse)}}, CardOptions{Registrable: registrable}),
		Operator: []OperatorRule{{Host: "shop.test", Ignore: []string{"card"}, Because: "agreed by mail"}}}
	got := opinionOf(t, o, "card", questionFor("shop.test", pIndex))
	if got.Verdict != politeness.Silent || got.Uses != (politeness.Uses{}) || got.Because != "agreed by mail" || got.Reason != politeness.CardRetrieveFalse {
		t.Errorf("%+v", got)
	}
	if other := opinionOf(t, o, "card", questionFor("www.shop.test", pIndex)); other.Uses[pIndex] != politeness.No {
		t.Errorf("another host: %+v", other)
	}
}

func drawCard(t *rapid.T) members {
	m := members{"proof": rapid.SampledFrom([]any{"dns-txt 1h", "well-known-file 200h", "pending", "unverified 1h", "stale 1h", "dns-txt", nil}).Draw(t, "proof"),
		"botcentral": rapid.SampledFrom([]any{"1.1", "2.0", nil}).Draw(t, "version"),
		"allow_bots": rapid.SampledFrom([]any{true, true, true, false, nil}).Draw(t, "allow_bots"),
		"deny":       rapid.SampledFrom([]any{[]any{}, []any{}, []any{"heed"}, nil}).Draw(t, "deny")}
	c := members{}
	for _, name := range []string{"retrieve", "train", "act"} {
		c[name] = rapid.SampledFrom([]any{true, true, false, nil, 1}).Draw(t, name)
	}
	c["tdm"] = rapid.SampledFrom([]any{"open", "open", "licensed", "reserved", 0}).Draw(t, "tdm")
	m["consent"] = c
	return m
}

func drawHeld(tb testing.TB, t *rapid.T) card.Held {
	h := cardOf(tb, drawCard(t))
	switch rapid.IntRange(0, 9).Draw(t, "status") {
	case 0:
		return card.Held{Status: card.Unavailable}
	case 1:
		return card.Held{Status: card.Invalid}
	case 2:
		h.Status = card.Invalid
	}
	h.SeenProof = h.SeenProof || rapid.Bool().Draw(t, "seen")
	return h
}

func TestOneCardMoreNeverLoosens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		held := []card.Held{}
		for range rapid.IntRange(1, 3).Draw(rt, "cards") {
			held = append(held, drawHeld(t, rt))
		}
		extra := drawHeld(t, rt)
		at := rapid.IntRange(0, len(held)).Draw(rt, "at")
		q := questionFor(rapid.SampledFrom([]string{"shop.test", "www.shop.test", "blog.shop.test"}).Draw(rt, "host"), pIndex)
		q.Purposes = politeness.Purposes(rapid.IntRange(1, 15).Draw(rt, "purposes"))
		before, _ := judge(fixedShelf{"shop.test": held}, CardOptions{}, q)
		after, _ := judge(fixedShelf{"shop.test": slices.Insert(slices.Clone(held), at, extra)}, CardOptions{}, q)
		for p := range purposes {
			if before.Uses[p] == politeness.No && after.Uses[p] != politeness.No || before.Weak[p] == politeness.No && after.Weak[p] != politeness.No && after.Uses[p] != politeness.No {
				rt.Fatalf("BC-C-915 %s: %v %v became %v %v", politeness.Purpose(p), before.Uses, before.Weak, after.Uses, after.Weak)
			}
		}
		if before.Verdict == politeness.Deny && after.Verdict != politeness.Deny {
			rt.Fatal("BC-C-915 a bar was lifted")
		}
	})
}

func TestOnlyAFreshCardGrantsTrainAndAct(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHeld(t, rt)
		q := questionFor(rapid.SampledFrom([]string{"shop.test", "blog.shop.test"}).Draw(rt, "host"), pTrain, pAct)
		o, d := judge(fixedShelf{"shop.test": {h}}, CardOptions{}, q)
		good := h.Status == card.Read && h.State(noon) == card.Fresh && h.Known && h.Sound && h.DeniedAs == "" && h.Grants(q.Host)
		if o.Uses[pTrain] == politeness.Yes && !(good && h.Consent.Train) || o.Uses[pAct] == politeness.Yes && !(good && h.Consent.Act) {
			rt.Fatalf("BC-C-014 %v from %+v", o.Uses, h)
		}
		if d.Uses[pTrain] == politeness.Yes && h.Consent.TDM != card.Open {
			rt.Fatalf("BC-C-923 %+v", h)
		}
		if d.Verdict == politeness.Deny && (d.Reason == politeness.PurposeNoGrant || d.Reason.Sentence() == "") {
			rt.Fatalf("%s: a refusal without a reason of its own: %+v from %+v", d.Reason, o, h)
		}
	})
}

func TestTheOrderOfCardsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		held := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) card.Held { return drawHeld(t, rt) }), 2, 4).Draw(rt, "cards")
		q := questionFor("shop.test", pIndex)
		q.Purposes = politeness.Purposes(rapid.IntRange(1, 15).Draw(rt, "purposes"))
		a, _ := judge(fixedShelf{"shop.test": held}, CardOptions{}, q)
		b, _ := judge(fixedShelf{"shop.test": rapid.Permutation(held).Draw(rt, "shuffled")}, CardOptions{}, q)
		if a.Uses != b.Uses || a.Weak != b.Weak || a.Verdict != b.Verdict || (a.Closes == "") != (b.Closes == "") {
			rt.Fatalf("%+v\n%+v", a, b)
		}
	})
}

func BenchmarkCard(b *testing.B) {
	shelf := fixedShelf{"shop.test": {cardOf(b)}}
	for i := range 10_000 {
		shelf[fmt.Sprint("d", i, ".test")] = nil
	}
	s := Card(shelf, CardOptions{Registrable: func(string) string { return "shop.test" }}).Read(politeness.Place{}, politeness.Document{})
	q := questionFor("www.shop.test", pIndex, pTrain)
	b.ReportAllocs()
	for b.Loop() {
		if o := s.Judge(q); o.Uses[pTrain] != politeness.Yes {
			b.Fatal(o)
		}
	}
}
