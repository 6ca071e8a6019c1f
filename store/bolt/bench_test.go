//go:build unix

package bolt

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"heed/frontier"
)

// BenchmarkSettle60Links measures a claim and a settlement with 60 links, 12 of
// them new, as fast as the writer goes. The CPU per page includes its share of
// the commits.
func BenchmarkSettle60Links(b *testing.B) {
	for _, seen := range []int{0, 1 << 20} {
		b.Run(fmt.Sprintf("seen=%d", seen), func(b *testing.B) {
			e := openTemp(b, Options{Delay: noDelay, PerHost: 4, Seen: seen})
			const hosts = 1000
			host := make([]string, hosts)
			var seeds []frontier.Candidate
			for i := range host {
				host[i] = fmt.Sprintf("host%d.test", i)
				for j := range 20 {
					seeds = append(seeds, candidate(host[i], fmt.Sprintf("/some/longer/path/to/page-%d.html", j)))
				}
			}
			discover(b, e, seeds...)
			ctx := context.Background()
			n := 0
			b.ReportAllocs()
			b.ResetTimer()
			cpu := cpuTime()
			for range b.N {
				g, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: time.Minute, MaxWait: time.Minute})
				if err != nil || len(g) == 0 {
					b.Fatal(err)
				}
				links := make([]frontier.Candidate, 0, 60)
				for i := range 60 {
					h := g[0].Host
					if i%10 < 3 {
						h = host[(n*7+i)%hosts]
					}
					path := fmt.Sprintf("/some/longer/path/to/page-%d.html", i%20)
					if i%5 == 0 {
						path = fmt.Sprintf("/some/longer/path/to/new-%d-%d.html", n, i)
					}
					c := candidate(h, path)
					c.Parent, c.Path, c.Depth = g[0].URLs[0].URL, "LLL", 3
					links = append(links, c)
				}
				n++
				if err := e.SettleAsync(ctx, fetched(g[0], links...), nil); err != nil {
					b.Fatal(err)
				}
			}
			if err := e.Flush(ctx); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/page")
		})
	}
}

// BenchmarkClaim measures a claim of one grant where 200,000 hosts have five
// URLs each.
func BenchmarkClaim(b *testing.B) {
	const hosts = 200_000
	e := openTemp(b, Options{Delay: noDelay})
	fill(b, e, hosts, 5)
	ctx := context.Background()
	if _, err := e.Stats(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		g, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: time.Hour})
		if err != nil || len(g) == 0 {
			b.Fatal(len(g), err)
		}
		b.StopTimer()
		if err := e.Release(ctx, []frontier.GrantRef{g[0].GrantRef}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// fill makes URLs known, perHost for each of hosts.
func fill(b *testing.B, e *Engine, hosts, perHost int) {
	b.Helper()
	var batch []frontier.Candidate
	for i := range hosts {
		for j := range perHost {
			batch = append(batch, candidate(fmt.Sprintf("host%d.test", i), fmt.Sprintf("/some/longer/path/to/page-%d.html", j)))
		}
		if len(batch) > 40_000 || i == hosts-1 {
			discover(b, e, batch...)
			batch = batch[:0]
		}
	}
}

// BenchmarkOpen measures opening a file of 500,000 URLs after an unclean stop.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "state.db")
	e, err := Open(path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	fill(b, e, 10_000, 50)
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		e, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
