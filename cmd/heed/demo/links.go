package demo

import (
	"fmt"
	"net/http"
	"strings"
)

// manyLinks lies above the 5,000 links a page that are queued.
const manyLinks = 6_000

// linkSites test how links are read.
func linkSites() []Site {
	return []Site{
		{
			Name: host("many-links"), Asks: "a register of 6,000 links to four pages",
			about:  lighthouse,
			routes: routes{"/register": page(sheet{title: "Register", text: "Every entry of every day.", links: register()})},
			links:  []link{{href: "/register", text: "Register"}},
			Expect: []Expectation{Asked{Filter{Half: 1, Target: "/register", Status: http.StatusOK}, exactly(1)}, Once{}, Kept{atLeast(5)}},
		},
		{
			Name: host("nofollow-links"), Asks: "do not follow the sponsored links, nor any of one page",
			about: bees,
			links: []link{{href: "/sponsored/jar", text: "Jars, jars, jars", rel: "nofollow sponsored"}, {href: "/notice", text: "Notice"}, {href: "/partners", text: "Partners"}},
			routes: routes{
				"/partners": page(sheet{title: "Partners", head: "<meta name=\"robots\" content=\"nofollow\">\n", text: "They paid for this page.",
					links: []link{{href: "/sponsored/lid", text: "Lids"}}}),
				"/sponsored/*": page(sheet{title: "Jars", text: "Buy two."}),
				"/notice":      page(sheet{title: "Notice", text: "The jars are sponsored.", links: []link{{href: "/", text: "Home"}}}),
			},
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: "/notice"}, exactly(1)}, Asked{Filter{Half: 1, Target: "/partners"}, exactly(1)},
				Asked{Filter{Target: "/sponsored/*"}, exactly(0)}, Kept{atLeast(6)},
			},
		},
		{
			Name: host("legacy-charset"), Asks: "read windows-1251, and ask in it",
			about: tides,
			links: []link{{href: "/ru", text: "По-русски"}},
			routes: routes{
				"/ru": document{contentType: "text/html; charset=windows-1251", body: windows1251(
					"<!doctype html><html lang=ru><title>Маяк</title><h1>Маяк</h1><p>Две вспышки каждые пятнадцать секунд.</p>" +
						"<p><a href=\"/поиск?слово=маяк\">Найти маяк</a> · <a href=\"/\">Home</a></p></html>\n")},
				"/поиск": page(sheet{title: "Found", text: "One lighthouse, at the end of the mole.", links: []link{{href: "/", text: "Home"}}}),
			},
			// The path is UTF-8, the query in the encoding of the page (WHATWG URL, query state).
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: "/%D0%BF%D0%BE%D0%B8%D1%81%D0%BA?%F1%EB%EE%E2%EE=%EC%E0%FF%EA", Status: http.StatusOK}, exactly(1)},
				Kept{atLeast(6)},
			},
		},
		{
			Name: host("link-trap"), Asks: "follow a relative link that never ends",
			about:  moss,
			links:  []link{{href: "/maze/", text: "The maze"}},
			routes: routes{"/maze/*": http.HandlerFunc(maze)},
			Expect: []Expectation{Asked{Filter{Half: 1, Target: "/maze/*"}, Range{1, 8}}, Reason{[]string{"scope.trap"}}, Kept{atLeast(4)}},
		},
	}
}

// register links to the four pages of the notebook, to a new place each time.
func register() []link {
	pages := []string{"/", "/lamp", "/fog", "/stores"}
	links := make([]link, manyLinks)
	for i := range links {
		links[i] = link{href: fmt.Sprintf("%s#day-%d", pages[i%len(pages)], i), text: fmt.Sprintf("Day %d", i)}
	}
	return links
}

// maze answers every path with a page one step deeper, as a site does whose
// template links relatively where it meant to link from the root.
func maze(w http.ResponseWriter, r *http.Request) {
	depth := strings.Count(r.URL.Path, "hedge/")
	page(sheet{
		title: "The maze", text: fmt.Sprintf("You have passed %d hedges. There is one more.", depth),
		links: []link{{href: "hedge/", text: "On"}, {href: "/", text: "Out"}},
	}).ServeHTTP(w, r)
}

// windows1251 encodes Russian text. The letters from А to я lie in one run;
// anything else outside ASCII but the middle dot becomes a question mark.
func windows1251(s string) []byte {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r >= 'А' && r <= 'я':
			out = append(out, byte(r-'А')+0xC0)
		case r == '·':
			out = append(out, 0xB7)
		default:
			out = append(out, '?')
		}
	}
	return out
}
