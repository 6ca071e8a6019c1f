package bolt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

const (
	// scaleVariable is the number of URLs of BenchmarkScale.
	scaleVariable = "HEED_SCALE"
	scaleDefault  = 200_000
	scaleSlices   = 10
	scaleReopens  = 5

	// scaleChild makes the test binary one of the processes of BenchmarkScale:
	// what it does, and then the path of its file, as two lines of the variable.
	scaleChild = "HEED_BOLT_SCALE"

	// fixedBytes is the anonymous memory that a crawl may use at any size.
	fixedBytes = 250 << 20
)

// progress is what a process of the benchmark answers after each slice.
type progress struct {
	Pages, Known int64
	Seconds      float64
	Anon         int64 // octets; highest so far
	OpenMillis   float64
}

// BenchmarkScale lets a frontier of 10,000 hosts, some of them much larger than
// the rest, grow by its own links to HEED_SCALE URLs (default 200,000): every
// page is claimed and settled with 60 links, 12 of them new. In turns with it a
// second process writes the same pages, bare: the same keys and values by the same
// bbolt, sorted and in groups of the same size, with nothing looked up, ordered or
// scheduled. Then the first is killed, and a new process opens what it left.
//
// The run to be quoted has 10,000,000 URLs; on two cores it takes twelve
// minutes, and 5 GB of disk.
func BenchmarkScale(b *testing.B) {
	urls := int64(scaleDefault)
	if text := os.Getenv(scaleVariable); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 20_000 {
			b.Fatalf("%s=%q: want a number of URLs from 20000 on", scaleVariable, text)
		}
		urls = n
	}
	for range b.N {
		scale(b, urls)
	}
}

func scale(b *testing.B, urls int64) {
	dir := b.TempDir()
	path := filepath.Join(dir, "state.db")
	engine, bare := startScale(b, "engine", path), startScale(b, "bare", filepath.Join(dir, "bare.db"))
	var own, other progress
	var rates, ratios []float64
	for i := range int64(scaleSlices) {
		before, beside := own, other
		own, other = engine.grow(b, urls*(i+1)/scaleSlices), bare.grow(b, urls*(i+1)/scaleSlices)
		rate := float64(own.Pages-before.Pages) / (own.Seconds - before.Seconds)
		rates = append(rates, rate)
		ratios = append(ratios, rate/(float64(other.Pages-beside.Pages)/(other.Seconds-beside.Seconds)))
		b.Logf("%d URLs: %.0f pages/s, %.2f of bare, %d MB anonymous", own.Known, rate, ratios[i], own.Anon>>20)
	}
	bare.kill()
	engine.kill()
	var reopen float64
	for range scaleReopens {
		again := startScale(b, "open", path)
		r := again.grow(b, 0)
		if r.Known < own.Known {
			b.Errorf("%d URLs after the kill, %d were acknowledged", r.Known, own.Known)
		}
		reopen = max(reopen, r.OpenMillis)
		again.kill()
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(own.Pages)/own.Seconds, "pages/s")
	b.ReportMetric(slices.Min(rates), "pages/s-slowest")
	b.ReportMetric(float64(own.Pages)/own.Seconds/(float64(other.Pages)/other.Seconds), "of-bare")
	b.ReportMetric(slices.Min(ratios), "of-bare-lowest")
	b.ReportMetric(engine.cpuPerPage(own), "cpu-µs/page")
	b.ReportMetric(bare.cpuPerPage(other)/engine.cpuPerPage(own), "of-bare-cpu")
	b.ReportMetric(float64(own.Anon)/(1<<20), "anon-MB")
	b.ReportMetric(max(float64(own.Anon-fixedBytes), 0)/float64(own.Known), "anon-B/URL")
	b.ReportMetric(float64(info.Size())/float64(own.Known), "file-B/URL")
	b.ReportMetric(reopen, "reopen-ms")
}

// scaleProcess is a child: it gets a number of URLs a line, and answers each with
// its progress when it knows that many.
type scaleProcess struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func startScale(b *testing.B, what, path string) *scaleProcess {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), scaleChild+"="+what+"\n"+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p := &scaleProcess{cmd, in, bufio.NewReader(out)}
	b.Cleanup(p.kill)
	return p
}

func (p *scaleProcess) grow(b *testing.B, urls int64) (r progress) {
	b.Helper()
	if _, err := fmt.Fprintln(p.in, urls); err != nil {
		b.Fatal(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		b.Fatalf("%v: the process has ended", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		b.Fatal(err)
	}
	return r
}

// cpuPerPage is what a process that was killed has used for each page, in µs. It moves
// less than the rate does where the machine is shared.
func (p *scaleProcess) cpuPerPage(r progress) float64 {
	used := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	return float64(used.Microseconds()) / float64(r.Pages)
}

func (p *scaleProcess) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}
