package fetch

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// page20k is the size of a usual page with its markup.
func page20k() []byte { return mixed(20 << 10) }

// BenchmarkDo measures what this package adds to net/http: bare-net-http reads
// the same page with http.Client and io.ReadAll.
func BenchmarkDo(b *testing.B) {
	page := page20k()
	coded := map[string][]byte{"gzip": encode(b, "gzip", page), "br": encode(b, "br", page), "zstd": encode(b, "zstd", page)}
	url := serve(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		body := page
		if label := r.URL.Path[1:]; label != "" {
			w.Header().Set("Content-Encoding", label)
			body = coded[label]
		}
		_, _ = w.Write(body)
	})
	// Sites have names; IP literals take the full URL parser.
	to := rule(b, "shop.test:80:"+strings.TrimPrefix(url, "http://"))
	named := func(o *Options) { o.Resolve = []ResolveRule{to} }
	b.Run("bare-net-http", func(b *testing.B) {
		t := &http.Transport{DisableCompression: true}
		defer t.CloseIdleConnections()
		client := &http.Client{Transport: t}
		b.ReportAllocs()
		for b.Loop() {
			res, err := client.Get(url + "/")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadAll(res.Body); err != nil {
				b.Fatal(err)
			}
			res.Body.Close()
		}
	})
	for _, bb := range []struct {
		name, path string
		raw        bool
	}{{"identity", "/", false}, {"identity-raw", "/", true}, {"gzip", "/gzip", false}, {"br", "/br", false}, {"zstd", "/zstd", false}, {"gzip-raw", "/gzip", true}} {
		b.Run(bb.name, func(b *testing.B) {
			c := newClient(b, named)
			b.ReportAllocs()
			for b.Loop() {
				fetchOnce(b, c, Request{URL: "http://shop.test" + bb.path, WantRaw: bb.raw})
			}
		})
	}
	b.Run("parallel", func(b *testing.B) {
		c := newClient(b, named)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				fetchOnce(b, c, Request{URL: "http://shop.test/"})
			}
		})
	})
}

func fetchOnce(b *testing.B, c *Client, r Request) {
	x, err := c.Do(context.Background(), r)
	if err != nil {
		b.Error(err)
		return
	}
	if x.Body.Len() != 20<<10 {
		b.Errorf("%d octets", x.Body.Len())
	}
	x.Close()
}

func BenchmarkDecode(b *testing.B) {
	page := mixed(500 << 10)
	c := newClient(b, nil)
	for _, label := range []string{"gzip", "br", "zstd"} {
		wire := encode(b, label, page)
		b.Run(label, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				got, err := c.receiveBytes(context.Background(), http.Header{"Content-Encoding": {label}}, wire)
				if err != nil || !bytes.Equal(got, page) {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseFreshness(b *testing.B) {
	h := fields("Date: Mon, 30 Nov 2026 12:00:00 GMT\nCache-Control: public, max-age=60, must-revalidate\nAge: 5")
	b.ReportAllocs()
	for b.Loop() {
		if f := ParseFreshness(h, 200, testDate, testDate); !f.Explicit {
			b.Fatal(f)
		}
	}
}
