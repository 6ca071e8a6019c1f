package bolt

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/frontier"
)

func TestInvariant9MemoryFollowsHostsAndNotURLs(t *testing.T) {
	const hosts, perHost = 10, 2000
	ctx := context.Background()
	e := openTemp(t, Options{Delay: noDelay})
	for i := range hosts {
		var all []frontier.Candidate
		for j := range perHost {
			all = append(all, candidate(fmt.Sprintf("h%d.test", i), fmt.Sprint("/", j)))
		}
		discover(t, e, all...)
	}
	for left := hosts * perHost; left > 0; {
		grants, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: hosts, PerGrant: 500, TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range grants {
			s := frontier.Settlement{Grant: g.GrantRef}
			for _, u := range g.URLs {
				s.Outcomes = append(s.Outcomes, frontier.Outcome{URL: u.URL, State: frontier.Gone})
			}
			left -= len(s.Outcomes)
			settle(t, e, s)
		}
		if len(e.byID) > hosts {
			t.Fatalf("%d hosts in RAM", len(e.byID))
		}
		for _, h := range e.byID {
			if len(h.buf.entries) > bufferMax || len(h.flying) > 500 {
				t.Fatalf("%s buffers %d places and has %d URLs in flight", h.name, len(h.buf.entries), len(h.flying))
			}
		}
	}
	if len(e.byID)+len(e.byName)+len(e.leases)+len(e.found)+e.flying+e.pending != 0 {
		t.Errorf("left behind when all is done: %d hosts, %d leases, %d found, %d flying, %d pending",
			len(e.byID), len(e.leases), len(e.found), e.flying, e.pending)
	}
}

func TestTheSeenSetNeverCoversWhatIsBetter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		type known struct{ score, depth int }
		model := map[uint64]known{}
		s := newSeenSet(1)
		for range rapid.IntRange(1, 50).Draw(r, "steps") {
			hash := rapid.Uint64Range(0, 4).Draw(r, "hash")<<40 | rapid.Uint64Range(0, 2).Draw(r, "low")
			c := frontier.Candidate{Score: rapid.IntRange(0, 100).Draw(r, "score"), Depth: rapid.IntRange(0, 300).Draw(r, "depth")}
			k, ok := model[hash]
			if covered := s.covers(hash, &c); covered && (!ok || c.Score > k.score || c.Depth < k.depth) {
				r.Fatalf("%+v is covered by %+v, known %v", c, k, ok)
			}
			if ok {
				c.Score, c.Depth = max(c.Score, k.score), min(c.Depth, k.depth)
			}
			model[hash] = known{c.Score, c.Depth}
			s.put(hash, clampScore(c.Score), clampDepth(c.Depth))
			if c.Depth < seenDepth && !s.covers(hash, &c) {
				r.Fatalf("%+v was just put", c)
			}
		}
	})
}

func TestTheBufferHoldsTheFirstPlacesInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := buffer{loaded: true, whole: true}
		var all []entry // everything inserted and not taken
		for range rapid.IntRange(1, 300).Draw(r, "steps") {
			if best, ok := b.best(); ok && rapid.IntRange(0, 3).Draw(r, "take") == 0 {
				if want := slices.MinFunc(all, entry.compare); best != want {
					r.Fatalf("best is %v, want %v", best, want)
				}
				b.pop()
				all = slices.DeleteFunc(all, func(n entry) bool { return n == best })
				continue
			}
			n := entry{rapid.Uint64Range(0, 50).Draw(r, "rank"), rapid.Uint64Range(0, 50).Draw(r, "hash")}
			b.insert(n)
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
			if len(b.entries) > bufferMax {
				r.Fatalf("%d entries", len(b.entries))
			}
		}
	})
}

func TestAttachmentsAreHandedOverOnceAndInOrder(t *testing.T) {
	var got []string
	groups := 0
	o := Options{Delay: noDelay, CommitWindow: time.Hour, Before: func(all []frontier.Attachment) (frontier.Marks, error) {
		groups++
		for _, a := range all {
			got = append(got, a.(*line).url)
		}
		return frontier.Marks{"side": int64(len(got))}, nil
	}}
	e := openTemp(t, o)
	var want []string
	for i := range 10 {
		discover(t, e, candidate(fmt.Sprintf("h%d.test", i), "/"))
	}
	for i := range 10 {
		s := fetched(claimOne(t, e))
		for j := range 2 {
			want = append(want, fmt.Sprint(i, j))
			s.Attach = append(s.Attach, &line{url: fmt.Sprint(i, j)})
		}
		if err := e.SettleAsync(context.Background(), s, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) || groups != 1 || e.Marks()["side"] != 20 {
		t.Errorf("%d groups, %v, marks %v", groups, got, e.Marks())
	}
}
