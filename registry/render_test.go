package registry

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write golden files anew")

func TestServedTexts(t *testing.T) {
	path := filepath.Join("testdata", "render", "cards.txtar")
	golden, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sch, err := newSchema(testBase + "/v1/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v := validator{sch}
	for i := 0; i+1 < len(golden.Files); i += 2 {
		in, want := golden.Files[i], &golden.Files[i+1]
		name, ok := strings.CutSuffix(in.Name, ".submitted")
		if !ok || want.Name != name+".served" {
			t.Fatalf("%s and %s are no pair", in.Name, want.Name)
		}
		t.Run(name, func(t *testing.T) {
			sub, err := v.read(shop, in.Data)
			if err != nil {
				t.Fatal(err)
			}
			s := &site{domain: shop, publisher: "pub-7", updated: instantOf(startOfWorld), facts: sub.facts, window: sub.window, rev: 1}
			if strings.HasPrefix(name, "proven") {
				s.proof = s.proof.after(Finding{Method: WellKnownFile, Crawl: CrawlFine, Note: "file: found"}, "pub-7", instantOf(startOfWorld))
			}
			got := append(render(nil, sub.raw, s), '\n')
			if *update {
				want.Data = got
			}
			if !bytes.Equal(got, want.Data) {
				t.Errorf("served as\n%swant\n%s", got, want.Data)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(golden), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
