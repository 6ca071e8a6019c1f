package fetch

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// maxURLBytes bounds a URL before it is parsed. Callers queue at most 2,048
// octets; redirect targets are longer at times, and RFC 9110 4.1 asks for 8,000.
const maxURLBytes = 8 << 10

// target is a URL split the way the wire needs it. path and query are the exact
// octets of the request target; nothing is decoded and encoded again.
type target struct {
	scheme string     // "http" or "https"
	name   string     // lower-case ASCII host name or IP literal without brackets
	addr   netip.Addr // valid if the host is a literal
	port   uint16
	path   string // starts with "/"
	query  string // with its "?", which may stand alone, or ""
}

// parseTarget reads rawurl as the URL standard does: "0x7f.1" and "2130706433"
// are 127.0.0.1, full-width digits are digits, tabs vanish. User and password
// and the fragment are dropped, neither is sent. The error is a *fault.
func parseTarget(rawurl string) (target, error) {
	if len(rawurl) > maxURLBytes {
		return target{}, &fault{kind: KindScheme, reason: "URL is longer than " + strconv.Itoa(maxURLBytes) + " octets"}
	}
	if t, ok := splitClean(rawurl); ok {
		return t, nil
	}
	u, err := whatwg.Parse(rawurl)
	if err != nil {
		return target{}, &fault{kind: KindScheme, reason: "not a valid URL"}
	}
	t := target{scheme: u.Scheme(), path: u.Pathname(), query: u.Search()}
	if t.scheme != "http" && t.scheme != "https" {
		return target{}, &fault{kind: KindScheme, reason: "scheme is neither http nor https"}
	}
	if t.query == "" && strings.HasSuffix(u.Href(true), "?") {
		t.query = "?" // an empty query is another target than none
	}
	t.port = defaultPort(t.scheme)
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return target{}, &fault{kind: KindPort, reason: "port " + strconv.Quote(p) + " cannot be connected to"}
		}
		t.port = uint16(n)
	}
	t.name = strings.TrimSuffix(strings.TrimPrefix(u.Hostname(), "["), "]")
	if t.name == "" || strings.Trim(t.name, ".") == "" {
		return target{}, &fault{kind: KindScheme, reason: "URL without a host"}
	}
	if addr, err := netip.ParseAddr(t.name); err == nil {
		t.addr = addr
	}
	return t, nil
}

// splitClean splits URLs on which the URL standard's parser would change
// nothing. Canonical URLs of ordinary sites are all of this kind, and the full
// parser costs fifty times as much.
func splitClean(s string) (target, bool) {
	var t target
	rest, ok := strings.CutPrefix(s, "https://")
	if ok {
		t.scheme, t.port = "https", 443
	} else if rest, ok = strings.CutPrefix(s, "http://"); ok {
		t.scheme, t.port = "http", 80
	} else {
		return target{}, false
	}
	slash := strings.IndexByte(rest, '/')
	if slash <= 0 {
		return target{}, false
	}
	host, path := rest[:slash], rest[slash:]
	if name, port, found := strings.Cut(host, ":"); found {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '0' || uint16(n) == t.port {
			return target{}, false
		}
		host, t.port = name, uint16(n)
	}
	if !cleanName(host) {
		addr, err := netip.ParseAddr(host) // of IPv4 it takes the parser's own form alone
		if err != nil || !addr.Is4() {
			return target{}, false
		}
		t.addr = addr
	}
	for i := range len(path) {
		if !cleanTargetOctet(path[i]) {
			return target{}, false
		}
		// "/." and "/%2e" begin dot segments.
		if path[i] == '/' && i+1 < len(path) && (path[i+1] == '.' || path[i+1] == '%') {
			return target{}, false
		}
	}
	t.name, t.path = host, path
	if q := strings.IndexByte(path, '?'); q >= 0 {
		t.path, t.query = path[:q], path[q:]
	}
	return t, true
}

// cleanName accepts lower-case LDH names whose last label starts with a letter
// (else it may be an IPv4 address in disguise) and which have no A-label (IDNA
// would have to check it).
func cleanName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	start := true
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			start = false
		case c == '-' && !start:
		case c == '.' && !start:
			start = true
		default:
			return false
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && last[0] >= 'a' && !strings.Contains(host, "xn--")
}

func cleanTargetOctet(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("/?-._~%!$&()*+,;=:@", c) >= 0
}

func defaultPort(scheme string) uint16 {
	if scheme == "https" {
		return 443
	}
	return 80
}

// authority returns the Host field: the port only if it is not the scheme's.
func (t target) authority() string {
	host := t.name
	if t.addr.Is6() {
		host = "[" + host + "]"
	}
	if t.port == defaultPort(t.scheme) {
		return host
	}
	return host + ":" + strconv.Itoa(int(t.port))
}

// wireURL returns the URL for net/http, which sends Opaque untouched but would
// encode a Path again (turning "%zz" into "%25zz", another resource). An Opaque
// that starts with "//" is sent in absolute form, which many servers refuse, so
// such a path goes through Path if it survives that unchanged.
func (t target) wireURL(authority string) *url.URL {
	u := &url.URL{Scheme: t.scheme, Host: authority}
	if t.query != "" {
		u.RawQuery, u.ForceQuery = t.query[1:], true
	}
	if !strings.HasPrefix(t.path, "//") {
		u.Opaque = t.path
		return u
	}
	if path, err := url.PathUnescape(t.path); err == nil {
		u.Path, u.RawPath = path, t.path
		if u.EscapedPath() == t.path {
			return u
		}
	}
	u.Path, u.RawPath = "", ""
	u.Opaque = "//" + authority + t.path
	return u
}
