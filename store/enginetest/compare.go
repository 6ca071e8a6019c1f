package enginetest

import (
	"errors"

	"pgregory.net/rapid"

	"heed/frontier"
)

// compare checks everything that can be seen of the engine against the model.
func (x *machine) compare(r *rapid.T) {
	counts := map[string]*frontier.Host{}
	var states [frontier.Failed + 1]int64
	for url, u := range x.m.urls {
		got, err := x.Why(x.ctx, url)
		check(r, err)
		if got.State != u.shown() || got.Item != u.Item || got.Reason != u.reason {
			r.Fatalf("%s is %s %+v %q, want %s %+v %q", url, got.State, got.Item, got.Reason, u.shown(), u.Item, u.reason)
		}
		if u.shown() == frontier.Future && !got.Due.Equal(u.due) {
			r.Fatalf("%s is due at %v, want %v", url, got.Due, u.due)
		}
		if u.grant != nil && !got.Until.Equal(u.grant.deadline) {
			r.Fatalf("%s is leased until %v, want %v", url, got.Until, u.grant.deadline)
		}
		h := counts[u.Host]
		if h == nil {
			h = &frontier.Host{}
			counts[u.Host] = h
		}
		h.Known++
		states[u.shown()]++
		switch u.shown() {
		case frontier.Ready:
			h.Ready++
		case frontier.Future:
			h.Future++
		case frontier.Leased:
			h.Leased++
		}
	}
	for _, name := range hostNames {
		x.compareHost(r, name, counts[name])
	}
	x.compareStats(r, &states)
}

func (x *machine) compareHost(r *rapid.T, name string, want *frontier.Host) {
	got, err := x.Host(x.ctx, name)
	if err != nil {
		if !errors.Is(err, frontier.ErrUnknown) || want != nil {
			r.Fatal(err)
		}
		return
	}
	if want == nil {
		want = &frontier.Host{}
	}
	h := x.m.host(name)
	if got.Known != want.Known || got.Ready != want.Ready || got.Future != want.Future || got.Leased != want.Leased {
		r.Fatalf("%s has %d known, %d ready, %d future, %d leased; want %d, %d, %d, %d", name,
			got.Known, got.Ready, got.Future, got.Leased, want.Known, want.Ready, want.Future, want.Leased)
	}
	if got.Paused != h.paused || string(got.Pace) != h.pace || got.Name != name {
		r.Fatalf("host is %+v, want %+v", got, h)
	}
	reports, next, err := x.ListHost(x.ctx, name, "", 1000)
	check(r, err)
	if len(reports) != want.Known || next != "" {
		r.Fatalf("%d URLs of %s are listed, want %d; cursor %q", len(reports), name, want.Known, next)
	}
}

func (x *machine) compareStats(r *rapid.T, states *[frontier.Failed + 1]int64) {
	got, err := x.Stats(x.ctx)
	check(r, err)
	hosts := x.m.hostsWithPages()
	queued := states[frontier.Ready] + states[frontier.Future] + states[frontier.Leased]
	if got.Known != int64(len(x.m.urls)) || got.Queued != queued || got.Leased != states[frontier.Leased] ||
		got.Totals != x.m.tally || got.Hosts != hosts {
		r.Fatalf("stats are %+v, want %d known, %d queued, %d leased, totals %v, %d hosts", got,
			len(x.m.urls), queued, states[frontier.Leased], x.m.tally, hosts)
	}
	// Ready and Future may be counted together.
	if sum := got.States[frontier.Ready] + got.States[frontier.Future]; sum != queued-states[frontier.Leased] {
		r.Fatalf("%d URLs are ready or future, want %d", sum, queued-states[frontier.Leased])
	}
	for s := frontier.Leased; s <= frontier.Failed; s++ {
		if got.States[s] != states[s] {
			r.Fatalf("%d URLs are %s, want %d", got.States[s], s, states[s])
		}
	}
}
