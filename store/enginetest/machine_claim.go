package enginetest

import (
	"time"

	"pgregory.net/rapid"

	"heed/frontier"
)

func (x *machine) claimSome(r *rapid.T) {
	req := frontier.ClaimRequest{
		MaxHosts: rapid.IntRange(1, 4).Draw(r, "hosts"), PerGrant: rapid.IntRange(1, 4).Draw(r, "per grant"),
		TTL: seconds(r, 1, 60, "ttl"),
	}
	grants, outlook, err := x.Claim(x.ctx, req)
	check(r, err)
	sure := map[string]uint64{} // hosts that must be granted, to the rank of their head
	for _, name := range hostNames {
		due := x.m.claimable(name)
		if len(due) == 0 {
			continue
		}
		if may, maybe := x.m.may(x.m.host(name)); may && !maybe {
			sure[name] = due[0].rank()
		}
	}
	if len(grants) > req.MaxHosts {
		r.Fatalf("%d grants, asked for %d", len(grants), req.MaxHosts)
	}
	var last uint64
	for _, g := range grants {
		last = max(last, x.checkGrant(r, &req, &g))
		delete(sure, g.Host)
	}
	for name, head := range sure {
		if len(grants) < req.MaxHosts {
			r.Fatalf("%s may be asked and was not granted", name)
		}
		if head < last {
			r.Fatalf("%s has a URL of rank %d and was passed over for one of %d", name, head, last)
		}
	}
	x.checkOutlook(r, &outlook, len(grants))
}

// checkGrant compares a grant with the model, enters it there, and returns the
// rank of its first URL.
func (x *machine) checkGrant(r *rapid.T, req *frontier.ClaimRequest, g *frontier.Grant) uint64 {
	h := x.m.host(g.Host)
	if may, _ := x.m.may(h); !may {
		r.Fatalf("%s was granted: paused %v, live grant %v, next %v, now %v", g.Host, h.paused, h.grant != nil, h.next, x.m.now)
	}
	if g.Token <= x.m.token || g.Slot != 0 {
		r.Fatalf("token %d in slot %d after token %d", g.Token, g.Slot, x.m.token)
	}
	x.m.token = g.Token
	due := x.m.claimable(g.Host)
	if want := min(len(due), req.PerGrant); len(g.URLs) != want {
		r.Fatalf("%d URLs of %s granted, want %d", len(g.URLs), g.Host, want)
	}
	mg := &modelGrant{ref: g.GrantRef, deadline: x.m.now.Add(req.TTL)}
	if !g.Deadline.Equal(mg.deadline) {
		r.Fatalf("deadline %v, want %v", g.Deadline, mg.deadline)
	}
	for i, item := range g.URLs {
		u := x.m.urls[item.URL]
		if u == nil || u.grant != nil || u.state != frontier.Ready {
			r.Fatalf("%s was granted and is not ready", item.URL)
		}
		if u.rank() != due[i].rank() {
			r.Fatalf("%s of rank %d was granted before %s of %d", item.URL, u.rank(), due[i].URL, due[i].rank())
		}
		if item != u.Item {
			r.Fatalf("granted\n%+v, want\n%+v", item, u.Item)
		}
		u.grant = mg
		mg.urls = append(mg.urls, u)
	}
	h.grant = mg
	x.old = append(x.old, g.GrantRef)
	return due[0].rank()
}

func (x *machine) checkOutlook(r *rapid.T, o *frontier.Outlook, granted int) {
	queued, leased := 0, 0
	var next time.Time // earliest time at which the model has something
	for _, u := range x.m.urls {
		switch s := u.shown(); s {
		case frontier.Leased:
			leased++
		case frontier.Ready, frontier.Future:
			queued++
			h := x.m.host(u.Host)
			if h.paused || h.grant != nil {
				continue
			}
			at := later(later(h.next, h.soft), u.since)
			if s == frontier.Future {
				at = later(at, u.due)
			}
			if next.IsZero() || at.Before(next) {
				next = at
			}
		}
	}
	if o.Queued != queued || o.Leased != leased {
		r.Fatalf("outlook says %d queued, %d leased; want %d and %d", o.Queued, o.Leased, queued, leased)
	}
	if queued == 0 && !o.Next.IsZero() {
		r.Fatalf("nothing is queued, and next is %v", o.Next)
	}
	if granted == 0 && !next.IsZero() && (o.Next.IsZero() || o.Next.After(next)) {
		r.Fatalf("next is %v, want no later than %v", o.Next, next)
	}
}
