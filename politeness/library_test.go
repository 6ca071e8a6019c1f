package politeness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func place(name string) Place { return Place{URL: "https://shop.test/" + name, Kind: name} }

func TestOneFetchOfADocumentAtATime(t *testing.T) {
	l := NewLibrary(&shelfCache{}, 16)
	if !l.Begin("a") || !l.Begin("b") {
		t.Fatal("a free document is not given out")
	}
	if l.Begin("a") {
		t.Fatal("a document that is being fetched is given out again")
	}
	l.End("a")
	if !l.Begin("a") {
		t.Fatal("a document given back is not given out")
	}
}

func TestOfManyWhoBeginOneSucceeds(t *testing.T) {
	l := NewLibrary(&shelfCache{}, 16)
	var wg sync.WaitGroup
	won := make(chan int, 32)
	for i := range cap(won) {
		wg.Go(func() {
			if l.Begin("a") {
				won <- i
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Errorf("%d succeeded", len(won))
	}
}

func TestADocumentIsVisibleOnlyOnceItIsDurable(t *testing.T) {
	full := errors.New("disk full")
	cache := &shelfCache{saves: full}
	l := NewLibrary(cache, 16)
	d := document("robots", "new")
	if err := l.Store(t.Context(), d); !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	if got, err := l.Copy(t.Context(), d.URL); got != nil || err != nil {
		t.Fatalf("a document that was not saved is visible: %+v, %v", got, err)
	}
	cache.saves = nil
	if err := l.Store(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if cache.documents[d.URL] != d {
		t.Fatal("nothing was saved")
	}
	cache.saves = full
	if err := l.Store(t.Context(), document("robots", "newer")); !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	if got, err := l.Copy(t.Context(), d.URL); err != nil || string(got.Body) != "new" {
		t.Errorf("the durable copy gave way to %+v, %v", got, err)
	}
}

func TestANewCopyIsParsedAnew(t *testing.T) {
	cache := &shelfCache{}
	g := newGate(t, cache, []*Document{document("robots", "")}, fakeSource{name: "robots"})
	if d, _, _ := g.Before(t.Context(), about("/a")); d.Verdict != Allow {
		t.Fatalf("%s", d.Verdict)
	}
	if err := g.Library().Store(t.Context(), document("robots", "/a deny")); err != nil {
		t.Fatal(err)
	}
	if d, _, _ := g.Before(t.Context(), about("/a")); d.Verdict != Deny {
		t.Errorf("the old copy still decides: %s", d.Verdict)
	}
}

func TestACopyHandedOutIsNotTheOneHeld(t *testing.T) {
	l := NewLibrary(&shelfCache{}, 16)
	if err := l.Store(t.Context(), document("robots", "x")); err != nil {
		t.Fatal(err)
	}
	d, _ := l.Copy(t.Context(), "https://shop.test/robots")
	d.Status = 500
	if again, _ := l.Copy(t.Context(), "https://shop.test/robots"); again.Status != 200 {
		t.Error("changing a copy changed the library")
	}
}

func TestFailuresPauseLongerAndLonger(t *testing.T) {
	l, now := NewLibrary(&shelfCache{}, 16), noon
	want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute,
		16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour, time.Hour}
	for i, pause := range want {
		d, err := l.Unreachable(t.Context(), place("robots"), "status", 503, now, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		f := d.Failure
		if f.Next.Sub(now) != pause || f.Attempts != i+1 || !f.Since.Equal(noon) || !f.At.Equal(now) || f.Status != 503 {
			t.Fatalf("attempt %d: %+v, want a pause of %s", i+1, f, pause)
		}
		if d.Held() || d.Due(f.Next.Add(-1)) || !d.Due(f.Next) {
			t.Fatalf("attempt %d: held %v, due early %v, due in time %v", i+1, d.Held(), d.Due(f.Next.Add(-1)), d.Due(f.Next))
		}
		now = f.Next
	}
}

func TestRetryAfterOnlyLengthensAPauseAndAtMostToADay(t *testing.T) {
	tests := []struct {
		name         string
		after, pause time.Duration
	}{
		{"shorter than our own pause", time.Second, 30 * time.Second},
		{"in the past", -time.Hour, 30 * time.Second},
		{"longer", time.Hour, time.Hour},
		{"a year", 365 * 24 * time.Hour, 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLibrary(&shelfCache{}, 16)
			d, err := l.Unreachable(t.Context(), place("robots"), "status", 429, noon, noon.Add(tt.after))
			if err != nil || d.Failure.Next.Sub(noon) != tt.pause {
				t.Errorf("next %s, %v; want %s", d.Failure.Next.Sub(noon), err, tt.pause)
			}
		})
	}
}

func TestTheLastGoodCopyStaysBesideAFailure(t *testing.T) {
	cache := &shelfCache{}
	l := NewLibrary(cache, 16)
	if err := l.Store(t.Context(), document("robots", "/a deny")); err != nil {
		t.Fatal(err)
	}
	d, err := l.Unreachable(t.Context(), place("robots"), "timeout", 0, noon, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Held() || d.Status != 200 || string(d.Body) != "/a deny" || d.Failure == nil {
		t.Fatalf("copy %+v", d)
	}
	if saved := cache.documents[d.URL]; saved.Failure == nil || string(saved.Body) != "/a deny" {
		t.Fatalf("saved %+v", saved)
	}
	if err := l.Store(t.Context(), document("robots", "/b deny")); err != nil {
		t.Fatal(err)
	}
	if d, _ = l.Copy(t.Context(), d.URL); d.Failure != nil {
		t.Error("an answer does not end the failure")
	}
}

func TestAFailureEndsTheChainOfRedirects(t *testing.T) {
	l := NewLibrary(&shelfCache{}, 16)
	between := held("robots", 0, "")
	between.Chain = &Chain{Next: "https://cdn.test/robots.txt", Hops: 2}
	if err := l.Store(t.Context(), between); err != nil {
		t.Fatal(err)
	}
	d, err := l.Unreachable(t.Context(), place("robots"), "dns", 0, noon, time.Time{})
	if err != nil || d.Chain != nil {
		t.Errorf("chain %+v, %v", d.Chain, err)
	}
	if between.Chain == nil {
		t.Error("the stored document was changed in place")
	}
}

func TestADocumentIsDueWhenItIsMissingStaleOrItsPauseIsOver(t *testing.T) {
	fresh := document("robots", "")
	tests := []struct {
		name string
		d    Document
		due  bool
	}{
		{"no answer yet", Document{}, true},
		{"fresh", *fresh, false},
		{"at the end of its freshness", Document{Status: 200, Expires: noon}, true},
		{"failed, in the pause, copy stale", Document{Status: 200, Expires: noon, Failure: &Failure{Next: noon.Add(1)}}, false},
		{"failed, pause over, copy fresh", Document{Status: 200, Expires: noon.Add(1), Failure: &Failure{Next: noon}}, true},
	}
	for _, tt := range tests {
		if got := tt.d.Due(noon); got != tt.due {
			t.Errorf("%s: due %v", tt.name, got)
		}
	}
}

func TestARefNamesTheLastAnswerOrTheLastFailure(t *testing.T) {
	failed := Document{URL: "u", Failure: &Failure{Status: 503, At: noon}}
	if ref := failed.Ref(); ref.Status != 503 || !ref.FetchedAt.Equal(noon) {
		t.Errorf("ref %+v", ref)
	}
	failed.Status, failed.FetchedAt, failed.SHA256 = 200, noon.Add(-time.Hour), "ab"
	if ref := failed.Ref(); ref.Status != 200 || !ref.FetchedAt.Equal(noon.Add(-time.Hour)) || ref.SHA256 != "ab" {
		t.Errorf("ref %+v", ref)
	}
}

func TestTheLibraryForgetsNothingThatIsSavedAndHoldsABoundedNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cache := &shelfCache{}
		l := NewLibrary(cache, 16)
		ctx := context.Background()
		model := map[string]string{}
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			name := fmt.Sprint("d", rapid.IntRange(0, 60).Draw(t, "document"))
			url := place(name).URL
			if rapid.Bool().Draw(t, "store") {
				model[url] = fmt.Sprint(i)
				if err := l.Store(ctx, document(name, model[url])); err != nil {
					t.Fatal(err)
				}
			}
			d, err := l.Copy(ctx, url)
			if err != nil {
				t.Fatal(err)
			}
			if want, known := model[url]; known != (d != nil) || known && string(d.Body) != want {
				t.Fatalf("%s is %+v, want %q", url, d, want)
			}
			if n := len(l.shelves[0]) + len(l.shelves[1]); n > 2*16 {
				t.Fatalf("%d documents in memory", n)
			}
		}
	})
}

