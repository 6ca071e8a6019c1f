package crawler

import (
	"context"
	"fmt"
	"net/http"

	"heed/crawler/discover"
	"heed/crawler/extract"
	"heed/politeness"
)

// JudgeStored decides again what a stored page may be used for: with the
// documents at hand today, and with what its own response said when it was
// fetched. It makes no request. Every purpose must be open; the first that is not
// is the answer.
func (c *Crawler) JudgeStored(ctx context.Context, url string, header http.Header, body []byte, purposes politeness.Purposes) (politeness.Decision, error) {
	response := c.heldResponse(url, header, body)
	var last politeness.Decision
	for p := range (politeness.Uses{}) {
		if !purposes.Has(politeness.Purpose(p)) {
			continue
		}
		q := c.inHindsight(url, ask{method: http.MethodGet, mode: politeness.Crawl, purposes: politeness.PurposesOf(politeness.Purpose(p))})
		d, err := c.Gate.AtHand(ctx, q)
		if err != nil {
			return d, fmt.Errorf("crawler: judge %s again: %w", url, err)
		}
		q.Response = response
		if last = c.Gate.After(d, q); last.Verdict != politeness.Allow {
			return last, nil
		}
	}
	last.Purposes = purposes
	return last, nil
}

// heldResponse is what a copy says of itself: its fields and its meta elements.
func (c *Crawler) heldResponse(url string, header http.Header, body []byte) *politeness.Response {
	response := &politeness.Response{Status: http.StatusOK, Header: header}
	if contentType := header.Get("Content-Type"); mayLink(contentType) {
		page, err := extract.Parse(body, contentType, url, &resolver{}, extract.Options{MaxLinks: c.MaxLinks, ContextRelation: discover.Relation})
		if err == nil {
			e := ending{page: page}
			response.Meta = e.meta()
		}
	}
	return response
}
