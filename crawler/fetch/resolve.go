package fetch

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// ResolveRule sends connections for a name and port to a fixed address.
type ResolveRule struct {
	// Host is a lower-case host name, an IP literal without brackets, "*.suffix"
	// for every name below suffix, or "*" for every host.
	Host string
	// Port is the port of the URL.
	Port uint16
	// To is the address and port to connect to.
	To netip.AddrPort
}

// maxResolveRuleBytes bounds one rule: a name of 253 octets, an address and two ports.
const maxResolveRuleBytes = 512

// ParseResolve reads HOST:PORT:ADDR[:PORT]. HOST may be a name, "*.suffix" or
// "*"; IPv6 addresses stand in brackets. Without the second port the first is used.
func ParseResolve(s string) (ResolveRule, error) {
	bad := func(why string) (ResolveRule, error) {
		if len(s) > maxResolveRuleBytes {
			s = s[:maxResolveRuleBytes]
		}
		return ResolveRule{}, fmt.Errorf("fetch: resolve rule %q: %s, want HOST:PORT:ADDR[:PORT]", s, why)
	}
	if len(s) > maxResolveRuleBytes {
		return bad("too long")
	}
	host, rest, ok := cutPart(s)
	if !ok || host == "" {
		return bad("no host")
	}
	portText, rest, ok := cutPart(rest)
	port, err := parsePort(portText)
	if !ok || err != nil {
		return bad("bad port")
	}
	addrText, toText, more := cutPart(rest)
	to := port
	if more {
		if to, err = parsePort(toText); err != nil {
			return bad("bad target port")
		}
	}
	addr, err := netip.ParseAddr(addrText)
	if err != nil || addr.Zone() != "" {
		return bad("bad address")
	}
	if host, ok = ruleHost(host); !ok {
		return bad("bad host")
	}
	return ResolveRule{Host: host, Port: port, To: netip.AddrPortFrom(addr.Unmap(), to)}, nil
}

// String returns the rule in the form ParseResolve reads.
func (r ResolveRule) String() string {
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(r.Port)) + ":" + r.To.String()
}

// cutPart splits at the first colon outside a leading pair of brackets, which
// it takes off. ok says whether there was a colon.
func cutPart(s string) (part, rest string, ok bool) {
	if strings.HasPrefix(s, "[") {
		inner, after, closed := strings.Cut(s[1:], "]")
		if !closed || !strings.Contains(inner, ":") || after != "" && after[0] != ':' {
			return "", "", false
		}
		if after == "" {
			return inner, "", false
		}
		return inner, after[1:], true
	}
	return strings.Cut(s, ":")
}

func parsePort(s string) (uint16, error) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err == nil && n == 0 {
		err = strconv.ErrRange
	}
	return uint16(n), err
}

// ruleHost brings the host of a rule into the form in which hosts of URLs are
// compared with it.
func ruleHost(host string) (string, bool) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String(), addr.Zone() == ""
	}
	if host == "*" {
		return host, true
	}
	name, wild := strings.CutPrefix(host, "*.")
	t, err := parseTarget("http://" + name + "/")
	if err != nil || strings.ContainsAny(name, "/?#@\\:*") {
		return "", false
	}
	if wild {
		return "*." + t.name, !t.addr.IsValid()
	}
	return t.name, true
}

// matchRule returns the rule for host and port: an exact name before the
// longest suffix before "*", the first of equals. host is in ASCII, lower case.
func matchRule(rules []ResolveRule, host string, port uint16) (netip.AddrPort, bool) {
	host = strings.TrimSuffix(host, ".")
	best, bestRank := -1, 0
	for i := range rules {
		r := &rules[i]
		if r.Port != port {
			continue
		}
		rank := 0
		switch suffix, wild := strings.CutPrefix(r.Host, "*."); {
		case strings.TrimSuffix(r.Host, ".") == host:
			rank = 1 << 16
		case r.Host == "*":
			rank = 1
		case wild && len(host) > len(suffix)+1 && strings.HasSuffix(host, "."+suffix):
			rank = 1 + len(suffix)
		}
		if rank > bestRank {
			best, bestRank = i, rank
		}
	}
	if best < 0 {
		return netip.AddrPort{}, false
	}
	return rules[best].To, true
}
