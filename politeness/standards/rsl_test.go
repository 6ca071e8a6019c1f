package standards

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"heed/politeness"
)

const licenseURL = "https://shop.test/license.xml"

func licensePlace() politeness.Place { return politeness.Place{URL: licenseURL, Kind: licenseKind} }

func TestLicenses(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/rsl.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			body, questions, _ := strings.Cut(string(f.Data), "=>\n")
			var got strings.Builder
			for line := range strings.Lines(questions) {
				path := strings.Fields(line)[0]
				o := rsl{}.Read(licensePlace(), *plainDocument(licenseURL, body)).Judge(ask(path))
				word := string(o.Reason)
				if o.Uses == (politeness.Uses{}) {
					word = "open"
				}
				fmt.Fprintln(&got, path, word)
			}
			if got.String() != questions {
				t.Errorf("got\n%swant\n%s", got.String(), questions)
			}
		})
	}
}

func TestALicenseThatCannotBeReadClosesTraining(t *testing.T) {
	const free = `<rsl><content url="/"><license/></content></rsl>`
	for name, change := range map[string]func(*politeness.Document){
		"RSL 404":          func(d *politeness.Document) { d.Status = 404 },
		"RSL down":         func(d *politeness.Document) { d.Status, d.Failure = 0, &politeness.Failure{} },
		"RSL cut":          func(d *politeness.Document) { d.Truncated = true },
		"RSL disallowed":   func(d *politeness.Document) { d.Forbidden = true },
		"RSL too deep":     func(d *politeness.Document) { d.Body = []byte(strings.Repeat("<rsl>", 100_000)) },
		"RSL too many":     func(d *politeness.Document) { d.Body = []byte("<rsl>" + strings.Repeat("<a/>", 30_000) + "</rsl>") },
		"RSL not in UTF-8": func(d *politeness.Document) { d.Body = []byte(`<?xml version="1.0" encoding="cp437"?>` + free) },
	} {
		d := plainDocument(licenseURL, free)
		change(d)
		o := rsl{}.Read(licensePlace(), *d).Judge(ask("/"))
		if o.Uses[politeness.Train] != politeness.No || o.Reason != politeness.RSLProhibits || o.Uses[politeness.Index] != politeness.Unsaid {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if _, err := parseLicense([]byte("<rsl/>"), "https://shop.test"); !errors.Is(err, errLicense) {
		t.Errorf("%v", err)
	}
}

func TestLicenseLines(t *testing.T) {
	tests := []struct {
		name, body string
		places     []string
		train      politeness.Use
	}{
		{"RSL none", "User-agent: *\n", nil, politeness.Unsaid},
		{"RSL absolute, in whatever group", "User-agent: otherbot\nAllow: /\nLICENSE : https://shop.test/license.xml # terms\n", []string{licenseURL}, politeness.Unsaid},
		{"RSL without a host", "License: /license.xml\n", []string{licenseURL}, politeness.Unsaid},
		{"RSL the same twice", "License: /license.xml\nLicense: https://SHOP.test/license.xml#x\n", []string{licenseURL}, politeness.Unsaid},
		{"RSL on another origin", "License: https://collective.test/l.xml\n", nil, politeness.No},
		{"RSL on an origin that begins alike", "License: https://shop.test.evil.test/l.xml\n", nil, politeness.No},
		{"RSL without a scheme", "License: //collective.test/l.xml\n", nil, politeness.No},
		{"RSL more than are read", "License: /1\nLicense: /2\nLicense: /3\n", []string{"https://shop.test/1", "https://shop.test/2"}, politeness.No},
		{"RSL an empty value", "License:\n", nil, politeness.Unsaid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := rsl{}.Read(robotsPlace("https://shop.test"), *robotsDocument([]byte(tt.body)))
			var urls []string
			for _, p := range rules.(politeness.Referrer).Refers() {
				urls = append(urls, p.URL)
				if p.BoundBy != "robots" || p.For != politeness.PurposesOf(politeness.Train) || p.MaxBytes != rslMaxBytes {
					t.Errorf("%+v", p)
				}
			}
			if o := rules.Judge(ask("/")); strings.Join(urls, " ") != strings.Join(tt.places, " ") || o.Uses[politeness.Train] != tt.train {
				t.Errorf("%q, train %s", urls, o.Uses[politeness.Train])
			}
		})
	}
}

func TestALicenseIsAskedForByATrainingJobOnly(t *testing.T) {
	r := robotsDocument([]byte("User-agent: *\nDisallow: /private/\nLicense: /license.xml\nLicense: /private/l.xml\n"))
	tdm := tdmDocument("[]")
	cache := memoryCache{r.URL: r, "https://shop.test" + automationPath: plainDocument("https://shop.test"+automationPath, ""), tdm.URL: &tdm}
	g := gateOver(Options{Token: "heed", Card: cardThatTrains(politeness.Yes)}, cache)
	if d, need, err := g.Before(t.Context(), ask("/")); need != nil || err != nil || d.Verdict != politeness.Allow || d.Uses[politeness.Train] == politeness.Yes {
		t.Errorf("RSL an index: %s, uses %v, need %+v, %v", d.Verdict, d.Uses, need, err)
	}
	q := ask("/")
	q.Purposes = politeness.PurposesOf(politeness.Index, politeness.Train)
	if _, need, err := g.Before(t.Context(), q); err != nil || need == nil || need.Place.URL != licenseURL || need.Source != "rsl" {
		t.Fatalf("RSL need %+v, %v", need, err)
	}
	free := plainDocument(licenseURL, `<rsl><content url="/"><license/></content></rsl>`)
	if err := g.Library().Store(t.Context(), free); err != nil {
		t.Fatal(err)
	}
	if d, need, err := g.Before(t.Context(), q); need != nil || err != nil || d.Uses[politeness.Train] != politeness.No {
		t.Errorf("RSL one that robots.txt forbids: uses %v, need %+v, %v", d.Uses, need, err)
	}
}
