package mcp

import (
	"context"
	"net/url"
)

// Catalog is what the tools read. Both calls answer octet for octet as the HTTP
// resource of the same name: body is one JSON object, the result where status
// is 200, a problem document (RFC 9457) for every other status. The error is
// for what the registry itself could not do.
type Catalog interface {
	// Search answers GET /v1/search with these parameters.
	Search(ctx context.Context, parameters url.Values) (status int, body []byte, err error)
	// Site answers GET /v1/site/{domain}, for other spellings of a listed
	// domain with its card.
	Site(ctx context.Context, domain string) (status int, body []byte, err error)
}
