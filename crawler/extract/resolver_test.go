package extract_test

import (
	"net/url"
	"strings"
)

// webResolver stands in for the canonicaliser of the frontier: enough of WHATWG URL for these tests,
// over net/url. It trims, drops tabs and newlines, and lets stray percent signs through.
type webResolver struct{}

func (webResolver) Resolve(base, ref string) (string, bool) {
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "", " ", "%20").Replace(ref)
	b, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	u := b.ResolveReference(r)
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), true
}
