package standards

import (
	"fmt"
	"net/netip"
	"strings"
)

// checkHost tells what is wrong with a host of the operator. All hosts, or all
// below a single label, are accepted only where wide is set, that is where a
// rule tightens.
func checkHost(pattern string, wide bool) error {
	name := strings.TrimPrefix(pattern, "*.")
	if _, err := netip.ParseAddr(withoutBrackets(pattern)); err == nil {
		return nil
	}
	switch {
	case pattern == "*":
		if !wide {
			return fmt.Errorf("host %q covers every site; name a host", pattern)
		}
	case name == "" || strings.ContainsAny(name, "*/:@?[] \t"):
		return fmt.Errorf("host %q is neither a name, an address, *.suffix nor *", pattern)
	case name != pattern && !wide && !strings.Contains(strings.Trim(name, "."), "."):
		return fmt.Errorf("host %q covers every site below a top-level domain; name a host", pattern)
	}
	return nil
}

// matchHost tells whether a pattern of the operator covers a host. The suffix
// itself is not below it: "*.shop.test" does not cover "shop.test".
func matchHost(pattern, host string) bool {
	if pattern == "*" {
		return true
	}
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return len(host) > len(suffix) && strings.EqualFold(host[len(host)-len(suffix):], suffix)
	}
	return strings.EqualFold(withoutBrackets(pattern), withoutBrackets(host))
}

// withoutBrackets takes an IPv6 address out of the brackets it has in a URL.
func withoutBrackets(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return strings.TrimSuffix(inner, "]")
	}
	return host
}
