package discover_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heed/crawler/discover"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestWhatRealContextFilesAre judges files as they are met, as an index that was
// served in the best way. They lie beside the project, not in it; only counts are
// kept.
func TestWhatRealContextFilesAre(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "real", "llms", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no collection of real context files beside the project")
	}
	counts := map[string]int{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := discover.Response{Status: 200, Header: http.Header{}, Body: body, WireBytes: int64(len(body)), DecodedBytes: int64(len(body)), Coding: "gzip", ReceivedAt: noon}
		for name, value := range map[string]string{"Content-Type": "text/markdown; charset=utf-8", "Cache-Control": "max-age=3600", "Etag": `"1"`} {
			r.Header.Set(name, value)
		}
		got := discover.Judge(r, discover.Index, discover.DefaultPolicy())
		counts[fmt.Sprintf("%s, %s", got.State, got.Reason)]++
		for _, finding := range got.Findings {
			counts["finding "+finding]++
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%4d %s\n", counts[name], name)
	}
	const golden = "testdata/real-counts.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("counts are\n%swant\n%s", b.String(), want)
	}
}
