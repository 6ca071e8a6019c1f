package enginetest

import (
	"errors"

	"pgregory.net/rapid"

	"heed/frontier"
)

func (x *machine) wait(r *rapid.T) {
	x.pass(seconds(r, 1, 70, "wait"))
	x.m.advance(x.clock.now())
}

func (x *machine) updateHost(r *rapid.T) {
	name := anyHost.Draw(r, "host")
	h := x.m.hosts[name]
	version := uint64(0)
	if got, err := x.Host(x.ctx, name); err == nil {
		version = got.Version
	} else if !errors.Is(err, frontier.ErrUnknown) || h != nil {
		r.Fatalf("host %s: %v, and the model has %+v", name, err, h)
	}
	var patch frontier.HostPatch
	paused := rapid.IntRange(0, 2).Draw(r, "paused") == 0
	patch.Paused = &paused
	if rapid.Bool().Draw(r, "has next") {
		next := x.clock.now().Add(seconds(r, 0, 60, "next"))
		patch.Next = &next
	}
	if rapid.IntRange(0, 3).Draw(r, "wrong version") == 0 {
		if err := x.UpdateHost(x.ctx, name, version+1, patch); !errors.Is(err, frontier.ErrStale) {
			r.Fatalf("update with another version: %v", err)
		}
		return
	}
	check(r, x.UpdateHost(x.ctx, name, version, patch))
	h = x.m.host(name)
	h.paused = paused
	if patch.Next != nil {
		h.next = *patch.Next
	}
}

func (x *machine) renewSome(r *rapid.T) {
	pass := x.m.pass + uint64(rapid.IntRange(0, 1).Draw(r, "new pass"))
	refresh := rapid.Bool().Draw(r, "refresh")
	if pass == 0 {
		r.Skip("there was no pass yet")
	}
	queued, err := x.Renew(x.ctx, pass, x.clock.now(), refresh)
	check(r, err)
	if want := x.m.renew(pass, refresh); queued != want {
		r.Fatalf("renew queued %d, want %d", queued, want)
	}
}

func (x *machine) reopenClean(r *rapid.T) {
	check(r, x.Engine.Close())
	x.Engine = x.open(x.T, x.dir, x.clock.now)
	x.m.restart(false)
}

func (x *machine) crashAndOpen(r *rapid.T) {
	check(r, x.Engine.(Crasher).Crash())
	x.Engine = x.open(x.T, x.dir, x.clock.now)
	x.m.restart(true)
}
