package fetch

import (
	"net/netip"
	"strings"
)

// Opened tells whether every address that is known for host lies in a range of
// Options.AllowAddress. It does no I/O: a name that no rule names and that was
// not looked up yet is not opened. host is as frontier keys it: lower case,
// without port or brackets.
func (c *Client) Opened(host string) bool {
	if len(c.guard.allow) == 0 {
		return false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return c.guard.open(addr)
	}
	if open, ruled := c.openedByRule(host); ruled {
		return open
	}
	addrs := c.dialer.names.peek(host)
	for _, a := range addrs {
		if !c.guard.open(a) {
			return false
		}
	}
	return len(addrs) > 0
}

// openedByRule judges the rules that may apply to host, on whatever port.
func (c *Client) openedByRule(host string) (open, ruled bool) {
	open = true
	for i := range c.dialer.rules {
		r := &c.dialer.rules[i]
		suffix, wild := strings.CutPrefix(r.Host, "*.")
		if r.Host != host && r.Host != "*" && !(wild && strings.HasSuffix(host, "."+suffix)) {
			continue
		}
		open, ruled = open && c.guard.open(r.To.Addr()), true
	}
	return open && ruled, ruled
}
