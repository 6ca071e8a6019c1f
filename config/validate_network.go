package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

func (c Config) checkNetwork() *Error {
	for _, text := range c.AllowAddress {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return bad("allow_address", text, "is not an address range", "use one like 127.0.0.0/8 or [::1]/128 without brackets")
		}
		if p != p.Masked() {
			return bad("allow_address", text, "has bits set behind its prefix", "did you mean "+p.Masked().String()+"?")
		}
	}
	if c.NowOffset != 0 && len(c.AllowAddress) == 0 {
		return bad("now_offset", c.NowOffset.String(), "moves the clock", "that is for tests, which open a range with --allow-address")
	}
	for _, text := range c.Resolve {
		if !isResolveRule(text) {
			return bad("resolve", text, "is not a rule", "use HOST:PORT:ADDR or HOST:PORT:ADDR:PORT, IPv6 in brackets")
		}
	}
	for _, text := range c.Registry {
		if !isOrigin(text) || !strings.HasPrefix(text, "https://") {
			return bad("registry", text, "is not an https origin", "use one like https://registry.example")
		}
	}
	for i, p := range c.ContextPairs {
		at := fmt.Sprintf("context_pairs[%d]", i)
		for _, end := range []struct{ key, origin string }{{".from", p.From}, {".to", p.To}} {
			if !isOrigin(end.origin) {
				return bad(at+end.key, end.origin, "is not an origin", "use one like https://shop.example")
			}
		}
		if p.From == p.To {
			return bad(at, "", "pairs an origin with itself", "leave it out")
		}
	}
	return nil
}

// isResolveRule checks the form of a rule as curl has it. What the host means
// is up to the client that resolves.
func isResolveRule(text string) bool {
	host, rest, ok := cutHost(text)
	if !ok || host == "" {
		return false
	}
	port, rest, ok := strings.Cut(rest, ":")
	if !ok || !isPort(port) {
		return false
	}
	address, to, more := cutHost(rest)
	if more && !isPort(to) {
		return false
	}
	parsed, err := netip.ParseAddr(address)
	return err == nil && parsed.Zone() == ""
}

// cutHost splits at the colon behind a name, an IPv4 address or an IPv6 address
// in brackets. ok says whether there was a colon.
func cutHost(text string) (host, rest string, ok bool) {
	if inner, bracketed := strings.CutPrefix(text, "["); bracketed {
		host, rest, ok = strings.Cut(inner, "]")
		if !ok || rest != "" && rest[0] != ':' {
			return "", "", false
		}
		if rest == "" {
			return host, "", false
		}
		return host, rest[1:], true
	}
	return strings.Cut(text, ":")
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0 && text[0] != '+'
}

// isOrigin accepts scheme, host and port, as an origin is written.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
		u.Scheme+"://"+u.Host == text && text == strings.ToLower(text) && u.User == nil
}
