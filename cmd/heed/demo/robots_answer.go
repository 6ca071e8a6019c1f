package demo

import "net/http"

// robotsAnswerSites ask by how robots.txt is answered (RFC 9309 2.3.1).
func robotsAnswerSites() []Site {
	unreachable := []Expectation{
		Kept{exactly(0)},
		Only{[]string{"/robots.txt"}},
		Asked{Filter{Target: "/robots.txt"}, atLeast(1)},
		Reason{[]string{"robots.unreachable"}},
	}
	return []Site{
		{
			Name: host("robots-404"), Asks: "nothing: robots.txt is 404",
			about:  tides,
			Expect: []Expectation{Asked{Filter{Target: "/robots.txt", Status: http.StatusNotFound}, atLeast(1)}, Kept{atLeast(4)}},
		},
		{
			Name: host("robots-403"), Asks: "nothing: robots.txt is 403",
			about:  moss,
			routes: routes{"/robots.txt": status(http.StatusForbidden)},
			Expect: []Expectation{Asked{Filter{Target: "/robots.txt", Status: http.StatusForbidden}, atLeast(1)}, Kept{atLeast(4)}},
		},
		{
			Name: host("robots-429"), Asks: "robots.txt is 429: come back in two minutes",
			about:  bees,
			routes: routes{"/robots.txt": status(http.StatusTooManyRequests, field{"Retry-After", "120"})},
			Expect: unreachable,
		},
		{
			Name: host("robots-500"), Asks: "robots.txt is 500: nobody knows what is allowed",
			about:  letters,
			routes: routes{"/robots.txt": status(http.StatusInternalServerError)},
			Expect: unreachable,
		},
		{
			Name: host("robots-redirect"), Asks: "the robots.txt of another site, which closes /private/",
			about: bakery,
			links: []link{{href: "/private/till", text: "The till"}},
			routes: routes{
				"/robots.txt": redirect(http.StatusMovedPermanently, "https://"+host("robots-disallow-path")+"/robots.txt"),
				"/private/*":  page(sheet{title: "The till", text: "Eleven coins and a button."}),
			},
			Expect: []Expectation{
				Kept{atLeast(4)}, Asked{Filter{Target: "/private/*"}, exactly(0)}, Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("robots-redirect-loop"), Asks: "nothing: robots.txt redirects in a circle",
			about: lighthouse,
			routes: routes{
				"/robots.txt":   redirect(http.StatusFound, "/robots-1.txt"),
				"/robots-1.txt": redirect(http.StatusFound, "/robots-2.txt"),
				"/robots-2.txt": redirect(http.StatusFound, "/robots.txt"),
			},
			// Five redirects are six requests (RFC 9309 2.3.1.2).
			Expect: []Expectation{Asked{Filter{Half: 1, Target: "/robots*.txt"}, Range{1, 6}}, Kept{atLeast(4)}},
		},
		{
			Name: host("robots-html"), Asks: "nothing: robots.txt is a web page without a rule",
			about:  tides,
			routes: routes{"/robots.txt": page(sheet{title: "Page not found", text: "Perhaps try the harbour office."})},
			Expect: []Expectation{Asked{Filter{Target: "/robots.txt", Status: http.StatusOK}, atLeast(1)}, Kept{atLeast(4)}},
		},
	}
}
