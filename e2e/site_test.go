//go:build e2e && linux

package e2e

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// site is one host: a folder of documentation with policy files.
type site struct {
	Host   string
	Root   string
	Robots string // path of its robots.txt
	LLMs   string // path of its llms.txt
	rules  ruleset
}

// packages are Debian's documentation packages with HTML, and where any release
// puts it.
var packages = []struct{ name, host, glob string }{
	{"postgresql-doc", "postgresql.e2e.test", "/usr/share/doc/postgresql-doc-*/html"},
	{"cmake-doc", "cmake.e2e.test", "/usr/share/doc/cmake*/html"},
	{"python3-doc", "python.e2e.test", "/usr/share/doc/python3*/html"},
}

// minSites and minPages make the crawl worth its name.
const (
	minSites = 2
	minPages = 2000
)

// realFiles is the folder of policy files of real sites.
const realFiles = "../../shared/real"

// sites finds what is installed, and deals policy files out.
func sites(t *testing.T) []site {
	t.Helper()
	var all []site
	for _, p := range packages {
		found, err := filepath.Glob(p.glob)
		if err != nil {
			t.Fatal(err)
		}
		found = slices.DeleteFunc(found, func(path string) bool {
			_, err := os.Stat(filepath.Join(path, "index.html"))
			return err != nil
		})
		if len(found) == 0 {
			t.Logf("%s is not installed", p.name)
			continue
		}
		// The folder is often a link into another package.
		root, err := filepath.EvalSymlinks(found[len(found)-1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, site{Host: p.host, Root: root})
	}
	if len(all) < minSites {
		missing(t, "not enough documentation: apt-get install postgresql-doc cmake-doc python3-doc")
	}
	robots, llms := policyFiles(t)
	for i := range all {
		choose(t, &all[i], robots)
		robots = slices.DeleteFunc(robots, func(path string) bool { return len(robots) > 1 && path == all[i].Robots })
		all[i].LLMs = llms[i%len(llms)]
		t.Logf("%s: %s, %s, %s", all[i].Host, all[i].Root, filepath.Base(all[i].Robots), filepath.Base(all[i].LLMs))
	}
	return all
}

// policyFiles lists robots.txt and llms.txt files, absolute.
func policyFiles(t *testing.T) (robots, llms []string) {
	t.Helper()
	folder, err := filepath.Abs(realFiles)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Logf("policy files of real sites are absent (%v): those of testdata take their place", err)
		if folder, err = filepath.Abs("testdata"); err != nil {
			t.Fatal(err)
		}
	}
	for dir, list := range map[string]*[]string{"robots": &robots, "llms": &llms} {
		if *list, err = filepath.Glob(filepath.Join(folder, dir, "*.txt")); err != nil || len(*list) == 0 {
			t.Fatalf("no files in %s/%s: %v", folder, dir, err)
		}
	}
	return robots, llms
}

// maxRobotsBytes keeps the plain matcher of the test quick.
const maxRobotsBytes = 64 << 10

// choose gives the site the robots.txt that forbids the most of its files, but
// less than half of them and never its first page. Files that ask for a delay are
// left out: obeying them would take hours.
func choose(t *testing.T, s *site, robots []string) {
	t.Helper()
	var targets []string
	for path := range htmlFiles(t, s.Root) {
		targets = append(targets, "/"+path)
	}
	slices.Sort(targets)
	type candidate struct {
		path   string
		rules  ruleset
		closed int
	}
	var all []candidate
	for _, path := range robots {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := candidate{path: path, rules: readRobots(text, "heed")}
		if len(text) > maxRobotsBytes || c.rules.delay > 0 || !c.rules.allows("/") || !c.rules.allows("/llms.txt") {
			continue
		}
		for _, target := range targets {
			if !c.rules.allows(target) {
				c.closed++
			}
		}
		if c.closed < len(targets)/2 {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s: no robots.txt fits", s.Host)
	}
	best := slices.MaxFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.closed, b.closed), cmp.Compare(len(a.rules.rules), len(b.rules.rules)), strings.Compare(b.path, a.path))
	})
	s.Robots, s.rules = best.path, best.rules
	t.Logf("%s: %d of %d files are closed by %d rules", s.Host, best.closed, len(targets), len(best.rules.rules))
}
