//go:build e2e && linux

package e2e

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

// The comparison rests on what the server does; a server that is set up badly
// would let a bad crawl pass.
func TestTheServerCodesValidatesAndKeepsNamesApart(t *testing.T) {
	all := sites(t)
	pair := newKeyPair(t, append(hosts(all), "other.e2e.test"))
	s := startServer(t, all, pair)
	host := all[0].Host
	client := func(name string) *http.Client {
		transport := &http.Transport{TLSClientConfig: pair.client(t, name), DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.address())
		}}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	var tag string
	for _, step := range []struct {
		name, host, path string
		accept           string
		conditional      bool
		status           int
		coding, location string
	}{
		{name: "brotli is preferred", host: host, path: "/index.html", accept: "br, gzip, zstd, deflate", status: 200, coding: "br"},
		{name: "a tag is honoured", host: host, path: "/index.html", accept: "br", conditional: true, status: 304},
		{name: "gzip is served", host: host, path: "/index.html", accept: "gzip", status: 200, coding: "gzip"},
		{name: "a folder has an index", host: host, path: "/", accept: "identity", status: 200},
		{name: "robots.txt is served", host: host, path: "/robots.txt", accept: "identity", status: 200},
		{name: "llms.txt is served", host: host, path: "/llms.txt", accept: "identity", status: 200},
		{name: "the well-known URI leads to it", host: host, path: "/.well-known/llm-context", status: 302, location: "/llms.txt"},
		{name: "another name gets nothing", host: "other.e2e.test", path: "/index.html", status: 421},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+step.host+step.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", step.accept)
		if step.conditional {
			req.Header.Set("If-None-Match", tag)
		}
		resp, err := client(step.host).Do(req)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		resp.Body.Close()
		if resp.StatusCode != step.status || resp.Header.Get("Content-Encoding") != step.coding || resp.Header.Get("Location") != step.location {
			t.Errorf("%s: status %d, coding %q, location %q; want %d, %q, %q", step.name, resp.StatusCode,
				resp.Header.Get("Content-Encoding"), resp.Header.Get("Location"), step.status, step.coding, step.location)
		}
		if step.status == 200 && step.path == "/index.html" {
			if tag = resp.Header.Get("ETag"); tag == "" || resp.Header.Get("Cache-Control") != "" || resp.Header.Get("Expires") != "" {
				t.Errorf("%s: tag %q, header %v; want a tag and no freshness", step.name, tag, resp.Header)
			}
		}
	}
	// A line is written after the answer was sent, so the last one may be late.
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); len(s.requests(t)) < 8 && time.Now().Before(deadline); <-tick.C {
	}
	if n := len(s.requests(t)); n != 8 {
		t.Errorf("the access log has %d lines, want 8", n)
	}
}

func hosts(all []site) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Host)
	}
	return names
}
