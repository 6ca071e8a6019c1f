package prover_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heed/cmd/heed-registry/prover"
	"heed/registry"
)

const wellKnown = "/.well-known/botcentral.txt"

// proves is a site with the proof: who reaches it is proven.
func proves() http.Handler { return files(map[string]string{wellKnown: line, "/proof.txt": line}) }

// specialBlocks are the rows of the IANA registries of special-purpose addresses,
// without the few that are reachable from everywhere like any other address.
func specialBlocks(t *testing.T) (blocks []netip.Prefix) {
	t.Helper()
	for _, family := range []string{"4", "6"} {
		f, err := os.Open("../../../crawler/fetch/data/iana-ipv" + family + "-special-registry.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			if row[8] == "True" {
				continue
			}
			for text := range strings.SplitSeq(row[0], ",") {
				block, err := netip.ParsePrefix(strings.Fields(text)[0]) // a footnote may follow
				if err != nil {
					t.Fatal(err)
				}
				blocks = append(blocks, block)
			}
		}
	}
	if len(blocks) < 35 {
		t.Fatalf("the registries have %d blocks", len(blocks))
	}
	return blocks
}

// last is the highest address of a block.
func last(block netip.Prefix) netip.Addr {
	octets := block.Masked().Addr().AsSlice()
	for i := block.Bits(); i < 8*len(octets); i++ {
		octets[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(octets) // its length is right
	return a
}

// Names that lead to addresses which are not public are refused before a
// connection (BC-P-025).
func TestBCP025SpecialAddressesAreNeverConnectedTo(t *testing.T) {
	o := newOrigin(t, proves())
	p := o.prover(false)
	refused := func(t *testing.T, address netip.Addr) {
		t.Helper()
		o.mu.Lock()
		o.addresses = []string{address.String()}
		if address.Is4In6() {
			o.addresses = append(o.addresses, address.Unmap().String())
		}
		o.mu.Unlock()
		domain := fmt.Sprintf("a%x.example", address.AsSlice()) // lookups are cached by name
		got := p.Prove(t.Context(), registry.ProofQuestion{Domain: domain, Tokens: question.Tokens})
		if got.Method.Proven() || !strings.Contains(got.Note, "address is not public") || strings.Contains(got.Note, address.String()+" ") {
			t.Errorf("%s: %+v", address, got)
		}
	}
	for _, block := range specialBlocks(t) {
		t.Run("block "+block.String(), func(t *testing.T) {
			refused(t, block.Masked().Addr())
			refused(t, last(block))
		})
	}
	for name, address := range map[string]string{
		"multicast": "224.0.0.1", "IPv6 multicast": "ff02::1", "cloud metadata": "169.254.169.254", "IPv6 cloud metadata": "fd00:ec2::254",
		"cloud platform": "168.63.129.16", "anycast inside a block": "192.0.0.9",
		"site-local": "fec0::1", "IPv4-compatible": "::7f00:1", "IPv4-mapped loopback": "::ffff:127.0.0.1", "IPv4-mapped private": "::ffff:10.0.0.5",
		"NAT64 of loopback": "64:ff9b::7f00:1", "local NAT64": "64:ff9b:1::a00:5", "6to4 of loopback": "2002:7f00:1::", "Teredo": "2001:0:7f00:1::",
		"outside 2000::/3": "4000::1",
	} {
		t.Run(name, func(t *testing.T) { refused(t, netip.MustParseAddr(address)) })
	}
	if n := o.opened.Load(); n != 0 {
		t.Errorf("%d connections were opened", n)
	}
}

// A name that leads to a permitted address when it is looked up and to a private
// one ever after is asked for once in a check, and the address of that answer is
// the only one that is tried (BC-P-026).
func TestBCP026ANameThatIsRebound(t *testing.T) {
	o := newOrigin(t, proves())
	o.mu.Lock()
	o.looked = map[string][]string{"shop.example": {"127.0.0.9", "10.0.0.5"}}
	o.mu.Unlock()
	p := o.newProver(prover.Options{AllowAddress: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}})
	got := p.Prove(t.Context(), question)
	o.mu.Lock()
	defer o.mu.Unlock()
	if got.Method.Proven() || strings.Contains(got.Note, "not public") || o.asked["shop.example"] != 1 {
		t.Errorf("%+v after %d look-ups", got, o.asked["shop.example"])
	}
}

func TestRedirectsStayOnTheDomain(t *testing.T) {
	tests := []struct {
		name, location string
		proven         bool
	}{
		{"BC-P-904 a host below the domain", "https://www.shop.example/proof.txt", true},
		{"BC-P-904 another domain", "https://other.example/proof.txt", false},
		{"BC-P-027 no TLS", "http://shop.example/proof.txt", false},
		{"BC-P-909 another port", "https://shop.example:8443/proof.txt", false},
		{"BC-P-028 a circle", wellKnown, false},
		{"BC-P-025 loopback", "https://127.0.0.1/proof.txt", false},
		{"BC-P-025 a private address", "https://10.0.0.5/proof.txt", false},
		{"BC-P-025 cloud metadata", "https://169.254.169.254/latest/meta-data/", false},
		{"BC-P-025 loopback as one number", "https://2130706433/proof.txt", false},
		{"BC-P-025 loopback in hexadecimal", "https://0x7f000001/proof.txt", false},
		{"BC-P-025 loopback in octal", "https://0177.0.0.1/proof.txt", false},
		{"BC-P-025 loopback cut short", "https://127.1/proof.txt", false},
		{"BC-P-025 a name of loopback", "https://localhost/proof.txt", false},
		{"BC-P-025 IPv6 loopback", "https://[::1]/proof.txt", false},
		{"BC-P-025 IPv6 loopback in full", "https://[0:0:0:0:0:0:0:1]/proof.txt", false},
		{"BC-P-025 IPv4-mapped", "https://[::ffff:127.0.0.1]/proof.txt", false},
		{"BC-P-025 IPv4-mapped in hexadecimal", "https://[::ffff:7f00:1]/proof.txt", false},
		{"BC-P-025 NAT64", "https://[64:ff9b::7f00:1]/proof.txt", false},
		{"BC-P-025 link-local with a zone", "https://[fe80::1%25lo]/proof.txt", false},
		{"BC-P-025 another scheme", "file:///etc/passwd", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var reached atomic.Bool
			o := newOrigin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != wellKnown {
					reached.Store(reached.Load() || r.URL.Path == "/proof.txt")
					_, _ = io.WriteString(w, line) // the asker may have gone
					return
				}
				w.Header().Set("Location", test.location)
				w.WriteHeader(http.StatusFound)
			}))
			if got := o.prover(true).Prove(t.Context(), question); got.Method.Proven() != test.proven || reached.Load() != test.proven || leaks(got.Note) {
				t.Errorf("got %+v, reached %v", got, reached.Load())
			}
		})
	}
}

