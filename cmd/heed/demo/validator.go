package demo

import "net/http"

const (
	firstEdition  = "Mon, 02 Nov 2026 08:00:00 GMT"
	secondEdition = "Tue, 10 Nov 2026 08:00:00 GMT"
)

// validatorSites show in the second half what a second crawl costs.
func validatorSites() []Site {
	return []Site{
		{
			Name: host("etag-only"), Asks: "revalidate by ETag",
			about:  tides,
			dress:  func(d document) document { return d.tagged(`"tide-table-7"`) },
			Expect: []Expectation{Kept{atLeast(4)}, Revalidated{Targets: "*", Times: atLeast(4)}},
		},
		{
			Name: host("last-modified-only"), Asks: "revalidate by Last-Modified",
			about:  moss,
			dress:  func(d document) document { return d.dated(firstEdition) },
			Expect: []Expectation{Kept{atLeast(4)}, Revalidated{ByDate: true, Targets: "*", Times: atLeast(4)}},
		},
		{
			Name: host("no-validators"), Asks: "nothing to revalidate by: read again",
			about: letters, bare: true,
			Expect: []Expectation{Kept{atLeast(8)}, Asked{Filter{Half: 2, Target: "/reply", Status: http.StatusOK}, exactly(1)}},
		},
		{
			Name: host("max-age-fresh"), Asks: "do not ask again for a week",
			about: bees,
			dress: func(d document) document {
				return d.tagged(`"hives"`).with("Cache-Control", "max-age=604800")
			},
			Expect: []Expectation{
				Kept{atLeast(4)}, Spared{[]string{"/", "/lime", "/swarm", "/winter"}},
			},
		},
		{
			Name: host("page-edited"), Asks: "one page of four is new in the second half",
			about: bakery,
			dress: func(d document) document { return d.dated(firstEdition) },
			later: routes{"/round": page(sheet{
				title: "The morning round", text: "The school has closed for the holidays: six rolls instead of sixty.",
				links: []link{{href: "/", text: "Home"}},
			}).dated(secondEdition)},
			Expect: []Expectation{
				Asked{Filter{Half: 2, Target: "/round", Status: http.StatusOK}, exactly(1)},
				Revalidated{ByDate: true, Targets: "*", Times: atLeast(3)},
			},
		},
		{
			Name: host("gone-page"), Asks: "one page is 410 in the second half",
			about: letters,
			dress: func(d document) document { return d.tagged(`"letters"`) },
			later: routes{"/second": status(http.StatusGone)},
			Expect: []Expectation{
				Asked{Filter{Half: 2, Target: "/second", Status: http.StatusGone}, exactly(1)},
				Missing{atLeast(1)},
			},
		},
	}
}
