package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each record that leaves says how the owner of the site wants to be named, with
// page and time of retrieval (BC-C-011, BC-C-930).
func TestBCC930EachRecordSaysHowItsOwnerWantsToBeNamed(t *testing.T) {
	for name, row := range map[string]struct {
		card             string
		cite             bool
		owner, canonical string
	}{
		"BC-C-011 cite true":                  {`"name":"The Shop","consent":{"retrieve":true,"cite":true}`, true, "The Shop", "https://named.test"},
		"BC-C-930 cite false forbids nothing": {`"name":"The Shop","consent":{"retrieve":true,"cite":false}`, false, "The Shop", "https://named.test"},
		"silence expects it":                  {`"consent":{"retrieve":true}`, true, "", "https://named.test"},
		"no card":                             {"", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFarm(t, signalSite{name: "named", card: row.card, pages: map[string]string{"/": "home"}})
			environ := append(f.environ(t.TempDir()), "HEED_PURPOSE=answer", "HEED_CONTEXT=off")
			if row.card != "" {
				environ = append(environ, "HEED_REGISTRY=https://registry.test")
			}
			start(t, environ, "crawl", "https://named.test/", "--json").expect(t, 0)
			for _, command := range []string{"export jsonl", "fetch --envelope https://named.test/"} {
				var e struct {
					Cite        bool
					Attribution *struct{ Name, Canonical string }
					FinalURL    string `json:"final_url"`
					RetrievedAt string `json:"retrieved_at"`
				}
				out := start(t, environ, strings.Fields(command)...).expect(t, 0).out.String()
				if err := json.Unmarshal([]byte(out), &e); err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
				if e.Cite != row.cite || e.FinalURL != "https://named.test/" || e.RetrievedAt == "" {
					t.Errorf("%s: %s", command, out)
				}
				if owner := e.Attribution; owner == nil && row.canonical != "" || owner != nil && (owner.Name != row.owner || owner.Canonical != row.canonical) {
					t.Errorf("%s: attribution %+v, want %q %q", command, owner, row.owner, row.canonical)
				}
			}
		})
	}
}
