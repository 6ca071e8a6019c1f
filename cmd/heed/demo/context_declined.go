package demo

import "strings"

// oversizeIndexBytes lies above the ceiling of 512 KiB for an index.
const oversizeIndexBytes = 600_000

// contextDeclinedSites advertise an index that must not be taken.
func contextDeclinedSites() []Site {
	none := func(reasons ...string) Context { return Context{State: "none", Reasons: reasons} }
	elsewhere := host("context-link-header")
	return []Site{
		{
			Name: host("context-cross-origin"), Asks: "take the index of somebody else",
			about: lighthouse, home: advertise("https://" + elsewhere + "/borrowed.md"),
			Expect: []Expectation{
				Asked{Filter{Host: elsewhere, Target: "/borrowed.md"}, exactly(0)},
				none("cross-origin", "not-advertised", "not-found"),
			},
		},
		{
			Name: host("context-html-shell"), Asks: "take a web page for an index",
			about: bakery,
			routes: routes{contextWellKnown: markdown(sheet{
				title: "Welcome", text: "An application that answers every address with the same page.",
			}.html())},
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: contextWellKnown}, exactly(1)},
				none("html-shell", "html"),
			},
		},
		{
			Name: host("context-oversize"), Asks: "take an index of 600,000 octets",
			about: tides, home: advertise("/guide.md"),
			routes: routes{"/guide.md": markdown("# A long guide\n\n" + strings.Repeat("High water, low water.\n", oversizeIndexBytes/23))},
			Expect: []Expectation{Asked{Filter{Half: 1, Target: "/guide.md"}, atMost(1)}, none("ceiling")},
		},
		{
			Name: host("context-disallowed"), Asks: "here is my index, and keep out of /members/ where it lies",
			about: moss, home: advertise("/members/guide.md"),
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Disallow: /members/", "",
					"LLM-Context: https://"+host("context-disallowed")+"/members/guide.md"),
				"/members/*": markdown(guide),
			},
			Expect: []Expectation{
				Asked{Filter{Target: "/members/*"}, exactly(0)},
				none("disallowed", "not-advertised", "not-found"),
			},
		},
	}
}
