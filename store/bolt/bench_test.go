//go:build unix

package bolt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
// URLs each: all of them one after the other, and the one in the middle.
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
	var held []frontier.GrantRef
	took := make([]time.Duration, b.N)
	for i := range took {
		start := time.Now()
		g, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: time.Hour})
		took[i] = time.Since(start)
		if err != nil || len(g) == 0 {
			b.Fatal(len(g), err)
		}
		if held = append(held, g[0].GrantRef); len(held) == hosts {
			b.StopTimer()
			if err := e.Release(ctx, held); err != nil {
				b.Fatal(err)
			}
			held = held[:0]
			b.StartTimer()
		}
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "median-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99-µs")
	b.ReportMetric(float64(rssAnon())/(1<<20), "anon-MB")
}

// BenchmarkGrow lets a frontier grow by its own links: each page has 60 of
// them, 12 of them new, over 10,000 hosts of which a few are much larger than
// the rest. It reports what a known URL costs.
func BenchmarkGrow(b *testing.B) {
	path := filepath.Join(b.TempDir(), "state.db")
	e := openAt(b, path, Options{Delay: noDelay, PerHost: 8, Seen: 1 << 20})
	const hosts = 10_000
	var names [hosts]string
	var grown [hosts]int
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 10, hosts-1)
	var seeds []frontier.Candidate
	for i := range names {
		names[i] = fmt.Sprintf("host-number-%d.test", i)
		seeds = append(seeds, candidate(names[i], "/section/article-0.html"))
	}
	discover(b, e, seeds...)
	ctx := context.Background()
	start := rssAnon()
	b.ResetTimer()
	cpu := cpuTime()
	for range b.N {
		g, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: time.Minute, MaxWait: time.Minute})
		if err != nil || len(g) == 0 {
			b.Fatal(err)
		}
		own := 0
		fmt.Sscanf(g[0].Host, "host-number-%d.test", &own)
		links := make([]frontier.Candidate, 0, 60)
		for i := range 60 {
			h := own
			if i%10 < 3 {
				h = int(zipf.Uint64())
			}
			n := random.IntN(grown[h] + 1)
			if i%5 == 0 {
				grown[h]++
				n = grown[h]
			}
			c := candidate(names[h], fmt.Sprintf("/section/of/the/site/article-%d.html", n))
			c.Parent, c.Path, c.Depth = g[0].URLs[0].URL, "LLL", 3
			links = append(links, c)
		}
		if err := e.SettleAsync(ctx, fetched(g[0], links...), nil); err != nil {
			b.Fatal(err)
		}
	}
	if err := e.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/page")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
	s, err := e.Stats(ctx)
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(s.Known), "file-B/URL")
	b.ReportMetric(float64(rssAnon()-start)/float64(s.Known), "anon-B/URL")
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

// BenchmarkFirstClaim measures opening a file of 200,000 hosts and the first
// claim, which reads their rows.
func BenchmarkFirstClaim(b *testing.B) {
	path := filepath.Join(b.TempDir(), "state.db")
	e, err := Open(path, Options{Delay: noDelay})
	if err != nil {
		b.Fatal(err)
	}
	fill(b, e, 200_000, 1)
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		e, err := Open(path, Options{Delay: noDelay})
		if err != nil {
			b.Fatal(err)
		}
		g, _, err := e.Claim(context.Background(), frontier.ClaimRequest{TTL: time.Minute})
		if err != nil || len(g) != 1 {
			b.Fatal(len(g), err)
		}
		b.StopTimer()
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
