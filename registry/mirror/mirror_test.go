package mirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heed/registry/card"
)

func TestBCC916OnlyConfiguredOriginsOverHTTPSAreRegistries(t *testing.T) {
	for text, want := range map[string]string{"https://Registry.test/": origin, "https://registry.test:443": origin,
		"https://registry.test:8443": "https://registry.test:8443", "http://registry.test": "", "registry.test": "",
		"https://me:pw@registry.test": "", "https://registry.test/v1": "", "https://registry.test?x=1": "", "https://": "", "": ""} {
		m, err := New(Options{Registries: []string{text}})
		if want == "" {
			if !errors.Is(err, ErrRegistry) {
				t.Errorf("BC-C-916 %q: %v", text, err)
			}
			continue
		}
		if err != nil || m.Status()[0].Registry != want {
			t.Errorf("BC-C-916 %q: %v", text, err)
		}
	}
	m, err := New(Options{Registries: []string{origin, origin + "/"}})
	if err != nil || len(m.Status()) != 1 {
		t.Errorf("a registry that is named twice: %v", err)
	}
}

func TestBCC931AFirstStartReadsTheListAndTheCardsThatAreWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test", "other.test")
		m := open(t, f, newMemory())
		if h := held(t, m, "shop.test"); h.Status != card.Unread {
			t.Errorf("before the first answer: %+v", h)
		}
		syncNow(t, m, "shop.test", "none.test")
		want := []string{pathIndex, "/v1/site/shop.test"}
		if got := f.requests(); !slices.Equal(got, want) {
			t.Errorf("BC-C-927 BC-C-931 asked for %q", got)
		}
		if h := held(t, m, "shop.test"); h.Status != card.Read || !h.Consent.Train || h.Registry != origin || h.URL != origin+"/v1/site/shop.test" ||
			h.State(time.Now()) != card.Fresh || !h.FetchedAt.Equal(time.Now()) {
			t.Errorf("%+v", h)
		}
		if h := held(t, m, "other.test"); h.Status != card.Unread || h.HasCard() {
			t.Errorf("a listed card nobody wanted: %+v", h)
		}
		if h := m.Lookup("none.test"); h != nil {
			t.Errorf("BC-C-903 a domain that is not listed: %+v", h)
		}
		if n := m.States(slices.Values([]string{"shop.test", "other.test", "none.test"})); n != (Counts{Fresh: 1, None: 2}) {
			t.Errorf("%+v", n)
		}
		s := m.Status()[0]
		if s.Listed != 2 || s.Cards != 1 || s.Requests != 2 || !s.UnavailableSince.IsZero() || s.Problem != "" {
			t.Errorf("%+v", s)
		}
	})
}

func TestBCC016BCC927ARequestIsAReadWithoutCredentials(t *testing.T) {
	var names []string
	for f := range reflect.TypeFor[Request]().Fields() {
		names = append(names, f.Name)
	}
	if want := []string{"URL", "ETag", "Accept", "MaxBytes"}; !slices.Equal(names, want) {
		t.Errorf("BC-C-016 BC-C-927 a request can say %q", names)
	}
}

func TestBCC927ManyDomainsCostNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test")
		m := open(t, f, newMemory())
		syncNow(t, m, "shop.test")
		f.requests()
		for i := range 5000 {
			m.Want(fmt.Sprintf("host%d.test", i))
		}
		syncNow(t, m)
		if got := f.requests(); len(got) != 0 {
			t.Errorf("BC-C-927 %q", got)
		}
	})
}

func TestBCC009AnIdlePollIsOneConditionalRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test")
		m := open(t, f, newMemory())
		syncNow(t, m, "shop.test")
		time.Sleep(pollEvery)
		syncNow(t, m) // the first poll has nothing to compare with and reads the feed
		f.requests()
		for range 10 {
			time.Sleep(pollEvery)
			syncNow(t, m, "shop.test")
		}
		got := f.requests()
		if len(got) != 10 {
			t.Fatalf("BC-C-009 %q", got)
		}
		for _, line := range got {
			if !strings.HasPrefix(line, pathSnapshot+` if "`) {
				t.Errorf("BC-C-009 %s", line)
			}
		}
	})
}

func TestBCC009ASecondProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test"), newMemory()
		syncNow(t, open(t, f, s), "shop.test")
		f.requests()
		time.Sleep(time.Second)

		m := open(t, f, s)
		if h := held(t, m, "shop.test"); h.Status != card.Read || !h.Consent.Train {
			t.Errorf("before it asks: %+v", h)
		}
		syncNow(t, m, "shop.test")
		if got, want := f.requests(), []string{pathSnapshot, pathChanges}; !slices.Equal(got, want) {
			t.Errorf("BC-C-009 the card is not read again: %q", got)
		}
		syncNow(t, open(t, f, s), "shop.test")
		if got := f.requests(); len(got) != 0 {
			t.Errorf("a poll younger than a minute serves this process too: %q", got)
		}
		time.Sleep(61 * time.Second)
		syncNow(t, open(t, f, s), "shop.test")
		if got := f.requests(); len(got) != 1 || !strings.HasPrefix(got[0], pathSnapshot+" if") {
			t.Errorf("an older one does not: %q", got)
		}
	})
}

