package frontier

import "strings"

// examine refuses without parsing what need not be parsed or takes long to. It
// returns the scheme, "" if there is none.
func examine(raw string) (scheme string, err error) {
	if len(raw) > maxRawBytes {
		return "", refused(ErrTooLong, raw)
	}
	scheme = schemeOf(raw)
	if scheme != "" && !isWeb(scheme) {
		return "", refused(ErrScheme, raw)
	}
	if hasUserinfo(raw, scheme != "") {
		return "", refused(ErrUserinfo, raw)
	}
	return scheme, nil
}

// hasUserinfo looks for an '@' in what the parser may take for an authority:
// what follows a scheme or two slashes, however they are written, up to the next
// slash. Credentials, empty ones too, are refused wherever they stand.
func hasUserinfo(raw string, scheme bool) bool {
	if scheme {
		raw = raw[strings.IndexByte(raw, ':')+1:]
	} else {
		raw = strings.TrimLeftFunc(raw, func(r rune) bool { return r <= ' ' })
	}
	rest := strings.TrimLeft(raw, "/\\\t\n\r")
	if slashes := raw[:len(raw)-len(rest)]; !scheme && strings.Count(slashes, "/")+strings.Count(slashes, "\\") < 2 {
		return false
	}
	if i := strings.IndexAny(rest, "/\\?#"); i >= 0 {
		rest = rest[:i]
	}
	return strings.IndexByte(rest, '@') >= 0
}

// isWeb wants the scheme in lower case.
func isWeb(scheme string) bool { return scheme == "http" || scheme == "https" }

// schemeOf returns the scheme of a text in lower case, as the parser will see
// it: C0 controls and blanks in front, and tabs and newlines anywhere, do not
// count. It is empty if there is none, and may be cut where it is far longer
// than any scheme of the web: most links of other schemes end here, unparsed.
func schemeOf(raw string) string {
	var scheme [8]byte
	n := 0
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '\t' || c == '\n' || c == '\r':
			continue
		case c <= ' ' && n == 0:
			continue
		case c == ':':
			return string(scheme[:min(n, len(scheme))])
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case 'a' <= c && c <= 'z':
		case n > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
		if n < len(scheme) {
			scheme[n] = c
		}
		n++
	}
	return ""
}
