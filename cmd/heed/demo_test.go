package main_test

import (
	"strings"
	"testing"
	"unicode"

	"heed/cmd/heed/demo"
)

// TestDemo runs the whole demonstration and wants every site treated as it
// asked.
func TestDemo(t *testing.T) {
	p := start(t, []string{"PATH=/usr/bin:/bin", "TMPDIR=" + t.TempDir(), atOnce}, "demo", "--json")
	code := p.wait(t)
	var result struct {
		OK    bool
		Sites []struct {
			Site, Asked, Did, Why string
			OK                    bool
		}
		First, Second summary
	}
	p.json(t, &result)
	if len(result.Sites) < 80 {
		t.Errorf("the demonstration has %d sites, at least 80 are promised", len(result.Sites))
	}
	for _, row := range result.Sites {
		t.Run(row.Site, func(t *testing.T) {
			if !row.OK {
				t.Errorf("asked: %s\nheed did: %s\nwhy: %s", row.Asked, row.Did, row.Why)
			}
			if row.Asked == "" || row.Did == "" {
				t.Errorf("the row does not say what happened: %+v", row)
			}
		})
	}
	if code != 0 || !result.OK {
		t.Errorf("exit %d, ok %v", code, result.OK)
	}
	if result.Second.NotModified == 0 {
		t.Error("the second half shows no 304")
	}
}

// TestDemoForPeople looks at the text, and follows its hints when the world is gone.
func TestDemoForPeople(t *testing.T) {
	env, data := []string{"PATH=/usr/bin:/bin", "TMPDIR=" + t.TempDir(), atOnce}, t.TempDir()
	p := start(t, env, "demo", "--data", data).expect(t, 0)
	start(t, env, "explain", "--data", data+"/demo", "--job", "demo", "https://nofollow-links."+demo.Domain+"/").expect(t, 0)
	text := p.out.String()
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' {
			t.Fatalf("standard output holds the control character %U", r)
		}
	}
	listed := map[string]bool{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "ok" {
			listed[f[1]] = true
		}
	}
	for _, site := range demo.Sites() {
		if !listed[strings.TrimSuffix(site.Name, "."+demo.Domain)] {
			t.Errorf("the table does not list %s as ok", site.Name)
		}
	}
	if strings.Contains(text, " NO ") {
		t.Error("a row is marked NO")
	}
	if !strings.Contains(text, "times 304") {
		t.Error("the text does not say what the second crawl saved")
	}
}
