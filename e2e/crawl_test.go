//go:build e2e && linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const heedBinary = "../bin/heed"

// summary is what crawl --json prints, as far as it is compared here.
type summary struct {
	Exit        int   `json:"exit"`
	Pages       int   `json:"pages"`
	NotModified int   `json:"not_modified"`
	Failed      int   `json:"failed"`
	Hosts       int   `json:"hosts"`
	BytesWire   int64 `json:"bytes_wire"`
	BytesSaved  int64 `json:"bytes_saved"`
}

// crawler runs bin/heed with flags that fit the server.
type crawler struct {
	binary, data, authority string
	port                    int
}

func (c crawler) run(t *testing.T, verb string, args ...string) []byte {
	t.Helper()
	all := append([]string{verb,
		"--data", c.data, "--contact", "https://contact.e2e.test/bot", "--ca-file", c.authority,
		"--resolve", fmt.Sprintf("*:443:127.0.0.1:%d", c.port), "--allow-address", "127.0.0.0/8"}, args...)
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), c.binary, all...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.data, "TMPDIR=" + t.TempDir()}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("heed %s: %v\n%s", strings.Join(all, " "), err, tail(stderr.Bytes()))
	}
	t.Logf("heed %s took %v", verb, time.Since(start).Round(time.Millisecond))
	return stdout.Bytes()
}

func (c crawler) crawl(t *testing.T, seeds []string) summary {
	t.Helper()
	out := c.run(t, "crawl", append(seeds, "--delay", "0s", "--per-host", "4", "--archive", "warc", "--json")...)
	var s summary
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("crawl printed %q: %v", out, err)
	}
	return s
}

func tail(text []byte) []byte { return text[max(0, len(text)-4096):] }

func TestACrawlKeepsExactlyTheAllowedReachablePages(t *testing.T) {
	binary, err := filepath.Abs(heedBinary)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(binary); err != nil {
		missing(t, "bin/heed is not built: make build")
	}
	all := sites(t)
	pair := newKeyPair(t, hosts(all))
	s := startServer(t, all, pair)
	c := crawler{binary: binary, data: t.TempDir(), authority: filepath.Join(s.folder, "authority.pem"), port: s.port}
	write(t, c.authority, pair.authority)
	job := filepath.Join(c.data, "jobs", "default")

	want := make(map[string]bool)
	var seeds []string
	for _, one := range all {
		seeds = append(seeds, "https://"+one.Host+"/")
		maps.Copy(want, reachable(t, one))
	}
	if len(want) < minPages {
		t.Fatalf("only %d pages are reachable, want %d at least", len(want), minPages)
	}

	first := c.crawl(t, seeds)
	if first.Exit != 0 || first.Failed != 0 || first.Hosts != len(all) || first.Pages < len(want) {
		t.Errorf("first run: %+v, want exit 0, nothing failed, %d hosts, %d pages or more", first, len(all), len(want))
	}
	compare(t, want, readIndex(t, job), all)
	asked := s.requests(t)
	checkRequests(t, asked, all)

	second := c.crawl(t, nil)
	if second.Exit != 0 || second.Pages != 0 || second.NotModified != first.Pages {
		t.Errorf("second run: %+v, want exit 0, no page, %d not modified", second, first.Pages)
	}
	if second.BytesWire*4 > first.BytesWire {
		t.Errorf("second run: %d octets on the wire after %d, want a quarter at most", second.BytesWire, first.BytesWire)
	}
	again := s.requests(t)[len(asked):]
	checkRequests(t, again, all)
	checkConditional(t, again, want)

	report := readWARCs(t, job)
	for _, fault := range report.Faults[:min(20, len(report.Faults))] {
		t.Errorf("warcio: %s", fault)
	}
	if len(report.Faults) > 0 {
		t.Errorf("warcio: %d faults", len(report.Faults))
	}
	if n := report.Types["response"] + report.Types["revisit"]; n < first.Pages+second.NotModified || report.Digests < n {
		t.Errorf("warcio: %+v, want %d responses and revisits at least, each with a digest", report, first.Pages+second.NotModified)
	}
	c.run(t, "verify")
	t.Logf("%d pages of %d hosts, %d requests, then %d; WARC records %v with %d digests", len(want), len(all), len(asked), len(again),
		report.Types, report.Digests)
}

// compare holds the pages of the index against those that were to be found. What
// is no page of HTML on disk is not compared.
func compare(t *testing.T, want map[string]bool, index []capture, all []site) {
	t.Helper()
	files := make(map[string]map[string]bool)
	for _, s := range all {
		files[s.Host] = htmlFiles(t, s.Root)
	}
	got := make(map[string]int)
	for _, c := range index {
		u, err := url.Parse(c.URL)
		if err != nil {
			t.Fatalf("index: %v", err)
		}
		path := strings.TrimPrefix(u.Path, "/")
		if path == "" || strings.HasSuffix(path, "/") {
			path += "index.html"
		}
		if c.kept() && files[u.Host][path] {
			got[u.String()]++
		}
	}
	var lost, extra, twice []string
	for page := range want {
		if got[page] == 0 {
			lost = append(lost, page)
		}
	}
	for page, times := range got {
		if !want[page] {
			extra = append(extra, page)
		}
		if times > 1 {
			twice = append(twice, page)
		}
	}
	for what, list := range map[string][]string{"not kept": lost, "kept and not expected": extra, "kept twice": twice} {
		slices.Sort(list)
		if len(list) > 0 {
			t.Errorf("%d of %d pages %s, such as %v", len(list), len(want), what, list[:min(10, len(list))])
		}
	}
}

// exempt are the policy documents, which robots.txt does not bind.
var exempt = []string{"/robots.txt", "/automation-preferences.txt"}

// checkRequests holds what the server saw against the robots.txt of each host.
func checkRequests(t *testing.T, requests []request, all []site) {
	t.Helper()
	rules := make(map[string]ruleset)
	for _, s := range all {
		rules[s.Host] = s.rules
	}
	wrong := 0
	for _, r := range requests {
		host, ok := rules[r.host]
		if ok && r.method == "GET" && (slices.Contains(exempt, r.target) || host.allows(r.target)) {
			continue
		}
		if wrong++; wrong <= 10 {
			t.Errorf("the server saw %v, which nobody allowed", r)
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d requests were not allowed", wrong, len(requests))
	}
}

// checkConditional wants every page asked once, with its tag, and answered with
// 304.
func checkConditional(t *testing.T, requests []request, want map[string]bool) {
	t.Helper()
	times := make(map[string]int)
	wrong := 0
	for _, r := range requests {
		page := "https://" + r.host + r.target
		if !want[page] {
			continue
		}
		times[page]++
		if r.status != 304 || !r.ifNoneMatch || times[page] > 1 {
			if wrong++; wrong <= 10 {
				t.Errorf("asked again: %v, with a tag: %v, time %d; want one 304 by a tag", r, r.ifNoneMatch, times[page])
			}
		}
	}
	if len(times) != len(want) {
		t.Errorf("%d of %d pages were asked again", len(times), len(want))
	}
}
