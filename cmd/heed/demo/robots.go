package demo

// robotsSites ask by the rules of their robots.txt (RFC 9309 2.2).
func robotsSites() []Site {
	return []Site{
		{
			Name: host("robots-allow"), Asks: "everything may be read",
			about:  lighthouse,
			routes: routes{"/robots.txt": robots("User-agent: *", "Allow: /")},
			Expect: []Expectation{Kept{atLeast(4)}, Asked{Filter{Half: 1, Target: "/fog"}, exactly(1)}},
		},
		{
			Name: host("robots-disallow-path"), Asks: "keep out of /private/",
			about: bakery,
			links: []link{{href: "/private/recipes", text: "Recipes (family only)"}},
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Disallow: /private/"),
				"/private/*":  page(sheet{title: "Recipes", text: "You should not be reading this."}),
			},
			Expect: []Expectation{
				Kept{atLeast(4)}, Asked{Filter{Target: "/private/*"}, exactly(0)}, Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("robots-disallow-all"), Asks: "keep out altogether",
			about:  letters,
			routes: routes{"/robots.txt": robots("User-agent: *", "Disallow: /")},
			Expect: []Expectation{
				Kept{exactly(0)}, Only{policyDocuments()}, Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("robots-token"), Asks: "all others out, heed anywhere but /drafts/",
			about: letters,
			links: []link{{href: "/drafts/third", text: "A draft"}},
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Disallow: /", "", "User-agent: heed", "Disallow: /drafts/"),
				"/drafts/*":   page(sheet{title: "A draft", text: "Not sent yet."}),
			},
			Expect: []Expectation{
				Kept{atLeast(4)}, Asked{Filter{Target: "/drafts/*"}, exactly(0)}, Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("robots-wildcard"), Asks: "no .pdf, no print views",
			about: moss,
			links: []link{
				{href: "/leaflet.pdf", text: "Leaflet"},
				{href: "/leaflet.pdf.html", text: "Leaflet as a page"},
				{href: "/cushion?view=print", text: "Print view"},
			},
			routes: routes{
				"/robots.txt":       robots("User-agent: *", "Disallow: /*.pdf$", "Disallow: /*?*view=print"),
				"/leaflet.pdf":      text("a leaflet"),
				"/leaflet.pdf.html": page(sheet{title: "Leaflet", text: "Eleven mosses on one sheet, for the pocket."}),
			},
			Expect: []Expectation{
				Asked{Filter{Target: "/leaflet.pdf"}, exactly(0)},
				Asked{Filter{Target: "*view=print*"}, exactly(0)},
				Asked{Filter{Half: 1, Target: "/leaflet.pdf.html"}, exactly(1)},
				Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("robots-tie"), Asks: "Allow and Disallow of equal length: the atlas is open",
			about: tides,
			links: []link{{href: "/shelf/atlas", text: "Atlas"}, {href: "/shelf/ledger", text: "Ledger"}},
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Disallow: /shelf/", "Disallow: /shelf/atlas", "Allow: /shelf/atlas"),
				"/shelf/*":    page(sheet{title: "From the shelf", text: "Soundings in fathoms, 1871."}),
			},
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: "/shelf/atlas"}, exactly(1)},
				Asked{Filter{Target: "/shelf/ledger"}, exactly(0)},
				Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("robots-changes"), Asks: "from the second half on: keep out of /members/",
			about: bees,
			links: []link{{href: "/members/rota", text: "Rota"}},
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Allow: /").with("Cache-Control", "max-age=1"),
				"/members/*":  page(sheet{title: "Rota", text: "Smoker on Monday, ladder on Tuesday."}),
			},
			later: routes{
				"/robots.txt": robots("User-agent: *", "Disallow: /members/").with("Cache-Control", "max-age=1"),
			},
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: "/members/*"}, exactly(1)},
				Asked{Filter{Half: 2, Target: "/robots.txt"}, atLeast(1)},
				Asked{Filter{Half: 2, Target: "/members/*"}, exactly(0)},
			},
		},
	}
}

// policyDocuments are what may be asked of a site that is closed otherwise.
func policyDocuments() []string {
	return []string{"/robots.txt", "/automation-preferences.txt", "/.well-known/tdmrep.json"}
}
