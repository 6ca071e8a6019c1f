package frontier

import "strings"

// Session identifiers are told by name and by looks: a "sid" that is a number of five
// digits is more likely the number of a story.
const (
	minSession   = 20 // octets of an identifier under a name that others use, too
	minJSession  = 10
	aspSession   = 24 // what ASP.NET writes into paths, exactly
	aspSessionIn = "aspsessionid"
)

// isSession tells whether a parameter, its name in lower case, carries a session.
func isSession(name, value string) bool {
	switch name {
	case "jsessionid":
		return looksRandom(value, minJSession)
	case "phpsessid", "sid", "sessid", "sessionid", "session_id", "oscsid", "zenid":
		return looksRandom(value, minSession)
	}
	return strings.HasPrefix(name, aspSessionIn) && isLetters(value, minSession)
}

// looksRandom wants letters and digits, of both some, and nothing that words are parted
// by. Servers put their own number behind a dot, or an exclamation mark.
func looksRandom(value string, least int) bool {
	digits, letters := 0, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case isDigit(c):
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		case c == '.' || c == '!' || c == '$' || c == ',':
		default:
			return false
		}
	}
	return len(value) >= least && digits > 0 && letters > 0
}

func isLetters(value string, least int) bool {
	for i := 0; i < len(value); i++ {
		if c := value[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return len(value) >= least
}

// withoutSessionPath leaves out ";jsessionid=…" behind segments and the segments
// "(S(…))" of ASP.NET.
func withoutSessionPath(path string) string {
	if !strings.ContainsAny(path, ";(") {
		return path
	}
	segments := strings.Split(path, "/")
	kept := segments[:0]
	for _, s := range segments {
		if isASPSegment(s) {
			continue
		}
		kept = append(kept, withoutJSession(s))
	}
	if len(kept) < 2 {
		return "/" + strings.Join(kept, "")
	}
	return strings.Join(kept, "/")
}

func withoutJSession(segment string) string {
	parts := strings.Split(segment, ";")
	kept := parts[:1]
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(name, "jsessionid") || !looksRandom(value, minJSession) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ";")
}

func isASPSegment(s string) bool {
	id, ok := strings.CutPrefix(s, "(S(")
	if !ok {
		return false
	}
	id, ok = strings.CutSuffix(id, "))")
	return ok && len(id) == aspSession && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
