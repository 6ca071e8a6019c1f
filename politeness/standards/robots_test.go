package standards

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"heed/politeness"
)

// TestRobotsByClause plays testdata/robots/*.txtar. A line of `questions` is
//
//	token path verdict line [text of the rule] [delay]
//
// and of `records NAME` is: line, inside or outside of a group, value.
func TestRobotsByClause(t *testing.T) {
	files, err := filepath.Glob("testdata/robots/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			body := archive.Files[0].Data
			for _, f := range archive.Files[1:] {
				name, isRecords := strings.CutPrefix(f.Name, "records ")
				var got strings.Builder
				if isRecords {
					writeRecords(&got, body, name)
				} else {
					for line := range strings.Lines(string(f.Data)) {
						writeAnswer(&got, body, line)
					}
				}
				if got.String() != string(f.Data) {
					t.Errorf("%s:\n%swant\n%s", f.Name, got.String(), f.Data)
				}
			}
		})
	}
}

func writeRecords(w *strings.Builder, body []byte, name string) {
	for _, r := range readRobots("heed", body).(politeness.Recorder).Records(name) {
		where := "outside"
		if r.InGroup {
			where = "inside"
		}
		fmt.Fprintln(w, r.Line, where, r.Value)
	}
}

func writeAnswer(w *strings.Builder, body []byte, question string) {
	words := strings.Fields(question)
	o := readRobots(words[0], body).Judge(ask(words[1]))
	answer := []string{words[0], words[1], o.Verdict.String(), strconv.Itoa(o.Rule.Line)}
	if o.Rule.Text != "" {
		answer = append(answer, o.Rule.Text)
	}
	if o.Delay > 0 {
		answer = append(answer, o.Delay.String())
	}
	fmt.Fprintln(w, strings.Join(answer, " "))
}

func TestRobotsPlaceBelongsToTheOrigin(t *testing.T) {
	for _, origin := range []string{"https://shop.test", "http://shop.test:8080", "http://[2001:db8::7]"} {
		want := politeness.Place{URL: origin + "/robots.txt", Kind: "robots", MaxBytes: 512_000,
			MaxAge: 24 * time.Hour, Accept: "text/plain, */*;q=0.1"}
		if places := newRobots(Options{}).Where(origin); len(places) != 1 || places[0] != want {
			t.Errorf("%s: %+v", origin, places)
		}
	}
}

func TestCase01BOMUnderLatin1Label(t *testing.T) {
	d := robotsDocument([]byte("\xEF\xBB\xBFUser-agent: *\nDisallow: /\n"))
	d.Header = map[string][]string{"Content-Type": {"text/plain; charset=ISO-8859-1"}}
	o := newRobots(Options{Token: "heed"}).Read(politeness.Place{}, *d).Judge(ask("/"))
	if o.Verdict != politeness.Deny || o.Rule != (politeness.Rule{Text: "Disallow: /", Line: 2}) {
		t.Errorf("%s by %+v", o.Verdict, o.Rule)
	}
}

func TestCase03ARedirectedFileGovernsTheFirstOriginOnly(t *testing.T) {
	d := robotsDocument([]byte("User-agent: *\nDisallow:\n"))
	d.FinalURL = "https://social.test/shop/robots.txt"
	g := robotsGate(Options{Token: "heed"}, memoryCache{d.URL: d})
	if got, need, err := g.Before(t.Context(), ask("/")); err != nil || need != nil || got.Verdict != politeness.Allow {
		t.Fatalf("shop.test: %s, need %v, %v", got.Verdict, need, err)
	}
	q := ask("/shop/")
	q.Origin, q.Host = "https://social.test", "social.test"
	if _, need, err := g.Before(t.Context(), q); err != nil || need == nil || need.Place.URL != "https://social.test/robots.txt" {
		t.Errorf("social.test: need %+v, %v", need, err)
	}
}

