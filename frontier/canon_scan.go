package frontier

import "strings"

// Classes of octets that the URL parser leaves alone where they stand.
const (
	inHost  = 1 << iota // lower-case letters, digits, '-'
	inPath              // all printable ASCII but the path percent-encode set, '?', '\'
	inQuery             // all printable ASCII but the special-query percent-encode set
)

var octetClass = classifyOctets()

func classifyOctets() (table [256]byte) {
	for c := byte(0x21); c < 0x7f; c++ {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' {
			table[c] |= inHost
		}
		// A slash is left out of inPath because the scan must look behind it.
		if strings.IndexByte("\"#<>?`{}\\/", c) < 0 {
			table[c] |= inPath
		}
		if strings.IndexByte("\"#<>'", c) < 0 {
			table[c] |= inQuery
		}
	}
	return table
}

// cleanURL reports whether an absolute URL is its own canonical form, up to a
// fragment that begins at end. It errs to the side of false: what it does not
// know goes to the parser. FuzzCanonical holds the two together.
func cleanURL(raw string) (end int, ok bool) {
	i, port := 0, ""
	switch {
	case strings.HasPrefix(raw, "https://"):
		i, port = len("https://"), "443"
	case strings.HasPrefix(raw, "http://"):
		i, port = len("http://"), "80"
	default:
		return 0, false
	}
	if i, ok = cleanAuthority(raw, i, port); !ok {
		return 0, false
	}
	return cleanTarget(raw, i)
}

// cleanAuthority scans host and port from i on. It stops at the slash in front
// of the path, which a clean URL has.
func cleanAuthority(raw string, i int, defaultPort string) (end int, ok bool) {
	host, label := i, i
	for ; i < len(raw); i++ {
		c := raw[i]
		if octetClass[c]&inHost != 0 {
			continue
		}
		if !cleanLabel(raw[label:i]) {
			return 0, false
		}
		if c == '.' {
			label = i + 1
			continue
		}
		// A last label that looks like a number makes the host an address.
		if first := raw[label]; '0' <= first && first <= '9' && !cleanAddress(raw[host:i]) {
			return 0, false
		}
		if c == ':' {
			return cleanPort(raw, i+1, defaultPort)
		}
		return i, c == '/'
	}
	return 0, false
}

// cleanAddress reports whether host is an IPv4 address as the parser writes it: four
// decimal numbers below 256 without leading zeros.
func cleanAddress(host string) bool {
	for parts := 1; ; parts++ {
		part, rest, more := strings.Cut(host, ".")
		n := 0
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' || i == 3 {
				return false
			}
			n = n*10 + int(part[i]-'0')
		}
		switch {
		case part == "" || part[0] == '0' && part != "0" || n > 255:
			return false
		case parts == 4 || !more:
			return parts == 4 && !more
		}
		host = rest
	}
}

// cleanLabel wants a label that IDNA leaves alone: not empty, no hyphen at the
// ends, and none at the third and fourth place, where A-labels have theirs.
func cleanLabel(label string) bool {
	n := len(label)
	return n > 0 && label[0] != '-' && label[n-1] != '-' &&
		(n < 4 || label[2] != '-' || label[3] != '-')
}

func cleanPort(raw string, i int, defaultPort string) (end int, ok bool) {
	start, n := i, 0
	for ; i < len(raw) && '0' <= raw[i] && raw[i] <= '9'; i++ {
		if n = n*10 + int(raw[i]-'0'); n > 65535 {
			return 0, false
		}
	}
	port := raw[start:i]
	if port == "" || port[0] == '0' || port == defaultPort || i == len(raw) || raw[i] != '/' {
		return 0, false
	}
	return i, true
}

// cleanTarget scans path and query from i on, at a slash or at the start of a
// segment. It stops at the end or at the '#' of a fragment.
func cleanTarget(raw string, i int) (end int, ok bool) {
	if i < len(raw) && raw[i] != '/' && dotSegment(raw[i:]) {
		return 0, false
	}
	for ; i < len(raw); i++ {
		c := raw[i]
		if octetClass[c]&inPath != 0 {
			continue
		}
		switch c {
		case '/':
			if i+1 < len(raw) && dotSegment(raw[i+1:]) {
				return 0, false
			}
		case '?':
			return cleanQuery(raw, i+1)
		case '#':
			return i, true
		default:
			return 0, false
		}
	}
	return i, true
}

func cleanQuery(raw string, i int) (end int, ok bool) {
	for ; i < len(raw); i++ {
		if c := raw[i]; octetClass[c]&inQuery == 0 {
			return i, c == '#'
		}
	}
	return i, true
}

// dotSegment reports whether s begins with a segment that means this or the
// parent directory, each dot written as "." or "%2e".
func dotSegment(s string) bool {
	n := dot(s)
	if n == 0 {
		return false
	}
	s = s[n:]
	s = s[dot(s):]
	return s == "" || s[0] == '/' || s[0] == '?' || s[0] == '#'
}

// dot is how many octets a dot at the beginning of s takes, 0 if there is none.
func dot(s string) int {
	switch {
	case strings.HasPrefix(s, "."):
		return 1
	case len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'e':
		return 3
	}
	return 0
}
