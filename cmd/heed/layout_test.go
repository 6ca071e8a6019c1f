package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file is the import law: what a room may know of other rooms, and where a
// library is at home. A room or a library that is missing from the tables fails,
// so adding one is a deliberate act. Imports point down the list of rooms,
// never up.

const module = "heed"

// suite is the room whose every file is test code, shared by the engines.
var suite = filepath.Join("store", "enginetest")

// room is a folder with Go code.
type room struct {
	path string
	may  []string // rooms it may import
	test []string // rooms its tests may import besides
}

func rooms() []room {
	return []room{
		// cmd parses and prints; app builds everything and stops it in reverse.
		{path: "cmd/heed", may: []string{"cmd/heed/app", "cmd/heed/api", "cmd/heed/demo", "cmd/terminal", "config",
			"crawler", "crawler/discover", "frontier", "politeness"}},
		{path: "cmd/heed/app", may: []string{"cmd/heed/api", "cmd/heed/demo", "config",
			"crawler", "crawler/discover", "crawler/extract", "crawler/fetch", "frontier", "politeness",
			"politeness/pace", "politeness/standards", "registry/card", "registry/mirror", "registry/proof",
			"store/archive", "store/bolt", "store/ledger"}},
		{path: "cmd/heed/api", may: []string{"crawler", "frontier", "politeness"}},
		{path: "cmd/heed/demo", may: []string{"registry"}}, // the world has a registry of its own, the real one
		{path: "cmd/terminal", may: []string{"config"}},
		{path: "e2e"},

		// The registry server is a program of its own; only its proof checks borrow
		// the crawler's guarded client.
		{path: "cmd/heed-registry", may: []string{"cmd/heed-registry/admin", "cmd/heed-registry/app", "cmd/heed-registry/settings", "cmd/terminal",
			"config", "registry"}},
		{path: "cmd/heed-registry/app", may: []string{"cmd/heed-registry/admin", "cmd/heed-registry/prover", "cmd/heed-registry/settings",
			"registry", "registry/mcp", "registry/openapi", "registry/pages"}},
		{path: "cmd/heed-registry/admin", may: []string{"registry"}},
		{path: "cmd/heed-registry/prover", may: []string{"cmd/heed-registry/resolver", "crawler/fetch", "politeness", "politeness/standards",
			"registry", "registry/proof"}},
		{path: "cmd/heed-registry/resolver", may: []string{"registry/proof"}},
		{path: "cmd/heed-registry/settings", may: []string{"config"}},
		{path: "registry", may: []string{"registry/card", "registry/proof"}},
		{path: "registry/mcp"},
		{path: "registry/openapi"},
		{path: "registry/pages"},
		{path: "registry/mirror", may: []string{"registry/card"}},

		// The conductor knows the rooms on the trip, but no engine and no standard.
		{path: "crawler", may: []string{"crawler/discover", "crawler/extract", "crawler/feed", "crawler/fetch", "frontier",
			"politeness", "politeness/pace", "store/archive", "store/ledger"},
			test: []string{"politeness/standards", "registry/card", "store/bolt"}},

		{path: "store/bolt", may: []string{"frontier", "politeness"}, test: []string{"store/enginetest"}},
		{path: "store/enginetest", may: []string{"frontier"}},
		{path: "store/archive", may: []string{"politeness"}},
		{path: "store/ledger", may: []string{"politeness"}},
		{path: "politeness/standards", may: []string{"politeness", "registry/card"}},

		// Leaves: they import none of ours.
		{path: "config"},
		{path: "crawler/discover"},
		{path: "crawler/extract"},
		{path: "crawler/feed"},
		{path: "crawler/fetch"},
		{path: "registry/card"},
		{path: "registry/proof"},
		{path: "frontier"},
		{path: "politeness"},
		{path: "politeness/pace"},
	}
}

// home says which rooms may import a library, and why only they.
type home struct {
	library string // an import path, or the beginning of several up to a slash
	rooms   []string
	why     string
}

