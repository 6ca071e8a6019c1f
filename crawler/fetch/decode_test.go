package fetch

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// encode applies one coding; "raw" is bare deflate, "zlib" the wrapped one.
func encode(t interface{ Fatal(...any) }, coding string, p []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zlib":
		w = zlib.NewWriter(&b)
	case "raw":
		fw, err := flate.NewWriter(&b, 6)
		if err != nil {
			t.Fatal(err)
		}
		w = fw
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		zw, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		w = zw
	default:
		t.Fatal("unknown coding " + coding)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// answer makes a whole response with the given Content-Encoding.
func answer(label string, body []byte) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", label, len(body), body)
}

const samplePage = "<!doctype html><title>page</title><p>text that is long enough to be worth a coding, text that is</p>"

func hexFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCodings(t *testing.T) {
	page := []byte(samplePage)
	gz := encode(t, "gzip", page)
	for _, tt := range []struct {
		name, label string
		wire        []byte
		want        string
		findings    string
	}{
		{"gzip", "gzip", gz, samplePage, "[]"},
		{"x-gzip is gzip", "x-gzip", gz, samplePage, "[]"},
		{"names are case-insensitive", "GZip", gz, samplePage, "[]"},
		{"br", "br", encode(t, "br", page), samplePage, "[]"},
		{"zstd", "zstd", encode(t, "zstd", page), samplePage, "[]"},
		{"deflate as RFC 9110 8.4.1.2 has it", "deflate", encode(t, "zlib", page), samplePage, "[]"},
		{"deflate as half of the servers have it", "deflate", encode(t, "raw", page), samplePage, "[]"},
		{"identity", "identity", page, samplePage, "[]"},
		{"empty members are no codings", " , identity,,", page, samplePage, "[]"},
		{"gzip under br", "gzip, br", encode(t, "br", gz), samplePage, "[]"},
		{"three stacked", "deflate, gzip,zstd", encode(t, "zstd", encode(t, "gzip", encode(t, "zlib", page))), samplePage, "[]"},
		{"two gzip members", "gzip", append(bytes.Clone(gz), gz...), samplePage + samplePage, "[]"},
		{"octets behind gzip are ignored", "gzip", append(bytes.Clone(gz), "garbage"...), samplePage, "[coding.trailing-octets]"},
		{"half a gzip header behind gzip is ignored", "gzip", append(bytes.Clone(gz), 0x1f, 0x8b, 8), samplePage, "[coding.trailing-octets]"},
		{"octets behind br are ignored", "br", append(encode(t, "br", page), "garbage"...), samplePage, "[coding.trailing-octets]"},
		{"octets behind deflate are ignored", "deflate", append(encode(t, "zlib", page), "garbage"...), samplePage, "[coding.trailing-octets]"},
		{"text labelled gzip", "gzip", page, samplePage, "[coding.label-without-coding]"},
		{"text labelled br", "br", page, samplePage, "[coding.label-without-coding]"},
		{"text labelled zstd", "zstd", page, samplePage, "[coding.label-without-coding]"},
		{"text labelled deflate", "deflate", page, samplePage, "[coding.label-without-coding]"},
		{"image labelled gzip", "gzip", []byte("\x89PNG\r\n\x1a\n\x00\x00"), "\x89PNG\r\n\x1a\n\x00\x00", "[coding.label-without-coding]"},
		{"gzip labelled br", "br", gz, samplePage, "[coding.other-than-label]"},
		{"gzip labelled deflate", "deflate", gz, samplePage, "[coding.other-than-label]"},
		{"zstd labelled gzip", "gzip", encode(t, "zstd", page), samplePage, "[coding.other-than-label]"},
		{"zlib labelled gzip", "gzip", encode(t, "zlib", page), samplePage, "[coding.other-than-label]"},
		{"gzip labelled zstd", "zstd", gz, samplePage, "[coding.other-than-label]"},
		{"nothing labelled gzip", "gzip", nil, "", "[]"},
		{"nothing labelled br", "br", nil, "", "[]"},
		{"nothing labelled zstd, deflate", "zstd, deflate", nil, "", "[]"},
		{"an empty page in gzip", "gzip", encode(t, "gzip", nil), "", "[]"},
		{"zstd window of 8 MiB", "zstd", hexFile(t, "zstd-window-8MiB.hex"), "<!doctype html><meta charset=utf-8><title>page</title><p><a href=\"/n-ok\">x</a>\n", "[]"},
		{"zlib page of a server", "deflate", hexFile(t, "deflate-zlib.hex"), "<!doctype html><meta charset=utf-8><title>page</title><p><a href=\"/next-zlib\">x</a>\n", "[]"},
		{"bare deflate page of a server", "deflate", hexFile(t, "deflate-raw.hex"), "<!doctype html><meta charset=utf-8><title>page</title><p><a href=\"/next-raw\">x</a>\n", "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := scripted(t, say(answer(tt.label, tt.wire)))
			x, body := get(t, newClient(t, nil), Request{URL: url, WantRaw: true})
			if body != tt.want || fmt.Sprint(x.Findings) != tt.findings {
				t.Errorf("got %q with %v", body, x.Findings)
			}
			if raw, err := x.RawBody.Bytes(1 << 20); err != nil || !bytes.Equal(raw, tt.wire) {
				t.Errorf("raw body %q, %v", raw, err)
			}
		})
	}
}

