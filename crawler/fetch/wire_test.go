package fetch

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHeadsAreFoundHoweverTheyAreCut(t *testing.T) {
	heads := []string{"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\n\n", "HTTP/1.1 200\r\nA: b\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n"}
	interims := []string{"", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 102 P\n\n"}
	rapid.Check(t, func(rt *rapid.T) {
		head := rapid.SampledFrom(heads).Draw(rt, "head")
		stream := rapid.SampledFrom(interims).Draw(rt, "interim") + head + rapid.SampledFrom([]string{"", "body\r\n\r\n", "\r\n\r\n"}).Draw(rt, "body")
		h := headRecorder{interim: true}
		for rest := []byte(stream); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "read")
			h.take(rest[:n], 1000)
			rest = rest[n:]
		}
		if string(h.head()) != head {
			rt.Fatalf("%q in %q came out as %q", head, stream, h.head())
		}
	})
}

func TestAHeadThatIsTooLongIsNotKept(t *testing.T) {
	h := headRecorder{}
	for range 100 {
		h.take(bytes.Repeat([]byte("a: b\r\n"), 10), 1000)
	}
	if h.take([]byte("\r\n"), 1000); h.head() != nil || cap(h.octets) > 0 {
		t.Errorf("kept %d octets", cap(h.octets))
	}
}

func TestKeptAliveConnectionsRecordEachExchangeAlone(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Path", r.URL.Path) })
	c := newClient(t, nil)
	for _, path := range []string{"/a", "/b", "/c"} {
		x, _ := get(t, c, Request{URL: url + path, WantRaw: true})
		if !strings.HasPrefix(string(x.RawRequestHead), "GET "+path+" ") || !strings.Contains(string(x.RawResponseHead), "X-Path: "+path+"\r\n") ||
			strings.Count(string(x.RawResponseHead), "X-Path") != 1 {
			t.Errorf("%s: %q %q", path, x.RawRequestHead, x.RawResponseHead)
		}
	}
}
