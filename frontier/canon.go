package frontier

import (
	"errors"
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// MaxURLBytes is the longest canonical URL there is.
const MaxURLBytes = 2048

// maxRawBytes is the longest text that is parsed at all, fragment left out.
// Parsing can shorten a URL (tabs, dot segments), but only junk by so much. The
// parser takes quadratic time for some texts: 5 ms at this length.
const maxRawBytes = 2 * MaxURLBytes

// Why a text is no URL that could be fetched.
var (
	// ErrURL: it does not parse, or it has no host.
	ErrURL = errors.New("frontier: not a URL")
	// ErrScheme: the scheme is neither http nor https.
	ErrScheme = errors.New("frontier: scheme is not http or https")
	// ErrUserinfo: an '@' stands in front of the host.
	ErrUserinfo = errors.New("frontier: URL carries credentials")
	// ErrTooLong: the canonical form has more than MaxURLBytes octets.
	ErrTooLong = errors.New("frontier: URL is too long")
)

// Canonical returns the one spelling under which an absolute http or https URL
// is stored, compared and requested. It is what the WHATWG URL Standard makes of
// the text, without fragment: blanks at the ends and tabs and newlines inside
// go, scheme and host are lower-case, the host is in A-labels or a plain address,
// a default port goes, dot segments are resolved, and octets that may not stand
// in a URL are escaped. Nothing else changes: escapes are neither decoded nor
// re-cased, a lone percent sign stays, the query keeps order and spelling, no
// slash comes or goes behind a path. Canonical(Canonical(u)) is Canonical(u).
//
// A clean URL is returned as it is, without allocation.
//
// Errors: ErrURL, ErrScheme, ErrUserinfo, ErrTooLong, wrapped with the text.
//
// Stricter than the standard, with ErrURL: a host with other octets than letters,
// digits, '-', '_' and '.', such as '!' or a quotation mark, which the standard
// lets pass and HTTP clients do not send; a host with signed numbers, see
// refuseSignedParts; and a host whose last label begins with a number above
// 2^63-1 and goes on with other characters, which the parser takes for an address
// out of range. No such names are registered.
func Canonical(raw string) (string, error) {
	if end, ok := cleanURL(raw); ok && end <= MaxURLBytes {
		return raw[:end], nil
	}
	raw = cutFragment(raw)
	scheme, err := examine(raw)
	if err != nil {
		return "", err
	}
	if scheme == "" {
		return "", refused(ErrURL, raw)
	}
	u, err := parser.Parse(raw)
	return finish(u, err, raw)
}

// finish turns a parsed URL into its canonical form.
func finish(u *whatwg.Url, err error, raw string) (string, error) {
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %q: %w", ErrURL, clip(withoutSecret(raw)), err)
	case !isWeb(u.Scheme()):
		return "", refused(ErrScheme, raw)
	case u.Username() != "" || u.Password() != "": // examine has seen to it; twice is safer
		return "", refused(ErrUserinfo, raw)
	case !plainHost(u.Hostname()):
		return "", refused(ErrURL, raw)
	}
	href := u.Href(true)
	if len(href) > MaxURLBytes {
		return "", refused(ErrTooLong, raw)
	}
	if _, ok := cleanURL(href); ok {
		return href, nil
	}
	// The key of a URL must be its own canonical form, or one page would be
	// known under two. Hosts in A-labels and addresses come here.
	again, err := parser.Parse(href)
	if err != nil || again.Href(true) != href {
		return "", refused(ErrURL, raw)
	}
	return href, nil
}

func refused(why error, raw string) error {
	return fmt.Errorf("%w: %q", why, clip(withoutSecret(raw)))
}

// withoutSecret leaves out what stands before the last '@': an error must not
// carry a password into logs.
func withoutSecret(raw string) string {
	at := strings.LastIndexByte(raw, '@')
	if at < 0 {
		return raw
	}
	scheme, _, ok := strings.Cut(raw[:at], ":")
	if !ok {
		return "…" + raw[at:]
	}
	return scheme + "://…" + raw[at:]
}

// clip keeps errors short whatever a stranger has written.
func clip(raw string) string {
	const most = 128
	if len(raw) > most {
		return raw[:most] + "…"
	}
	return raw
}

// cutFragment drops what follows the first '#'. The '#' itself stays: blanks in
// front of it are part of the URL, blanks at its end are not.
func cutFragment(raw string) string {
	if i := strings.IndexByte(raw, '#'); i >= 0 {
		return raw[:i+1]
	}
	return raw
}

// plainHost reports whether a parsed host can be looked up and sent.
func plainHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true // only a parsed IPv6 address has brackets
	}
	for i := 0; i < len(host); i++ {
		if c := host[i]; octetClass[c]&inHost == 0 && c != '.' && c != '_' {
			return false
		}
	}
	return host != ""
}
