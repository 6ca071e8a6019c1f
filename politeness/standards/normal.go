package standards

import "strings"

// Paths of rules and of URLs are compared octet by octet in a normal form (RFC
// 9309 2.2.2):
//
//   - controls, space and octets outside ASCII are percent-encoded;
//   - %XX of an unreserved character becomes the character;
//   - any other %XX stays, in upper case; a stray % is an octet like any other;
//   - "*" and "$" are encoded unless they are operators of a rule, since a rule
//     can name them only as %2A and %24.
//
// A query has a second spelling besides, because the table in 2.2.2 lets
// `?u=https://a` and `?u=https%3A%2F%2Fa` match: after the first "?" the
// reserved characters are decoded, but not "&", "=", "+" and "#", which give a
// query its structure. In a path "%2F" is never "/".

const upperHex = "0123456789ABCDEF"

// normalPath is the normal form of a text without operators. It returns s
// itself, without copying, when that is normal already.
func normalPath(s string) string {
	for i := range len(s) {
		if !plain(s[i]) {
			b := make([]byte, i, len(s)+16)
			copy(b, s)
			return string(appendNormal(b, s[i:]))
		}
	}
	return s
}

// plain tells whether an octet stands for itself whatever is around it.
func plain(c byte) bool { return c > ' ' && c < 0x7F && c != '%' && c != '*' && c != '$' }

func appendNormal(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain(c) {
			b = append(b, c)
			continue
		}
		if c != '%' {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
			continue
		}
		v, ok := escaped(s[i:])
		switch {
		case !ok:
			b = append(b, '%')
			continue
		case unreserved(v):
			b = append(b, v)
		default:
			b = append(b, '%', upperHex[v>>4], upperHex[v&15])
		}
		i += 2
	}
	return b
}

// escaped decodes the escape that s begins with.
func escaped(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := hexDigit(s[1]), hexDigit(s[2])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// unreserved is the set of RFC 3986 2.3.
func unreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// unfold gives the second spelling of a normal text. inQuery tells whether the
// text begins behind the first "?" already. It returns s itself when both
// spellings are one.
func unfold(s string, inQuery bool) string {
	start := 0
	if !inQuery {
		start = strings.IndexByte(s, '?') + 1
		if start == 0 {
			return s
		}
	}
	if strings.IndexByte(s[start:], '%') < 0 {
		return s
	}
	b := make([]byte, start, len(s))
	copy(b, s)
	for i := start; i < len(s); i++ {
		if v, ok := escaped(s[i:]); ok && strings.IndexByte(":/?[]@!'(),;", v) >= 0 {
			b = append(b, v)
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	if len(b) == len(s) {
		return s
	}
	return string(b)
}