func homes() []home {
	return []home{
		{"github.com/alecthomas/kong", []string{"cmd/terminal", "cmd/heed", "cmd/heed-registry"}, "flags are parsed once, at the door"},
		{"github.com/willabides/kongplete", []string{"cmd/terminal"}, "completion belongs to the flags"},
		{"github.com/jedib0t/go-pretty/v6", []string{"cmd/terminal", "cmd/heed", "cmd/heed/app", "cmd/heed-registry"}, "tables are for people at a terminal"},
		{"golang.org/x/term", []string{"cmd/terminal"}, "whether there is a terminal is asked once"},
		{"github.com/lmittmann/tint", []string{"cmd/terminal"}, "rooms log through slog and know no handler"},
		{"github.com/oklog/ulid/v2", []string{"cmd/heed/app"}, "decisions get their numbers in one place"},
		{"github.com/goccy/go-yaml", []string{"config", "cmd/heed-registry/settings"}, "nobody else reads a configuration file"},
		{"github.com/nlnwa/whatwg-url", []string{"frontier", "crawler/fetch"},
			"one reading of URLs; fetch needs it for literal hosts, before the guard"},
		{"golang.org/x/net/publicsuffix", []string{"frontier", "registry"}, "what a domain is, is a matter of scope, and of what a registry lists"},
		{"golang.org/x/net/idna", []string{"registry", "politeness/standards"}, "host names in policies and cards come in either form"},
		{"golang.org/x/net/html", []string{"crawler/extract", "e2e", "registry/pages"}, "one reading of HTML; e2e and the tests of pages look at it on their own"},
		{"golang.org/x/net/proxy", []string{"crawler/fetch"}, "connections are made behind the guard alone"},
		{"golang.org/x/net/http/httpguts", []string{"crawler/fetch"}, "field syntax is checked where fields are sent"},
		{"golang.org/x/text", []string{"crawler/extract", "frontier", "registry"},
			"charsets of documents, and of queries in URLs; messages of the schema"},
		{"github.com/wlynxg/chardet", []string{"crawler/extract"}, "guessing a charset is the last resort of extract"},
		{"github.com/gocolly/colly/v2", []string{"crawler/fetch"}, "no colly type leaves the fetch stage"},
		{"github.com/andybalholm/brotli", []string{"crawler/fetch", "cmd/heed/demo", "registry"},
			"bodies are decoded once; the demo's servers encode"},
		{"github.com/klauspost/compress", []string{"crawler/fetch", "store/archive", "store/ledger", "cmd/heed/demo", "registry"},
			"bodies are decoded once; files are compressed where they are written; the demo's servers encode"},
		{"golang.org/x/sync", []string{"crawler/fetch", "politeness", "crawler"}, "budgets and single flights"},
		{"go.etcd.io/bbolt", []string{"store/bolt", "registry"}, "transactions and their bytes never leave the engine, or the registry's shelf"},
		{"github.com/go-jose/go-jose/v4", []string{"registry"}, "access tokens are signed and read in one place"},
		{"github.com/santhosh-tekuri/jsonschema/v6", []string{"registry"}, "cards are validated where they are taken in"},
		{"github.com/modelcontextprotocol/go-sdk", []string{"registry/mcp", "cmd/heed-registry"}, "the catalog knows no protocol"},
		{"github.com/prometheus/client_golang", []string{"cmd/heed-registry/app"}, "rooms return plain numbers"},
		{"github.com/miekg/dns", []string{"cmd/heed-registry/resolver", "cmd/heed-registry/prover", "cmd/heed-registry"},
			"who answers for a name is asked in one place; tests serve zones"},
		{"golang.org/x/oauth2", []string{"cmd/heed-registry", "e2e"}, "a stranger's client tries the server in tests"},
		{"github.com/dunglas/httpsfv", []string{"politeness/standards"}, "structured fields of AIPREF"},
		{"github.com/nlnwa/gowarc/v3", []string{"store/archive"}, "one writer of WARC records"},
		{"github.com/temoto/robotstxt", []string{"politeness/standards"},
			"a second reader of robots.txt, never the first"},
		{"golang.org/x/time", []string{"politeness/pace"}, "pace has one authority"},
	}
}

// testLibraries may be imported by any test.
func testLibraries() []string {
	return []string{
		"pgregory.net/rapid", "go.uber.org/goleak", "github.com/rogpeppe/go-internal", "golang.org/x/tools/txtar",
	}
}

