package demo

import "net/http"

// privateHost resolves to an address that AllowAddress leaves closed.
const privateHost = "private-address." + Domain

// redirectSites send the reader somewhere else.
func redirectSites() []Site {
	return []Site{
		{
			Name: host("redirect-chain"), Asks: "follow four redirects to the page",
			about: tides,
			links: []link{{href: "/old", text: "The old table"}},
			routes: routes{
				"/old":     redirect(http.StatusMovedPermanently, "/older"),
				"/older":   redirect(http.StatusFound, "/moved"),
				"/moved":   redirect(http.StatusTemporaryRedirect, "/almost"),
				"/almost":  redirect(http.StatusPermanentRedirect, "/arrived"),
				"/arrived": page(sheet{title: "The old table", text: "Printed for a harbour that has silted up since.", links: []link{{href: "/", text: "Home"}}}),
			},
			Expect: []Expectation{Asked{Filter{Half: 1, Target: "/arrived", Status: http.StatusOK}, exactly(1)}, Kept{atLeast(5)}},
		},
		{
			Name: host("redirect-loop"), Asks: "follow a redirect in a circle",
			about: moss,
			links: []link{{href: "/loop/a", text: "Round the wall"}},
			routes: routes{
				"/loop/a": redirect(http.StatusFound, "/loop/b"),
				"/loop/b": redirect(http.StatusFound, "/loop/c"),
				"/loop/c": redirect(http.StatusFound, "/loop/a"),
			},
			// Five redirects are six requests; a crawler that knows its own URLs needs three.
			Expect: []Expectation{Asked{Filter{Half: 1, Target: "/loop/*"}, Range{3, 6}}, Kept{atLeast(4)}},
		},
		{
			Name: host("redirect-into-disallowed"), Asks: "keep out of /vault/, to which the lift goes",
			about: lighthouse,
			links: []link{{href: "/lift", text: "The lift"}},
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Disallow: /vault/"),
				"/lift":       redirect(http.StatusFound, "/vault/door"),
				"/vault/*":    page(sheet{title: "The vault", text: "Nobody was meant to come by lift."}),
			},
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: "/lift"}, exactly(1)},
				Asked{Filter{Target: "/vault/*"}, exactly(0)},
				Reason{[]string{"robots.disallow"}},
			},
		},
		{
			Name: host("redirect-private-address"), Asks: "look at the printer on 10.0.0.1 and at a host inside",
			about: bees,
			links: []link{{href: "/printer", text: "The printer"}, {href: "/inside", text: "The host inside"}},
			routes: routes{
				"/printer": redirect(http.StatusFound, "https://10.0.0.1/status"),
				"/inside":  redirect(http.StatusFound, "https://"+privateHost+"/status"),
			},
			Expect: []Expectation{
				Kept{atLeast(4)},
				Asked{Filter{Host: privateHost, Target: "/status"}, exactly(0)},
				Reason{[]string{"guard.address", "scope.host"}},
			},
		},
		{
			Name: privateHost, Asks: "read a name that resolves to a closed address",
			about:  letters,
			Expect: []Expectation{Asked{Times: exactly(0)}, Kept{exactly(0)}, Reason{[]string{"guard.address"}}},
		},
		{
			Name: host("http-to-https"), Asks: "entered by http, wants to be read by https",
			plain: true,
			// The handler sees the scheme, a route does not: the whole site is one route.
			routes: routes{"*": upgrade(bakery().pages(host("http-to-https"), "entered by http, wants to be read by https", "", nil))},
			Expect: []Expectation{Asked{Filter{Target: "/", Status: http.StatusMovedPermanently}, atLeast(1)}, Kept{atLeast(4)}},
		},
	}
}

// upgrade redirects http to https and serves the routes there.
func upgrade(r routes) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.TLS == nil {
			redirect(http.StatusMovedPermanently, "https://"+hostOf(req)+req.URL.RequestURI()).ServeHTTP(w, req)
			return
		}
		h := r.match(req.URL.Path)
		if h == nil {
			h = status(http.StatusNotFound)
		}
		h.ServeHTTP(w, req)
	})
}
