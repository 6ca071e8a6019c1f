package demo

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// reader decodes a coding with the library its sites are meant to be read by.
func reader(t interface{ Fatal(...any) }, c coding, r io.Reader) io.Reader {
	switch c {
	case gzipped:
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		return z
	case brotlied:
		return brotli.NewReader(r)
	case zstandard:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			t.Fatal(err)
		}
		return z.IOReadCloser()
	case deflateRaw:
		return flate.NewReader(r)
	default:
		return r
	}
}

func codings() []coding { return []coding{identity, gzipped, brotlied, zstandard, deflateRaw} }

func TestWhatIsEncodedDecodesToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(codings()).Draw(t, "coding")
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		got, err := io.ReadAll(reader(t, c, bytes.NewReader(c.encode(body))))
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%s: %v, %d octets became %d", c.label(), err, len(body), len(got))
		}
	})
}

func TestACodingGoesOnlyToWhomItIsOffered(t *testing.T) {
	for _, tt := range []struct {
		name, site, offered, want string
	}{
		{"br among others", "coding-br", "gzip, br;q=0.9", "br"},
		{"br in capitals", "coding-br", "BR", "br"},
		{"br not offered", "coding-br", "gzip", ""},
		{"nothing offered", "coding-gzip", "", ""},
		{"gzip offered", "coding-gzip", "br, gzip, zstd, deflate", "gzip"},
		{"zstd offered", "coding-zstd", "br, gzip, zstd, deflate", "zstd"},
		{"zstd is not a prefix match", "coding-zstd", "zstdx", ""},
		{"bare deflate comes unasked", "coding-deflate-raw", "", "deflate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := player{t: t, world: furnish()}
			r := p.request(host(tt.site), "/")
			r.Header.Set("Accept-Encoding", tt.offered)
			rec := httptest.NewRecorder()
			p.world.ServeHTTP(rec, r)
			if got := rec.Header().Get("Content-Encoding"); got != tt.want {
				t.Fatalf("Content-Encoding = %q, want %q", got, tt.want)
			}
			c := identity
			for _, known := range codings()[1:] {
				if known.label() == tt.want {
					c = known
				}
			}
			length := strconv.Itoa(rec.Body.Len())
			body, err := io.ReadAll(reader(t, c, rec.Body))
			if err != nil || !strings.Contains(string(body), "</html>") {
				t.Errorf("body: %v\n%s", err, body)
			}
			if got := rec.Header().Get("Content-Length"); got != length {
				t.Errorf("Content-Length = %s for %s octets", got, length)
			}
		})
	}
}

func TestValidatorsAreComparedWordForWord(t *testing.T) {
	d := text("body")
	tag, date := field{"If-None-Match", `"a"`}, field{"If-Modified-Since", firstEdition}
	for _, tt := range []struct {
		name string
		doc  document
		sent []field
		want int
	}{
		{"no validator held, none given", d, nil, 200},
		{"validators are ignored by a document without any", d, []field{tag, date}, 200},
		{"the tag matches", d.tagged(`"a"`), []field{tag}, 304},
		{"another tag", d.tagged(`"b"`), []field{tag}, 200},
		{"a weak tag is another word", d.tagged(`W/"a"`), []field{tag}, 200},
		{"the date matches", d.dated(firstEdition), []field{date}, 304},
		{"another date", d.dated(secondEdition), []field{date}, 200},
		{"RFC 9110 13.1.3 a tag that fails makes the date void", d.tagged(`"b"`).dated(firstEdition), []field{tag, date}, 200},
		{"RFC 9110 13.1.3 a tag that matches is enough", d.tagged(`"a"`).dated(secondEdition), []field{tag, date}, 304},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			for _, f := range tt.sent {
				r.Header.Set(f.name, f.value)
			}
			rec := httptest.NewRecorder()
			tt.doc.ServeHTTP(rec, r)
			if rec.Code != tt.want {
				t.Errorf("status %d, want %d", rec.Code, tt.want)
			}
			if rec.Code == http.StatusNotModified && rec.Body.Len() > 0 {
				t.Errorf("304 with %d octets", rec.Body.Len())
			}
			if rec.Header().Get("ETag") != tt.doc.etag || rec.Header().Get("Last-Modified") != tt.doc.modified {
				t.Errorf("validators of the answer: %v", rec.Header())
			}
		})
	}
}

