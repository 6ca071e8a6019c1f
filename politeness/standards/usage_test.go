package standards

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"heed/politeness"
)

// every is the set of all purposes.
var every = politeness.PurposesOf(politeness.Index, politeness.Answer, politeness.Train, politeness.Act)

// sourceNamed is one source of the table.
func sourceNamed(t testing.TB, o Options, name string) politeness.Source {
	t.Helper()
	for _, s := range All(o) {
		if s.Name() == name {
			return s
		}
	}
	t.Fatalf("no source %s", name)
	return nil
}

// letters writes uses of index, answer and train.
func letters(u politeness.Uses) string {
	var b strings.Builder
	for _, p := range []politeness.Purpose{politeness.Index, politeness.Answer, politeness.Train} {
		b.WriteByte("-yn"[u[p]])
	}
	return b.String()
}

func TestUsageLines(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/usage.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			body, questions, _ := strings.Cut(string(f.Data), "=>\n")
			var got strings.Builder
			for line := range strings.Lines(questions) {
				words := strings.Fields(line)
				s := sourceNamed(t, Options{Token: "heed"}, words[0])
				q := ask(words[1])
				q.Purposes = every
				o := s.Read(robotsPlace(q.Origin), *robotsDocument([]byte(body))).Judge(q)
				fmt.Fprintln(&got, words[0], words[1], letters(o.Uses), o.Rule.Line)
				if o.Verdict != politeness.Silent || o.Uses[politeness.Act] != politeness.Unsaid {
					t.Errorf("%s %s", o.Verdict, o.Uses[politeness.Act])
				}
				if refuses := strings.Contains(letters(o.Uses), "n"); refuses != (o.Closes != "") || o.Closes != o.Reason {
					t.Errorf("reason %q, closes %q", o.Reason, o.Closes)
				}
			}
			if got.String() != questions {
				t.Errorf("got\n%swant\n%s", got.String(), questions)
			}
		})
	}
}

func TestUsageLinesOfAFileThatIsNone(t *testing.T) {
	for _, name := range []string{"aipref", "content-signal", "rsl"} {
		s := sourceNamed(t, Options{Token: "heed"}, name)
		for _, status := range []int{404, 503, 0} {
			d := robotsDocument([]byte("User-agent: *\nContent-Usage: search=n\nContent-Signal: search=no\nLicense: /l\n"))
			d.Status = status
			if o := s.Read(robotsPlace("https://shop.test"), *d).Judge(ask("/")); o.Uses != (politeness.Uses{}) || o.Verdict != politeness.Silent {
				t.Errorf("%s %d: %+v", name, status, o)
			}
		}
	}
}

func TestUsageLinesBeyondTheBoundGrantNothing(t *testing.T) {
	for name, line := range map[string]string{"aipref": "Content-Usage: train-ai=y\n", "content-signal": "Content-Signal: ai-train=yes\n"} {
		s := sourceNamed(t, Options{Token: "heed"}, name)
		q := ask("/")
		q.Purposes = politeness.PurposesOf(politeness.Train)
		for _, n := range []int{maxGroupLines, maxGroupLines + 1} {
			o := s.Read(robotsPlace(q.Origin), *robotsDocument([]byte("User-agent: *\n" + strings.Repeat(line, n)))).Judge(q)
			want := politeness.Allow
			if n > maxGroupLines {
				want = politeness.Deny
			}
			if d := politeness.Combine(q, []politeness.Opinion{o}); d.Verdict != want {
				t.Errorf("%s, %d lines: %s", name, n, d.Verdict)
			}
		}
	}
}

// afterResponse lets one source judge a response.
func afterResponse(t *testing.T, name string, o Options, mode politeness.Mode, header http.Header, meta ...politeness.Meta) politeness.Opinion {
	t.Helper()
	q := ask("/p/1")
	q.Purposes, q.Mode = every, mode
	q.Response = &politeness.Response{Status: 200, Header: header, Meta: meta}
	return sourceNamed(t, o, name).Read(responsePlace, politeness.Document{Status: 200, Header: header}).Judge(q)
}

func TestContentUsageField(t *testing.T) {
	tests := []struct {
		name   string
		fields []string
		want   string
	}{
		{"AIPREF no field", nil, "---"},
		{"AIPREF one field", []string{"train-ai=n"}, "--n"},
		{"AIPREF several field lines are one dictionary", []string{"train-ai=n", "search=y, ai-use=n"}, "ynn"},
		{"AIPREF of a key given twice the last counts", []string{"search=n", "search=y"}, "y--"},
		{"AIPREF a broken line breaks all of it", []string{"search=n", "Train-AI=n"}, "---"},
		{"AIPREF no dictionary", []string{"<<>>"}, "---"},
		{"AIPREF a field repeated a thousand times", slicesOf("search=n", 1_000), "n--"},
		{"AIPREF a statement beyond the limit is a refusal", slicesOf("search=y", 1_025), "nnn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := afterResponse(t, "aipref", Options{}, politeness.Crawl, http.Header{"Content-Usage": tt.fields})
			if letters(o.Uses) != tt.want || o.Supersedes {
				t.Errorf("%s, supersedes %t", letters(o.Uses), o.Supersedes)
			}
		})
	}
}

func slicesOf(s string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s
	}
	return list
}

func TestAUsageLineOfAnotherPathChangesNothing(t *testing.T) {
	s := sourceNamed(t, Options{Token: "heed"}, "aipref")
	rapid.Check(t, func(t *rapid.T) {
		path := "/" + rapid.StringMatching(`[a-c/?]{0,6}`).Draw(t, "path")
		rule := "/" + rapid.StringMatching(`[a-c/*$?]{0,5}`).Draw(t, "rule")
		body := "User-agent: *\nContent-Usage: search=y\n"
		more := body + "Content-Usage: " + rule + " search=n\n"
		q := ask(path)
		without := s.Read(robotsPlace(q.Origin), *robotsDocument([]byte(body))).Judge(q)
		with := s.Read(robotsPlace(q.Origin), *robotsDocument([]byte(more))).Judge(q)
		fits := robotsSaysNo(rule, path)
		if (with.Uses[politeness.Index] == politeness.No) != fits || without.Uses[politeness.Index] != politeness.Yes {
			t.Fatalf("rule %s on %s: %s, robots.txt would fit: %t", rule, path, with.Uses[politeness.Index], fits)
		}
	})
}

// robotsSaysNo tells whether a Disallow of the same pattern would fit.
func robotsSaysNo(rule, path string) bool {
	return readRobots("heed", []byte("User-agent: *\nDisallow: "+rule+"\n")).Judge(ask(path)).Verdict == politeness.Deny
}
