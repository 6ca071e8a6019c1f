package demo

import "net/http"

// automationSites speak through automation-preferences.txt.
func automationSites() []Site {
	const file = "/automation-preferences.txt"
	form := []link{{href: "/forms/order", text: "Order form"}}
	pages := page(sheet{title: "Order form", text: "One jar, two jars, or the whole shelf?"})
	return []Site{
		{
			Name: host("automation-methods"), Asks: "no automated GET below /forms/", about: bees, links: form,
			routes: routes{file: text("AutomationPolicy: limited\nAllowedMethods: GET, HEAD\n\nScope: /forms/\nDisallowedMethods: GET, HEAD\n"), "/forms/*": pages},
			Expect: []Expectation{Kept{atLeast(4)}, Asked{Filter{Target: "/forms/*"}, exactly(0)}, Reason{[]string{"automation.method"}}},
		},
		{
			Name: host("automation-strict"), Asks: "strict: only what is listed, which is /forms/", about: moss, links: form,
			routes: routes{file: text("AutomationPolicy: strict\n\nScope: /forms/\nAllowedMethods: GET\n"), "/forms/*": pages},
			Expect: []Expectation{Kept{exactly(0)}, Only{policyDocuments()}, Reason{[]string{"automation.strict"}}},
		},
		{
			Name: host("automation-purpose"), Asks: "for archives only", about: letters,
			routes: routes{file: text("AllowedPurposes: archiving\n")},
			Expect: []Expectation{Kept{exactly(0)}, Only{policyDocuments()}, Reason{[]string{"automation.purpose"}}},
		},
		{
			Name: host("automation-declare"), Asks: "say what you read it for", about: tides,
			routes: routes{file: text("RequireAutomationPurpose: true\n")},
			Expect: []Expectation{Kept{atLeast(4)}, Declared{}},
		},
		{
			Name: host("automation-503"), Asks: "its preferences are 503: nobody knows", about: bakery,
			routes: routes{file: status(http.StatusServiceUnavailable)},
			Expect: []Expectation{Kept{exactly(0)}, Only{policyDocuments()}, Reason{[]string{"automation.unreachable"}}},
		},
		{
			Name: host("automation-shell"), Asks: "nothing: its preferences are a web page for every path", about: lighthouse,
			routes: routes{file: page(sheet{title: "Welcome", text: "DisallowedMethods: GET"})},
			Expect: []Expectation{Kept{atLeast(4)}, Asked{Filter{Target: file, Status: http.StatusOK}, atLeast(1)}},
		},
	}
}

// usageSites say what their pages may be used for.
func usageSites() []Site {
	noTraining := []Expectation{Kept{atLeast(4)}, Use{"train", "no"}}
	dressed := func(name, value string) func(document) document {
		return func(d document) document { return d.with(name, value) }
	}
	return []Site{
		{Name: host("tdm-reserved"), Asks: "read, do not train (tdmrep.json)", about: letters,
			routes: routes{"/.well-known/tdmrep.json": reservation(1)}, Expect: noTraining},
		{Name: host("tdm-field"), Asks: "read, do not train (TDM-Reservation: 1, no file)", about: bees,
			dress: dressed("TDM-Reservation", "1"), Expect: noTraining},
		{Name: host("content-usage"), Asks: "read, do not train (Content-Usage in robots.txt)", about: moss,
			routes: routes{"/robots.txt": robots("User-agent: *", "Content-Usage: train-ai=n", "Allow: /")}, Expect: noTraining},
		{Name: host("content-usage-field"), Asks: "read, do not train (Content-Usage of each answer)", about: bakery,
			dress: dressed("Content-Usage", "train-ai=n"), Expect: noTraining},
		{Name: host("content-signal"), Asks: "read, do not train (Content-Signal)", about: tides,
			routes: routes{"/robots.txt": robots("User-agent: *", "Content-Signal: search=yes, ai-train=no", "Allow: /")}, Expect: noTraining},
		{Name: host("xrobots-noai"), Asks: "read, do not train (X-Robots-Tag: noai)", about: lighthouse,
			dress: dressed("X-Robots-Tag", "noai"), Expect: noTraining},
		{Name: host("rsl-prohibits"), Asks: "read, do not train (licence of the site)", about: letters,
			routes: routes{
				"/robots.txt": robots("User-agent: *", "License: /license.xml"),
				"/license.xml": document{contentType: "application/rsl+xml",
					body: []byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>` + "\n")},
			}, Expect: noTraining},
		{
			Name: host("forbids-afterwards"), Asks: "one page says when read that it is not for us", about: tides,
			links:  []link{{href: "/diary", text: "Diary"}},
			routes: routes{"/diary": page(sheet{title: "Diary", text: "Not for strangers.", links: []link{{href: "/", text: "Home"}}}).with("X-Robots-Tag", "noindex, noai")},
			Expect: []Expectation{Kept{Range{4, 4}}, Asked{Filter{Half: 1, Target: "/diary"}, exactly(1)}, Reason{[]string{"xrobots.noindex"}}},
		},
	}
}
