package archive

import (
	"net/netip"
	"slices"
	"strings"
)

// surt gives the key under which CDX tools look a URL up: host labels in
// reverse order, then path and query, all in lower case, with the habits of the
// field: no scheme, no user, no default port, no leading www, no slash at the
// end, parameters in alphabetical order. Different URLs may share a key; the
// index line holds the URL itself.
func surt(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	path, query, _ := strings.Cut(rest, "?")

	b := make([]byte, 0, len(url)+8)
	b = appendHostKey(b, strings.ToLower(scheme), strings.ToLower(authority))
	b = append(b, ')')
	if path = strings.TrimSuffix(strings.ToLower(path), "/"); path == "" {
		path = "/"
	}
	b = append(b, path...)
	if query != "" {
		b = appendQueryKey(append(b, '?'), strings.ToLower(query))
	}
	return string(b)
}

func appendHostKey(b []byte, scheme, authority string) []byte {
	host, port := authority, ""
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host, port = authority[:colon], authority[colon+1:]
	}
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	if strings.HasPrefix(host, "[") || isAddress(host) {
		b = append(b, host...)
	} else {
		labels := strings.TrimSuffix(withoutWWW(host), ".")
		for {
			dot := strings.LastIndexByte(labels, '.')
			b = append(b, labels[dot+1:]...)
			if dot < 0 {
				break
			}
			b, labels = append(b, ','), labels[:dot]
		}
	}
	if port != "" {
		b = append(append(b, ':'), port...)
	}
	return b
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// withoutWWW takes off www. and www12. and the like.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if rest, ok = strings.CutPrefix(rest, "."); ok && rest != "" {
		return rest
	}
	return host
}

func appendQueryKey(b []byte, query string) []byte {
	if strings.IndexByte(query, '&') < 0 {
		return append(b, query...)
	}
	pairs := strings.Split(query, "&")
	slices.SortStableFunc(pairs, func(a, c string) int {
		an, av, _ := strings.Cut(a, "=")
		cn, cv, _ := strings.Cut(c, "=")
		if n := strings.Compare(an, cn); n != 0 {
			return n
		}
		return strings.Compare(av, cv)
	})
	for i, pair := range pairs {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(b, pair...)
	}
	return b
}