// A host below the domain may be asked by a redirect, and robots.txt may lead
// anywhere: both as far as the address is public (BC-P-025).
func TestBCP025ARedirectIntoPrivateSpaceIsNotFollowed(t *testing.T) {
	for name, address := range map[string]string{"loopback": "127.0.0.2", "private": "10.0.0.5", "metadata": "169.254.169.254", "IPv6 loopback": "::1", "IPv6 private": "fd00::5"} {
		for _, from := range []string{wellKnown, "/robots.txt"} {
			t.Run(name+" from "+from, func(t *testing.T) {
				o := newOrigin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == from {
						http.Redirect(w, r, "https://www.shop.example/proof.txt", http.StatusFound)
						return
					}
					http.NotFound(w, r)
				}))
				o.mu.Lock()
				o.addresses = []string{address}
				o.mu.Unlock()
				at := o.site.Listener.Addr().String()
				p := o.newProver(prover.Options{Resolve: []string{"shop.example:443:" + at}, AllowAddress: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
				got := p.Prove(t.Context(), question)
				if got.Method.Proven() || leaks(got.Note) || from == "/robots.txt" && got.Crawl != registry.CrawlNoRobots {
					t.Errorf("got %+v", got)
				}
				if from == wellKnown && !strings.Contains(got.Note, "address is not public") {
					t.Errorf("note %q", got.Note)
				}
			})
		}
	}
}

// deluge is a body far beyond what is kept.
const deluge = 10 << 30

