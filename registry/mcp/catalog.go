package mcp

import (
	"context"
	"net/url"
)

// Catalog is what the tools read. Both calls answer octet for octet as the HTTP
// resource of the same name answers.
type Catalog interface {
	// Search answers GET /v1/search with these parameters.
	Search(ctx context.Context, parameters url.Values) (Answer, error)
	// Site answers GET /v1/site/{domain}, for other spellings of a listed
	// domain with its card.
	Site(ctx context.Context, domain string) (Answer, error)
}

// Answer is one JSON object: the result where Status is 200, a problem document
// (RFC 9457) for every other status.
type Answer struct {
	Status int
	Body   []byte
}
