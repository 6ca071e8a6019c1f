package bolt

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"heed/frontier"
	"heed/politeness"
)

func TestDocumentsNotesAndPaceAreDurableOnReturn(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "state.db")
	e := openAt(t, path, Options{CommitWindow: time.Hour})
	const url = "https://a.test/robots.txt"
	if d, err := e.LoadDocument(ctx, url); d != nil || err != nil {
		t.Fatalf("a document nobody saved: %v, %v", d, err)
	}
	want := &politeness.Document{URL: url, FinalURL: url, Status: 200, Body: []byte("x")}
	if err := e.SaveDocument(ctx, url, want); err != nil {
		t.Fatal(err)
	}
	if err := e.SaveNote(ctx, "context", "a.test", []byte("note")); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := e.LoadPace("a.test"); ok || err != nil {
		t.Fatalf("pace nobody saved: %v, %v", ok, err)
	}
	if err := e.SavePace("a.test", time.Now().Add(time.Hour), []byte("pace")); err != nil {
		t.Fatal(err)
	}
	crashable{e}.Crash()

	e = openAt(t, path, Options{})
	if d, err := e.LoadDocument(ctx, url); err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("document %+v, %v", d, err)
	}
	if v, err := e.LoadNote(ctx, "context", "a.test"); string(v) != "note" || err != nil {
		t.Errorf("note %q, %v", v, err)
	}
	if v, ok, err := e.LoadPace("a.test"); string(v) != "pace" || !ok || err != nil {
		t.Errorf("pace %q, %v, %v", v, ok, err)
	}
}

