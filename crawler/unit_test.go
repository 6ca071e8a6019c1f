package crawler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/crawler/discover"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// bare is a crawler without rooms, at noon, with the middle of every jitter.
func bare() *Crawler {
	return &Crawler{closed: newClosedOrigins(), context: newContextDesk(), paused: newGateway(), decisions: map[politeness.Reason]int64{},
		Options: Options{Retries: 3, RetryBase: 30 * time.Second, RetryMax: time.Hour, MaxRedirects: 5, Patience: 5 * time.Minute,
			Clock: func() time.Time { return noon }, Rand: func() float64 { return 0.5 }, Log: slog.New(slog.DiscardHandler)}}
}

func TestRetryAt(t *testing.T) {
	told := func(value string) *fetch.Exchange {
		return &fetch.Exchange{Header: http.Header{"Retry-After": {value}}}
	}
	for _, tt := range []struct {
		name string
		n    int
		x    *fetch.Exchange
		want time.Duration
	}{
		{"the first pause is the base, half of it at random", 1, nil, 22500 * time.Millisecond},
		{"the second doubles", 2, nil, 45 * time.Second},
		{"the third doubles again", 3, nil, 90 * time.Second},
		{"and no pause is above the longest", 12, nil, 45 * time.Minute},
		{"nor does a large count overflow", 10_000, nil, 45 * time.Minute},
		{"seconds that the site names win", 1, told("7"), 7 * time.Second},
		{"so does a date", 1, told(noon.Add(time.Minute).Format(http.TimeFormat)), time.Minute},
		{"zero seconds are no pause of our own", 1, told("0"), 22500 * time.Millisecond},
		{"a date that is over says nothing", 1, told("Wed, 21 Oct 2015 07:28:00 GMT"), 22500 * time.Millisecond},
		{"a negative count says nothing", 1, told("-5"), 22500 * time.Millisecond},
		{"a word says nothing", 1, told("soon"), 22500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := bare().retryAt(tt.n, tt.x, noon).Sub(noon); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestRetryAtStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := bare()
		c.RetryBase = time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "base"))
		c.RetryMax = time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "max"))
		u := rapid.Float64Range(0, 0.999).Draw(t, "u")
		c.Rand = func() float64 { return u }
		pause := c.retryAt(rapid.IntRange(1, 100).Draw(t, "n"), nil, noon).Sub(noon)
		if pause < min(c.RetryBase, c.RetryMax)/2 || pause > c.RetryMax {
			t.Fatalf("a pause of %v", pause)
		}
	})
}

func TestTryAgainGivesUpAfterItsRetries(t *testing.T) {
	c := bare()
	e := ending{}
	for n := 1; n <= 3; n++ {
		c.tryAgain(&e, nil, "reset")
		if e.outcome.State != frontier.Future || e.outcome.Attempts != n || !e.outcome.Due.After(noon) || e.tally[countFailed] != 0 {
			t.Errorf("attempt %d: %+v", n, e.outcome)
		}
	}
	c.tryAgain(&e, nil, "reset")
	if e.outcome.State != frontier.Failed || e.outcome.Attempts != 0 || e.outcome.Reason != "reset" || e.tally[countFailed] != 1 {
		t.Errorf("after the last: %+v", e.outcome)
	}
}

func TestWhatIsWorthAnotherAttempt(t *testing.T) {
	for kind := fetch.KindAddress; kind <= fetch.KindInternal; kind++ {
		want := false
		switch kind {
		case fetch.KindDNS, fetch.KindConnect, fetch.KindReset, fetch.KindTimeout, fetch.KindSlow, fetch.KindTruncated, fetch.KindProxy:
			want = true
		}
		err := fmt.Errorf("wrapped: %w", &fetch.Error{Kind: kind})
		if retryable(err) != want {
			t.Errorf("%s: retryable %v", kind, !want)
		}
		if want && ours(err) {
			t.Errorf("%s is both the fault of the host and ours", kind)
		}
		if sentNothing(err) && !ours(err) {
			t.Errorf("%s: nothing was sent, so nothing can be held against the host", kind)
		}
		if failureReason(err) == "" {
			t.Errorf("%s has no reason", kind)
		}
	}
	for status := range 600 {
		want := status == 408 || status == 425 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504
		if retryStatus(status) != want {
			t.Errorf("%d: retry %v", status, !want)
		}
		if isRedirect(status) && retryStatus(status) {
			t.Errorf("%d is a redirect and a failure", status)
		}
	}
}

