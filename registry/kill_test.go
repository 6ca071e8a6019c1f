package registry

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// childVariable names a data folder and makes the test binary a registry that
// is written to until it is killed.
const childVariable = "HEED_REGISTRY_CHILD"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childVariable); folder != "" {
		if err := serveUntilKilled(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const (
	killWriters = 8
	killDomains = 6 // of each writer
)

// coin is a prover that finds whatever it likes.
type coin struct{}

func (coin) Prove(context.Context, ProofQuestion) Finding {
	switch rand.IntN(4) {
	case 0:
		return Finding{Method: Unverified, Note: "token absent"}
	case 1:
		return Finding{Method: Pending, Note: "timeout"}
	case 2:
		return Finding{Method: DNSTXT, Validated: true, Note: "TXT record matched"}
	}
	return Finding{Method: WellKnownFile, Crawl: CrawlFine, Note: "line found"}
}

// serveUntilKilled writes, checks and removes cards in several goroutines, each
// with domains of its own, and says on standard output what it is about to do
// and what has been acknowledged.
func serveUntilKilled(folder string) error {
	s, err := Open(Options{Path: folder, PublicURL: testBase, Name: "Child", Prover: coin{}})
	if err != nil {
		return err
	}
	if s.shelf.publisher("pub-7") == nil {
		if _, err := s.Admin().AddPublisher(context.Background(), "pub-7", "", []string{anyDomain}); err != nil {
			return err
		}
	}
	token, err := s.bearer.issue(s.shelf.publisher("pub-7"), scopeWrite)
	if err != nil {
		return err
	}
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	for writer := range killWriters {
		go func() {
			for n := 0; ; n++ {
				domain := fmt.Sprintf("w%dd%d.example", writer, rand.IntN(killDomains))
				method, path, body := "PUT", "/v1/site/"+domain, fmt.Sprintf(`{"canonical":"https://%s","x_n":%d,"x_pad":%q}`, domain, rand.Int(), strings.Repeat("x", rand.IntN(2000)))
				switch rand.IntN(6) {
				case 0:
					method, body = "DELETE", ""
				case 1, 2:
					method, path, body = "POST", path+"/check", ""
				case 3:
					method, path, body = "POST", path+"/token", ""
				}
				say("I %s", domain)
				r := httptest.NewRequest(method, testBase+path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				rec := httptest.NewRecorder()
				s.Handler().ServeHTTP(rec, r)
				tag := "-"
				if known := s.shelf.lookup(domain); known != nil && known.hasCard() {
					tag = known.etag.String()
				}
				say("A %s %d %s %s", domain, rec.Code, method, tag)
			}
		}()
	}
	select {}
}

// lastKnown is what a child has said about a domain.
type lastKnown struct {
	etag     string // after the last acknowledged operation, "-" for no card
	underway bool   // another one was begun
}

// killOnce runs a child and kills it after some acknowledgements; it gives their
// number.
func killOnce(t *testing.T, folder string, known map[string]*lastKnown) int {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+folder)
	var trouble strings.Builder
	child.Stderr = &trouble
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged, enough := 0, 20+rand.IntN(400)
	in := bufio.NewScanner(out)
	for in.Scan() {
		var kind, domain, method, tag string
		var status int
		_, _ = fmt.Sscan(in.Text(), &kind, &domain, &status, &method, &tag)
		k := known[domain]
		if k == nil {
			k = &lastKnown{etag: "-"}
			known[domain] = k
		}
		switch {
		case kind == "I":
			k.underway = true
		case kind == "A" && tag != "":
			if status >= 500 {
				t.Fatalf("the child answers %s", in.Text())
			}
			k.underway, k.etag = false, tag
			if acknowledged++; acknowledged == enough {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	_ = child.Wait() // it was killed
	if acknowledged < enough {
		t.Fatalf("the child ended after %d acknowledgements: %s", acknowledged, trouble.String())
	}
	return acknowledged
}

func TestKilledWhileWriting(t *testing.T) {
	kills := 3
	if os.Getenv("HEED_SLOW") != "" {
		kills = 50
	}
	folder := t.TempDir()
	known := make(map[string]*lastKnown)
	mirror, cursor := map[string]string{}, ""
	acknowledged := 0
	for kill := range kills {
		acknowledged += killOnce(t, folder, known)
		s, err := Open(Options{Path: folder, PublicURL: testBase, Name: "Parent", Prover: coin{}})
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		report, err := s.Admin().Verify(t.Context())
		if err != nil || len(report.Faults) != 0 {
			t.Fatalf("kill %d: %+v %v", kill, report, err)
		}
		if report.LogLines < acknowledged {
			t.Errorf("kill %d: %d lines in the log, %d operations were acknowledged", kill, report.LogLines, acknowledged)
		}
		for domain, k := range known {
			tag := "-"
			if site := s.shelf.lookup(domain); site != nil && site.hasCard() {
				tag = site.etag.String()
			}
			if tag != k.etag && !k.underway {
				t.Errorf("kill %d: %s has %s, %s was acknowledged", kill, domain, tag, k.etag)
			}
			k.etag, k.underway = tag, false
		}
		cursor = followFeed(t, s, mirror, cursor)
		compareWithCatalog(t, s, mirror)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, s *Server, path string, into any) {
	t.Helper()
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, httptest.NewRequest("GET", testBase+path, nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("GET %s answers %d: %s", path, rec.Code, rec.Body)
	}
	if err := json.NewDecoder(io.LimitReader(rec.Body, 8<<20)).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// followFeed brings a mirror up to date from a cursor and gives the next one.
func followFeed(t *testing.T, s *Server, mirror map[string]string, cursor string) string {
	t.Helper()
	for {
		var page struct {
			Changes []struct {
				Domain string
				ETag   *string
			}
			Cursor string
			More   bool
		}
		read(t, s, "/v1/changes?limit=7&since="+cursor, &page)
		for _, c := range page.Changes {
			if c.ETag == nil {
				delete(mirror, c.Domain)
			} else {
				mirror[c.Domain] = *c.ETag
			}
		}
		if cursor = page.Cursor; !page.More {
			return cursor
		}
	}
}

// compareWithCatalog tells whether who followed the feed has the catalog.
func compareWithCatalog(t *testing.T, s *Server, mirror map[string]string) {
	t.Helper()
	var index struct{ Listed []struct{ Domain string } }
	read(t, s, "/.well-known/botcentral-index.json", &index)
	if len(index.Listed) != len(mirror) {
		t.Errorf("%d cards are listed, who followed the feed has %d", len(index.Listed), len(mirror))
	}
	v := view{meta: s.shelf.view().meta, listed: len(index.Listed)}
	for _, e := range index.Listed {
		known := s.shelf.lookup(e.Domain)
		if known == nil || mirror[e.Domain] != known.etag.String() {
			t.Errorf("%s: the feed said %s", e.Domain, mirror[e.Domain])
			continue
		}
		v.sites = append(v.sites, known)
	}
	var snapshot, want struct{ Snapshot string }
	read(t, s, "/v1/snapshot", &snapshot)
	if err := json.Unmarshal(snapshotOf(v), &want); err != nil || snapshot != want {
		t.Errorf("snapshot %v, of the listed cards it is %v %v", snapshot, want, err)
	}
}
