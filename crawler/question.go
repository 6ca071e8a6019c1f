package crawler

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
)

// question fills in all that can be known about a URL before it is asked for.
func (c *Crawler) question(ctx context.Context, url string, o ask) politeness.Question {
	q := c.inHindsight(url, o)
	q.Guard = c.guard(ctx, url, q.Origin)
	q.Rate.Delay = c.Pace.Delay(q.Host)
	if w := c.Pace.Next(q.Host); w.Reason != "" {
		q.Rate.Until, q.Rate.Reason = w.Until, politeness.Reason(w.Reason)
	}
	return q
}

// inHindsight is the question without address and pace, for looking back: it
// costs no look-up of a name.
func (c *Crawler) inHindsight(url string, o ask) politeness.Question {
	q := politeness.Question{
		URL: url, Origin: frontier.Origin(url), Host: frontier.HostKey(url), Method: o.method,
		Purposes: c.Purposes, Mode: o.mode, Now: c.Clock(), SilentTrain: c.SilentTrain, SilentBecause: c.SilentBecause, Scope: o.scope,
	}
	if o.purposes != 0 {
		q.Purposes = o.purposes
	}
	q.Path = url[len(q.Origin):]
	return q
}

// ask says how a question is meant.
type ask struct {
	method   string
	mode     politeness.Mode
	purposes politeness.Purposes // 0: those of the job
	scope    politeness.Reason
}

// guard asks the address guard. A name that does not resolve is not refused
// here: the attempt will fail, and failures are retried.
func (c *Crawler) guard(ctx context.Context, url, origin string) politeness.Reason {
	if err := c.Fetcher.Vet(url); err != nil {
		return guardReason(err)
	}
	if c.closed.has(origin, c.Clock()) {
		return politeness.GuardTLS
	}
	host, port := hostPort(origin)
	if _, _, err := c.Fetcher.Address(ctx, host, port); err != nil {
		if r := guardReason(err); r != politeness.GuardDNS {
			return r
		}
	}
	return ""
}

// guardReason is the code of a refusal by the guard, "" for anything else.
func guardReason(err error) politeness.Reason {
	if err == nil {
		return ""
	}
	if r := politeness.Reason(fetch.Reason(err)); r.Area() == "guard" {
		return r
	}
	return ""
}

// hostPort splits a canonical origin. An IPv6 literal loses its brackets.
func hostPort(origin string) (string, uint16) {
	scheme, rest, _ := strings.Cut(origin, "://")
	host, port := rest, ""
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, ']') {
		host, port = rest[:i], rest[i+1:]
	}
	host = strings.Trim(host, "[]")
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		return host, uint16(n)
	}
	if scheme == "http" {
		return host, 80
	}
	return host, 443
}

// addressGroup is the key under which requests to one machine are counted; ""
// inside opened ranges, where no bound applies, and for names that do not
// resolve.
func (c *Crawler) addressGroup(ctx context.Context, origin string) string {
	host, port := hostPort(origin)
	addr, open, err := c.Fetcher.Address(ctx, host, port)
	if err != nil || open || addr == (netip.Addr{}) {
		return ""
	}
	return addr.String()
}