// A body of 10 GB costs what its limit says, at each place that is read
// (BC-P-030).
func TestBCP030ABodyIsReadUpToItsLimit(t *testing.T) {
	comment := bytes.Repeat([]byte("# comment\n"), 1<<10)
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	if _, err := w.Write(bytes.Repeat(comment, 1<<10)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		field [2]string
		piece []byte
	}{
		{"10 GB announced", [2]string{"Content-Length", fmt.Sprint(deluge)}, comment},
		{"10 GB without an end", [2]string{}, comment},
		{"10 GB in gzip", [2]string{"Content-Encoding", "gzip"}, member.Bytes()},
		{"10 GB in one line", [2]string{}, bytes.Repeat([]byte("x"), 1<<14)},
	}
	for _, test := range tests {
		for _, at := range []string{wellKnown, "/robots.txt"} {
			t.Run(test.name+" at "+at, func(t *testing.T) {
				var sent atomic.Int64
				o := newOrigin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != at {
						http.NotFound(w, r)
						return
					}
					w.Header().Set("Content-Type", "text/plain")
					if test.field[0] != "" {
						w.Header().Set(test.field[0], test.field[1])
					}
					for sent.Load() < deluge {
						n, err := w.Write(test.piece)
						sent.Add(int64(n))
						if err != nil {
							return
						}
					}
				}))
				got := o.prover(true).Prove(t.Context(), question)
				o.site.Close() // waits for the handler
				if got.Method.Proven() || at == wellKnown && !strings.Contains(got.Note, "size") {
					t.Errorf("got %+v", got)
				}
				// What is in buffers on the way is a few MiB.
				if n := sent.Load(); n > 64<<20 {
					t.Errorf("%d octets were sent", n)
				}
			})
		}
	}
}

// Servers that are slow at any stage are given up in time (BC-P-029).
func TestBCP029ADripEndsInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the bounds of a check")
	}
	drip := func(done <-chan struct{}, octet func() error) {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if octet() != nil {
				return
			}
		}
	}
	head := func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Drip: "); err != nil {
			return
		}
		drip(nil, func() error { _, err := io.WriteString(conn, "x"); return err })
	}
	tests := map[string]http.HandlerFunc{
		"the body": func(w http.ResponseWriter, r *http.Request) {
			drip(r.Context().Done(), func() error {
				if _, err := io.WriteString(w, "#"); err != nil {
					return err
				}
				return http.NewResponseController(w).Flush()
			})
		},
		"the head":    head,
		"no answer":   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"robots.txt":  func(w http.ResponseWriter, r *http.Request) { robotsOnly(head)(w, r) },
		"no TLS ever": nil,
	}
	for name, site := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOrigin(t, site)
			p := o.prover(true)
			if site == nil {
				p = o.proverAt(mute(t))
			}
			// The bound of the registry, beyond which nothing would be recorded.
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			got := p.Prove(ctx, question)
			if ctx.Err() != nil || got.Method.Proven() || got.Note == "" {
				t.Errorf("%+v, %v", got, ctx.Err())
			}
		})
	}
}

// robotsOnly is a site whose robots.txt alone is served by h.
func robotsOnly(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			h(w, r)
			return
		}
		http.NotFound(w, r)
	}
}

// mute takes connections and says nothing.
func mute(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var held []net.Conn
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			held = append(held, c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close() // nothing was written
		<-done
		for _, c := range held {
			_ = c.Close()
		}
	})
	return l.Addr().String()
}

// A page that a host shows for every path proves nothing, wherever a check looks
// (BC-P-008, BC-P-031).
func TestBCP008AShellForEveryPathProvesNothing(t *testing.T) {
	shell := "<!doctype html>\n<html><head><title>Coming soon</title></head><body>\n" + line + "\n</body></html>"
	page := func(w http.ResponseWriter, media string) {
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, shell) // the asker may have gone
	}
	for _, media := range []string{"text/html; charset=utf-8", "text/plain"} {
		tests := map[string]http.HandlerFunc{
			"for every path": func(w http.ResponseWriter, _ *http.Request) { page(w, media) },
			"behind a redirect": func(w http.ResponseWriter, r *http.Request) {
				if r.Host == "shop.example" && r.URL.Path == wellKnown {
					http.Redirect(w, r, "https://www.shop.example/", http.StatusMovedPermanently)
					return
				}
				page(w, media)
			},
			"for robots.txt alone": robotsOnly(func(w http.ResponseWriter, _ *http.Request) { page(w, media) }),
		}
		for name, site := range tests {
			t.Run(name+" as "+media, func(t *testing.T) {
				o := newOrigin(t, site)
				p := o.prover(true)
				for range 2 { // a re-check is no easier
					got := p.Prove(t.Context(), question)
					if got.Method != registry.Unverified || name != "for robots.txt alone" && !strings.Contains(got.Note, "HTML returned") {
						t.Errorf("got %+v", got)
					}
				}
			})
		}
	}
}
