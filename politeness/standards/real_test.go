package standards

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heed/politeness"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestWhatRealFilesAskFor reads files as they are met and counts what they ask for. They
// lie beside the project, not in it; only counts are kept.
func TestWhatRealFilesAskFor(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "real")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the collection of real files is not at hand:", err)
	}
	counts := map[string]int{}
	for _, path := range realFiles(t, root, "robots") {
		countRobots(t, counts, path)
	}
	for _, path := range realFiles(t, root, "tdm") {
		d := tdmDocument(string(readFile(t, path)))
		counts["tdm "+tdmWord(readTDMFile(&d).Judge(ask("/")))]++
	}
	for _, path := range realFiles(t, root, "html") {
		countPage(counts, readFile(t, path))
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
	if want := readFile(t, golden); b.String() != string(want) {
		t.Errorf("counts are\n%swant\n%s", b.String(), want)
	}
}

func realFiles(t *testing.T, root, kind string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, kind, "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(kind, err)
	}
	return paths
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// countRobots reads one robots.txt by every source that reads them, and as an
// automation-preferences.txt besides, which must stand anything.
func countRobots(t *testing.T, counts map[string]int, path string) {
	t.Helper()
	body := readFile(t, path)
	d := robotsDocument(body)
	d.Header = plainDocument("", "").Header
	q := ask("/")
	q.Purposes = every
	for _, name := range []string{"robots", "aipref", "content-signal", "rsl"} {
		rules := sourceNamed(t, Options{Token: "heed", MaxCrawlDelay: defaultMaxCrawlDelay}, name).Read(robotsPlace(q.Origin), *d)
		o := rules.Judge(q)
		if o.Verdict == politeness.Deny {
			counts[name+" denies /"]++
		}
		if o.Delay > 0 {
			counts[name+" asks for a delay"]++
		}
		for p := range purposes {
			if o.Uses[p] != politeness.Unsaid {
				counts[fmt.Sprintf("%s says %s to %s", name, o.Uses[p], politeness.Purpose(p))]++
			}
		}
		if r, ok := rules.(politeness.Recorder); ok {
			for _, record := range []string{"sitemap", "llm-context", contentUsage, contentSignal, licenseLine} {
				if len(r.Records(record)) > 0 {
					counts["robots has a record "+record]++
				}
			}
		}
	}
	a := readAutomation(Options{}, q.Origin, d).(*automationRules)
	if a.file != nil && a.file.known > 0 {
		counts["robots has lines that automation-preferences.txt knows, such as Host"]++
	}
	a.Judge(q)
}

var (
	metaElement = regexp.MustCompile(`(?is)<meta\s[^>]*>`)
	metaName    = regexp.MustCompile(`(?is)\bname\s*=\s*["']?([^"'\s>]+)`)
	metaContent = regexp.MustCompile(`(?is)\bcontent\s*=\s*["']([^"']*)["']`)
)

// countPage reads the meta elements of a page, which is enough for a count.
func countPage(counts map[string]int, page []byte) {
	q := ask("/")
	q.Purposes, q.Response = every, &politeness.Response{Status: 200}
	for _, element := range metaElement.FindAllString(string(page), -1) {
		name, content := metaName.FindStringSubmatch(element), metaContent.FindStringSubmatch(element)
		if name != nil && content != nil {
			q.Response.Meta = append(q.Response.Meta, politeness.Meta{Name: name[1], Content: content[1]})
		}
	}
	o := xrobots{token: "heed"}.Judge(q)
	for p := range purposes {
		if o.Uses[p] != politeness.Unsaid {
			counts[fmt.Sprintf("xrobots says %s to %s", o.Uses[p], politeness.Purpose(p))]++
		}
	}
	if o.DropLinks {
		counts["xrobots drops links"]++
	}
	counts["tdm of a page "+tdmWord(tdmResponse{}.Judge(q))]++
}
