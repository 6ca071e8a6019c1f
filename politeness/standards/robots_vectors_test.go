package standards

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"heed/politeness"
)

// vector is one line of testdata/robots.jsonl.gz: a file, a crawler, a URL and
// the right answer. Where RFC 9309 and Google's reference parser differ, Either
// says that the RFC leaves the malformed line open.
type vector struct {
	ID     string `json:"id"`
	About  string `json:"about"`
	Text   string `json:"robots"`
	Octets []byte `json:"robots_b64"`
	Agent  string `json:"agent"`
	URL    string `json:"url"`
	Allow  *bool  `json:"allow"`
	RFC    *bool  `json:"allow_rfc"`
	Google *bool  `json:"allow_google"`
	Either bool   `json:"rfc_either"`
}

// cautious is the answer of a crawler that follows the RFC, and the reference
// parser where the RFC is silent.
func (v *vector) cautious(t *testing.T) bool {
	want := v.RFC
	switch {
	case v.Allow != nil:
		want = v.Allow
	case v.Either:
		want = v.Google
	}
	if want == nil {
		t.Fatalf("%s has no answer", v.ID)
	}
	return *want
}

func loadVectors(t testing.TB) []vector {
	f, err := os.Open("testdata/robots.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 2<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if v.Text != "" {
			v.Octets = []byte(v.Text)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// pathOf is what a crawler puts on the wire for a URL, octets untouched.
func pathOf(t testing.TB, raw string) string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		t.Fatalf("URL %q is not absolute", raw)
	}
	rest, _, _ = strings.Cut(rest, "#")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		if rest[i] == '?' {
			return "/" + rest[i:]
		}
		return rest[i:]
	}
	return "/"
}

func TestRobotsVectors(t *testing.T) {
	vectors := loadVectors(t)
	if len(vectors) < 267 {
		t.Fatalf("%d vectors, want 267", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.ID+" "+v.About, func(t *testing.T) {
			o := judgeRobots(t, v.Agent, v.Octets, pathOf(t, v.URL))
			if got := o.Verdict != politeness.Deny; got != v.cautious(t) {
				t.Errorf("%s for %s: allow = %v, want %v (rule %d %q)", v.URL, v.Agent, got, !got, o.Rule.Line, o.Rule.Text)
			}
			if o.Verdict == politeness.Wait {
				t.Errorf("a served file gives wait")
			}
			if o.Verdict == politeness.Deny && o.Rule.Line == 0 {
				t.Errorf("denied without a line")
			}
		})
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// readRobots reads a served file the way the gate does.
func readRobots(token string, body []byte) politeness.Rules {
	s := newRobots(Options{Token: token, MaxCrawlDelay: defaultMaxCrawlDelay})
	return s.Read(robotsPlace("https://shop.test"), politeness.Document{URL: "https://shop.test/robots.txt",
		Status: 200, Body: body, FetchedAt: noon, Expires: noon.Add(time.Hour)})
}

func ask(path string) politeness.Question {
	return politeness.Question{URL: "https://shop.test" + path, Origin: "https://shop.test", Host: "shop.test",
		Path: path, Method: "GET", Purposes: politeness.PurposesOf(politeness.Index), Mode: politeness.Crawl, Now: noon}
}

func judgeRobots(t testing.TB, token string, body []byte, path string) politeness.Opinion {
	t.Helper()
	return readRobots(token, body).Judge(ask(path))
}
