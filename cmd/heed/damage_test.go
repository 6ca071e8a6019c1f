package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// said is all that a process has written.
func (p *process) said() string { return p.out.String() + p.err.String() }

// TestStateCutOff cuts the state file of a job at several places, its two heads
// included: every command says what is wrong and what to do, and touches nothing.
// Both parts of the advice hold.
func TestStateCutOff(t *testing.T) {
	t.Parallel()
	f := newFarm(t, &politeSites{hosts: 1, pages: 5})
	data := t.TempDir()
	state := filepath.Join(data, "jobs", "default", "state.db")
	crawl := []string{"crawl", "h00.test", "--json", "--context", "off"}
	start(t, f.environ(data), crawl...).expect(t, 0)
	start(t, f.environ(data), "compact").expect(t, 0) // so that nothing before its free end is free
	whole, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(whole, "\x00"))
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(state, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked := len(f.log())
	for _, size := range []int{1, 40, 4096, 4096 + 40, 8192, used / 2, used - 1} {
		write(whole[:size])
		for _, verb := range [][]string{crawl, {"status"}, {"verify"}, {"explain", "https://h00.test/"}, {"compact"}} {
			p := start(t, f.environ(data), verb...).expect(t, 23)
			if !strings.Contains(p.said(), "damaged") || !strings.Contains(p.said(), "restore the file from a copy, or remove it") {
				t.Errorf("%d octets, %v: %q does not say what is wrong and what to do", size, verb, p.said())
			}
		}
		if after, err := os.ReadFile(state); err != nil || !bytes.Equal(after, whole[:size]) {
			t.Errorf("%d octets: the state file was touched: %v", size, err)
		}
	}
	if now := len(f.log()); now != asked {
		t.Errorf("%d requests with a damaged state", now-asked)
	}

	write(whole)
	start(t, f.environ(data), "verify").expect(t, 0)
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	var sum summary
	start(t, f.environ(data), crawl...).expect(t, 0).json(t, &sum)
	if sum.Pages != 5 {
		t.Errorf("started again without a state: %+v, want 5 pages", sum)
	}
	start(t, f.environ(data), "verify").expect(t, 0)
	if volumes, err := filepath.Glob(filepath.Join(data, "jobs", "default", "archive", "*.warc.gz")); err != nil || len(volumes) != 2 {
		t.Errorf("archive of both runs: %v, %v", volumes, err)
	}
}

// TestReadOnlyData runs on a file system that is read-only: what has to write says
// so before it asks anybody for anything, verify works.
func TestReadOnlyData(t *testing.T) {
	data := t.TempDir()
	mount := func(options string) ([]byte, error) {
		return exec.Command("mount", "-t", "tmpfs", "-o", options, "heed-test", data).CombinedOutput()
	}
	if out, err := mount("size=64m"); err != nil {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", data).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	f := newFarm(t, &politeSites{hosts: 1, pages: 3})
	start(t, f.environ(data), "crawl", "h00.test", "--context", "off").expect(t, 0)
	if out, err := mount("remount,ro"); err != nil {
		t.Fatalf("remount: %s", out)
	}
	asked := len(f.log())
	for _, verb := range [][]string{{"crawl"}, {"status"}, {"compact"}, {"fetch", "https://h00.test/"}, {"crawl", "h00.test", "--job", "new"}} {
		p := start(t, f.environ(data), verb...).expect(t, 1)
		if !strings.Contains(p.err.String(), "read-only file system") || !strings.Contains(p.err.String(), filepath.Join(data, "jobs")) {
			t.Errorf("%v: %q does not say what is wrong", verb, p.err.String())
		}
	}
	start(t, f.environ(data), "verify").expect(t, 0)
	if now := len(f.log()); now != asked {
		t.Errorf("%d requests whose answers could not be stored", now-asked)
	}
	if out, err := mount("remount,rw"); err != nil {
		t.Fatalf("remount: %s", out)
	}
	start(t, f.environ(data), "crawl", "--context", "off").expect(t, 0)
}

// TestASecondProcessIsRefused starts what needs the job for itself while a crawl has
// it: each says who has it, and the crawl goes on undisturbed.
func TestASecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	sites := &late{free: make(chan struct{})}
	f := newFarm(t, sites)
	data := t.TempDir()
	first := start(t, f.environ(data), "crawl", "https://shop.test/", "--json", "--context", "off")
	f.await(t, 1, func(r request) bool { return strings.HasPrefix(r.Target, "/p") })
	for _, verb := range [][]string{{"crawl", "https://shop.test/"}, {"verify"}, {"compact"}} {
		p := start(t, f.environ(data), verb...).expect(t, 1)
		if want := fmt.Sprintf("is being crawled by process %d", first.command.Process.Pid); !strings.Contains(p.err.String(), want) || !strings.Contains(p.err.String(), "heed stop") {
			t.Errorf("%v: %q does not say who has the job and how to end it", verb, p.err.String())
		}
	}
	close(sites.free)
	var sum summary
	first.expect(t, 0).json(t, &sum)
	if sum.Total.Pages != 7 {
		t.Errorf("the first crawl counts %+v, want 7 pages", sum.Total)
	}
	if n := f.count("shop.test", "/"); n != 1 {
		t.Errorf("the home page was asked for %d times", n)
	}
	start(t, f.environ(data), "verify").expect(t, 0)
}