func TestReasonsOfFailuresAreInTheClosedListOrKinds(t *testing.T) {
	for kind := fetch.KindAddress; kind <= fetch.KindInternal; kind++ {
		reason := politeness.Reason(failureReason(&fetch.Error{Kind: kind}))
		if reason.Area() != string(reason) && reason.Sentence() == "" {
			t.Errorf("%s gives %q, which nobody explains", kind, reason)
		}
	}
}

func TestSettled(t *testing.T) {
	for _, tt := range []struct {
		name   string
		o      frontier.Outlook
		active int64
		code   EndCode
		over   bool
	}{
		{"nothing is left", frontier.Outlook{}, 0, EndDone, true},
		{"a visit is under way", frontier.Outlook{}, 1, 0, false},
		{"a grant is out", frontier.Outlook{Leased: 1}, 0, 0, false},
		{"something is due now", frontier.Outlook{Queued: 1, Next: noon}, 0, 0, false},
		{"something is due within the patience", frontier.Outlook{Queued: 1, Next: noon.Add(5 * time.Minute)}, 0, 0, false},
		{"all waits longer than the patience", frontier.Outlook{Queued: 3, Next: noon.Add(5*time.Minute + 1)}, 0, EndUndecided, true},
		{"all waits, but a visit may find more", frontier.Outlook{Queued: 3, Next: noon.Add(time.Hour), Leased: 1}, 0, 0, false},
		{"queued without a time", frontier.Outlook{Queued: 1}, 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := bare()
			c.active.Store(tt.active)
			if code, over := c.settled(tt.o); code != tt.code || over != tt.over {
				t.Errorf("%d %v, want %d %v", code, over, tt.code, tt.over)
			}
		})
	}
}

func TestTheGravestEndWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, gravest := bare(), EndDone
		c.Pause()
		codes := rapid.SliceOfN(rapid.Uint8Range(uint8(EndDone), uint8(EndError)), 1, 6).Draw(t, "codes")
		for _, code := range codes {
			gravest = max(gravest, EndCode(code))
			c.Stop(EndCode(code), errors.New("why"))
		}
		if got := c.ending.Load(); got.Code != gravest {
			t.Fatalf("ended with %d, want %d", got.Code, gravest)
		}
		if !c.Stopping() || c.Paused() {
			t.Fatal("a paused worker would not see the end")
		}
	})
}

func TestFailNamesTheEnd(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		want EndCode
	}{
		{t.Context(), errors.New("x"), EndError},
		{t.Context(), fmt.Errorf("x: %w", frontier.ErrFull), EndFull},
		{cancelled, errors.New("x"), EndForced},
	} {
		c := bare()
		c.fail(tt.ctx, tt.err)
		if got := c.ending.Load().Code; got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}

func TestPagesAreReservedAndGivenBack(t *testing.T) {
	c := bare()
	c.MaxPages = 2
	for n, want := range []bool{true, true, false} {
		if c.takePage() != want {
			t.Fatalf("page %d of two: %v", n+1, !want)
		}
	}
	c.settlePage(false)
	if !c.takePage() {
		t.Fatal("a page that came to nothing is free again")
	}
	c.settlePage(true)
	if c.Stopping() {
		t.Fatal("one page is still to come")
	}
	c.settlePage(true)
	if end := c.ending.Load(); end == nil || end.Code != EndPages {
		t.Fatalf("ending %+v", end)
	}
}

