package extract

import (
	"slices"
	"strings"
)

// Related returns the resolved targets of the links with the relation (lower case), in order and without
// repetition. responseURL is the canonical URL of the response itself: targets resolve against it, not
// against Content-Location, and a link whose anchor lies in another origin speaks for that origin and
// is ignored (LC-139). Empty targets are ignored.
func Related(links []HeaderLink, relation, responseURL string, r Resolver) []string {
	var urls []string
	for i := range links {
		link := &links[i]
		if link.Target == "" || !slices.Contains(link.Rel, relation) {
			continue
		}
		if link.HasAnchor {
			anchor, ok := r.Resolve(responseURL, link.Anchor)
			if !ok || originOf(anchor) != originOf(responseURL) {
				continue
			}
		}
		target, ok := r.Resolve(responseURL, link.Target)
		if target = withoutFragment(target); ok && isWeb(target) && !slices.Contains(urls, target) {
			urls = append(urls, target)
		}
	}
	return urls
}

// originOf is scheme and authority of a canonical URL, whose default port is already gone.
func originOf(url string) string {
	scheme := strings.Index(url, "://")
	if scheme < 0 {
		return ""
	}
	authority := url[scheme+3:]
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	return url[:scheme+3+len(authority)]
}
