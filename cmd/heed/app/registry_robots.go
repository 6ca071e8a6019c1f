package app

import (
	"net/http"
	"slices"

	"heed/frontier"
	"heed/politeness"
	"heed/politeness/standards"
)

// forbids reads robots.txt files as they were answered and tells whether they
// forbid our token a URL of their own origin.
func forbids(token string) func(robots []byte, url string) bool {
	all := standards.All(standards.Options{Token: token})
	source := all[slices.IndexFunc(all, func(s politeness.Source) bool { return s.Name() == "robots" })]
	return func(robots []byte, url string) bool {
		origin := frontier.Origin(url)
		place := source.Where(origin)[0]
		rules := source.Read(place, politeness.Document{URL: place.URL, FinalURL: place.URL, Status: http.StatusOK, Body: robots})
		q := politeness.Question{URL: url, Origin: origin, Host: frontier.HostKey(url), Path: url[len(origin):], Method: http.MethodGet}
		return rules.Judge(q).Verdict == politeness.Deny
	}
}
