package standards

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/temoto/robotstxt"
	"pgregory.net/rapid"

	"heed/politeness"
)

// literalRules draws a group of literal rules with many common prefixes.
func literalRules() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "b", "/", "?", "%2F", "%7E", "é", ":", "=", "%", ".", "//", "%2A"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for range rapid.IntRange(0, 8).Draw(t, "rules") {
			b.WriteString(rapid.SampledFrom([]string{"Allow: /", "Disallow: /"}).Draw(t, "name"))
			b.WriteString(strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "path"), ""))
			b.WriteByte('\n')
		}
		return b.String()
	})
}

func TestBothReadersAgreeOnLiteralRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := literalRules().Draw(t, "file")
		path := "/" + pathText().Draw(t, "path")
		checkReaders(t, body, path)
	})
}

// checkReaders fails if the second reader differs from ours on a file and a
// path that it may be asked about.
func checkReaders(t interface {
	Fatalf(string, ...any)
}, body, path string) {
	f := parseRobots([]byte(body), false, "heed", defaultMaxCrawlDelay)
	second := newSecondReader(f.rules)
	target := newTarget(path)
	rule := f.rules.find(target)
	if allowed := rule == nil || rule.allow; !second.agrees(target, allowed) {
		t.Fatalf("%q on %q: we say %v", path, body, allowed)
	}
}

func FuzzBothReaders(f *testing.F) {
	for _, seed := range [][2]string{
		{"User-agent: *\nDisallow: /\nAllow: /a\n", "/a"},
		{"User-agent: *\nDisallow: /a\nAllow: /a\n", "/a/b"},
		{"User-agent: *\nDisallow: /caf\xc3\xa9\n", "/caf%c3%a9"},
		{"User-agent: heed\nDisallow: /x:y#z\n", "/x:y"},
		{"User-agent: *\nDisallow: /50%\nDisallow: //\n", "/50%25"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, body, path string) { checkReaders(t, body, "/"+path) })
}

func TestTheSecondReaderIsAskedAboutLiteralRulesOnly(t *testing.T) {
	tests := []struct {
		name  string
		body  []byte
		asked bool
	}{
		{"literal rules", []byte("User-agent: *\nDisallow: /a\n"), true},
		{"no rules", []byte("User-agent: *\nDisallow:\n"), false},
		{"a star", []byte("User-agent: *\nDisallow: /a*b\n"), false},
		{"an end marker", []byte("User-agent: *\nDisallow: /a$\n"), false},
		{"a query with two spellings", []byte("User-agent: *\nDisallow: /a?b%3Ac\n"), false},
		{"a star for somebody else", []byte("User-agent: other\nDisallow: /a*b\n\nUser-agent: *\nDisallow: /a\n"), true},
		{"as many rules as it is given", literalFile(secondReaderRules), true},
		{"too many rules", literalFile(secondReaderRules + 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := parseRobots(tt.body, false, "heed", defaultMaxCrawlDelay)
			if got := newSecondReader(f.rules) != nil; got != tt.asked {
				t.Errorf("asked: %v", got)
			}
		})
	}
}

func TestADisagreementRefusesAndIsCounted(t *testing.T) {
	other, err := robotstxt.FromString("User-agent: *\nDisallow: /a\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, second := range map[string]*secondReader{
		"another answer":            {group: other.FindGroup("*")},
		"a group it could not read": {},
	} {
		t.Run(name, func(t *testing.T) {
			var count atomic.Int64
			s := newRobots(Options{Token: "heed", Disagreements: &count})
			r := s.Read(politeness.Place{}, *robotsDocument([]byte("User-agent: *\nDisallow: /b\n"))).(*robotsRules)
			r.second = second
			if o := r.Judge(ask("/a")); o.Verdict != politeness.Deny || o.Reason != politeness.RobotsDisallow {
				t.Errorf("%s %s", o.Verdict, o.Reason)
			}
			if count.Load() != 1 {
				t.Errorf("counted %d", count.Load())
			}
			if o := r.Judge(ask("/robots.txt")); o.Verdict != politeness.Allow {
				t.Errorf("the file itself: %s", o.Verdict)
			}
		})
	}
}
