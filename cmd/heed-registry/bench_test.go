package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// benchCards is the catalog that the registry is measured with.
const benchCards = 100_000

func benchDomain(i int) string { return fmt.Sprintf("site-%05d.example", i) }

// benchLines writes an export with a publisher and proven cards.
func benchLines(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, `{"publisher":{"id":"pub-7","domains":["*"],"secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","generation":1,"created":1796000000}}`)
	now := time.Now().Unix()
	for i := range benchCards {
		fmt.Fprintf(out, `{"site":{"domain":%q,"card":%s,"listed_by":"pub-7","updated":%d,"listed":true,"next":%d,"proof":{"method":3,"publisher":"pub-7","checked":%[3]d,"proven":%[3]d,"note":"TXT record matched"}}}`+"\n",
			benchDomain(i), strings.ReplaceAll(benchCard, "D", benchDomain(i)), now, now+300_000)
	}
	return out.Flush()
}

// benchCard has what a card of an ordinary site has; D is its domain.
const benchCard = `{"canonical":"https://D/","name":"Sample Shop","summary":"Invented shop for spades, rakes and all else for a garden.",` +
	`"topics":["garden","tools"],"allow":["SampleBot"],"deny":["RudeBot"],` +
	`"pointers":{"robots":"https://D/robots.txt","sitemap":"https://D/sitemap.xml","llms":"https://D/llms.txt"},` +
	`"pages":[{"url":"https://D/","rel":"home"},{"url":"https://www.D/help","rel":"help"}],` +
	`"consent":{"retrieve":true,"train":false,"cite":true,"tdm":"reserved"},"crawl":{"revalidate_hours":168},"language":"en"}`

// benchServer is a registry in a process of its own.
type benchServer struct {
	cmd     *exec.Cmd
	address string
}

// startBench starts a registry without limits and waits until it answers.
func startBench(b *testing.B, data string) *benchServer {
	b.Helper()
	port, err := freePort()
	if err != nil {
		b.Fatal(err)
	}
	s := &benchServer{address: "127.0.0.1:" + port}
	s.cmd = exec.Command("heed-registry", "serve", "--data", data, "--listen", s.address, "--plain-http", "--rate", "0", "--log-level", "error")
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range int(startPatienceInTests / time.Millisecond) {
		if a, err := http.Get("http://" + s.address + "/healthz"); err == nil {
			a.Body.Close()
			return s
		}
		<-tick.C
	}
	s.stop(b)
	b.Fatal("the registry does not answer")
	return nil
}

func (s *benchServer) stop(b *testing.B) {
	b.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Error(err)
	}
	_ = s.cmd.Wait() // the code says it
	if code := s.cmd.ProcessState.ExitCode(); code != exitStopped {
		b.Errorf("exit code %d, want %d", code, exitStopped)
	}
}

// memory reports what of the process is resident: its own memory, and all of it
// with the pages of the state file, which the system takes back when it needs
// them.
func (s *benchServer) memory(b *testing.B) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if errors.Is(err, os.ErrNotExist) {
		return // no such thing on this system
	}
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "RssAnon" && name != "VmRSS" {
			continue
		}
		kib, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(kib/1024, "MiB-"+name)
	}
}

// reads measures requests of several connections that a second process answers:
// how many there are in a second, and how long the slowest of a hundred takes.
func (s *benchServer) reads(b *testing.B, request func() string, status string) {
	var mu sync.Mutex
	var times []time.Duration
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		own, err := readAll(s.address, request, status, pb.Next)
		mu.Lock()
		defer mu.Unlock()
		times = append(times, own...)
		if err != nil {
			b.Error(err)
		}
	})
	slices.Sort(times)
	b.ReportMetric(float64(len(times))/b.Elapsed().Seconds(), "reads/s")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

// readAll sends one request after the other over one connection. It is a client
// of a few lines because it shares the machine with the server.
func readAll(address string, request func() string, status string, more func() bool) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 16<<10)
	var times []time.Duration
	for more() {
		text := request()
		begun := time.Now()
		if _, err := io.WriteString(conn, text); err != nil {
			return times, err
		}
		line, err := in.ReadSlice('\n')
		if err != nil || !bytes.HasPrefix(line, []byte("HTTP/1.1 "+status)) {
			return times, fmt.Errorf("%.80q is answered by %q, %w", text, line, err)
		}
		length := 0
		for len(line) > 2 {
			if line, err = in.ReadSlice('\n'); err != nil {
				return times, err
			}
			if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				if length, err = strconv.Atoi(string(bytes.TrimSpace(n))); err != nil {
					return times, err
				}
			}
		}
		if _, err := in.Discard(length); err != nil {
			return times, err
		}
		times = append(times, time.Since(begun))
	}
	return times, nil
}

// etags reads the ETag of every card from the change feed.
func (s *benchServer) etags(b *testing.B) []string {
	b.Helper()
	tags := make([]string, benchCards)
	for cursor, more := "", true; more; {
		var page struct {
			Changes []struct{ Domain, ETag string }
			Cursor  string
			More    bool
		}
		a, err := http.Get("http://" + s.address + "/v1/changes?limit=1000&since=" + cursor)
		if err != nil {
			b.Fatal(err)
		}
		err = json.NewDecoder(a.Body).Decode(&page)
		a.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range page.Changes {
			var i int
			if _, err := fmt.Sscanf(c.Domain, "site-%05d.example", &i); err != nil {
				b.Fatal(err)
			}
			tags[i] = c.ETag
		}
		cursor, more = page.Cursor, page.More
	}
	return tags
}

// BenchmarkServe measures the command with 100,000 cards as a process of its own,
// over loopback: how soon it answers, what it answers in a second, and the memory
// it has taken then.
func BenchmarkServe(b *testing.B) {
	folder := b.TempDir()
	data, lines := filepath.Join(folder, "data"), filepath.Join(folder, "lines")
	f, err := os.Create(lines)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(benchLines(f), f.Close()); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("heed-registry", "import", "--data", data, lines).CombinedOutput(); err != nil {
		b.Fatalf("import: %v %s", err, out)
	}
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			s := startBench(b, data)
			b.StopTimer()
			s.stop(b)
			b.StartTimer()
		}
	})
	s := startBench(b, data)
	defer s.stop(b)
	tags := s.etags(b)
	get := func(path, fields string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: registry.test\r\n" + fields + "\r\n"
	}
	b.Run("card unchanged", func(b *testing.B) {
		s.reads(b, func() string {
			i := rand.IntN(benchCards)
			return get("/v1/site/"+benchDomain(i), `If-None-Match: "`+tags[i]+"\"\r\n")
		}, "304")
	})
	b.Run("card whole", func(b *testing.B) {
		s.reads(b, func() string { return get("/v1/site/"+benchDomain(rand.IntN(benchCards)), "") }, "200")
	})
	b.Run("snapshot", func(b *testing.B) { s.reads(b, func() string { return get("/v1/snapshot", "") }, "200") })
	b.Run("changes", func(b *testing.B) { s.reads(b, func() string { return get("/v1/changes?limit=100", "") }, "200") })
	b.Run("memory", func(b *testing.B) {
		for b.Loop() { // everything above has been read
		}
		s.memory(b)
	})
}