func TestAFileCutAtTheLimitLosesItsCutLine(t *testing.T) {
	head := "User-agent: *\nDisallow: /kept\n"
	tests := []struct {
		name string
		body string
		cut  bool
		path string
		want politeness.Verdict
	}{
		{"a cut allow would open more", head + "Allow: /k", true, "/kept", politeness.Deny},
		{"a cut disallow would close more", head + "Disallow: /", true, "/other", politeness.Silent},
		{"an uncut last line counts", head + "Disallow: /", false, "/other", politeness.Deny},
		{"a line before the cut counts", head + "Disallow: /other\nDisallow: /th", true, "/other", politeness.Deny},
		{"nothing but a cut line", "User-agent: *", true, "/", politeness.Silent},
		{"more octets than the limit, nobody cut them", head + strings.Repeat("#", robotsMaxBytes-len(head)-11) + "\nAllow: /kept\n",
			false, "/kept", politeness.Deny},
		{"a line that ends at the limit is whole", head + strings.Repeat("#", robotsMaxBytes-len(head)-14) + "\nAllow: /kept/\n#",
			false, "/kept/", politeness.Allow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := robotsDocument([]byte(tt.body))
			d.Truncated = tt.cut
			o := newRobots(Options{Token: "heed"}).Read(politeness.Place{}, *d).Judge(ask(tt.path))
			if o.Verdict != tt.want {
				t.Errorf("%s by %q, want %s", o.Verdict, o.Rule.Text, tt.want)
			}
		})
	}
}

func TestTextsOfStrangersAreBoundedAndPlain(t *testing.T) {
	o := judgeRobots(t, "heed", []byte("User-agent: *\nDisallow: /\x1b[31m\xff"+strings.Repeat("x", 5000)), "/%1B[31m%FF"+strings.Repeat("x", 5000))
	if o.Verdict != politeness.Deny {
		t.Fatalf("%s", o.Verdict)
	}
	if !strings.HasPrefix(o.Rule.Text, "Disallow: /\uFFFD[31m\uFFFDxxx") || !strings.HasSuffix(o.Rule.Text, "x…") || len(o.Rule.Text) > 2*maxRuleText {
		t.Errorf("%d octets: %.40q", len(o.Rule.Text), o.Rule.Text)
	}
}

func TestAZeroOctetEndsALineButNeverWidensAnAllow(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /bin\x00ary\nAllow: /bin/open\x00ly\nAllow: /bin/free\n\x00Disallow: /\n")
	for path, want := range map[string]politeness.Verdict{"/bin/x": politeness.Deny, "/bin/open": politeness.Deny,
		"/bin/free": politeness.Allow, "/": politeness.Silent} {
		if o := judgeRobots(t, "heed", body, path); o.Verdict != want {
			t.Errorf("%s: %s by %q, want %s", path, o.Verdict, o.Rule.Text, want)
		}
	}
}

func TestRecordsAreBounded(t *testing.T) {
	var b bytes.Buffer
	for i := range 2 * maxRecords {
		fmt.Fprintf(&b, "Sitemap: https://shop.test/%d.xml\n", i)
	}
	f := parseRobots(b.Bytes(), false, "heed", time.Minute)
	if len(f.records) != maxRecords || f.dropped != maxRecords {
		t.Errorf("%d kept, %d dropped", len(f.records), f.dropped)
	}
	long := "X-" + strings.Repeat("a", maxRecordName) + ": v\nSitemap: " + strings.Repeat("b", maxRecordValue+1) + "\nSitemap: " + strings.Repeat("b", maxRecordValue)
	if f = parseRobots([]byte(long), false, "heed", time.Minute); len(f.records) != 1 || f.dropped != 2 {
		t.Errorf("%d kept, %d dropped", len(f.records), f.dropped)
	}
}

