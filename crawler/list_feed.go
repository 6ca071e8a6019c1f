package crawler

import (
	"context"
	"strings"

	"heed/crawler/extract"
	"heed/frontier"
)

const hopFeed = "F"

// takeFeed queues a feed that a page names as a list in place of a page. It is asked
// for under the conditions of any link, and what it names is one link further than the
// page. Beyond the first feeds of an origin a feed is a link like others.
func (c *Crawler) takeFeed(ctx context.Context, e *ending, l extract.Link) bool {
	if l.Kind != extract.KindFeed || !c.wantsLists() || !c.fitsList(l.URL) {
		return false
	}
	origin := frontier.Origin(e.visit.URL)
	if c.traps.NewFeed(origin, l.URL) {
		return false
	}
	item := &e.visit.Item
	if !c.wants(ctx, e, l.URL, item.Depth+1, hopFeed) {
		return true // it is counted
	}
	list := listKey{url: l.URL, behalf: origin}.candidate(item.Path+hopFeed, e.visit.URL, item.Score)
	list.Depth = item.Depth
	e.links = append(e.links, list)
	return true
}

// listHop is the letter for what a list names.
func listHop(path string) string {
	if strings.HasSuffix(strings.TrimRight(path, "R"), hopFeed) {
		return hopFeed
	}
	return hopList
}