func TestBCC008BCC929AChangeIsSeenAtTheNextPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("a.test", "b.test", "c.test")
		var changes []string
		m := open(t, f, newMemory(), func(o *Options) {
			o.Changed = func(registry, domain string) { changes = append(changes, domain) }
		})
		syncNow(t, m, "a.test", "b.test", "c.test")
		time.Sleep(pollEvery)
		syncNow(t, m)
		f.requests()
		changes = nil
		f.put("a.test", object{"consent": object{"retrieve": false}})
		f.remove("b.test")
		f.put("new.test", nil)
		time.Sleep(pollEvery)
		syncNow(t, m, "new.test")
		got := f.requests()
		if len(got) != 4 || got[1] != pathChanges+"?since=3" || got[2] != "/v1/site/new.test" || !strings.HasPrefix(got[3], `/v1/site/a.test if "`) {
			t.Fatalf("BC-C-008 BC-C-929 %q", got)
		}
		if h := held(t, m, "a.test"); h.Consent.Retrieve {
			t.Errorf("BC-C-929 the withdrawal has not arrived: %+v", h)
		}
		if m.Lookup("b.test") != nil || held(t, m, "new.test").Status != card.Read || held(t, m, "c.test").Status != card.Read {
			t.Error("removed, new and unchanged cards")
		}
		slices.Sort(changes)
		if !slices.Equal(changes, []string{"a.test", "b.test", "new.test"}) {
			t.Errorf("told about %q", changes)
		}
	})
}

func TestBCC926CacheLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test"), newMemory()
		m := open(t, f, s)
		syncNow(t, m, "shop.test")
		time.Sleep(pollEvery)
		syncNow(t, m)
		first := held(t, m, "shop.test")
		time.Sleep(25 * time.Hour)
		f.requests()
		syncNow(t, m, "shop.test")
		got := f.requests()
		if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, `/v1/site/shop.test if "`) }) {
			t.Errorf("BC-C-926 BC-C-008 %q", got)
		}
		if h := held(t, m, "shop.test"); h.SHA256 != first.SHA256 || !h.FetchedAt.Equal(time.Now()) {
			t.Errorf("BC-C-008 a 304 keeps the card and resets its age: %+v", h)
		}
	})
	for field, want := range map[string]time.Duration{"": cardLife, "max-age=1": time.Second, "public, max-age=60": time.Minute,
		"max-age=999999999": cardLife, "max-age=99999999999999999999": cardLife, "max-age=x": 0, "no-cache": cardLife, "no-cache, max-age=0": 0, `max-age="5"`: 5 * time.Second, "Max-Age=7": 7 * time.Second, "max-age=-1": 0} {
		if got := cacheLife(http.Header{"Cache-Control": {field}}, cardLife); got != want {
			t.Errorf("BC-C-926 %q: %s, want %s", field, got, want)
		}
	}
}

func TestBCC926AShortCacheLifeIsObeyedByTheNextProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test"), newMemory()
		f.override("/v1/site/shop.test", body(`{"botcentral":"1.1","domain":"shop.test"}`, "Cache-Control", "max-age=1"))
		m := open(t, f, s)
		syncNow(t, m, "shop.test")
		syncNow(t, open(t, f, s), "shop.test")
		f.override("/v1/site/shop.test", body(`{"botcentral":"1.1","domain":"shop.test","consent":{"retrieve":false}}`, "Cache-Control", "max-age=1"))
		f.requests()
		time.Sleep(2 * time.Second)
		for range 5 { // one process does not spend its budget on one card
			syncNow(t, m, "shop.test")
		}
		if got := f.requests(); len(got) != 0 {
			t.Errorf("asked %q", got)
		}
		m = open(t, f, s)
		syncNow(t, m, "shop.test")
		if held(t, m, "shop.test").Consent.Retrieve {
			t.Error("BC-C-926 the copy has outlived its max-age")
		}
	})
}

func TestAShortCacheLifeBindsOnlyWhoDecidesByTheCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("wanted.test", "other.test")
		for _, d := range []string{"wanted.test", "other.test"} {
			f.override(pathCard+d, body(`{"botcentral":"1.1","domain":"`+d+`"}`, "Cache-Control", "max-age=60"))
		}
		m := open(t, f, newMemory())
		m.Want("wanted.test")
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- m.Run(ctx) }()
		time.Sleep(10*time.Minute + time.Second)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		reads := map[string]int{}
		for _, line := range f.requests() {
			reads[line]++
		}
		if reads[pathCard+"other.test"] != 1 || reads[pathCard+"wanted.test"] < 9 {
			t.Errorf("BC-C-926 %v", reads)
		}
	})
}

func TestADomainWithoutACardIsAskedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test"), newMemory()
		f.override("/v1/site/shop.test", status(404))
		m := open(t, f, s)
		syncNow(t, m, "shop.test")
		if m.Lookup("shop.test") != nil {
			t.Error("BC-C-903 404 is no card")
		}
		m = open(t, f, s)
		syncNow(t, m, "shop.test")
		if got := f.requests(); len(got) != 5 || m.Lookup("shop.test") != nil {
			t.Errorf("the feed names a card after all: %q", got)
		}
		time.Sleep(2 * time.Minute)
		syncNow(t, open(t, f, s), "shop.test")
		if got := f.requests(); len(got) != 1 || m.Lookup("shop.test") != nil {
			t.Errorf("BC-C-926 %q", got)
		}
		f.override("/v1/site/shop.test", nil)
		time.Sleep(25 * time.Hour)
		syncNow(t, m, "shop.test")
		if held(t, m, "shop.test").Status != card.Read {
			t.Error("BC-C-926 the word that there is no card has outlived its day")
		}
	})
}

func TestBCC019TheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var domains []string
		for i := range 70 {
			domains = append(domains, fmt.Sprintf("d%02d.test", i))
		}
		f, s := newFakeRegistry(domains...), newMemory()
		m := open(t, f, s)
		syncNow(t, m, domains...)
		if n := len(f.requests()); n != budgetRequests {
			t.Fatalf("BC-C-019 %d requests at once", n)
		}
		m = open(t, f, s) // a new process has no new budget
		syncNow(t, m, domains...)
		if got := f.requests(); len(got) != 0 {
			t.Fatalf("BC-C-019 after a restart: %q", got)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- m.Run(ctx) }()
		time.Sleep(24 * time.Hour) // all conditional reads of the second day included
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		checkBudget(t, f.sent)
		if n := m.States(slices.Values(domains)); n.Fresh+n.Stale != 70 {
			t.Errorf("%+v", n)
		}
	})
}

func checkBudget(t testing.TB, sent []time.Time) {
	t.Helper()
	for i := budgetRequests; i < len(sent); i++ {
		if span := sent[i].Sub(sent[i-budgetRequests]); span < budgetWindow {
			t.Fatalf("BC-C-019 %d requests within %s", budgetRequests+1, span)
		}
	}
}

func TestWantedCardsAreReadFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var domains []string
		for i := range 300 {
			domains = append(domains, fmt.Sprintf("d%03d.test", i))
		}
		f := newFakeRegistry(domains...)
		m := open(t, f, newMemory())
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- m.Run(ctx) }()
		time.Sleep(90 * time.Second)
		m.Want("d299.test")
		m.Want("d123.test")
		time.Sleep(time.Minute)
		if held(t, m, "d299.test").Status != card.Read || held(t, m, "d123.test").Status != card.Read {
			t.Error("wanted cards wait behind others")
		}
		time.Sleep(20 * time.Minute)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if n := m.Status()[0]; n.Cards != 300 {
			t.Errorf("the others are read in the background: %d", n.Cards)
		}
		checkBudget(t, f.sent)
	})
}

func TestRecentWishesAreBounded(t *testing.T) {
	var r recent
	for i := range 10 * maxMissed {
		r.add(fmt.Sprint(i))
		if !r.has(fmt.Sprint(i)) || !r.has(fmt.Sprint(max(i-maxMissed+1, 0))) {
			t.Fatal("a recent wish is forgotten")
		}
	}
	if n := len(r.young) + len(r.old); n > 2*maxMissed {
		t.Errorf("%d wishes", n)
	}
}

