package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// ref is a reference as found, before the base is known.
type ref struct {
	raw      string
	kind     Kind
	noFollow bool
}

// refs collects references of one sort, each spelling once.
type refs struct {
	list  []ref
	index map[string]int32 // raw → place in list
	limit int
	over  int // references that found the list full
}

// newRefs makes room for the given number without growing; pages have some 60 to 95 links.
func newRefs(limit, room int) refs {
	return refs{list: make([]ref, 0, room), index: make(map[string]int32, room), limit: limit}
}

// add keeps the reference unless it is empty or names a scheme that is not the web's. A spelling seen
// before only loosens nofollow: one plain link to a URL suffices to follow it.
func (r *refs) add(raw []byte, kind Kind, noFollow bool) {
	raw = trimURL(raw)
	if len(raw) == 0 || otherScheme(raw) {
		return
	}
	if len(raw) > maxRawBytes {
		raw = raw[:maxRawBytes+1] // kept only to be counted as over the URL limit
	}
	if place, seen := r.index[string(raw)]; seen {
		r.list[place].noFollow = r.list[place].noFollow && noFollow
		return
	}
	if len(r.list) >= r.limit {
		r.over++
		return
	}
	spelling := string(raw)
	r.index[spelling] = int32(len(r.list))
	r.list = append(r.list, ref{raw: spelling, kind: kind, noFollow: noFollow})
}

// resolution carries what resolving needs once the whole document is read.
type resolution struct {
	page     *Page
	resolver Resolver
	enc      encoding.Encoding // nil for UTF-8
	maxURL   int
	hasBase  bool
}

const (
	maxUnresolved      = 20
	maxUnresolvedBytes = 2 << 10
)

// url resolves one reference; what fails is counted and, within bounds, shown.
func (r *resolution) url(raw string) (string, bool) {
	url, ok := r.resolve(raw)
	if !ok {
		r.reject(raw)
	}
	return url, ok
}

// resolve answers false for what the Resolver refuses and for URLs over the limit.
func (r *resolution) resolve(raw string) (string, bool) {
	if len(raw) > maxRawBytes {
		r.page.find(FindingURLOverLimit)
		return "", false
	}
	if !isASCII(raw) {
		if !utf8.ValidString(raw) {
			raw = strings.ToValidUTF8(raw, "\uFFFD")
		}
		if r.enc != nil {
			raw = encodeQuery(raw, r.enc)
		}
	}
	url, ok := r.resolver.Resolve(r.page.Base, raw)
	if !ok || !isWeb(url) {
		return "", false
	}
	url = withoutFragment(url)
	if len(url) > r.maxURL {
		r.page.find(FindingURLOverLimit)
		return "", false
	}
	return url, true
}

func (r *resolution) reject(raw string) {
	r.page.UnresolvedCount++
	if len(r.page.Unresolved) < maxUnresolved {
		raw = raw[:min(len(raw), maxUnresolvedBytes)]
		r.page.Unresolved = append(r.page.Unresolved, strings.ToValidUTF8(raw, "\uFFFD"))
	}
}

// links resolves a list and joins spellings of one URL.
func (r *resolution) links(found refs) []Link {
	if len(found.list) == 0 {
		return nil
	}
	links := make([]Link, 0, len(found.list))
	clear(found.index)
	for _, reference := range found.list {
		// Without a base element "#…" is the page itself: no news, and pages are full of them.
		if reference.raw[0] == '#' && !r.hasBase {
			continue
		}
		url, ok := r.url(reference.raw)
		if !ok {
			continue
		}
		if place, seen := found.index[url]; seen {
			links[place].NoFollow = links[place].NoFollow && reference.noFollow
			continue
		}
		found.index[url] = int32(len(links))
		links = append(links, Link{URL: url, Kind: reference.kind, NoFollow: reference.noFollow})
	}
	return links
}

// list resolves references where order counts and duplicates do not.
func (r *resolution) list(raws []string) []string {
	var urls []string
	for _, raw := range raws {
		if url, ok := r.url(raw); ok && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	return urls
}