func TestHopsAreThoseAtTheEnd(t *testing.T) {
	for path, want := range map[string]int{"": 0, "L": 0, "R": 1, "LRR": 2, "RRL": 0, "RLRRR": 3} {
		if got := hops(path); got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
}

func TestHostPort(t *testing.T) {
	for origin, want := range map[string]string{
		"https://shop.test": "shop.test 443", "http://shop.test": "shop.test 80", "https://shop.test:8443": "shop.test 8443",
		"http://[::1]": "::1 80", "https://[2001:db8::1]:444": "2001:db8::1 444", "http://127.0.0.1:1": "127.0.0.1 1",
	} {
		host, port := hostPort(origin)
		if got := fmt.Sprint(host, " ", port); got != want {
			t.Errorf("%s: %s, want %s", origin, got, want)
		}
	}
}

func TestGuardReasonIsOfTheGuardOnly(t *testing.T) {
	for kind, want := range map[fetch.Kind]politeness.Reason{
		fetch.KindAddress: politeness.GuardAddress, fetch.KindPort: politeness.GuardPort, fetch.KindScheme: politeness.GuardScheme,
		fetch.KindTLS: politeness.GuardTLS, fetch.KindDNS: politeness.GuardDNS, fetch.KindTooLarge: "", fetch.KindReset: "",
	} {
		if got := guardReason(&fetch.Error{Kind: kind}); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	if guardReason(nil) != "" || guardReason(errors.New("x")) != "" {
		t.Error("other errors are not the guard's")
	}
}

func TestContextFailures(t *testing.T) {
	for kind, want := range map[fetch.Kind]discover.Failure{
		fetch.KindTooLarge: discover.FailureCeiling, fetch.KindRatio: discover.FailureCeiling, fetch.KindCoding: discover.FailureCoding,
		fetch.KindAddress: discover.FailureGuard, fetch.KindPort: discover.FailureGuard, fetch.KindScheme: discover.FailureGuard,
		fetch.KindReset: discover.FailureNetwork, fetch.KindTLS: discover.FailureNetwork, fetch.KindHeaders: discover.FailureNetwork,
	} {
		if got := contextFailure(&fetch.Error{Kind: kind}); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
}

func TestTheContextOfAnOriginHasAKeyThatNoPageCanHave(t *testing.T) {
	for _, origin := range []string{"https://shop.test", "http://shop.test:8080", "https://[::1]"} {
		got, ok := contextOrigin(contextCandidate(origin, "").URL)
		if !ok || got != origin {
			t.Errorf("%s: %s %v", origin, got, ok)
		}
		key := contextCandidate(origin, "").URL
		if canonical, err := frontier.Canonical(key); err != nil || canonical == key {
			t.Errorf("%s is the URL of a page, %v", key, err)
		}
	}
	for _, raw := range []string{"https://shop.test/#context", "https://shop.test/a/#context"} {
		canonical, err := frontier.Canonical(raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := contextOrigin(canonical); ok {
			t.Errorf("the page %s is taken for a context", canonical)
		}
	}
}

func TestAClosedOriginOpensAgain(t *testing.T) {
	o := newClosedOrigins()
	o.add("https://shop.test", noon)
	if !o.has("https://shop.test", noon.Add(closedFor-1)) || o.has("https://shop.test", noon.Add(closedFor)) || o.has("https://other.test", noon) {
		t.Error("closed at the wrong time, or another origin")
	}
	for i := range closedLimit + 10 {
		o.add(fmt.Sprint("https://", i, ".test"), noon)
	}
	if len(o.until) > closedLimit {
		t.Errorf("%d origins are remembered", len(o.until))
	}
}

func TestTheDeskIsBoundedAndKeepsWhatIsUnderWay(t *testing.T) {
	d := newContextDesk()
	busy := d.of("https://busy.test")
	busy.cycle = &discover.Cycle{}
	held := d.of("https://held.test")
	held.mu.Lock()
	for i := range 2 * deskLimit {
		d.of(fmt.Sprint("https://", i, ".test"))
	}
	if len(d.origins) > deskLimit {
		t.Errorf("%d origins", len(d.origins))
	}
	if d.of("https://busy.test") != busy || d.of("https://held.test") != held {
		t.Error("work under way was dropped")
	}
	held.mu.Unlock()
}

func TestPolicyHeaderKeepsWhatRevalidationNeeds(t *testing.T) {
	h := http.Header{}
	for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Content-Type", "Link", "Location", "Set-Cookie", "X-Secret"} {
		h.Set(name, "v")
	}
	kept := policyHeader(h)
	if len(kept) != 6 || kept.Get("Set-Cookie") != "" || kept.Get("X-Secret") != "" || kept.Get("Etag") != "v" {
		t.Errorf("kept %v", kept)
	}
	kept["Etag"][0] = "changed"
	if h.Get("Etag") != "v" {
		t.Error("the header shares its values with the document")
	}
}

func TestStatusClasses(t *testing.T) {
	for status, want := range map[int]int{0: -1, 99: -1, 100: countInformational, 204: countSuccess, 304: countRedirection, 404: countClientError, 599: countServerError, 600: -1, 999: -1} {
		if got := statusClass(status); got != want {
			t.Errorf("%d: %d, want %d", status, got, want)
		}
	}
}

func TestNewRefusesWhatCannotRun(t *testing.T) {
	for _, o := range []Options{{}, {Purposes: politeness.PurposesOf(politeness.Index)},
		{Purposes: politeness.PurposesOf(politeness.Index), Clock: time.Now, Rand: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler)}} {
		if c, err := New(o, Rooms{}); err == nil || c != nil {
			t.Errorf("made %v from %+v", c, o)
		}
	}
}
