//go:build e2e && linux

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// readerFolder is where the independent reader is installed, relative to here.
const readerFolder = "../.cache/npm"

// warcReport is what testdata/check.mjs prints.
type warcReport struct {
	Files   int            `json:"files"`
	Types   map[string]int `json:"types"`
	Digests int            `json:"digests"`
	Faults  []string       `json:"faults"`
}

// readWARCs has every WARC file of the job read by warcio.
func readWARCs(t *testing.T, job string) warcReport {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed: apt-get install nodejs npm")
	}
	folder, err := filepath.Abs(readerFolder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "warcio")); err != nil {
		missing(t, "warcio is not installed: see npm in .ci/run")
	}
	files, err := filepath.Glob(filepath.Join(job, "archive", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no finished WARC file in %s: %v", job, err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(node, append([]string{filepath.Join("testdata", "check.mjs"), folder}, files...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("reading the WARC files: %v\n%s", err, stderr.Bytes())
	}
	var report warcReport
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("the reader printed %q: %v", out, err)
	}
	return report
}

// capture is one line of the index.
type capture struct {
	URL    string `json:"url"`
	MIME   string `json:"mime"`
	Status string `json:"status"`
}

// kept tells whether the line stands for a document that was received or seen
// to be unchanged.
func (c capture) kept() bool {
	status, err := strconv.Atoi(c.Status)
	return err == nil && status/100 == 2
}

// readIndex reads the CDXJ files of the job: key, time stamp, JSON.
func readIndex(t *testing.T, job string) []capture {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(job, "indexes", "*.cdxj"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no index in %s: %v", job, err)
	}
	var all []capture
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			parts := bytes.SplitN(lines.Bytes(), []byte(" "), 3)
			var c capture
			if len(parts) != 3 || len(parts[1]) != 14 || json.Unmarshal(parts[2], &c) != nil {
				t.Fatalf("%s: %q is no CDXJ line", path, lines.Bytes())
			}
			all = append(all, c)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
