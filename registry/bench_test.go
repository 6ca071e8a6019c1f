package registry

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// catalogSize is what the registry is measured with.
const catalogSize = 100_000

// aDomain is the name of card i; they do not come in the order of the numbers.
func aDomain(i int) string { return fmt.Sprintf("site-%05d.example", i*7919%catalogSize) }

// aLine is card i as a line of an export.
func aLine(i int, checked int64) string {
	card := strings.ReplaceAll(strings.ReplaceAll(full(aDomain(i)), "\n", ""), "\t", "")
	return fmt.Sprintf(`{"site":{"domain":%q,"card":%s,"listed_by":"pub-7","updated":%d,"listed":true,"next":%d,"proof":{"method":3,"publisher":"pub-7","checked":%d,"proven":%[5]d,"note":"TXT record matched"}}}`+"\n",
		aDomain(i), card, checked, checked+300_000, checked)
}

// newCatalog100k makes the state of a registry with 100,000 cards.
func newCatalog100k(tb testing.TB) Options {
	tb.Helper()
	o := Options{Path: tb.TempDir(), PublicURL: testBase, Name: "Bench"}
	s, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := s.Admin().AddPublisher(context.Background(), "pub-7", "", []string{anyDomain}); err != nil {
		tb.Fatal(err)
	}
	var lines bytes.Buffer
	now := time.Now().Unix()
	for i := range catalogSize {
		lines.WriteString(aLine(i, now))
	}
	if n, err := s.Admin().Import(context.Background(), &lines); err != nil || n != catalogSize {
		tb.Fatal(n, err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return o
}

func openBench(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// null takes an answer and keeps its status.
type null struct {
	header http.Header
	status int
}

func (n *null) Header() http.Header         { return n.header }
func (n *null) Write(p []byte) (int, error) { return len(p), nil }
func (n *null) WriteHeader(status int)      { n.status = status }

func BenchmarkCatalog(b *testing.B) {
	o := newCatalog100k(b)
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := Open(o)
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	s := openBench(b, o)
	get := func(b *testing.B, path func(i int) string, tag string, status int) {
		b.ReportAllocs()
		w := &null{header: http.Header{}}
		for i := 0; b.Loop(); i++ {
			clear(w.header)
			r := httptest.NewRequest("GET", path(i), nil)
			if tag != "" {
				r.Header.Set("If-None-Match", tag)
			}
			if s.Handler().ServeHTTP(w, r); w.status != status {
				b.Fatalf("%s answers %d", path(i), w.status)
			}
		}
	}
	fixed := func(path string) func(int) string { return func(int) string { return path } }
	b.Run("card in cache", func(b *testing.B) { get(b, fixed("/v1/site/"+aDomain(0)), "", 200) })
	b.Run("card unchanged", func(b *testing.B) { get(b, fixed("/v1/site/"+aDomain(0)), "*", 304) })
	b.Run("card at random", func(b *testing.B) {
		get(b, func(i int) string { return "/v1/site/" + aDomain(i*31%catalogSize) }, "", 200)
	})
	b.Run("snapshot in memory", func(b *testing.B) { get(b, fixed("/v1/snapshot"), "", 200) })
	b.Run("search of all", func(b *testing.B) { get(b, fixed("/v1/search?q=nothing"), "", 200) })
	for _, at := range []uint64{0, 50_000, 98_000} {
		cursor := cursor{s.shelf.meta.Epoch, at, 0}.String()
		b.Run(fmt.Sprint("page of 1,000 changes at ", at), func(b *testing.B) { get(b, fixed("/v1/changes?limit=1000&since="+cursor), "", 200) })
	}
	b.Run("snapshot after a change", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.lists.made = false
			if _, _, err := s.catalogLists(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// measureVariable names a data folder and makes the test binary a registry that
// says how much memory it takes.
const measureVariable = "HEED_REGISTRY_MEASURE"

// measureMemory opens a registry, reads every card twice and all lists once, and
// prints what is resident: all of it, and the part that is pages of the state
// file, which the system can take back.
func measureMemory(folder string) error {
	debug.SetGCPercent(50)
	s, err := Open(Options{Path: folder, PublicURL: testBase, Name: "Bench"})
	if err != nil {
		return err
	}
	for i := range 2 * catalogSize {
		if _, _, err := s.served(aDomain(i % catalogSize)); err != nil {
			return err
		}
	}
	if _, _, err := s.catalogLists(); err != nil {
		return err
	}
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "VmRSS:") || strings.HasPrefix(line, "RssFile:") {
			fmt.Print(line)
		}
	}
	return s.Close()
}

// BenchmarkMemory measures a process of its own, whose memory nobody else has
// used.
func BenchmarkMemory(b *testing.B) {
	o := newCatalog100k(b)
	for b.Loop() {
		child := exec.CommandContext(b.Context(), os.Args[0])
		child.Env = append(os.Environ(), measureVariable+"="+o.Path)
		out, err := child.Output()
		if err != nil {
			b.Skip("no /proc: ", err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			n, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(n/1024, "MiB-"+strings.TrimSuffix(fields[0], ":"))
		}
	}
}

// BenchmarkLoopback measures reads over loopback, by clients of a few lines that
// share the machine with the server: requests a second and the slowest of a
// hundred.
func BenchmarkLoopback(b *testing.B) {
	s := openBench(b, newCatalog100k(b))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: s.Handler()}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		<-ended
	}()
	for name, field := range map[string]string{"full": "", "unchanged": "If-None-Match: *\r\n"} {
		b.Run(name, func(b *testing.B) {
			var mu sync.Mutex
			var times []time.Duration
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				own, err := readCards(listener.Addr().String(), field, pb.Next)
				mu.Lock()
				defer mu.Unlock()
				times = append(times, own...)
				if err != nil {
					b.Error(err)
				}
			})
			slices.Sort(times)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// readCards sends one request after the other over one connection.
func readCards(address, field string, more func() bool) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 16<<10)
	var times []time.Duration
	for i := 0; more(); i++ {
		begun := time.Now()
		if _, err := fmt.Fprintf(conn, "GET /v1/site/%s HTTP/1.1\r\nHost: registry.test\r\n%s\r\n", aDomain(i*31%catalogSize), field); err != nil {
			return times, err
		}
		length := 0
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return times, err
			}
			if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(n)))
			}
			if len(line) == 2 {
				break
			}
		}
		if _, err := in.Discard(length); err != nil {
			return times, err
		}
		times = append(times, time.Since(begun))
	}
	return times, nil
}

func BenchmarkRender(b *testing.B) {
	sch, err := newSchema(testBase + "/v1/schema.json")
	if err != nil {
		b.Fatal(err)
	}
	v := validator{sch}
	body := []byte(full(shop))
	sub, err := v.read(shop, body)
	if err != nil {
		b.Fatal(err)
	}
	s := &site{domain: shop, publisher: "pub-7", updated: 1, facts: sub.facts, window: sub.window, rev: 1}
	b.Run("serve", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst = render(dst[:0], sub.raw, s)
		}
		b.SetBytes(int64(len(dst)))
	})
	b.Run("validate", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if _, err := v.read(shop, body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
