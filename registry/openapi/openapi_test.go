package openapi_test

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heed/registry/openapi"
)

var update = flag.Bool("update", false, "write the golden files anew")

type document struct {
	OpenAPI string
	Servers []struct{ URL string }
	Paths   map[string]map[string]json.RawMessage
}

func parse(t *testing.T, text []byte) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// The golden file lists what the contract promises, so that a path does not
// vanish or appear unnoticed.
func TestBCR015TheDocumentListsEveryOperation(t *testing.T) {
	d := parse(t, openapi.Document("https://registry.test"))
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if method != "parameters" {
				lines = append(lines, strings.ToUpper(method)+" "+path)
			}
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "operations.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("operations:\n%swant:\n%s", got, want)
	}
}

func TestTheDocumentSpeaksOfTheRegistryThatServesIt(t *testing.T) {
	for _, base := range []string{"https://registry.test", "https://registry.test/"} {
		text := openapi.Document(base)
		d := parse(t, text)
		if d.OpenAPI != "3.1.0" || len(d.Servers) != 1 || d.Servers[0].URL != "https://registry.test" {
			t.Errorf("%s: version %s, servers %v", base, d.OpenAPI, d.Servers)
		}
		if !strings.Contains(string(text), `"tokenUrl": "https://registry.test/oauth/token"`) || strings.Contains(string(text), "registry.example") {
			t.Errorf("%s: a URL of another registry is left", base)
		}
	}
	if _, err := json.Marshal(json.RawMessage(openapi.Document("https://registry.test/a\"b"))); err != nil {
		t.Errorf("a quotation mark in the URL breaks the document: %v", err)
	}
}

func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	text := openapi.Document("https://registry.test")
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`"\$ref": "#/([^"]+)"`).FindAllSubmatch(text, -1)
	if len(found) < 50 {
		t.Fatalf("only %d references", len(found))
	}
	for _, ref := range found {
		at := tree
		for part := range strings.SplitSeq(string(ref[1]), "/") {
			object, ok := at.(map[string]any)
			if !ok || object[part] == nil {
				t.Errorf("#/%s leads nowhere", ref[1])
				break
			}
			at = object[part]
		}
	}
}

func TestBCR014ReadsNeedNoCredentialsAndWritesDo(t *testing.T) {
	d := parse(t, openapi.Document("https://registry.test"))
	for path, methods := range d.Paths {
		for method, text := range methods {
			var op struct{ Security []map[string][]string }
			if method == "parameters" || json.Unmarshal(text, &op) != nil {
				continue
			}
			// Owners have no account: the planted token is their credential.
			write := strings.HasPrefix(path, "/v1/site/") && method != "get" && !strings.HasSuffix(path, "/revocation")
			if needs := len(op.Security) == 1 && slices.Contains(op.Security[0]["publisher"], "cards:write"); needs != write {
				t.Errorf("%s %s: security %v", method, path, op.Security)
			}
		}
	}
}

func TestTheDocumentIsServedConditionally(t *testing.T) {
	s := httptest.NewServer(openapi.New("https://registry.test"))
	defer s.Close()
	first, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	first.Body.Close()
	etag := first.Header.Get("ETag")
	if first.StatusCode != 200 || first.Header.Get("Content-Type") != "application/json" || len(etag) != 34 {
		t.Errorf("status %d, fields %v", first.StatusCode, first.Header)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("If-None-Match", etag)
	second, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	second.Body.Close()
	if second.StatusCode != http.StatusNotModified || second.Header.Get("ETag") != etag {
		t.Errorf("status %d, fields %v", second.StatusCode, second.Header)
	}
}
