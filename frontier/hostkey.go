package frontier

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// HostKey is the host name of a canonical URL, in A-labels and lower case,
// without port: all ports and schemes of a name share one pace. An IPv6 address
// stands without brackets. One dot at the end goes: with and without it is one
// machine. It is empty for a text that is not canonical.
func HostKey(canonical string) string {
	host := Authority(canonical)
	if strings.HasPrefix(host, "[") {
		if i := strings.IndexByte(host, ']'); i >= 0 {
			return host[1:i]
		}
		return ""
	}
	if i := strings.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}

// Authority is host and port of a canonical URL, as they stand there: a default
// port is not written, an IPv6 address has its brackets. It is empty for a text
// that is not canonical.
func Authority(canonical string) string {
	end := originEnd(canonical)
	if end == 0 {
		return ""
	}
	return canonical[strings.Index(canonical, "://")+len("://") : end]
}

// Origin is scheme, host and port of a canonical URL, without a slash at the
// end. It is empty for a text that is not canonical.
func Origin(canonical string) string { return canonical[:originEnd(canonical)] }

// Domain is the registrable domain of a host name as HostKey returns it: the
// public suffix and one label more. Suffixes that companies registered count
// (a.github.io and b.github.io are two domains), for they belong to different
// people. A host that has none is its own domain: an address, localhost, a
// single label, a public suffix itself.
func Domain(host string) string {
	if host == "localhost" || !strings.Contains(host, ".") {
		return host // also IPv6
	}
	if last := host[len(host)-1]; '0' <= last && last <= '9' {
		if _, err := netip.ParseAddr(host); err == nil {
			return host
		}
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// IsPage tells whether the key of an item is the URL of a page. A canonical URL
// has no fragment, so that documents which are queued without being pages, such as
// sitemaps, have keys with one; a host that has only those is no host of the job.
func IsPage(key string) bool { return strings.IndexByte(key, '#') < 0 }

// originEnd is where the path of a canonical URL begins, 0 if it is not one.
func originEnd(canonical string) int {
	i := 0
	switch {
	case strings.HasPrefix(canonical, "https://"):
		i = len("https://")
	case strings.HasPrefix(canonical, "http://"):
		i = len("http://")
	default:
		return 0
	}
	n := strings.IndexByte(canonical[i:], '/')
	if n <= 0 {
		return 0
	}
	return i + n
}

// pathEnd is where the path of a canonical URL ends.
func pathEnd(canonical string) int {
	if i := strings.IndexByte(canonical, '?'); i >= 0 {
		return i
	}
	return len(canonical)
}
