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
	"runtime"
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

// residentBytes is the memory of this process in RAM and what of it are pages of
// files, which the system can take back.
func residentBytes(tb testing.TB) (all, files int64) {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Skip("no /proc")
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			all = n << 10
		case "RssFile:":
			files = n << 10
		}
	}
	return all, files
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
	b.Run("memory", func(b *testing.B) {
		for i := range catalogSize {
			if _, d, err := s.served(aDomain(i)); d == nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		all, files := residentBytes(b)
		for b.Loop() {
		}
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-heap")
		b.ReportMetric(float64(all-files)/(1<<20), "MB-resident")
		b.ReportMetric(float64(files)/(1<<20), "MB-file-pages")
	})
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