func TestADelayIsAtMostWhatTheOperatorAccepts(t *testing.T) {
	body := []byte("User-agent: *\nCrawl-delay: 20\nCrawl-delay: 10\n")
	s := newRobots(Options{MaxCrawlDelay: 15 * time.Second})
	if o := s.Read(politeness.Place{}, *robotsDocument(body)).Judge(ask("/")); o.Delay != 15*time.Second {
		t.Errorf("delay %s", o.Delay)
	}
}

func TestParseDelay(t *testing.T) {
	good := map[string]time.Duration{"0": 0, "1": time.Second, "2.5": 2500 * time.Millisecond, "0.25": 250 * time.Millisecond,
		".5": 500 * time.Millisecond, "5.": 5 * time.Second, "007": 7 * time.Second, "59.999": 59*time.Second + 999*time.Millisecond,
		"60.1": time.Minute, "86400": time.Minute, "99999999999999999999999999": time.Minute, "1.0000000001": time.Second}
	for value, want := range good {
		if got, ok := parseDelay(value, time.Minute); !ok || got != want {
			t.Errorf("%q is %s, %v; want %s", value, got, ok, want)
		}
	}
	for _, value := range []string{"", ".", "inf", "Infinity", "NaN", "1e3", "1e300", "0x1p4", "1_0", "1,000", "-1", "+1", "10s", "1 2", "1.2.3", "１"} {
		if got, ok := parseDelay(value, time.Minute); ok {
			t.Errorf("%q is %s", value, got)
		}
	}
}

// robotsLines draws files of a few agents and rules.
func robotsLines() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"User-agent: heed", "User-agent: *", "User-agent: other", "Allow: /a", "Disallow: /a",
		"Disallow: /", "Disallow:", "Allow: /a/b$", "Disallow: /*b", "Crawl-delay: 3", "", "# comment"}), 0, 14)
}

var fewPaths = []string{"/", "/a", "/a/b", "/a/b/c", "/b"}

// answers is what a file says to us about the few paths.
func answers(body string, delay bool) string {
	var b strings.Builder
	for _, path := range fewPaths {
		o := readRobots("heed", []byte(body)).Judge(ask(path))
		fmt.Fprint(&b, o.Verdict, " ", o.Rule.Text, ";")
		if delay {
			fmt.Fprint(&b, o.Delay, ";")
		}
	}
	return b.String()
}

func TestLC037OtherRecordsNeverChangeAnAnswer(t *testing.T) { // RFC 9309 2.2.4, LC-037, LC-062
	rapid.Check(t, func(t *rapid.T) {
		lines := robotsLines().Draw(t, "lines")
		at := rapid.IntRange(0, len(lines)).Draw(t, "position")
		record := rapid.SampledFrom([]string{"LLM-Context: https://shop.test/l.txt", "Sitemap:", "Content-Usage: /a train-ai=n", "Host: x",
			"X: Disallow: /", "License: https://shop.test/l.xml", "no colon here", "Crawl-delay: inf"}).Draw(t, "record")
		more := slices.Insert(slices.Clone(lines), at, record)
		if a, b := answers(strings.Join(lines, "\n"), true), answers(strings.Join(more, "\n"), true); a != b {
			t.Fatalf("%q\nbecame %q", a, b)
		}
	})
}

func TestLineEndsAreAllTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := robotsLines().Draw(t, "lines")
		want := answers(strings.Join(lines, "\n"), true)
		for _, end := range []string{"\r", "\r\n", "\n\n", "\n\r"} {
			if got := answers("\xEF\xBB\xBF"+strings.Join(lines, end)+end, true); got != want {
				t.Fatalf("with %q: %q, want %q", end, got, want)
			}
		}
	})
}

