package fetch

import (
	"context"
	"io"
	"net/http"
)

// Decode undoes the content codings that header names, as Do does for an answer:
// under the same bounds and with the same tolerance for wrong labels. It is for
// bodies that were stored as they were received. The error is an *Error; the body
// belongs to the caller, who closes it.
func (c *Client) Decode(ctx context.Context, url string, header http.Header, coded io.Reader, maxBytes int64) (*Body, error) {
	share, err := c.budget.reserve(ctx, c.limits.MemoryBodyBytes)
	if err != nil {
		return nil, c.wrap("decode", url, err)
	}
	e := &errand{c: c, r: &Request{URL: url}, x: &Exchange{URL: url}, share: share, maxBytes: maxBytes, cancel: func(error) {}}
	res := &http.Response{StatusCode: http.StatusOK, Header: header, ContentLength: -1, Body: io.NopCloser(coded)}
	if err := e.receive(res); err != nil {
		share.keep(0)
		return nil, c.wrap("decode", url, err)
	}
	return e.x.Body, nil
}
