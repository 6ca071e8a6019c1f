package discover

import (
	"slices"
	"strings"
)

// Resolve turns a reference into a canonical absolute http or https URL against a canonical base, as
// the crawler does everywhere: host in lower case, default port and dot segments gone.
type Resolve func(base, ref string) (string, bool)

// OriginOf returns scheme, host and port of a canonical URL ("https://shop.example:8443"), or "" if it is none.
func OriginOf(uri string) string {
	scheme, rest, found := strings.Cut(uri, "://")
	if !found || scheme != "http" && scheme != "https" {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if rest == "" {
		return ""
	}
	return scheme + "://" + rest
}

// upgrades reports http → https on one host and default ports, the built-in exception to the origin
// rule (LC-109). Canonical origins show no default port, so any colon behind the host is another one.
func upgrades(from, to string) bool {
	host, wasHTTP := strings.CutPrefix(from, "http://")
	target, isHTTPS := strings.CutPrefix(to, "https://")
	return wasHTTP && isHTTPS && host == target && !hasPort(host)
}

func hasPort(host string) bool {
	return strings.LastIndexByte(host, ':') > strings.LastIndexByte(host, ']')
}

// accepts judges one hop before it is requested (LC-024, LC-071, LC-108). previous is the hop before, or
// "" for the advertised URI itself. Nothing goes from https back to http.
func (p Policy) accepts(advertising, previous, target string) bool {
	origin := OriginOf(target)
	if origin == "" || strings.HasPrefix(previous, "https://") && strings.HasPrefix(origin, "http://") {
		return false
	}
	return origin == advertising || upgrades(advertising, origin) ||
		slices.Contains(p.Allow, Pair{Advertising: advertising, Target: origin})
}

// equivalent returns a key under which URIs that RFC 3986 6.2.2 calls equal are equal (LC-105). The
// canonical form already settled case, port and dots; percent-escapes remain.
func equivalent(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	if strings.IndexByte(uri, '%') < 0 {
		return uri
	}
	var b strings.Builder
	b.Grow(len(uri))
	for i := 0; i < len(uri); i++ {
		if uri[i] != '%' || i+2 >= len(uri) {
			b.WriteByte(uri[i])
			continue
		}
		high, ok1 := hexValue(uri[i+1])
		low, ok2 := hexValue(uri[i+2])
		if !ok1 || !ok2 {
			b.WriteByte('%')
			continue
		}
		if c := high<<4 | low; isUnreserved(c) {
			b.WriteByte(c)
		} else {
			b.WriteString(strings.ToUpper(uri[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

func hexValue(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
