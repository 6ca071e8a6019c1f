package standards

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/politeness"
)

// literalFile has n literal rules for everybody, the shape of most real files.
func literalFile(n int) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\nCrawl-delay: 1\n")
	for i := range n {
		name := "Disallow"
		if i%5 == 0 {
			name = "Allow"
		}
		fmt.Fprintf(&b, "%s: /shop/section-%d/private/\n", name, i)
	}
	return []byte(b.String())
}

// mixedFile has n rules, a third of them with operators.
func mixedFile(n int) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "Disallow: /*/print-%d/\n", i)
		case 1:
			fmt.Fprintf(&b, "Disallow: /cart-%d?\n", i)
		default:
			fmt.Fprintf(&b, "Allow: /media-%d/\n", i)
		}
	}
	return []byte(b.String())
}

// crowdedFile has 15,000 agents, then 25,000 rules, within half a megabyte.
func crowdedFile() []byte {
	var b strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&b, "user-agent:%s\n", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
	}
	b.WriteString("user-agent:*\n")
	for i := range 25_000 {
		fmt.Fprintf(&b, "allow:/%x\n", i)
	}
	return []byte(b.String())
}

// starredFile has as many rules of thirty stars as the limit holds.
func starredFile() []byte {
	rule := "Disallow: /" + strings.Repeat("*a", 30) + "b\n"
	return []byte("User-agent: *\n" + strings.Repeat(rule, robotsMaxBytes/len(rule)))
}

// needleFile has as many rules as the limit holds whose part nearly occurs
// everywhere in a path of one letter: the dearest file that is known.
func needleFile() []byte {
	rule := "disallow:*" + strings.Repeat("a", 14) + "b\n"
	return []byte("user-agent:*\n" + strings.Repeat(rule, robotsMaxBytes/len(rule)))
}

const benchPath = "/shop/section-77/public/wooden-chair.html?colour=oak&size=2"

func BenchmarkJudge(b *testing.B) {
	files := []struct {
		name string
		body []byte
		path string
	}{
		{"100 literal rules, read twice", literalFile(100), benchPath},
		{"100 mixed rules", mixedFile(100), benchPath},
		{"a path with escapes", mixedFile(100), "/caf%c3%a9/%7Euser?u=https%3A%2F%2Fshop.test"},
		{"25,000 rules of 15,000 agents", crowdedFile(), benchPath},
		{"rules of thirty stars, path of 2,048 octets", starredFile(), "/" + strings.Repeat("a", 2047)},
		{"rules that nearly fit everywhere", needleFile(), "/" + strings.Repeat("a", 2047)},
	}
	for _, f := range files {
		b.Run(f.name, func(b *testing.B) {
			rules, q := readRobots("heed", f.body), ask(f.path)
			b.ReportAllocs()
			for b.Loop() {
				rules.Judge(q)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	files := []struct {
		name string
		body []byte
	}{
		{"100 literal rules", literalFile(100)},
		{"100 mixed rules", mixedFile(100)},
		{"25,000 rules of 15,000 agents", crowdedFile()},
		{"rules of thirty stars", starredFile()},
	}
	for _, f := range files {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(f.body)))
			b.ReportAllocs()
			for b.Loop() {
				readRobots("heed", f.body)
			}
		})
	}
}

// memoryCache is the cache of a library that fits into memory.
type memoryCache map[string]*politeness.Document

func (c memoryCache) LoadDocument(_ context.Context, url string) (*politeness.Document, error) {
	return c[url], nil
}

func (c memoryCache) SaveDocument(_ context.Context, url string, d *politeness.Document) error {
	c[url] = d
	return nil
}

// gateOver is a gate of all sources over a cache.
func gateOver(o Options, cache memoryCache) *politeness.Gate {
	return politeness.NewGate(All(o), politeness.NewLibrary(cache, 64), func() string { return "id" })
}