func TestCodingErrors(t *testing.T) {
	page := []byte(strings.Repeat(samplePage, 100))
	noise := []byte{0, 1, 2, 3, 0xff, 0xfe, 5, 6}
	for _, tt := range []struct {
		name, label string
		wire        []byte
		want        Kind
	}{
		{"unknown coding", "lzma", page, KindCoding},
		{"compress", "compress", page, KindCoding},
		{"unknown beside a known one", "gzip, sdch", page, KindCoding},
		{"four stacked", "gzip, gzip, gzip, gzip", page, KindCoding},
		{"noise labelled gzip", "gzip", noise, KindCoding},
		{"noise labelled zstd", "zstd", noise, KindCoding},
		{"gzip cut off", "gzip", cut(encode(t, "gzip", page)), KindTruncated},
		{"br cut off", "br", cut(encode(t, "br", page)), KindTruncated},
		{"zstd cut off", "zstd", cut(encode(t, "zstd", page)), KindTruncated},
		{"zlib cut off", "deflate", cut(encode(t, "zlib", page)), KindTruncated},
		{"bare deflate cut off", "deflate", cut(encode(t, "raw", page)), KindTruncated},
		{"gzip with a wrong checksum", "gzip", spoil(encode(t, "gzip", page), -5), KindCoding},
		{"zlib with a wrong checksum", "deflate", spoil(encode(t, "zlib", page), -1), KindCoding},
		{"zstd window of 128 MiB", "zstd", hexFile(t, "zstd-window-128MiB.hex"), KindCoding},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := scripted(t, say(answer(tt.label, tt.wire)))
			x, err := do(t, newClient(t, nil), Request{URL: url})
			wantKind(t, err, tt.want)
			if x.Status != 200 || x.Body != nil || x.Header.Get("Content-Type") != "text/html" {
				t.Errorf("exchange has status %d, body %v, header %v", x.Status, x.Body, x.Header)
			}
		})
	}
}

func cut(p []byte) []byte { return p[:len(p)-len(p)/3] }

func spoil(p []byte, at int) []byte { p[len(p)+at] ^= 0x55; return p }

func TestNoContentWithACodingIsFine(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.WriteHeader(304)
		case "/length":
			w.Header().Set("Content-Length", "99999999")
		}
	})
	c := newClient(t, nil)
	for _, r := range []Request{{URL: "/empty"}, {URL: "/204"}, {URL: "/304"}, {URL: "/length", Method: "HEAD"}} {
		r.URL = url + r.URL
		if _, body := get(t, c, r); body != "" {
			t.Errorf("%s: body %q", r.URL, body)
		}
	}
}

func TestDecodingUndoesEveryStackOfCodings(t *testing.T) {
	c := newClient(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		page := rapid.SliceOfN(rapid.Byte(), 0, 5000).Draw(rt, "page")
		codings := rapid.SliceOfN(rapid.SampledFrom([]string{"gzip", "br", "zstd", "zlib"}), 0, 3).Draw(rt, "codings")
		wire, names := page, []string{}
		for _, coding := range codings {
			wire = encode(rt, coding, wire)
			names = append(names, strings.Replace(coding, "zlib", "deflate", 1))
		}
		h := http.Header{"Content-Encoding": {strings.Join(names, ", ")}}
		got, err := c.receiveBytes(rt.Context(), h, wire)
		if err != nil || !bytes.Equal(got, page) {
			rt.Fatalf("%v: %d octets came back as %d, %v", names, len(page), len(got), err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	page := []byte(samplePage)
	for label, coding := range map[string]string{"gzip": "gzip", "br": "br", "zstd": "zstd", "deflate": "raw", "deflate, gzip": "zlib"} {
		f.Add(label, encode(f, coding, page))
		f.Add(label, page)
	}
	f.Add("zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0xff})
	c := newClient(f, func(o *Options) { o.Limits.MaxBodyBytes = 1 << 20; o.Limits.RatioFreeBytes = 1 << 16 })
	f.Fuzz(func(t *testing.T, label string, wire []byte) {
		got, err := c.receiveBytes(t.Context(), http.Header{"Content-Encoding": {label}}, wire)
		if len(got) > 1<<20 {
			t.Fatalf("%d octets", len(got))
		}
		if err != nil && KindOf(&Error{Kind: classify(t.Context(), t.Context(), err, true).kind}) == KindUnknown {
			t.Fatalf("no kind for %v", err)
		}
	})
}

// receiveBytes runs a body through receive without a connection.
func (c *Client) receiveBytes(ctx context.Context, h http.Header, wire []byte) ([]byte, error) {
	share, err := c.budget.reserve(ctx, c.limits.MemoryBodyBytes)
	if err != nil {
		return nil, err
	}
	defer share.keep(0)
	e := &errand{c: c, r: &Request{}, x: &Exchange{}, share: share, maxBytes: c.limits.MaxBodyBytes, cancel: func(error) {}}
	res := &http.Response{StatusCode: 200, Header: h, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(wire))}
	if err := e.receive(res); err != nil {
		return nil, err
	}
	defer e.x.Close()
	return e.x.Body.Bytes(1 << 30)
}
