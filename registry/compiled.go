package registry

import (
	"net/http"
	"slices"
	"strings"

	"heed/registry/card"
)

// robotsText compiles a robots.txt from a served card for its owner
// (BC-R-028 to BC-R-031, BC-R-910). Training tokens are barred unless train is
// true, the others unless retrieve is false; allow overrides, and deny overrides
// allow. There is one group for each token, by name, and the one for everybody
// last.
func robotsText(served card.JSON, f *facts) []byte {
	var b strings.Builder
	if !f.allowBots {
		return []byte("User-agent: *\nDisallow: /\n")
	}
	allow, deny := tokenSet(served.Member("allow")), tokenSet(served.Member("deny"))
	barred := make(map[string]bool) // by token
	names := make(map[string]string)
	for i := range agents {
		a := &agents[i]
		name := strings.ToLower(a.Token)
		names[name] = a.Token
		barred[name] = a.trains() && !f.permits("train") || !a.trains() && !f.permits("retrieve")
	}
	for name, token := range allow {
		names[name], barred[name] = token, false
	}
	for name, token := range deny {
		names[name], barred[name] = token, true
	}
	order := make([]string, 0, len(names))
	for name := range names {
		order = append(order, name)
	}
	slices.Sort(order)
	for _, name := range order {
		group(&b, names[name], barred[name])
	}
	group(&b, "*", !f.permits("retrieve"))
	if sitemap, _ := served.Member("pointers").Member("sitemap").Text(); sitemap != "" {
		b.WriteString("Sitemap: " + sitemap + "\n")
	}
	return []byte(b.String())
}

func group(b *strings.Builder, token string, barred bool) {
	b.WriteString("User-agent: " + token)
	if barred {
		b.WriteString("\nDisallow: /\n\n")
	} else {
		b.WriteString("\nDisallow:\n\n")
	}
}

// tokenSet maps the tokens of a list in lower case to how they are written.
func tokenSet(list card.JSON) map[string]string {
	set := make(map[string]string)
	for e := range list.Elements() {
		if token, ok := e.Text(); ok {
			set[strings.ToLower(token)] = token
		}
	}
	return set
}

// readRobots answers GET /v1/site/{domain}/robots.txt.
func (s *Server) readRobots(w http.ResponseWriter, r *http.Request) {
	s.compile(w, r, "/robots.txt", textType, func(known *site, served card.JSON) []byte {
		return robotsText(served, &known.facts)
	})
}

// readTDMRep answers GET /v1/site/{domain}/tdmrep.json: what the owner may put
// at its own well-known URI. It is no declaration of the origin (BC-C-925).
func (s *Server) readTDMRep(w http.ResponseWriter, r *http.Request) {
	s.compile(w, r, "/tdmrep.json", jsonType, func(known *site, _ card.JSON) []byte {
		if known.facts.tdm == "open" {
			return []byte(`[{"location":"/","tdm-reservation":0}]` + "\n")
		}
		return []byte(`[{"location":"/","tdm-reservation":1}]` + "\n") // a licence can be had for what is reserved
	})
}

func (s *Server) compile(w http.ResponseWriter, r *http.Request, rest, mediaType string, text func(*site, card.JSON) []byte) {
	known, ok := s.locate(w, r, rest)
	if !ok {
		return
	}
	known, served, err := s.served(known.domain)
	switch {
	case err != nil:
		s.answerError(w, r, err)
	case served == nil: // removed in between
		errNotListed.write(w, s.docs)
	default:
		d := newDocument(mediaType, text(known, served.octets))
		d.cache = cardCache(known)
		s.answer(w, r, d)
	}
}
