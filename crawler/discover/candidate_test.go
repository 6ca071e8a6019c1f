package discover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/crawler/discover"
)

func TestRobotsRecord(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"LC-033 the recovered form", " https://shop.example/llms.txt", "https://shop.example/llms.txt"},
		{"http and capitals", "HTTP://Shop.Example/a", "HTTP://Shop.Example/a"},
		{"no path", "https://shop.example", "https://shop.example"},
		{"LC-035 LC-036 a path", "/llms.txt", ""},
		{"LC-036 a name", "llms.txt", ""},
		{"LC-036 scheme-relative", "//shop.example/llms.txt", ""},
		{"LC-036 a query", "?x", ""},
		{"LC-036 nothing", "", ""},
		{"LC-131 user information", "https://u:p@shop.example/a", ""},
		{"LC-131 another scheme", "ftp://shop.example/a", ""},
		{"LC-131 no host", "https:///a", ""},
		{"LC-131 a port alone", "https://:80/a", ""},
		{"LC-131 a blank inside", "https://shop.example/a b", ""},
		{"LC-131 a control character", "https://shop.example/a\x01", ""},
		{"LC-131 a backslash", `https://shop.example\@evil.test/`, ""},
		{"LC-131 the fragment is dropped", "https://shop.example/a#x", "https://shop.example/a"},
		{"LC-131 a comment", "https://shop.example/a # note", "https://shop.example/a"},
		{"LC-131 a comment alone", "# https://shop.example/a", ""},
		{"not UTF-8", "https://shop.example/\xE9", ""},
		{"over the URL limit", "https://shop.example/" + strings.Repeat("a", 2048), ""},
		{"a long s is no s", "http\u017F://shop.example/a", ""},
		{"an at sign in the path", "https://shop.example/@me", "https://shop.example/@me"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := discover.RobotsRecord(test.value); got != test.want || ok != (test.want != "") {
				t.Errorf("got %q %v, want %q", got, ok, test.want)
			}
		})
	}
}

func TestRecordFindings(t *testing.T) {
	if got := discover.RecordFindings([]string{shop + "/a", "/llms.txt"}); !slices.Equal(got, []string{discover.FindingRelativeRecord}) {
		t.Errorf("LC-035 findings %v", got)
	}
	if got := discover.RecordFindings([]string{shop + "/a"}); got != nil {
		t.Errorf("findings %v", got)
	}
	m, w := discover.NewMemory(shop), world{denied: map[string]discover.Denial{shop + "/private/l": discover.DeniedBySignal}}
	if got := w.run(&m, inputs(shop+"/private/l"), noon); !slices.Contains(got.Findings, discover.FindingDisallowed) {
		t.Errorf("LC-041 findings %v", got.Findings)
	}
	m, w = discover.NewMemory(shop), world{answers: map[string]discover.Response{shop + "/l": markdown("# x")}}
	if got := w.run(&m, inputs(shop+"/l"), noon); !slices.Contains(got.Findings, discover.FindingNoWellKnown) {
		t.Errorf("LC-020 findings %v", got.Findings)
	}
}

func list(candidates []discover.Candidate) (uris []string) {
	for _, c := range candidates {
		line := string(c.Mechanism) + " " + strings.TrimPrefix(c.URI, shop)
		for _, also := range c.Also {
			line += "+" + string(also)
		}
		if c.Declined != "" {
			line += " " + string(c.Declined)
		}
		uris = append(uris, line)
	}
	return uris
}

