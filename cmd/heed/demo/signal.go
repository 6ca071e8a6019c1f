package demo

// signalSites speak about methods and uses by other means than robots.txt rules.
func signalSites() []Site {
	return []Site{
		{
			Name: host("automation-methods"), Asks: "no automated GET below /forms/",
			about: bees,
			links: []link{{href: "/forms/order", text: "Order form"}},
			routes: routes{
				"/automation-preferences.txt": text("AutomationPolicy: limited\nAllowedMethods: GET, HEAD\n\nScope: /forms/\nDisallowedMethods: GET, HEAD\n"),
				"/forms/*":                    page(sheet{title: "Order form", text: "One jar, two jars, or the whole shelf?"}),
			},
			Expect: []Expectation{
				Kept{atLeast(4)}, Asked{Filter{Target: "/forms/*"}, exactly(0)}, Reason{[]string{"automation.method"}},
			},
		},
		{
			Name: host("tdm-reserved"), Asks: "read, do not train (TDMRep)",
			about: letters,
			routes: routes{"/.well-known/tdmrep.json": document{
				contentType: "application/json", body: []byte(`[{"location": "/*", "tdm-reservation": 1}]` + "\n"),
			}},
			Expect: []Expectation{Kept{atLeast(4)}, Use{"train", "no"}},
		},
		{
			Name: host("content-usage"), Asks: "read, do not train (AIPREF)",
			about:  moss,
			routes: routes{"/robots.txt": robots("User-agent: *", "Content-Usage: train-ai=n", "Allow: /")},
			Expect: []Expectation{Kept{atLeast(4)}, Use{"train", "no"}},
		},
		{
			Name: host("content-signal"), Asks: "read, do not train (Content-Signal)",
			about:  tides,
			routes: routes{"/robots.txt": robots("User-agent: *", "Content-Signal: search=yes, ai-train=no", "Allow: /")},
			Expect: []Expectation{Kept{atLeast(4)}, Use{"train", "no"}},
		},
		{
			Name: host("xrobots-noai"), Asks: "read, do not train (X-Robots-Tag: noai)",
			about:  lighthouse,
			dress:  func(d document) document { return d.with("X-Robots-Tag", "noai") },
			Expect: []Expectation{Kept{atLeast(4)}, Use{"train", "no"}},
		},
	}
}
