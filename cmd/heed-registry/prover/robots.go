package prover

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"heed/politeness"
	"heed/politeness/standards"
	"heed/registry"
	"heed/registry/proof"
)

const (
	// robotsMaxBytes is what a crawler has to read at least (RFC 9309 2.5).
	robotsMaxBytes = 500 << 10
	robotsPatience = 8 * time.Second
	robotsHops     = 5 // RFC 9309 2.3.1.2
	// maxAllowed bounds how many tokens of one card are looked for.
	maxAllowed = 100
)

// crawlHealth looks whether crawlers that the card allows by name can come. file
// is how the proof's own file came out: an origin that was out of reach is not
// knocked at again.
func (p *Prover) crawlHealth(ctx context.Context, q registry.ProofQuestion, file proof.Cause) (registry.CrawlHealth, string) {
	switch file {
	case proof.Address, proof.Unreachable:
		return registry.CrawlNoRobots, ""
	}
	ctx, done := context.WithTimeout(ctx, robotsPatience)
	defer done()
	origin := "https://" + q.Domain
	document, ok := p.robots(ctx, origin)
	if !ok {
		return registry.CrawlNoRobots, "robots.txt unreachable"
	}
	for _, token := range q.Allow[:min(len(q.Allow), maxAllowed)] {
		if bars(document, origin, q.Domain, token) {
			return registry.CrawlBarred, fmt.Sprintf("robots.txt bars %s, which allow names", token)
		}
	}
	return registry.CrawlFine, ""
}

// robots reads robots.txt over redirects. It is false for an answer that closes
// the origin to crawlers until there is another (RFC 9309 2.3.1.4).
func (p *Prover) robots(ctx context.Context, origin string) (politeness.Document, bool) {
	at := origin + "/robots.txt"
	for range robotsHops + 1 {
		a, err := getter{p.client}.Get(ctx, at, robotsMaxBytes)
		switch {
		case err != nil || a.Status >= 500 || a.Status == http.StatusTooManyRequests:
			return politeness.Document{}, false
		case a.Status < 300 || a.Status >= 400:
			return politeness.Document{URL: origin + "/robots.txt", FinalURL: at, Status: a.Status, Header: a.Header, Body: a.Body, Truncated: a.Cut}, true
		}
		base, err := url.Parse(at)
		if err != nil {
			return politeness.Document{}, false
		}
		next, err := base.Parse(a.Header.Get("Location"))
		if err != nil || next.Scheme != "https" || next.User != nil || a.Header.Get("Location") == "" {
			return politeness.Document{}, false
		}
		at = next.String()
	}
	return politeness.Document{}, false
}

// bars tells whether robots.txt keeps a crawler of this name off the start page
// by a rule.
func bars(document politeness.Document, origin, host, token string) bool {
	for _, source := range standards.All(standards.Options{Token: token}) {
		if source.Name() != "robots" {
			continue
		}
		rules := source.Read(source.Where(origin)[0], document)
		opinion := rules.Judge(politeness.Question{URL: origin + "/", Origin: origin, Host: host, Path: "/", Method: http.MethodGet})
		return opinion.Verdict == politeness.Deny && opinion.Reason == politeness.RobotsDisallow
	}
	return false
}
