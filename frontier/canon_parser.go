package frontier

import (
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/text/unicode/norm"
)

// parser reads what the scan for clean URLs leaves over. It is never changed
// and safe for concurrent use.
var parser = whatwg.NewParser(whatwg.WithPreParseHostFunc(refuseSignedParts))

// forbiddenHost is a host that no parser takes.
const forbiddenHost = "\x00"

// refuseSignedParts keeps the parser from reading a label with a sign, "-5" or
// "0x-5", as part of an IPv4 address and turning a name into an address that
// nobody wrote. The standard takes such a host for a name or for an error; here
// it is always an error, as no top-level domain begins with a digit or a sign.
func refuseSignedParts(_ *whatwg.Url, host string) string {
	if !strings.ContainsAny(host, "+-%") && isASCII(host) {
		return host
	}
	plain, err := url.PathUnescape(host)
	if err != nil {
		return host // a lone percent sign: the parser refuses it itself
	}
	name := norm.NFKC.String(plain)
	labels := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '。' })
	if len(labels) == 0 || !strings.ContainsAny(labels[len(labels)-1][:1], "+-0123456789") {
		return host
	}
	for _, l := range labels {
		l = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(l), "0"), "x")
		if l != "" && (l[0] == '+' || l[0] == '-') {
			return forbiddenHost
		}
	}
	return host
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
