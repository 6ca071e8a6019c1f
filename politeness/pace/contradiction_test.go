package pace

import (
	"testing"
	"testing/synctest"
	"time"
)

// refusal is a 403 in spite of the site's own permission.
var refusal = Result{Status: 403, Access: AccessContradicted}

func TestAP142ThreeContradictionsInARowPauseTheHostForAnHour(t *testing.T) {
	given, unsaid := Result{Status: 200, Access: AccessGiven}, Result{Status: 403}
	for _, tt := range []struct {
		name    string
		answers []Result
		paused  bool
	}{
		{"AP-142 three in a row", []Result{refusal, refusal, refusal}, true},
		{"AP-142 two are not enough", []Result{refusal, refusal}, false},
		{"AP-142 a success between them begins the row anew", []Result{refusal, refusal, given, refusal, refusal}, false},
		{"AP-142 the third after a success pauses", []Result{refusal, given, refusal, refusal, refusal}, true},
		{"AP-142 a 403 that nothing contradicts does not count", []Result{unsaid, unsaid, unsaid, unsaid}, false},
		{"AP-142 nor does it end a row", []Result{refusal, unsaid, refusal, unsaid, refusal}, true},
		{"AP-142 a policy document that answers does not end a row", []Result{refusal, {Status: 200}, refusal, refusal}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := New(Defaults())
				var next Next
				for i, r := range tt.answers {
					next = finish(t, p, "shop.test", r)
					if i < len(tt.answers)-1 && next.Held {
						t.Fatalf("held by answer %d, %+v", i+1, r)
					}
					if !next.Held {
						time.Sleep(time.Until(next.At))
					}
				}
				if next.Held != tt.paused {
					t.Fatalf("held %t, want %t", next.Held, tt.paused)
				}
				if !tt.paused {
					wantWait(t, p, "shop.test", Wait{})
					return
				}
				wantWait(t, p, "shop.test", Wait{Until: time.Now().Add(time.Hour), Reason: ReasonBackOff})
				wantWait(t, p, "other.test", Wait{})
				time.Sleep(time.Hour)
				wantWait(t, p, "shop.test", Wait{})
				finish(t, p, "shop.test", refusal) // a new row, not a new pause
				wantWait(t, p, "shop.test", Wait{Until: time.Now().Add(time.Second), Reason: ReasonNotYet})
			})
		})
	}
}

func TestAP142ThePauseAndTheRowOutliveAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf := newMemoryShelf()
		restart := func() *Pacer {
			o := Defaults()
			o.Shelf, o.Restarted = shelf, true
			return New(o)
		}
		p := restart()
		for range 2 {
			time.Sleep(time.Second)
			finish(t, p, "shop.test", refusal)
			// As the settlement of the visit would, in its commit.
			if err := shelf.SavePace("shop.test", time.Time{}, p.State("shop.test")); err != nil {
				t.Fatal(err)
			}
		}
		p = restart()
		time.Sleep(time.Second)
		finish(t, p, "shop.test", refusal) // the pause is on the shelf before the slot is free
		until := time.Now().Add(time.Hour)
		wantWait(t, restart(), "shop.test", Wait{Until: until, Reason: ReasonBackOff})
	})
}
