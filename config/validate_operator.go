package config

import (
	"fmt"
	"net/netip"
	"strings"
)

const maxHostBytes = 253 // RFC 1035 2.3.4, as text

func (c Config) checkOperator() *Error {
	if n := max(len(c.Rules), len(c.ContextPairs), len(c.Silent), len(c.Act.Hosts)); n > maxEntries {
		return bad("rules", "", "or another list has too many entries", fmt.Sprintf("use at most %d", maxEntries))
	}
	for i, r := range c.Rules {
		if err := r.check(fmt.Sprintf("rules[%d]", i)); err != nil {
			return err
		}
	}
	for i, s := range c.Silent {
		at := fmt.Sprintf("silent[%d]", i)
		if err := known(at+".purpose", []string{s.Purpose}, silents); err != nil {
			return err
		}
		if err := checkReason(at, "lets silence count as permission", s.Because, s.Since); err != nil {
			return err
		}
	}
	for i, h := range c.Act.Hosts {
		at := fmt.Sprintf("act.hosts[%d]", i)
		if !isHost(h.Host) {
			return bad(at+".host", h.Host, "is not a host name", "use one like shop.example, no wildcard, no port")
		}
		if err := checkReason(at, "enables act", h.Because, h.Since); err != nil {
			return err
		}
	}
	return nil
}

func (r Rule) check(at string) *Error {
	name, wild := strings.CutPrefix(r.Host, "*.")
	if r.Host == "" {
		return bad(at+".host", "", "is missing", "say which host the rule is about")
	}
	if r.Host != "*" && !isHost(name) {
		return bad(at+".host", r.Host, "is not a host name", "use one like shop.example or *.shop.example, no port")
	}
	if r.Delay != nil && (*r.Delay < 0 || *r.Delay > Duration(day)) {
		return bad(at+".delay", r.Delay.String(), "is out of range", "use 0s to 24h")
	}
	if r.PerHost < 0 || r.PerHost > 256 {
		return bad(at+".per_host", number(r.PerHost).String(), "is out of range", "use 1 to 256")
	}
	if err := known(at+".ignore", r.Ignore, ignorable); err != nil {
		return err
	}
	for _, m := range r.AllowMethods {
		if m == "" || len(m) > maxMethodBytes || strings.Trim(m, tokenOctets) != "" {
			return bad(at+".allow_methods", m, "is not an HTTP method", "use one like POST")
		}
	}
	if !r.Deny && r.Delay == nil && r.PerHost == 0 && !r.Loosens() {
		return bad(at, "", "says nothing about "+r.Host, "give deny, delay, per_host, ignore or allow_methods")
	}
	if !r.Loosens() {
		return nil
	}
	if r.Deny {
		return bad(at, "", "both denies and loosens", "keep one")
	}
	// "*" and "*.com" would switch a signal off for the web at large.
	if r.Host == "*" || wild && !strings.Contains(name, ".") {
		return bad(at+".host", r.Host, "is too wide for a rule that loosens", "name the host, or *.domain.example")
	}
	return checkReason(at, "loosens what the site asked for", r.Because, r.Since)
}

func checkReason(at, what, because string, since Date) *Error {
	switch {
	case strings.TrimSpace(because) == "":
		return bad(at+".because", "", "is missing: the entry "+what, "say why; the sentence is kept in the ledger and in reports")
	case since.IsZero():
		return bad(at+".since", "", "is missing: the entry "+what, "give the day of the decision, like 2026-11-30")
	}
	return nil
}

// isHost accepts a host name in A-labels and an address, without port.
func isHost(s string) bool {
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return true
	}
	if s == "" || len(s) > maxHostBytes || strings.Trim(s, digits+letters+"-._") != "" {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	return true
}
