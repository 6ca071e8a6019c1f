package standards

import (
	"fmt"
	"strings"
)

// checkHost tells what is wrong with a host of the operator. The names of all
// hosts, or of all below a single label, are accepted only where a rule
// tightens.
func checkHost(pattern string, wide bool) error {
	name := strings.TrimPrefix(pattern, "*.")
	switch {
	case pattern == "*":
		if !wide {
			return fmt.Errorf("host %q covers every site; name a host", pattern)
		}
		return nil
	case name == "" || strings.ContainsAny(name, "*/:@? \t") && !strings.HasPrefix(name, "["):
		return fmt.Errorf("host %q is neither a name, *.suffix nor *", pattern)
	case name != pattern && !wide && !strings.Contains(name, "."):
		return fmt.Errorf("host %q covers every site below a top-level domain; name a host", pattern)
	}
	return nil
}

// matchHost tells whether a pattern of the operator covers a host name. The
// suffix itself is not below it: "*.shop.test" does not cover "shop.test".
func matchHost(pattern, host string) bool {
	if pattern == "*" {
		return true
	}
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		return len(host) > len(suffix) && strings.EqualFold(host[len(host)-len(suffix):], suffix)
	}
	return strings.EqualFold(pattern, host)
}
