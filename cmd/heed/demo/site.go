package demo

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
)

// Site is one host of the world, there to show one behaviour.
type Site struct {
	Name   string        // host name, called after the behaviour
	Asks   string        // what the site asks for or does, one short phrase
	Expect []Expectation // what must be seen; all of them must hold

	cert   certificate
	plain  bool                    // entered by http
	about  func() topic            // notebook that fills the site; nil for none
	head   string                  // markup for the head of the home page
	links  []link                  // further links of the home page
	home   func(document) document // applied to the home page
	dress  func(document) document // applied to every page of the notebook
	card   *consentCard            // in the registry; nil for none
	bare   bool                    // pages of the notebook get no entity tag
	routes routes                  // go before the notebook
	later  routes                  // go before routes in the second half
}

// Sites lists the world, by theme. Each call gives fresh handlers, so two
// worlds share no state.
func Sites() []Site {
	sites := slices.Concat(
		robotsSites(), robotsAnswerSites(), paceSites(), codingSites(), validatorSites(),
		automationSites(), usageSites(), cardSites(),
		contextSites(), contextDeclinedSites(), redirectSites(), linkSites(), hostileSites(), identitySites(),
	)
	for i := range sites {
		sites[i] = sites[i].furnished()
	}
	return sites
}

// furnished adds the pages of the notebook to the routes.
func (s Site) furnished() Site {
	if s.routes == nil {
		s.routes = routes{}
	}
	if s.about == nil {
		return s
	}
	pages := s.about().pages(s.Name, s.Asks, s.head, s.links)
	for path, h := range pages {
		d, ok := h.(document)
		if !ok {
			continue
		}
		if s.dress != nil {
			d = s.dress(d)
		}
		if path == "/" && s.home != nil {
			d = s.home(d)
		}
		if !s.bare && d.etag == "" && d.modified == "" {
			d = d.tagged(fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE(d.body)))
		}
		pages[path] = d
	}
	s.routes.fill(pages)
	return s
}

// Seeds are the URLs the site is entered by.
func (s Site) Seeds() []string {
	if s.plain {
		return []string{"http://" + s.Name + "/"}
	}
	return []string{"https://" + s.Name + "/"}
}

// handler finds the answer for a path in the given half, 404 when there is none.
func (s Site) handler(path string, half int) http.Handler {
	if half == 2 {
		if h := s.later.match(path); h != nil {
			return h
		}
	}
	if h := s.routes.match(path); h != nil {
		return h
	}
	return status(http.StatusNotFound)
}

// cardDomain is the domain that the site's card is about: its last two labels.
func (s Site) cardDomain() string {
	labels := strings.Split(s.Name, ".")
	return strings.Join(labels[len(labels)-2:], ".")
}

// host is the full name of a site.
func host(behaviour string) string { return behaviour + "." + Domain }
