package standards

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heed/politeness"
)

// fuzzTime is the longest a hostile document of fuzzing size may take to be read
// and judged, far above what any takes.
const fuzzTime = time.Second

// soundOpinion checks what holds for every opinion of a standard about uses.
func soundOpinion(t *testing.T, o politeness.Opinion, grants bool) {
	t.Helper()
	for p := range purposes {
		if o.Uses[p] == politeness.Yes && !grants {
			t.Fatalf("%s is granted: %+v", politeness.Purpose(p), o)
		}
		if o.Uses[p] == politeness.No && o.Reason == "" {
			t.Fatalf("%s is refused without a reason: %+v", politeness.Purpose(p), o)
		}
	}
	if o.Verdict == politeness.Deny && o.Reason.Sentence() == "" {
		t.Fatalf("denied for %q", o.Reason)
	}
	if len(o.Rule.Text) > maxRuleText+len("…") || strings.ContainsAny(o.Rule.Text, "\r\n\x00") {
		t.Fatalf("cites %q", o.Rule.Text)
	}
	if o.Uses[politeness.Act] == politeness.Yes {
		t.Fatal("act is granted")
	}
}

// timed fails if f takes too long.
func timed(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > fuzzTime {
		t.Fatalf("took %s", took)
	}
}

func FuzzAutomation(f *testing.F) {
	for _, name := range []string{"facts-3.5.txtar", "ledger.txtar"} {
		data, err := os.ReadFile(filepath.Join("testdata", "automation", name))
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(data), "\n-- ") {
			f.Add([]byte(part), "/p/1?q=%2a", "GET", "text/plain")
		}
	}
	f.Add([]byte("Scope: /"+strings.Repeat("a*", 30)+"b\n"), "/"+strings.Repeat("a", 2_000), "POST", "")
	f.Add([]byte("Host: \xFF\nHost: [::1]:443\nHost: *.\nHost: xn--\xc3\xa9.test\nScope: http://\nScope: https://shop.test"), "/", "HEAD", "a/b")
	f.Fuzz(func(t *testing.T, body []byte, path, method, media string) {
		timed(t, func() {
			d := plainDocument("https://shop.test"+automationPath, string(body))
			d.Header.Set("Content-Type", media)
			rules := readAutomation(Options{}, "https://shop.test", d)
			q := ask("/" + path)
			q.Method, q.Purposes = method, every
			o := rules.Judge(q)
			soundOpinion(t, o, false)
			if safe := method == "GET" || method == "HEAD"; o.Verdict == politeness.Wait || !safe && o.Verdict != politeness.Deny && media != "text/plain" && !exempt(q.Path) {
				t.Fatalf("%s by %q: %s", method, media, o.Verdict)
			}
			if len(rules.(politeness.Noter).Notes()) > maxNotes+3 {
				t.Fatal("too many notes")
			}
		})
	})
}

func FuzzUsageLines(f *testing.F) {
	f.Add([]byte("User-agent: *\nContent-Usage: /a search=y, train-ai=n\nContent-Signal: ai-train=yes\nLicense: /l"), "/a")
	f.Add([]byte("User-agent: heed\nContent-Usage: search=\"n\";a=?1\nContent-Signal:,,=,use=immediate"), "/a")
	f.Add([]byte("User-agent: *\nContent-Usage: /*$ ai-use=y, a=(1 2);b, c=:aGk=:, d=@1, e=%\"x\"\nLicense: https://shop.test"), "/?")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		timed(t, func() {
			for _, name := range []string{"aipref", "content-signal", "rsl"} {
				s := sourceNamed(t, Options{Token: "heed"}, name)
				rules := s.Read(robotsPlace("https://shop.test"), *robotsDocument(body))
				q := ask("/" + path)
				q.Purposes = every
				soundOpinion(t, rules.Judge(q), name != "rsl")
				if r, ok := rules.(politeness.Referrer); ok {
					for _, p := range r.Refers() {
						if !strings.HasPrefix(p.URL, "https://shop.test/") {
							t.Fatalf("refers to %q", p.URL)
						}
					}
				}
			}
		})
	})
}

func FuzzContentUsageField(f *testing.F) {
	f.Add("train-ai=n", "search=y")
	f.Add("search=?0", "a;b=\"\\\"\"")
	f.Fuzz(func(t *testing.T, one, two string) {
		timed(t, func() {
			v := preferences([]string{one, two}, politeness.Rule{})
			soundOpinion(t, v.opinion("aipref", every), true)
		})
	})
}

func FuzzTDMFile(f *testing.F) {
	f.Add([]byte(`[{"location":"/a/*.jpg$","tdm-reservation":0},{"location":"/","tdm-reservation":1,"tdm-policy":"x"}]`), "/a/b.jpg")
	f.Add([]byte(`[{"location":"/","tdm-reservation":1,"tdm-reservation":0},[],null]`), "/")
	f.Add([]byte(`{"tdm":1}`), "/")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		timed(t, func() {
			d := tdmDocument(string(body))
			o := readTDMFile(&d).Judge(ask("/" + path))
			soundOpinion(t, o, false)
			if o.Lifts != 0 && o.Uses != (politeness.Uses{}) {
				t.Fatalf("lifts and refuses: %+v", o)
			}
		})
	})
}

func FuzzLicense(f *testing.F) {
	f.Add([]byte(`<rsl><content url="/"><license><permits type="usage">ai-train</permits><payment type="free"/></license></content></rsl>`), "/")
	f.Add([]byte(`<rsl><content><license><prohibits>all</prohibits></license></content><content url="*a*"/></rsl>`), "/a")
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY a "&a;">]><rsl>&a;</rsl>`), "/")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		timed(t, func() {
			o := rsl{}.Read(licensePlace(), *plainDocument(licenseURL, string(body))).Judge(ask("/" + path))
			soundOpinion(t, o, false)
		})
	})
}
