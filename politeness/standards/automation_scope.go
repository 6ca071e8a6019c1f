package standards

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// governed is the host whose origin a file governs: that of the address it was
// asked for at, wherever redirects led (AP-101, AP-107).
type governed struct {
	host string // lower-case A-labels, without a trailing dot
	port string // never empty
}

// governedBy reads the host from the canonical address of a policy document.
func governedBy(address string) governed {
	u, err := url.Parse(address)
	if err != nil {
		return governed{}
	}
	g := governed{host: strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), port: u.Port()}
	if g.port == "" {
		g.port = "443"
		if u.Scheme == "http" {
			g.port = "80"
		}
	}
	return g
}

// named tells whether a Host value names the governed host (AP-126): with a port
// only on that port, "*." for one or more labels, a single label for the first
// one. A scheme or a path makes the value unusable.
func (g governed) named(value string) bool {
	host, ok := g.onPort(value)
	if !ok {
		return false
	}
	if host == "" || strings.ContainsAny(host, "/?#@ \t") {
		return false
	}
	if suffix, below := strings.CutPrefix(host, "*."); below {
		suffix, ok = asciiHost(suffix)
		return ok && len(g.host) > len(suffix)+1 && strings.HasSuffix(g.host, "."+suffix)
	}
	host, ok = asciiHost(host)
	if !ok {
		return false
	}
	if !strings.ContainsAny(host, ".:") {
		first, _, _ := strings.Cut(g.host, ".")
		return host == first
	}
	return host == g.host
}

// onPort takes a port off a Host value. It is false if the port is not that of
// the governed origin.
func (g governed) onPort(value string) (string, bool) {
	if i := strings.LastIndexByte(value, ':'); i > strings.LastIndexByte(value, ']') {
		if value[i+1:] != g.port {
			return "", false
		}
		value = value[:i]
	}
	return withoutBrackets(value), true
}

// asciiHost is a host in lower-case A-labels without a trailing dot.
func asciiHost(host string) (string, bool) {
	host = strings.TrimSuffix(host, ".")
	for i := range len(host) {
		if host[i] >= 0x80 {
			ascii, err := idna.Lookup.ToASCII(host)
			return ascii, err == nil && ascii != ""
		}
	}
	return strings.ToLower(host), host != ""
}

// compileScope reads the value of a Scope line (AP-120, AP-123). ok is false for
// one that can never match, long for one beyond the limits.
func compileScope(value string, g governed) (p pattern, ok, long bool) {
	if len(value) > automationMaxScope || strings.Count(value, "*") > automationMaxStars {
		return pattern{}, false, true
	}
	if scheme, rest, absolute := strings.Cut(value, "://"); absolute && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		end := strings.IndexAny(rest, "/?")
		host := rest
		if end < 0 {
			value = ""
		} else {
			host, value = rest[:end], rest[end:]
		}
		host, ok = g.onPort(host)
		if host, _ = asciiHost(host); !ok || host != g.host {
			return pattern{}, false, false
		}
	}
	if value == "" || value[0] != '/' && value[0] != '*' {
		value = "/" + value
	}
	p, ok = compilePattern(strings.Clone(value))
	return p, ok, false
}