func TestRank(t *testing.T) {
	page := func(m *discover.Memory, path string, age time.Duration, links ...string) {
		m.ObservePage(shop+path, 200, links, noon.Add(-age))
	}
	const known = "well-known " + discover.WellKnownPath
	tests := []struct {
		name    string
		see     func(*discover.Memory)
		records []string
		want    []string
	}{
		{"LC-044 the order of 4.4", func(m *discover.Memory) { page(m, "/", 0, shop+"/a.md") }, []string{shop + "/c.md"}, []string{"link /a.md", known, "robots /c.md"}},
		{"LC-103 home before a newer page", func(m *discover.Memory) {
			page(m, "/", time.Hour, shop+"/a.md")
			page(m, "/blog", 0, shop+"/b.md")
		}, nil, []string{"link /a.md", "link /b.md", known}},
		{"LC-103 newest first among the others", func(m *discover.Memory) {
			page(m, "/x", time.Hour, shop+"/x.md")
			page(m, "/y", 0, shop+"/y.md")
		}, nil, []string{"link /y.md", "link /x.md", known}},
		{"LC-103 not after 24 hours", func(m *discover.Memory) { page(m, "/blog", 25*time.Hour, shop+"/b.md") }, nil, []string{known}},
		{"LC-138 fields before elements", func(m *discover.Memory) { page(m, "/", 0, shop+"/a.md", shop+"/b.md") }, nil, []string{"link /a.md", "link /b.md", known}},
		{"a page that drops its Link withdraws it", func(m *discover.Memory) {
			page(m, "/", time.Hour, shop+"/a.md")
			page(m, "/", 0)
		}, nil, []string{known}},
		{"LC-140 a 404 does not count", func(m *discover.Memory) { m.ObservePage(shop+"/x", 404, []string{shop + "/a"}, noon) }, nil, []string{known}},
		{"LC-140 nor 103, nor a redirect", func(m *discover.Memory) {
			m.ObservePage(shop+"/x", 103, []string{shop + "/a"}, noon)
			m.ObservePage(shop+"/x", 302, []string{shop + "/a"}, noon)
		}, nil, []string{known}},
		{"LC-140 a 304 does, and need not repeat itself", func(m *discover.Memory) {
			m.ObservePage(shop+"/x", 304, []string{shop + "/a"}, noon)
			m.ObservePage(shop+"/x", 304, nil, noon)
		}, nil, []string{"link /a", known}},
		{"LC-105 one resource is one candidate", func(m *discover.Memory) { page(m, "/", 0, "https://SHOP.example:443/a/../%6Clms.txt") }, []string{shop + "/llms.txt"}, []string{"link /%6Clms.txt+robots", known}},
		{"LC-105 a reserved escape is another resource", func(m *discover.Memory) { page(m, "/", 0, shop+"/a%2Fb") }, []string{shop + "/a/b"}, []string{"link /a%2Fb", known, "robots /a/b"}},
		{"LC-130 LC-133 all records in order, foreign ones declined", nil, []string{"/rel", "https://other.test/a", shop + "/b", shop + "/c"}, []string{known, "robots https://other.test/a cross-origin", "robots /b", "robots /c"}},
		{"facts 2.2", func(m *discover.Memory) { page(m, "/", 0, shop+"/ctx/index.md") }, []string{shop + "/ctx/index.md", shop + "/other.md"}, []string{"link /ctx/index.md+robots", known, "robots /other.md"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := discover.NewMemory(shop)
			if test.see != nil {
				test.see(&m)
			}
			if got := list(discover.Rank(m, inputs(test.records...), noon)); !slices.Equal(got, test.want) {
				t.Errorf("\n got %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestSampleAudit(t *testing.T) {
	m := discover.NewMemory(shop)
	m.ObservePage(shop+"/", 200, nil, noon)
	m.ObservePage(shop+"/about", 200, []string{shop + "/l"}, noon)
	if got := m.Sample.Audit(); !slices.Equal(got, []string{discover.FindingLinkNotOnHome}) {
		t.Errorf("LC-030 %v", got)
	}
	m = discover.NewMemory(shop)
	for i := range 20 {
		m.ObservePage(fmt.Sprintf("%s/%d", shop, i), 200, []string{shop + "/l"}, noon)
	}
	if got := m.Sample.Audit(); !slices.Equal(got, []string{discover.FindingLinkEverywhere}) {
		t.Errorf("LC-031 %v", got)
	}
	if got := list(discover.Rank(m, inputs(), noon)); len(got) != 2 {
		t.Errorf("LC-031 still one candidate: %v", got)
	}
}

// Whatever the parts answer, a cycle keeps to its bounds.
func TestCycleInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uris := []string{shop + "/a", shop + "/b", shop + "/c", wellKnown, "https://other.test/x", "http://shop.example/d", shop + "/llms.txt"}
		uri := rapid.SampledFrom(uris)
		m := discover.NewMemory(shop)
		in := inputs(rapid.SliceOfN(uri, 0, 4).Draw(t, "records")...)
		in.Policy.Mechanisms = append(in.Policy.Mechanisms, discover.Guess, discover.DescribedBy)
		in.DescribedBy = rapid.SliceOfN(uri, 0, 2).Draw(t, "described by")
		now := noon
		for range rapid.IntRange(1, 5).Draw(t, "cycles") {
			m.ObservePage(shop+"/", 200, rapid.SliceOfN(uri, 0, 3).Draw(t, "links"), now)
			before := m
			cycle := discover.Begin(m, in, now)
			requests, indexes, chains := 0, 0, map[discover.Mechanism]int{}
			for step, more := cycle.Next(); more; step, more = cycle.Next() {
				if discover.OriginOf(step.URI) != shop {
					t.Fatalf("LC-108 step to %s", step.URI)
				}
				if before.NextAllowed.After(now) && (before.State == discover.StateIndex || before.State == discover.StateUndetermined) {
					t.Fatalf("LC-051 request before %v", before.NextAllowed)
				}
				if rapid.IntRange(0, 4).Draw(t, "denied") == 0 {
					cycle.Denied(discover.Denial(rapid.IntRange(0, 2).Draw(t, "why")), now.Add(time.Hour))
					continue
				}
				if step.Hop == 0 {
					chains[step.Mechanism]++
				}
				if requests++; step.Hop > 5 || requests > 5*6 {
					t.Fatalf("LC-023 hop %d, request %d", step.Hop, requests)
				}
				answer := redirect(302, uri.Draw(t, "location"))
				switch rapid.IntRange(0, 3).Draw(t, "answer") {
				case 0:
					answer = reply(rapid.SampledFrom([]int{200, 204, 304, 404, 410, 429, 500, 503}).Draw(t, "status"), "# x", "Content-Type: text/plain")
				case 1:
					answer = markdown(rapid.SampledFrom([]string{"# x", "<html>", "\xFF", strings.Repeat("a", 524_289)}).Draw(t, "body"))
				}
				if answer.Status == 200 {
					indexes++
				}
				answer.ReceivedAt = now
				cycle.Answer(answer)
			}
			result, after := cycle.Result(), cycle.Memory()
			for mechanism, count := range chains {
				if count > 1 {
					t.Fatalf("LC-106 %d chains of %s", count, mechanism)
				}
			}
			if result.State == discover.StateUnknown || result.Reason == "" {
				t.Fatalf("no result: %+v", result)
			}
			if result.State == discover.StateNone && (after.Copy != nil || result.Copy != nil || result.Text != nil) {
				t.Fatalf("LC-013 a copy in state none: %+v", result)
			}
			if (result.Text != nil) != (result.Reason == discover.Found) {
				t.Fatalf("text without a find: %+v", result)
			}
			if requests > 0 && !after.NextAllowed.After(now) {
				t.Fatalf("requests, and the next ones at once: %v", after.NextAllowed)
			}
			data, err := after.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if m, err = discover.DecodeMemory(data); err != nil {
				t.Fatal(err)
			}
			again, _ := m.Encode()
			if string(again) != string(data) {
				t.Fatalf("memory does not survive: %s %s", data, again)
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 100).Draw(t, "hours")) * time.Hour)
		}
	})
}

func FuzzRobotsRecord(f *testing.F) {
	for _, seed := range []string{" https://shop.example/l # c", "/llms.txt", "https://u@h/", "http://[::1]:80/a#b", "HTTPS://x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		uri, ok := discover.RobotsRecord(value)
		if !ok {
			if uri != "" {
				t.Errorf("refused, yet %q", uri)
			}
			return
		}
		if strings.ContainsAny(uri, " \t\r\n#\\\x00") || len(uri) > 2048 || !strings.Contains(value, uri) {
			t.Errorf("URI %q of %q", uri, value)
		}
		if again, ok := discover.RobotsRecord(uri); !ok || again != uri {
			t.Errorf("not stable: %q then %q", uri, again)
		}
	})
}

func FuzzDecodeMemory(f *testing.F) {
	m := seen(shop, shop+"/l")
	data, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1,"origin":"https://shop.example","state":"index","copy":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := discover.DecodeMemory(data)
		if err != nil {
			return
		}
		(&world{}).run(&m, inputs(), noon) // whatever was stored, a cycle ends
		if m.State == discover.StateUnknown && m.NextAllowed.Before(noon) {
			t.Errorf("memory %+v", m)
		}
	})
}