func TestADocumentInUseIsNotLoadedAgain(t *testing.T) {
	cache := &shelfCache{documents: map[string]*Document{}}
	l := NewLibrary(cache, 16)
	for i := range 200 {
		name := fmt.Sprint("d", i)
		cache.documents[place(name).URL] = document(name, "")
	}
	hot := place("d0").URL
	for i := range 200 {
		for _, url := range []string{hot, place(fmt.Sprint("d", i)).URL} {
			if d, err := l.Copy(t.Context(), url); d == nil || err != nil {
				t.Fatal(url, d, err)
			}
		}
	}
	if cache.loads != 200 {
		t.Errorf("%d loads, want one a document", cache.loads)
	}
}

func TestManyReadersAndAWriter(t *testing.T) {
	g := newGate(t, &shelfCache{}, []*Document{document("robots", "/a deny")}, fakeSource{name: "robots"})
	var wg sync.WaitGroup
	if _, _, err := g.Before(t.Context(), about("/a")); err != nil { // into memory: the cache is not for concurrent use
		t.Fatal(err)
	}
	for range 4 {
		wg.Go(func() {
			for range 200 {
				d, need, err := g.Before(t.Context(), about("/a"))
				if err != nil || need != nil || d.Verdict != Deny {
					t.Errorf("%s, need %v, %v", d.Verdict, need, err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for range 200 {
			if err := g.Library().Store(t.Context(), document("robots", "/a deny")); err != nil {
				t.Error(err)
				return
			}
		}
	})
	wg.Wait()
}
