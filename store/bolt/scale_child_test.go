package bolt

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"heed/frontier"
)

const scaleHosts = 10_000

// web makes up the pages of BenchmarkScale, the same ones in each process.
type web struct {
	random *rand.Rand
	zipf   *rand.Zipf
	names  [scaleHosts]string
	grown  [scaleHosts]uint32 // number of the newest article
}

func newWeb() *web {
	w := &web{random: rand.New(rand.NewPCG(1, 2))}
	w.zipf = rand.NewZipf(w.random, 1.1, 10, scaleHosts-1)
	for i := range w.names {
		w.names[i] = fmt.Sprintf("host-number-%d.test", i)
	}
	return w
}

func (w *web) article(host int, n uint32) frontier.Candidate {
	return candidate(w.names[host], "/section/of/the/site/article-"+strconv.Itoa(int(n))+".html")
}

func (w *web) seeds() (all []frontier.Candidate) {
	for i := range w.names {
		all = append(all, w.article(i, 0))
	}
	return all
}

// links are those of a page: 60, a fifth of them new, 70 % to its own host.
// visit gets each with its host, its number, and whether it is new.
func (w *web) links(own int, visit func(host int, n uint32, isNew bool)) {
	for i := range 60 {
		h := own
		if i%10 < 3 {
			h = int(w.zipf.Uint64())
		}
		if i%5 == 0 {
			w.grown[h]++
			visit(h, w.grown[h], true)
		} else {
			visit(h, w.random.Uint32N(w.grown[h]+1), false)
		}
	}
}

// hostNumber is the inverse of web.names.
func hostNumber(name string) int {
	n, _ := strconv.Atoi(name[len("host-number-") : len(name)-len(".test")])
	return n
}

// scalePage is the answer that every page of the benchmark gave.
func scalePage(now time.Time, n int64) *frontier.Page {
	p := &frontier.Page{Status: 200, FetchedAt: now, ETag: `"5f3c-61a2b3c4d5e6f"`, LastModified: "Wed, 21 Oct 2015 07:28:00 GMT",
		Location: "heed-20261201-0001.warc.gz:" + strconv.FormatInt(n*20_000, 10) + ":18000", WireBytes: 18_000, Checks: 1}
	p.Digest[n&31], p.Digest[0] = 1, byte(n)|1
	return p
}

const scalePace = 46 // octets of the pacer's record

// scaleMain is what a process of the benchmark does.
func scaleMain(order string) error {
	what, path, _ := strings.Cut(order, "\n")
	var grow func(urls int64, p *progress) error
	var err error
	var opened float64
	switch what {
	case "engine":
		grow, err = growEngine(path)
	case "bare":
		grow, err = growBare(path)
	default:
		start := time.Now()
		var e *Engine
		if e, err = Open(path, Options{Delay: noDelay}); err != nil {
			return err
		}
		opened = float64(time.Since(start).Microseconds()) / 1000
		grow = func(_ int64, p *progress) error {
			s, err := e.Stats(context.Background())
			p.Known = s.Known
			return err
		}
	}
	if err != nil {
		return err
	}
	p := progress{OpenMillis: opened}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		urls, err := strconv.ParseInt(in.Text(), 10, 64)
		if err != nil {
			return err
		}
		start := time.Now()
		if err := grow(urls, &p); err != nil {
			return err
		}
		p.Seconds += time.Since(start).Seconds()
		if err := json.NewEncoder(os.Stdout).Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// growEngine crawls through the contract of the frontier.
func growEngine(path string) (func(int64, *progress) error, error) {
	e, err := Open(path, Options{Delay: noDelay, PerHost: 8, Seen: 1 << 20})
	if err != nil {
		return nil, err
	}
	w := newWeb()
	ctx := context.Background()
	if _, err := e.Discover(ctx, w.seeds()); err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	settled := func(v frontier.Verdict, err error) {
		if err == nil && v.Stale {
			err = frontier.ErrStale
		}
		if err != nil {
			select {
			case failed <- err:
			default:
			}
		}
	}
	return func(urls int64, p *progress) error {
		p.Known = 0
		for p.Known < urls {
			g, o, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 1, PerGrant: 1, TTL: time.Hour, MaxWait: time.Minute})
			if err != nil || len(g) == 0 {
				return fmt.Errorf("%d grants, outlook %+v: %w", len(g), o, err)
			}
			page := &g[0].URLs[0]
			links := make([]frontier.Candidate, 0, 60)
			w.links(hostNumber(page.Host), func(h int, n uint32, _ bool) {
				c := w.article(h, n)
				c.Parent, c.Path, c.Depth = page.URL, "LLL", 3
				links = append(links, c)
			})
			now := time.Now()
			s := frontier.Settlement{Grant: g[0].GrantRef, Links: links, HostNext: now, Pace: make([]byte, scalePace),
				Outcomes: []frontier.Outcome{{URL: page.URL, State: frontier.Fetched, Page: scalePage(now, p.Pages)}}}
			if err := e.SettleAsync(ctx, s, settled); err != nil {
				return err
			}
			if p.Pages++; p.Pages%500 == 0 {
				p.Anon = max(p.Anon, rssAnon())
				s, err := e.Stats(ctx)
				if err != nil {
					return err
				}
				p.Known = s.Known
			}
		}
		if err := e.Flush(ctx); err != nil {
			return err
		}
		s, err := e.Stats(ctx)
		p.Known = s.Known
		select {
		case err = <-failed:
		default:
		}
		return err
	}, nil
}

// rssAnon is the anonymous memory of the process in octets, 0 where the system
// does not tell.
func rssAnon() (bytes int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "RssAnon:") {
			fmt.Sscanf(line, "RssAnon: %d kB", &bytes)
		}
	}
	return bytes << 10
}
