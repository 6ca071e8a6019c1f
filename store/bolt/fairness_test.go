package bolt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heed/frontier"
)

// More hosts may be asked than workers can ask: each has its turn before any has
// a second one, whatever the time from one to the next. 100,000 hosts in the slow
// form.
func TestEveryHostHasItsTurn(t *testing.T) {
	hosts, workers := 3_000, 50 // workers divide hosts: of those that waited as long, any may go first
	if os.Getenv("HEED_SLOW") != "" {
		hosts, workers = 100_000, 500
	}
	const pages = 3
	c := newClock()
	e := openAt(t, filepath.Join(t.TempDir(), "state.db"), Options{Clock: c.now, Delay: noDelay, noSync: true})
	for p := range pages {
		for first := 0; first < hosts; first += 1000 {
			var all []frontier.Candidate
			for h := range 1000 {
				all = append(all, candidate(fmt.Sprintf("h%d.test", first+h), fmt.Sprint("/", p)))
			}
			discover(t, e, all...)
		}
	}
	ctx := context.Background()
	turns := make([]int, hosts)
	for asked := 0; asked < hosts*pages; {
		c.pass(time.Second)
		grants, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: workers, PerGrant: 1, TTL: time.Minute})
		if err != nil || len(grants) == 0 {
			t.Fatalf("%d grants, %v", len(grants), err)
		}
		all := make([]frontier.Settlement, len(grants))
		for i, g := range grants {
			var h int
			fmt.Sscanf(g.Host, "h%d.test", &h)
			turns[h]++
			if round := asked/hosts + 1; turns[h] > round {
				t.Fatalf("%s has its turn %d when %d of %d hosts have had round %d", g.Host, turns[h], asked%hosts, hosts, round)
			}
			asked++
			all[i] = fetched(g)
			all[i].HostNext = c.now().Add(time.Second)
		}
		if _, err := e.Settle(ctx, all); err != nil {
			t.Fatal(err)
		}
	}
}
