package crawler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

// TestSites crawls whole sites written down as archives and compares what
// became of every step with the transcript in the same file.
//
// The file "job" holds one option a line. A file named by a URL is an answer:
// status, fields, an empty line, the body. A further answer to the same URL is
// marked #2, #3 and so on, and the last one stays. An answer with an ETag turns
// into a 304 for whoever holds it. "transcript" is compared and, with -update,
// rewritten.
func TestSites(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "sites", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sites: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			site, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := transcript(t, site)
			want, at := "", -1
			for i, f := range site.Files {
				if f.Name == "transcript" {
					want, at = string(f.Data), i
				}
			}
			if got == want {
				return
			}
			if !*update {
				t.Fatalf("transcript is\n%s\nwant\n%s", got, want)
			}
			if at < 0 {
				site.Files = append(site.Files, txtar.File{Name: "transcript"})
				at = len(site.Files) - 1
			}
			site.Files[at].Data = []byte(got)
			if err := os.WriteFile(file, txtar.Format(site), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// transcript crawls a site and writes down what happened.
func transcript(t *testing.T, site *txtar.Archive) string {
	t.Helper()
	w := newWorld(t)
	var options []string
	replies := map[string][]reply{}
	for _, f := range site.Files {
		switch f.Name {
		case "transcript":
		case "job":
			options = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		default:
			url, _, _ := strings.Cut(f.Name, " #")
			replies[url] = append(replies[url], written(t, f))
		}
	}
	for url, list := range replies {
		w.on(url, turns(list...))
	}
	var out strings.Builder
	for pass := uint64(1); ; pass++ {
		again := time.Duration(0)
		j := w.open(func(s *setup) {
			s.pass = pass
			for _, line := range options {
				if wait := s.option(t, line); wait > 0 {
					again = wait
				}
			}
		})
		end := j.run()
		status, err := j.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.describe(&out, j, end, status)
		j.close()
		if again == 0 || pass == 2 {
			return out.String()
		}
		w.time.advance(again)
	}
}

// option applies one line of the job; a line "again DURATION" asks for a second
// pass that much later.
func (s *setup) option(t *testing.T, line string) (again time.Duration) {
	t.Helper()
	name, value, _ := strings.Cut(line, " ")
	var err error
	switch name {
	case "seed":
		s.seeds = append(s.seeds, value)
	case "scope":
		s.scope = frontier.ScopeKind(value)
	case "exclude":
		s.exclude = append(s.exclude, value)
	case "include":
		s.include = append(s.include, value)
	case "depth":
		s.depth, err = strconv.Atoi(value)
	case "links":
		s.MaxLinks, err = strconv.Atoi(value)
	case "retries":
		s.Retries, err = strconv.Atoi(value)
	case "pages":
		s.MaxPages, err = strconv.ParseInt(value, 10, 64)
	case "context":
		s.Context = crawler.ContextMode(value)
	case "purpose":
		s.Purposes, err = politeness.ParsePurposes(value)
	case "again":
		again, err = time.ParseDuration(value)
	default:
		t.Fatalf("unknown option %q", line)
	}
	if err != nil {
		t.Fatalf("option %q: %v", line, err)
	}
	return again
}

// written is the answer that a file of an archive spells out.
func written(t *testing.T, f txtar.File) reply {
	t.Helper()
	head, body, _ := strings.Cut(string(f.Data), "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	code, err := strconv.Atoi(lines[0])
	if err != nil {
		t.Fatalf("%s: status %q", f.Name, lines[0])
	}
	r := answer(code, body, lines[1:]...)
	for _, field := range lines[1:] {
		if tag, ok := strings.CutPrefix(field, "ETag: "); ok {
			r = tagged(tag, r)
		}
	}
	return r
}

// describe writes what one run did: a sorted line a step, then the counts.
func (w *world) describe(out *strings.Builder, j *job, end crawler.Ending, status crawler.Status) {
	var lines []string
	for _, v := range j.book.all() {
		state := "-"
		if v.state != frontier.Unknown {
			state = v.state.String()
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s %d %s", v.kind, v.url, dash(v.verdict), dash(v.reason), v.status, state))
	}
	slices.Sort(lines)
	for _, line := range lines {
		out.WriteString(line + "\n")
	}
	c := status.Run
	fmt.Fprintf(out, "end %d: pages %d, not modified %d, refused %d, failed %d, gone %d, out of scope %d, nofollow %d, over limit %d, index %d/%d/%d, policy %d, queued %d\n",
		end.Code, c.Pages, c.NotModified, c.Refused, c.Failed, c.Gone, c.OutOfScope, c.Nofollow, c.OverLimit,
		c.Context.Index, c.Context.None, c.Context.Undetermined, c.Policy, status.URLsQueued)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
