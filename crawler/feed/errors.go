package feed

import "errors"

// Conditions under which Read ends early or calls a document unfit. Test with errors.Is. Entries handed
// out before stay valid.
var (
	// ErrNotFeed: the body is neither a sitemap nor a feed nor a list of URLs.
	ErrNotFeed = errors.New("feed: not a sitemap or feed")
	// ErrTooLarge: a layer of the body is longer than Options.MaxBytes.
	ErrTooLarge = errors.New("feed: body too large")
	// ErrRatio: the unpacked body is out of proportion to its packed octets.
	ErrRatio = errors.New("feed: unpacked body out of proportion")
	// ErrLayers: the body is packed more often than twice.
	ErrLayers = errors.New("feed: too many layers of gzip")
	// ErrGzip: the packed body is damaged or cut.
	ErrGzip = errors.New("feed: damaged gzip")
	// ErrCharset: the body is in an encoding that Options.Decoder does not know.
	ErrCharset = errors.New("feed: unknown charset")
	// ErrMarkup: a tag or document type declaration does not end within the window of 64 KiB.
	ErrMarkup = errors.New("feed: markup without end")
	// ErrTooManyEntries: the document names more than Options.MaxEntries pages. The first MaxEntries were
	// handed out; Result.OverLimit counts the rest.
	ErrTooManyEntries = errors.New("feed: too many entries")
)
