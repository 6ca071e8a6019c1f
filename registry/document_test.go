package registry

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

func TestContentCodings(t *testing.T) {
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	long := `{"canonical":"https://shop.example","summary":"` + strings.Repeat("garden tools ", 200) + `"}`
	p.prove(shop, long)
	plain := w.get("/v1/site/" + shop)
	for accept, want := range map[string]string{"": "", "gzip": "gzip", "br": "br", "gzip, br": "br", "gzip, deflate, br;q=0": "gzip", "br;q=0.5,GZIP;q=1.0": "br", "identity": "", "x-br": ""} {
		a := w.get("/v1/site/"+shop, "Accept-Encoding", accept)
		if got := a.header.Get("Content-Encoding"); got != want || a.header.Get("ETag") != plain.header.Get("ETag") || a.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: coding %q, fields %v", accept, got, a.header)
		}
		var in io.Reader = strings.NewReader(a.body)
		switch want {
		case "br":
			in = brotli.NewReader(in)
		case "gzip":
			z, err := gzip.NewReader(in)
			if err != nil {
				t.Fatal(err)
			}
			in = z
		}
		text, err := io.ReadAll(in)
		if err != nil || string(text) != plain.body {
			t.Errorf("%q: %v", accept, err)
		}
	}
	p.prove("short.example", minimal("short.example"))
	if a := w.get("/v1/site/short.example", "Accept-Encoding", "gzip"); a.header.Get("Content-Encoding") != "" {
		t.Error("an answer of one packet is coded")
	}
}

func TestTheCacheKeepsToItsBound(t *testing.T) {
	p := newPrepared()
	var kept []*document
	for i := range 200 {
		d := newDocument(jsonType, bytes.Repeat([]byte{'a' + byte(i%26)}, 1<<20))
		p.keep(strings.Repeat("x", i+1), d)
		kept = append(kept, d)
		if i%3 == 0 {
			kept[i/2].form(1) // grows, perhaps after it has left the cache
		}
		if p.bytes > cacheBytes {
			t.Fatalf("%d octets after %d documents", p.bytes, i)
		}
	}
	var sum int64
	for _, e := range p.docs {
		sum += e.bytes
	}
	if sum != p.bytes || len(p.docs) == 0 {
		t.Errorf("%d octets are counted, %d are there", p.bytes, sum)
	}
	d := newDocument(jsonType, []byte("{}"))
	p.keep("x", d)
	if p.find("x", etagOf([]byte("[]"))) != nil {
		t.Error("the cache gives a card of another ETag")
	}
	if p.find("x", d.tag) != d {
		t.Error("the newest is not there")
	}
}

func TestProblemsAreWhole(t *testing.T) {
	w := newWorld(t)
	a := w.get("/v1/site/none.example")
	body := a.json(t)
	if body["type"] != testBase+"/docs#not-listed" || body["title"] != http.StatusText(404) || body["detail"] == "" {
		t.Errorf("problem %v", body)
	}
}