func TestPauses(t *testing.T) {
	tests := []struct {
		name   string
		answer func(Request) (Answer, error)
		pause  time.Duration
	}{
		{"BC-C-018 429 with Retry-After in seconds", status(429, "Retry-After", "120"), 2 * time.Minute},
		{"BC-C-018 Retry-After shorter than our own back-off", status(429, "Retry-After", "7"), time.Minute},
		{"BC-C-018 503 without Retry-After", status(503), time.Minute},
		{"BC-C-018 a Retry-After without end is believed for a day", status(503, "Retry-After", "99999999999"), 24 * time.Hour},
		{"BC-C-018 a Retry-After that is none", status(503, "Retry-After", "soon"), time.Minute},
		{"BC-C-914 no connection", func(Request) (Answer, error) { return Answer{}, errors.New("refused") }, time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFakeRegistry("shop.test", "other.test"), newMemory()
				m := open(t, f, s)
				syncNow(t, m, "other.test")
				f.override("/v1/site/shop.test", tt.answer)
				syncNow(t, m, "shop.test")
				if h := held(t, m, "shop.test"); h.Status != card.Unavailable || h.HasCard() {
					t.Errorf("BC-C-914 %+v", h)
				}
				if h := held(t, m, "other.test"); h.Status != card.Read || !h.Consent.Train {
					t.Errorf("BC-C-018 cached cards stay in use: %+v", h)
				}
				f.override("/v1/site/shop.test", nil)
				f.requests()
				time.Sleep(tt.pause - time.Second)
				m = open(t, f, s)
				syncNow(t, m, "shop.test")
				if got := f.requests(); len(got) != 0 {
					t.Errorf("BC-C-018 asked in the pause: %q", got)
				}
				if m.Status()[0].UnavailableSince.IsZero() || m.Status()[0].Problem == "" {
					t.Errorf("%+v", m.Status())
				}
				time.Sleep(time.Second)
				syncNow(t, m, "shop.test")
				if held(t, m, "shop.test").Status != card.Read || !m.Status()[0].UnavailableSince.IsZero() {
					t.Errorf("after the pause: %+v %+v", m.Lookup("shop.test"), m.Status())
				}
			})
		})
	}
}

func TestARemainingCountOfZeroSlowsDown(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		fields []string
		want   time.Duration
	}{
		{nil, 0},
		{[]string{"X-RateLimit-Remaining", "0"}, time.Minute},
		{[]string{"X-RateLimit-Remaining", "1"}, 0},
		{[]string{"RateLimit-Remaining", "0", "RateLimit-Reset", "9"}, 9 * time.Second},
		{[]string{"RateLimit-Remaining", "0", "RateLimit-Reset", "1796040000"}, time.Minute},
		{[]string{"Retry-After", "5"}, 5 * time.Second},
		{[]string{"Retry-After", "-5"}, 0},
		{[]string{"Retry-After", now.Add(time.Hour).UTC().Format(http.TimeFormat)}, time.Hour},
	} {
		a, _ := status(200, tt.fields...)(Request{})
		if got := askedPause(a, now); (got - tt.want).Abs() > time.Second {
			t.Errorf("BC-C-018 %q: %s, want %s", tt.fields, got, tt.want)
		}
	}
}

func TestBackOffDoublesUpToAnHour(t *testing.T) {
	for n, want := range map[int]time.Duration{1: time.Minute, 2: 2 * time.Minute, 6: 32 * time.Minute, 7: time.Hour, 1000: time.Hour} {
		if got := backOff(n, 0); got != want {
			t.Errorf("BC-C-914 %d: %s", n, got)
		}
		if got := backOff(n, 0.999); got <= want || got > want+want/10 {
			t.Errorf("BC-C-914 %d with jitter: %s", n, got)
		}
	}
}

func TestTwoRegistriesAreIndependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test")
		second := func(o *Options) { o.Registries = []string{origin, "https://second.test"} }
		m := open(t, f, newMemory(), second)
		syncNow(t, m, "shop.test")
		h := m.Lookup("shop.test")
		if len(h) != 2 || h[0].Registry != origin || h[1].Registry != "https://second.test" || h[1].Status != card.Read {
			t.Fatalf("BC-C-915 %+v", h)
		}
		if m.Lookup("none.test") != nil || len(m.Status()) != 2 {
			t.Error("BC-C-915 a domain neither lists")
		}
		copies, err := m.Copies(t.Context(), "shop.test")
		if err != nil || len(copies) != 2 || copies[1].Held.Registry != "https://second.test" {
			t.Errorf("%+v, %v", copies, err)
		}
	})
}

func TestACopyIsWhatTheRegistryServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test")
		raw := ` {"domain":"shop.test", "botcentral":"1.1","pages":[{"url":"/x","score":7}],"zz":1}` + "\n"
		f.override("/v1/site/shop.test", body(raw))
		m := open(t, f, newMemory())
		syncNow(t, m, "shop.test")
		copies, err := m.Copies(t.Context(), "shop.test")
		if err != nil || len(copies) != 1 || string(copies[0].Raw) != raw || copies[0].Held.SHA256 != copies[0].Card.SHA256 {
			t.Fatalf("%+v, %v", copies, err)
		}
		if p := copies[0].Card.Pages; len(p) != 1 || p[0] != (card.Page{URL: "https://shop.test/x", Score: 7}) {
			t.Errorf("%v", p)
		}
		if none, err := m.Copies(t.Context(), "none.test"); err != nil || none != nil {
			t.Errorf("%v, %v", none, err)
		}
	})
}
