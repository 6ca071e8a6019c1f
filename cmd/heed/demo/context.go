package demo

import "net/http"

// guide is a context file: an index of the site for readers that are programs.
const guide = `# A guide to this notebook

Three short entries and a home page. Quote what you like, and say where it is from.

- [Home](/)
- [The whole text](/whole.md)
`

const wholeText = `# The whole text

Everything on this site fits into one file. This is the file.
`

const (
	contextRelation  = `rel="llm-context"; type="text/markdown"`
	contextWellKnown = "/.well-known/llm-context"
)

// advertise names an index in the Link field of a page.
func advertise(target string) func(document) document {
	return func(d document) document { return d.with("Link", "<"+target+">; "+contextRelation) }
}

// contextSites have an llm-context index that is found.
func contextSites() []Site {
	index := func(mechanism string) Context {
		return Context{State: "index", Reasons: []string{"found", "not-modified", "fresh"}, Mechanisms: []string{mechanism}}
	}
	once := Asked{Filter{Half: 1, Target: "/guide.md"}, exactly(1)}
	return []Site{
		{
			Name: host("context-link-header"), Asks: "read the index its Link field names",
			about: lighthouse, home: advertise("/guide.md"),
			routes: routes{
				"/guide.md": markdown(guide).tagged(`"guide-1"`), "/whole.md": markdown(wholeText).tagged(`"whole-1"`),
				"/borrowed.md": markdown(guide),
			},
			Expect: []Expectation{once, index("link"), Unforced{"/guide.md"}},
		},
		{
			Name: host("context-link-element"), Asks: "read the index its link element names",
			about: bakery, head: "<link rel=\"llm-context\" href=\"/guide.md\" type=\"text/markdown\">\n",
			routes: routes{"/guide.md": markdown(guide).tagged(`"guide-1"`), "/whole.md": markdown(wholeText)},
			Expect: []Expectation{once, index("link")},
		},
		{
			Name: host("context-well-known"), Asks: "read the index its well-known URI leads to",
			about: tides,
			routes: routes{
				contextWellKnown: redirect(http.StatusFound, "/guide.md"),
				"/guide.md":      markdown(guide).tagged(`"guide-1"`), "/whole.md": markdown(wholeText),
			},
			Expect: []Expectation{once, index("well-known")},
		},
		{
			Name: host("context-robots-record"), Asks: "read the index its robots.txt names",
			about: moss,
			routes: routes{
				"/robots.txt": robots("User-agent: *", "Allow: /", "", "LLM-Context: https://"+host("context-robots-record")+"/guide.md"),
				"/guide.md":   markdown(guide).tagged(`"guide-1"`), "/whole.md": markdown(wholeText),
			},
			Expect: []Expectation{once, index("robots")},
		},
		{
			Name: host("context-conflict"), Asks: "three mechanisms, three indexes: read one, by precedence",
			about: letters, home: advertise("/by-link.md"),
			routes: routes{
				"/robots.txt":    robots("User-agent: *", "Allow: /", "", "LLM-Context: https://"+host("context-conflict")+"/by-robots.md"),
				contextWellKnown: redirect(http.StatusTemporaryRedirect, "/by-well-known.md"),
				"/by-link.md":    markdown("# Named by Link\n"),
				"/by-*":          markdown("# Not the index in force\n"),
			},
			Expect: []Expectation{
				Asked{Filter{Half: 1, Target: "/by-link.md"}, exactly(1)},
				Asked{Filter{Target: "/by-well-known.md"}, exactly(0)},
				Asked{Filter{Target: "/by-robots.md"}, exactly(0)},
				index("link"),
			},
		},
		{
			Name: host("context-updated"), Asks: "the index is new in the second half",
			about: bees, home: advertise("/guide.md"),
			routes: routes{"/guide.md": markdown(guide).tagged(`"guide-1"`), "/whole.md": markdown(wholeText)},
			later:  routes{"/guide.md": markdown(guide + "- [Winter](/winter)\n").tagged(`"guide-2"`)},
			Expect: []Expectation{once, index("link"), Unforced{"/guide.md"}},
		},
	}
}