// TestAClockADayOff runs a job with a clock that is a day ahead, then right, then
// ahead again. Set back, it asks nobody early: it says so and ends undecided, with
// nothing lost.
func TestAClockADayOff(t *testing.T) {
	t.Parallel()
	f := newFarm(t, &politeSites{hosts: 1, pages: 5})
	data := t.TempDir()
	crawl := func(code int, flags ...string) (summary, *process) {
		t.Helper()
		var sum summary
		p := start(t, f.environ(data), append([]string{"crawl", "h00.test", "--json", "--context", "off", "--refresh"}, flags...)...).expect(t, code)
		p.json(t, &sum)
		start(t, f.environ(data), "verify").expect(t, 0)
		return sum, p
	}
	if sum, _ := crawl(0, "--now-offset", "24h"); sum.Pages != 5 {
		t.Fatalf("a day ahead: %+v", sum)
	}
	asked := len(f.log())
	sum, p := crawl(24)
	if now := len(f.log()); now != asked || sum.URLsQueued != 10 { // the pages that robots.txt forbids are among them
		t.Errorf("a day back: %d requests, %+v", now-asked, sum)
	}
	if !strings.Contains(p.err.String(), "the clock is behind the last run") {
		t.Errorf("a day back: %q does not say so", p.err.String())
	}
	if sum, _ := crawl(0, "--now-offset", "24h"); sum.Pages+sum.NotModified != 5 || sum.URLsQueued != 0 {
		t.Errorf("ahead again: %+v", sum)
	}
	if sum, _ := crawl(0, "--now-offset", "48h"); sum.Pages+sum.NotModified != 5 {
		t.Errorf("another day ahead: %+v", sum)
	}
}

// TestVerifyNamesTheRecordAndTheRemedy changes an octet of a record: the file still
// opens, and verify tells the URL, and what to do.
func TestVerifyNamesTheRecordAndTheRemedy(t *testing.T) {
	t.Parallel()
	f := newFarm(t, &politeSites{hosts: 1, pages: 5})
	data := t.TempDir()
	start(t, f.environ(data), "crawl", "h00.test", "--context", "off").expect(t, 0)
	state := filepath.Join(data, "jobs", "default", "state.db")
	text, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, bytes.ReplaceAll(text, []byte("/p/3"), []byte("/p/#")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, f.environ(data), "verify").expect(t, 23)
	for _, want := range []string{"state    DAMAGED", "https://h00.test/p/# cannot be found under its own key", "restore the file from a copy, or remove it", "ledger   sound", "archive  sound"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("%q is not said:\n%s", want, p.out.String())
		}
	}
}