// robotsGate is one whose only standard is robots.txt.
func robotsGate(o Options, cache memoryCache) *politeness.Gate {
	sources := slices.DeleteFunc(All(o), func(s politeness.Source) bool {
		return len(s.Where("https://shop.test")) > 0 && s.Name() != "robots"
	})
	return politeness.NewGate(sources, politeness.NewLibrary(cache, 64), func() string { return "id" })
}

func robotsDocument(body []byte) *politeness.Document {
	return &politeness.Document{URL: "https://shop.test/robots.txt", Status: 200, Body: body,
		FetchedAt: noon, Expires: noon.Add(time.Hour)}
}

func BenchmarkBefore(b *testing.B) {
	for name, body := range map[string][]byte{"100 literal rules": literalFile(100), "100 mixed rules": mixedFile(100)} {
		b.Run(name, func(b *testing.B) {
			d := robotsDocument(body)
			g, q := robotsGate(Options{Token: "heed"}, memoryCache{d.URL: d}), ask(benchPath)
			b.ReportAllocs()
			for b.Loop() {
				d, need, err := g.Before(b.Context(), q)
				if need != nil || err != nil || d.Verdict != politeness.Allow {
					b.Fatal(d.Verdict, need, err)
				}
			}
		})
	}
}

// everyDocument is an origin that speaks in every way, with n rules in each
// document.
func everyDocument(n int) memoryCache {
	const origin = "https://shop.test"
	var robots, automation, tdm strings.Builder
	robots.Write(mixedFile(n))
	for i := range n {
		fmt.Fprintf(&robots, "Content-Usage: /shop/section-%d/ train-ai=n, search=y\n", i)
		fmt.Fprintf(&automation, "Scope: /shop/section-%d/\nAllowedMethods: GET\nDisallowedPurposes: train\n", i)
		fmt.Fprintf(&tdm, `{"location":"/shop/section-%d/","tdm-reservation":1},`, i)
	}
	robots.WriteString("Content-Signal: search=yes, ai-input=yes\nLicense: /license.xml\n")
	license := plainDocument(origin+"/license.xml", `<rsl><content url="/"><license><payment type="free"/></license></content></rsl>`)
	file := plainDocument(origin+tdmPath, "["+strings.TrimSuffix(tdm.String(), ",")+"]")
	cache := memoryCache{}
	for _, d := range []*politeness.Document{plainDocument(origin+robotsPath, robots.String()),
		plainDocument(origin+automationPath, automation.String()), file, license} {
		cache[d.URL] = d
	}
	return cache
}

func BenchmarkBeforeWithEverySource(b *testing.B) {
	g, q := gateOver(Options{Token: "heed"}, everyDocument(100)), ask(benchPath)
	q.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
	b.ReportAllocs()
	for b.Loop() {
		d, need, err := g.Before(b.Context(), q)
		if need != nil || err != nil || d.Verdict != politeness.Allow || d.Uses[politeness.Train] != politeness.No {
			b.Fatal(d.Verdict, need, err)
		}
	}
}

func BenchmarkAfter(b *testing.B) {
	g, q := gateOver(Options{Token: "heed"}, everyDocument(100)), ask(benchPath)
	d, need, err := g.Before(b.Context(), q)
	if need != nil || err != nil {
		b.Fatal(need, err)
	}
	pages := map[string]*politeness.Response{
		"a page that says nothing": {Status: 200, Header: http.Header{"Content-Type": {"text/html"}}},
		"a page that says all it can": {Status: 200, Header: http.Header{"X-Robots-Tag": {"noarchive, nofollow"}, "Content-Usage": {"train-ai=n"},
			"Tdm-Reservation": {"1"}}, Meta: []politeness.Meta{{Name: "robots", Content: "noai"}, {Name: "tdm-reservation", Content: "1"}}},
	}
	for name, r := range pages {
		b.Run(name, func(b *testing.B) {
			q.Response = r
			b.ReportAllocs()
			for b.Loop() {
				if g.After(d, q).Verdict != politeness.Allow {
					b.Fatal("denied")
				}
			}
		})
	}
}
