package crawler

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTheRateHoldsOnAverage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Crawler{Options: Options{Clock: time.Now}, throttle: throttle{rate: 1000}}
		began, total := time.Now(), int64(0)
		for _, octets := range []int64{1, 5000, 10, 0, 900, 20_000, 3} {
			for {
				waited, err := c.payOff(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !waited {
					break
				}
			}
			if elapsed := time.Since(began); elapsed < time.Duration(total)*time.Millisecond {
				t.Errorf("%d octets in %v", total, elapsed)
			}
			c.throttle.spend(octets, time.Now())
			total += octets
		}
		if elapsed := time.Since(began); elapsed > 27*time.Second {
			t.Errorf("%d octets took %v", total, elapsed)
		}
	})
}

func TestWithoutARateNobodyWaits(t *testing.T) {
	var off throttle
	off.spend(1<<62, time.Unix(0, 0))
	if owed := off.owed(time.Unix(0, 0)); owed != 0 {
		t.Errorf("owed %v", owed)
	}
	one := throttle{rate: 1 << 20}
	one.spend(1<<40, time.Unix(0, 0))
	if owed := one.owed(time.Unix(0, 0)); owed != 1<<20*time.Second {
		t.Errorf("owed %v", owed)
	}
}