func TestChangedCopiesDoNotShareFields(t *testing.T) {
	d := text("x").with("A", "1")
	b, c := d.with("B", "2"), d.with("C", "3")
	if b.fields[1].name != "B" || c.fields[1].name != "C" || len(d.fields) != 1 {
		t.Errorf("fields: %v %v %v", d.fields, b.fields, c.fields)
	}
}

func TestBombsAreLargeOnlyWhenUnpacked(t *testing.T) {
	for _, tt := range []struct {
		site string
		c    coding
	}{{"bomb-gzip", gzipped}, {"bomb-br", brotlied}} {
		t.Run(tt.site, func(t *testing.T) {
			p := player{t: t, world: furnish()}
			wire := httptest.NewRecorder()
			notHeld(t, func() { p.world.ServeHTTP(wire, p.request(host(tt.site), "/harm")) })
			packed := wire.Body.Len()
			unpacked, err := io.Copy(io.Discard, reader(t, tt.c, wire.Body))
			if err != nil || unpacked != bombBytes {
				t.Fatalf("unpacked %d octets: %v", unpacked, err)
			}
			if ratio := unpacked / int64(packed); ratio < 500 {
				t.Errorf("%d octets on the wire, ratio %d", packed, ratio)
			}
		})
	}
}

func TestTheBigPageIsNotHeldInMemory(t *testing.T) {
	p := player{t: t, world: furnish()}
	s := &sink{}
	notHeld(t, func() { p.world.ServeHTTP(s, p.request(host("big-page"), "/harm")) })
	if s.taken != bigPageBytes {
		t.Errorf("sent %d octets", s.taken)
	}
}

// notHeld runs a handler that makes 64 MiB and fails if it allocates a quarter
// of that, even over time.
func notHeld(t *testing.T, serve func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	serve()
	runtime.ReadMemStats(&after)
	if total := after.TotalAlloc - before.TotalAlloc; total > bombBytes/4 {
		t.Errorf("allocated %d octets", total)
	}
}

func TestHostileHandlersEndWithTheirClient(t *testing.T) {
	for _, site := range []string{"bomb-gzip", "bomb-br", "big-page", "header-flood"} {
		t.Run(site, func(t *testing.T) {
			p := player{t: t, world: furnish()}
			s := &sink{limit: 1} // the first write fails
			p.world.ServeHTTP(s, p.request(host(site), "/harm"))
			if s.taken > 1 {
				t.Errorf("took %d octets", s.taken)
			}
		})
	}
}

func TestTheFloodIsLargerThanAnyHeaderLimit(t *testing.T) {
	rec := httptest.NewRecorder()
	flood(rec, nil)
	n := 0
	for name, values := range rec.Header() {
		n += len(name) + len(values[0])
	}
	if n < 2*64<<10 {
		t.Errorf("header section of %d octets", n)
	}
}

func TestTheOversizeIndexLiesAboveTheCeiling(t *testing.T) {
	rec := httptest.NewRecorder()
	furnish().sites[host("context-oversize")].handler("/guide.md", 1).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/guide.md", nil))
	if rec.Body.Len() <= 512<<10 {
		t.Errorf("%d octets", rec.Body.Len())
	}
}

func TestTheRegisterHoldsMoreLinksThanAreQueued(t *testing.T) {
	if n := len(register()); n <= 5_000 {
		t.Errorf("%d links", n)
	}
}

func TestTheLongestBeginningWins(t *testing.T) {
	named := func(code int) http.Handler { return status(code) }
	r := routes{"/a/*": named(201), "/a/b/*": named(202), "/a/b/c": named(203)}
	for path, want := range map[string]int{"/a/x": 201, "/a/b/x": 202, "/a/b/c": 203, "/a/": 201, "/a": 0, "/b": 0} {
		t.Run(path, func(t *testing.T) {
			got := 0
			if h := r.match(path); h != nil {
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, nil)
				got = rec.Code
			}
			if got != want {
				t.Errorf("answer %d, want %d", got, want)
			}
		})
	}
}

func TestWindows1251(t *testing.T) {
	if got, want := windows1251("Маяк·x€"), []byte{0xCC, 0xE0, 0xFF, 0xEA, 0xB7, 'x', '?'}; !bytes.Equal(got, want) {
		t.Errorf("% X, want % X", got, want)
	}
}

func TestMarkupInContentIsEscaped(t *testing.T) {
	got := sheet{title: "a<b", asks: "x&y", text: "<i>", links: []link{{href: `/"`, text: "<", rel: `"`}}}.html()
	for _, bad := range []string{"a<b", "x&y", "<i>", `="/""`, `rel="""`} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is not escaped in\n%s", bad, got)
		}
	}
}
