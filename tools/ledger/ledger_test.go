package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestIDsAreFoundInNamesAndNowhereElse(t *testing.T) {
	code := "package p\n\n// LC-001 is a comment.\nfunc TestLC002AndBCC003(t *testing.T) {\n" +
		"\tt.Run(\"LC-004 a subtest\", nil)\n\trows := map[string]int{\"AP-005 AP-006 a row\": 1}\n" +
		"\tt.Errorf(\"LC-007 a message\")\n\tcheck(\"LC-008 \" + x)\n}\n\nfunc helperLC009() {}\n"
	root := fstest.MapFS{
		"room/a_test.go":            {Data: []byte(code)},
		"room/a.go":                 {Data: []byte("package p\n\nconst x = \"LC-010\"\n")},
		"room/testdata/x.txtar":     {Data: []byte("LC-011 in the preface\n-- LC-012 a section --\nLC-013 in a document\n# LC-014 a phase\n")},
		"room/testdata/v.jsonl":     {Data: []byte("{\"id\":\"AP-015\"}\n")},
		"room/testdata/LC-016.html": {Data: []byte("\xff\xfe")},
		"tools/b_test.go":           {Data: []byte("package p\n\nconst x = \"LC-017\"\n")},
		".cache/c_test.go":          {Data: []byte("package p\n\nconst x = \"LC-018\"\n")},
	}
	tests, err := scan(root)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for id := range tests {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	want := []string{"AP-005", "AP-006", "AP-015", "BC-C-003", "LC-002", "LC-004", "LC-008", "LC-012", "LC-014", "LC-016"}
	if !slices.Equal(ids, want) {
		t.Errorf("found %v, want %v", ids, want)
	}
	if m := tests["LC-004"]; len(m) != 1 || m[0] != (mention{"room/a_test.go", 5, "LC-004 a subtest"}) {
		t.Errorf("%+v", m)
	}
}

func TestATestFileThatIsNoGoIsAnError(t *testing.T) {
	if _, err := scan(fstest.MapFS{"a_test.go": {Data: []byte("package")}}); err == nil {
		t.Error("scanned")
	}
}

func TestReportNamesWhatIsMissing(t *testing.T) {
	rows := []row{{"LC-001", "consumer", "MUST"}, {"LC-002", "publisher", "MUST"}, {"LC-003", "consumer (on-demand)", "SHOULD"}, {"BC-R-001", "registry", "MUST"}}
	for _, tt := range []struct {
		name     string
		tests    mentions
		complete bool
		says     string
	}{
		{"a row without a test", mentions{"LC-001": {{"a", 1, "x"}}, "LC-003": {{"a", 2, "x"}}}, false, "no test: BC-R-001 registry MUST\n3 rows need a test, 1 have none\n"},
		{"duties of others need none", mentions{"LC-001": {{"a", 1, "x"}}, "LC-003": {{"a", 2, "x"}}, "BC-R-001": {{"a", 3, "x"}}}, true, "3 rows need a test, 0 have none\n"},
		{"a row that no ledger has", mentions{"LC-001": {{"a", 1, "x"}}, "LC-003": {{"a", 2, "x"}}, "BC-R-001": {{"a", 3, "x"}}, "LC-999": {{"b", 4, "x"}}}, false, "no such row: LC-999 in b:4\n3 rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			complete, err := report(&out, rows, tt.tests, false)
			if err != nil || complete != tt.complete || !strings.Contains(out.String(), tt.says) {
				t.Errorf("%t, %v, %q", complete, err, out.String())
			}
		})
	}
}

func TestAListThatCannotBeReadIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"an id of no ledger": "XX-001\tclient\tMUST\n",
		"a missing column":   "LC-001\tclient\n",
		"a row twice":        "LC-001\tclient\tMUST\nLC-001\tclient\tMUST\n",
	} {
		t.Run(name, func(t *testing.T) {
			if rows, err := readRows(text); err == nil {
				t.Errorf("%v", rows)
			}
		})
	}
}

// The ledgers themselves are no part of the project; where they lie beside it,
// the list must agree with them.
func TestTheListIsThatOfTheLedgers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "spec", "*-requirements.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the ledgers are not beside the project")
	}
	listed, err := readRows(rowList)
	if err != nil {
		t.Fatal(err)
	}
	var want []row
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n")[1:] {
			if f := strings.Split(line, "\t"); len(f) > 3 {
				want = append(want, row{f[0], f[3], f[2]})
			}
		}
	}
	if !slices.Equal(listed, want) {
		t.Errorf("the list has %d rows, the ledgers have %d, or some differ", len(listed), len(want))
	}
}