func TestOrderOfGroupsDoesNotMatter(t *testing.T) {
	group := rapid.Custom(func(t *rapid.T) string {
		return "User-agent: " + rapid.SampledFrom([]string{"heed", "*", "other"}).Draw(t, "agent") + "\n" +
			strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"Allow: /a", "Disallow: /a", "Disallow: /", "Allow: /a/b", "Crawl-delay: 3"}), 0, 3).Draw(t, "rules"), "\n") +
			"\nDisallow:\n"
	})
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(group, 0, 6).Draw(t, "groups")
		other := rapid.Permutation(groups).Draw(t, "other order")
		if a, b := answers(strings.Join(groups, ""), true), answers(strings.Join(other, ""), true); a != b {
			t.Fatalf("%q against %q", a, b)
		}
	})
}

func FuzzRobots(f *testing.F) {
	seeds, err := filepath.Glob("testdata/robots/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range seeds {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data, false, "/a")
	}
	f.Add([]byte("\xEF\xBB\xBFuser-agent:*\r\ndisallow\t/a\r\rallow:/\x00"), true, "/robots.txt")
	f.Fuzz(func(t *testing.T, body []byte, cut bool, path string) {
		file := parseRobots(body, cut, "heed", time.Minute)
		if file.delay < 0 || file.delay > time.Minute || len(file.records) > maxRecords {
			t.Fatalf("delay %s, %d records", file.delay, len(file.records))
		}
		for _, r := range file.records {
			if r.Line < 1 || r.name == "" || r.group >= len(file.groups) || r.InGroup && r.group < 0 {
				t.Fatalf("record %+v of %d groups", r, len(file.groups))
			}
		}
		lines := bytes.Count(body, []byte("\n")) + bytes.Count(body, []byte("\r")) + 1
		for i := range file.rules.rules {
			r := &file.rules.rules[i]
			if r.line < 1 || r.line > lines || r.octets < 1 {
				t.Fatalf("rule %+v of %d lines", r, lines)
			}
			if i > 0 && r.octets > file.rules.rules[i-1].octets {
				t.Fatal("a longer rule comes after a shorter one")
			}
		}
		o := readRobots("heed", body).Judge(ask("/" + path))
		if o.Verdict == politeness.Deny && (o.Reason != politeness.RobotsDisallow || o.Rule.Line == 0) {
			t.Fatalf("denied by nothing: %+v", o)
		}
	})
}

func TestHostileFilesAreReadAndJudgedInTime(t *testing.T) {
	for name, body := range map[string][]byte{"25,000 rules of 15,000 agents": crowdedFile(), "rules of thirty stars": starredFile(), "rules that nearly fit everywhere": needleFile(),
		"half a megabyte of agents": bytes.Repeat([]byte("user-agent:*\n"), robotsMaxBytes/13), "one line": bytes.Repeat([]byte("*"), robotsMaxBytes),
		"one rule": append([]byte("user-agent:*\nallow:/"), bytes.Repeat([]byte("*a"), 255_000)...), "empty lines": bytes.Repeat([]byte("\r"), robotsMaxBytes)} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			readRobots("heed", body).Judge(ask("/" + strings.Repeat("a", 2047)))
			// Far above what it takes: the bound catches work that grows faster
			// than the file, not a busy machine.
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("%s", took)
			}
		})
	}
}

func TestRealFiles(t *testing.T) {
	files, err := filepath.Glob("../../../shared/real/robots/*")
	if err != nil || len(files) == 0 {
		t.Skip("no collection of real files beside the checkout")
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := parseRobots(body, false, "heed", time.Minute)
		r := readRobots("heed", body)
		for _, path := range []string{"/", "/index.html", "/search?q=a", "/a/b/c.pdf"} {
			o := r.Judge(ask(path))
			if o.Verdict == politeness.Wait || o.Verdict == politeness.Deny && o.Rule.Line == 0 {
				t.Errorf("%s %s: %+v", filepath.Base(name), path, o)
			}
		}
		if lower := bytes.ToLower(body); len(f.groups) == 0 && bytes.Contains(lower, []byte("\nuser-agent:")) {
			t.Errorf("%s has agents but no group", filepath.Base(name))
		}
	}
}
