package frontier

import (
	"fmt"
	"net/url"
	"strings"
)

// RequestURL makes a url.URL with which net/http sends exactly the request
// target of a canonical URL: what is asked for is what is stored.
//
// net/url alone cannot: it refuses a lone percent sign in a path ("/100%zz"),
// and escapes octets that the URL Standard leaves alone ('|', '^'). Such a path
// goes into Opaque, which net/http puts on the wire as it is; the host then comes
// from Host as always. All other URLs have Path and RawPath set, as url.Parse
// would do.
//
// One target remains: a path that needs Opaque and begins with two slashes.
// net/http would take the second for an authority, so Opaque holds the whole
// URL without scheme and the request line has the absolute form, which every
// server must accept (RFC 9112 3.2.2); HTTP/2 sends the path alone.
//
// With Opaque set, String does not show the host, and a plain HTTP proxy does not
// get the absolute form. net/http parses Location by itself and fails on such a
// path: whoever follows redirects reads the field from the answer and keeps it
// from the client.
//
// The URL must come from Canonical; ErrURL says that it cannot.
func RequestURL(canonical string) (*url.URL, error) {
	end := originEnd(canonical)
	if end == 0 {
		return nil, fmt.Errorf("%w: request for %q", ErrURL, clip(canonical))
	}
	scheme, host, _ := strings.Cut(canonical[:end], "://")
	u := &url.URL{Scheme: scheme, Host: host}
	path, query, asked := strings.Cut(canonical[end:], "?")
	u.RawQuery, u.ForceQuery = query, asked && query == ""

	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
		if u.EscapedPath() == path {
			return u, nil
		}
		u.Path, u.RawPath = "", ""
	}
	u.Opaque = path
	if strings.HasPrefix(path, "//") {
		u.Opaque = "//" + host + path
	}
	return u, nil
}