// source is one Go file of the module.
type source struct {
	room string
	path string
	test bool
	text []byte
	tree *ast.File
}

func (s source) imports() []string {
	var paths []string
	for _, spec := range s.tree.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			path = spec.Path.Value
		}
		paths = append(paths, path)
	}
	return paths
}

// sources reads every Go file of the module, whatever its build tags.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			// tools has its own module.
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "tools" || rel == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), rel, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{room: filepath.ToSlash(filepath.Dir(rel)), path: filepath.ToSlash(rel),
			test: strings.HasSuffix(rel, "_test.go") || filepath.Dir(rel) == suite, text: text, tree: tree})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < len(rooms()) {
		t.Fatalf("found only %d files below %s", len(all), root)
	}
	return all
}

func TestARoomImportsOnlyWhatTheLawAllows(t *testing.T) {
	known := make(map[string]room)
	for _, r := range rooms() {
		known[r.path] = r
	}
	for _, s := range sources(t) {
		r, ok := known[s.room]
		if !ok {
			t.Errorf("%s: the room %s is not in the table", s.path, s.room)
			continue
		}
		for _, path := range s.imports() {
			other, ours := strings.CutPrefix(path, module+"/")
			if !ours || other == s.room { // its own external test package
				continue
			}
			if slices.Contains(r.may, other) || s.test && slices.Contains(r.test, other) {
				continue
			}
			t.Errorf("%s: %s may not import %s", s.path, s.room, other)
		}
	}
}

func TestALibraryIsImportedOnlyAtHome(t *testing.T) {
	for _, s := range sources(t) {
		for _, path := range s.imports() {
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") { // standard library, or ours
				continue
			}
			if s.test && slices.ContainsFunc(testLibraries(), func(lib string) bool { return within(path, lib) }) {
				continue
			}
			at := slices.IndexFunc(homes(), func(h home) bool { return within(path, h.library) })
			switch {
			case at < 0:
				t.Errorf("%s: %s has no home in the table", s.path, path)
			case !slices.Contains(homes()[at].rooms, s.room):
				t.Errorf("%s: %s is at home in %v: %s", s.path, path, homes()[at].rooms, homes()[at].why)
			}
		}
	}
}

// within tells whether an import path is that of a library or lies below it.
func within(path, library string) bool {
	return path == library || strings.HasPrefix(path, library+"/")
}

func TestTheTablesNameOnlyWhatExists(t *testing.T) {
	var names []string
	for _, r := range rooms() {
		names = append(names, r.path)
	}
	for _, r := range rooms() {
		for _, other := range slices.Concat(r.may, r.test) {
			if !slices.Contains(names, other) {
				t.Errorf("%s may import %s, which is no room", r.path, other)
			}
		}
	}
	for _, h := range homes() {
		for _, at := range h.rooms {
			if !slices.Contains(names, at) {
				t.Errorf("%s is at home in %s, which is no room", h.library, at)
			}
		}
		if h.why == "" {
			t.Errorf("%s has no reason", h.library)
		}
	}
}

func TestImportsOfTheTableFormNoCircle(t *testing.T) {
	may := make(map[string][]string)
	for _, r := range rooms() {
		may[r.path] = r.may
	}
	var walk func(path string, above []string)
	walk = func(path string, above []string) {
		if slices.Contains(above, path) {
			t.Fatalf("a circle: %v and %s again", above, path)
		}
		for _, below := range may[path] {
			walk(below, append(above[:len(above):len(above)], path))
		}
	}
	for path := range may {
		walk(path, nil)
	}
}

// maxLines is where a file has more than one concern.
const maxLines = 400

func TestNoFileIsLongerThanTheLimit(t *testing.T) {
	for _, s := range sources(t) {
		if n := bytes.Count(s.text, []byte("\n")); n > maxLines && !s.test {
			t.Errorf("%s has %d lines, more than %d", s.path, n, maxLines)
		}
	}
}

func TestNothingHappensByImporting(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: has an init function", s.path)
			}
		}
		for _, spec := range s.tree.Imports {
			if spec.Name != nil && spec.Name.Name == "_" && spec.Path.Value != `"embed"` {
				t.Errorf("%s: imports %s for its side effects", s.path, spec.Path.Value)
			}
		}
	}
}
