package feed

import (
	"net/url"
	"strings"
)

// Foreign tells whether an entry lies on another site than the list that names it. Such an entry counts
// only if the other site's robots.txt names the list (sitemaps.org protocol, cross submits); asking that
// is the caller's part. Both URLs are absolute and canonical; the entry may be a path too.
//
// The same site is the same host name at the same port, where 80 for http and 443 for https are one: many
// sites list https pages in a sitemap that is still found by http. The path of the list does not matter.
// What can be read in two ways is foreign.
func Foreign(sitemapURL, entryURL string) bool {
	list, err := url.Parse(sitemapURL)
	if err != nil {
		return true
	}
	// Browsers read a backslash as a slash and take white space out: neither is canonical.
	if strings.ContainsFunc(entryURL, func(r rune) bool { return r <= ' ' || r == '\\' }) {
		return true
	}
	entry, err := url.Parse(entryURL)
	if err != nil {
		return true
	}
	if entry.Scheme == "" && entry.Host == "" && entry.Opaque == "" && !strings.HasPrefix(entryURL, "//") {
		return site(list) == ""
	}
	if entry.Scheme == "" {
		entry.Scheme = list.Scheme
	}
	here := site(list)
	return here == "" || here != site(entry)
}

// site names host and port, the default ports as one; empty if u is no http or https URL with a host.
func site(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "" || u.Opaque != "" {
		return ""
	}
	port := u.Port()
	switch {
	case u.Scheme == "http" && port == "80", u.Scheme == "https" && port == "443":
		port = ""
	case u.Scheme != "http" && u.Scheme != "https":
		return ""
	}
	return host + ":" + port
}
