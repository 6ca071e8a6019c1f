package crawler

import (
	"strings"

	"heed/crawler/feed"
	"heed/frontier"
)

// A list is a sitemap or a feed: a document whose URLs are candidates. It is a
// queue item of its own, with a key that no page can have, because no canonical
// URL has a fragment: a list is not a page even if somebody links to it.
const (
	listMark   = "#sitemap"   // behind the URL of a list
	listsMark  = "/#sitemaps" // behind an origin whose robots.txt has to be read for its lists
	behalfMark = "="          // between listMark and the origin that the list speaks for
)

// listRecord is what the record that names a list is called where it is shown.
const listRecord = "sitemap"

// listScore is the score of lists. Those that an index names come right after it,
// so that what the index says of them can spare a request.
const listScore, childScore = 100, 99

// listKey says which list is meant, and which origin named it in its robots.txt:
// the list speaks for that one and for its own site, and for nobody else.
type listKey struct {
	url    string
	behalf string
}

// String is the key in the queue.
func (k listKey) String() string {
	if !feed.Foreign(k.url, k.behalf+"/") {
		return k.url + listMark
	}
	return k.url + listMark + behalfMark + k.behalf
}

// speaksFor tells whether the list may name a page without being confirmed.
func (k listKey) speaksFor(page string) bool {
	return !feed.Foreign(k.url, page) || !feed.Foreign(k.behalf+"/", page)
}

// parseListKey reads a key.
func parseListKey(key string) (listKey, bool) {
	url, rest, found := strings.Cut(key, listMark)
	switch {
	case !found || url == "":
		return listKey{}, false
	case rest == "":
		return listKey{url: url, behalf: frontier.Origin(url)}, true
	case strings.HasPrefix(rest, behalfMark):
		return listKey{url: url, behalf: rest[len(behalfMark):]}, true
	}
	return listKey{}, false
}

// candidate is the queue item of the list.
func (k listKey) candidate(path, parent string, score int) frontier.Candidate {
	key := k.String()
	return frontier.Candidate{URL: key, Host: frontier.HostKey(key), Score: score, Path: path, Parent: parent}
}

// listsOrigin is the origin of an item that stands for the lists of an origin.
func listsOrigin(key string) (string, bool) {
	origin, rest, found := strings.Cut(key, listsMark)
	return origin, found && rest == "" && origin != ""
}