func TestNotesAreListedByKindAndDeletedByNil(t *testing.T) {
	ctx := context.Background()
	e := openTemp(t, Options{})
	for i := range 5 {
		for _, kind := range []string{"a", "aa"} {
			if err := e.SaveNote(ctx, kind, fmt.Sprint(i), []byte{byte(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := e.SaveNote(ctx, "a", "2", nil); err != nil {
		t.Fatal(err)
	}
	if v, err := e.LoadNote(ctx, "a", "2"); v != nil || err != nil {
		t.Errorf("a deleted note: %v, %v", v, err)
	}
	var keys []string
	for cursor := ""; ; {
		notes, next, err := e.ListNotes(ctx, "a", cursor, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range notes {
			keys = append(keys, n.Key)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	if !reflect.DeepEqual(keys, []string{"0", "1", "3", "4"}) {
		t.Errorf("listed %v", keys)
	}
	if err := e.SaveNote(ctx, "bad\x00kind", "k", nil); err == nil {
		t.Error("a kind with NUL was taken")
	}
}

// A pause that is queued and not committed holds for a host that is not in RAM
// yet.
func TestSavePaceHoldsAHostThatIsDiscoveredAfterwards(t *testing.T) {
	c := newClock()
	e := openTemp(t, Options{Delay: noDelay, Clock: c.now})
	if err := e.SavePace("a.test", c.now().Add(time.Minute), []byte("p")); err != nil {
		t.Fatal(err)
	}
	discover(t, e, candidate("a.test", "/"))
	if g, o, err := e.Claim(context.Background(), frontier.ClaimRequest{TTL: time.Minute}); err != nil || len(g) > 0 || !o.Next.Equal(c.now().Add(time.Minute)) {
		t.Fatalf("%d grants, outlook %+v, %v", len(g), o, err)
	}
	c.pass(time.Minute)
	claimOne(t, e)
}

func TestLoadPaceWaitsForAStateOnItsWay(t *testing.T) {
	e := openTemp(t, Options{Delay: noDelay, CommitWindow: time.Hour})
	discover(t, e, candidate("a.test", "/"))
	s := fetched(claimOne(t, e))
	s.Pace = []byte("new")
	if err := e.SettleAsync(context.Background(), s, nil); err != nil {
		t.Fatal(err)
	}
	if state, ok, err := e.LoadPace("a.test"); string(state) != "new" || !ok || err != nil {
		t.Errorf("pace %q, %v, %v", state, ok, err)
	}
}

func TestTwoURLsWithTheSameHashAreToldApart(t *testing.T) {
	e := openTemp(t, Options{Delay: noDelay})
	// The second record is put where the first one hashes to, as if the hashes
	// were the same; the first must then stand one further.
	a, b := candidate("a.test", "/a"), candidate("a.test", "/b")
	links := []link{{7, a}, {7, b}, {7, a}}
	if err := e.do(context.Background(), &op{kind: opSettle, links: links}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 2 {
		g := claimOne(t, e)
		seen[g.URLs[0].URL] = true
		settle(t, e, fetched(g))
	}
	if !seen[a.URL] || !seen[b.URL] {
		t.Fatalf("handed out %v", seen)
	}
}

func TestAParentIsKeptByItsKeyAndSpeltAgain(t *testing.T) {
	e := openTemp(t, Options{Delay: noDelay})
	near, far := candidate("a.test", "/near"), candidate("b.test", "/far")
	near.Parent, far.Parent = "https://a.test/", "https://a.test/"
	discover(t, e, candidate("a.test", "/"), near, far)
	for _, c := range []frontier.Candidate{near, far} {
		if r := why(t, e, c.URL); r.Parent != c.Parent {
			t.Errorf("parent of %s is %q", c.URL, r.Parent)
		}
	}
}

func TestALongBacklogOfFutureURLsComesOut(t *testing.T) {
	const n = 3 * foundMax
	c := newClock()
	path := filepath.Join(t.TempDir(), "state.db")
	e := openAt(t, path, Options{Delay: noDelay, Clock: c.now, CommitWindow: time.Millisecond})
	var all []frontier.Candidate
	for i := range n {
		u := candidate(fmt.Sprintf("h%d.test", i%10), fmt.Sprint("/", i))
		u.NotBefore = c.now().Add(time.Hour)
		all = append(all, u)
	}
	discover(t, e, all...)
	c.pass(time.Hour)
	got := 0
	for got < n {
		grants, o, err := e.Claim(context.Background(), frontier.ClaimRequest{MaxHosts: 10, PerGrant: 100, TTL: time.Minute, MaxWait: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if len(grants) == 0 {
			t.Fatalf("%d of %d came out, outlook %+v", got, n, o)
		}
		for _, g := range grants {
			s := frontier.Settlement{Grant: g.GrantRef}
			for _, u := range g.URLs {
				got++
				s.Outcomes = append(s.Outcomes, frontier.Outcome{URL: u.URL, State: frontier.Gone})
			}
			if err := e.SettleAsync(context.Background(), s, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if check := verify(t, path); check.Future+check.Ready != 0 {
		t.Errorf("%d ready and %d future are left", check.Ready, check.Future)
	}
}

func TestARenewalOfManyStepsGoesOnAfterACrash(t *testing.T) {
	const n = 2*renewStep + 10
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "state.db")
	e := openAt(t, path, Options{Delay: noDelay})
	var all []frontier.Candidate
	for i := range n {
		all = append(all, candidate("a.test", fmt.Sprint("/", i)))
	}
	discover(t, e, all...)
	for left := n; left > 0; {
		g, _, err := e.Claim(ctx, frontier.ClaimRequest{PerGrant: 2000, TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		s := frontier.Settlement{Grant: g[0].GrantRef}
		for _, u := range g[0].URLs {
			s.Outcomes = append(s.Outcomes, frontier.Outcome{URL: u.URL, State: frontier.Fetched})
		}
		settle(t, e, s)
		left -= len(s.Outcomes)
	}
	first := &op{kind: opRenew, pass: 1, renewNow: e.now()}
	if err := e.do(ctx, first); err != nil || first.complete {
		t.Fatalf("first step: complete %v, %v", first.complete, err)
	}
	crashable{e}.Crash()
	e = openAt(t, path, Options{Delay: noDelay})
	rest, err := e.Renew(ctx, 1, time.Now(), false)
	if err != nil || first.renewed+rest != n {
		t.Fatalf("%d and %d of %d were queued, %v", first.renewed, rest, n, err)
	}
	if again, err := e.Renew(ctx, 1, time.Now(), true); again != 0 || err != nil {
		t.Fatalf("a complete pass queued %d, %v", again, err)
	}
	e.Close()
	verify(t, path)
}

func TestSettlementsAreRefusedBeforeAnythingHappens(t *testing.T) {
	e := openTemp(t, Options{Delay: noDelay})
	discover(t, e, candidate("a.test", "/1"))
	g := claimOne(t, e)
	for name, s := range map[string]frontier.Settlement{
		"an outcome that is not in the grant": {Grant: g.GrantRef, Outcomes: []frontier.Outcome{{URL: "https://a.test/2", State: frontier.Gone}}},
		"a state nothing is settled with":     {Grant: g.GrantRef, Outcomes: []frontier.Outcome{{URL: g.URLs[0].URL, State: frontier.Leased}}},
		"a link without a host":               {Grant: g.GrantRef, Links: []frontier.Candidate{{URL: "https://b.test/"}}},
		"a URL of a megabyte":                 {Grant: g.GrantRef, Links: []frontier.Candidate{candidate("b.test", "/"+string(bytes.Repeat([]byte("x"), 1<<20)))}},
		"a pace of no host":                   {Pace: []byte("x")},
	} {
		if _, err := e.Settle(context.Background(), []frontier.Settlement{s}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if v := settle(t, e, fetched(g)); v[0].Stale {
		t.Error("a refused settlement ended the grant")
	}
}
