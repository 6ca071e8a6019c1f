package crawler

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// policyHops is how many redirects of a policy document are followed (RFC 9309
// 2.3.1.2: at least five, other authorities included).
const policyHops = 5

// kindRedirect is the kind of failure of a document whose redirect led nowhere
// safe: nothing is wrong with the origin that it speaks for.
const kindRedirect = "redirect"

// retryPolicy is how long a host rests when a document it needs is being
// fetched by somebody else.
const retryPolicy = 50 * time.Millisecond

// visitPolicy spends the slot of a grant on the one document its decision
// needs. The URL goes back untouched.
func (c *Crawler) visitPolicy(ctx context.Context, g frontier.Grant, need *politeness.Need) error {
	if !c.Gate.Library().Begin(need.Place.URL) {
		return c.settle(ctx, settleBack(g, c.Clock().Add(max(retryPolicy, c.Pace.Delay(g.Host)))))
	}
	defer c.Gate.Library().End(need.Place.URL)
	step, wait, err := c.policyStep(ctx, need)
	if err != nil {
		return c.interrupted(ctx, err)
	}
	if wait.Reason != "" {
		return c.settle(ctx, settleBack(g, wait.Until))
	}
	defer step.visit.Exchange.Close()
	c.settleDelay(ctx, frontier.Origin(g.URLs[0].URL)+"/")
	s := settleBack(g, c.Pace.Next(g.Host).Until)
	s.Tally = step.tally
	if step.host != g.Host {
		if err := c.settle(ctx, frontier.Settlement{Grant: frontier.GrantRef{Host: step.host}, HostNext: step.next.At}); err != nil {
			return err
		}
	}
	return c.record(ctx, s, step.visit)
}

// settleDelay looks at the documents at hand after one was read, so that a delay
// that it asks for counts from the request that fetched it.
func (c *Crawler) settleDelay(ctx context.Context, url string) {
	q := c.inHindsight(url, ask{method: http.MethodGet, mode: politeness.Crawl})
	if d, err := c.Gate.AtHand(ctx, q); err == nil {
		c.learnDelay(d)
	}
}

// policyRequest is one request for a policy document and what it cost.
type policyRequest struct {
	host  string
	next  pace.Next
	visit Visit
	tally frontier.Tally
}

// policyStep sends the next request for a document, if the host that has to
// answer may be asked now, and stores what it learns. The caller holds the
// document (Library.Begin). A Wait means that nothing was sent.
func (c *Crawler) policyStep(ctx context.Context, need *politeness.Need) (policyRequest, pace.Wait, error) {
	target, hops := need.Place.URL, 0
	if need.Held != nil && need.Held.Chain != nil {
		target, hops = need.Held.Chain.Next, need.Held.Chain.Hops
	}
	host := frontier.HostKey(target)
	slot, wait := c.Pace.Admit(host, c.addressGroup(ctx, frontier.Origin(target)))
	if slot == nil {
		return policyRequest{}, wait, wait.Err
	}
	r := fetch.Request{URL: target, Accept: need.Place.Accept, MaxBodyBytes: need.Place.MaxBytes, CutBody: true, WantRaw: c.Archive}
	if h := need.Held; h != nil && h.FinalURL == target && len(h.Body) > 0 {
		r.Validators = fetch.ValidatorsOf(h.Header)
	}
	c.declare(&r, c.Purposes, false)
	x, next, err := c.exchange(ctx, slot, host, r, nil)
	if ctx.Err() != nil {
		x.Close()
		return policyRequest{}, pace.Wait{}, ctx.Err()
	}
	p := policyRequest{host: host, next: next}
	p.visit = Visit{Kind: VisitPolicy, URL: target, Exchange: x, Err: err, Keep: true, At: c.Clock()}
	p.tally[countPolicy]++
	if x != nil {
		p.tally[countBytesWire], p.tally[countBytesDecoded] = x.WireBytes, x.DecodedBytes
	}
	if err := c.storePolicy(ctx, need, target, hops, x, err); err != nil {
		x.Close()
		return policyRequest{}, pace.Wait{}, err
	}
	return p, pace.Wait{}, nil
}

// storePolicy sorts the answer to a request for a policy document: an answer, a
// redirect on the way to one, or none. What an answer means is the standard's
// business.
func (c *Crawler) storePolicy(ctx context.Context, need *politeness.Need, target string, hops int, x *fetch.Exchange, failed error) error {
	lib, now := c.Gate.Library(), c.Clock()
	if failed != nil {
		kind := fetch.KindOf(failed).String()
		if fetch.KindOf(failed) == fetch.KindTLS {
			c.closed.add(frontier.Origin(target), now)
			if frontier.Origin(target) != frontier.Origin(need.Place.URL) {
				kind = kindRedirect // another origin did not prove who it is
			}
		}
		_, err := lib.Unreachable(ctx, need.Place, kind, 0, now, time.Time{})
		return err
	}
	switch {
	case x.Status == http.StatusNotModified && need.Held != nil && need.Held.FinalURL == target:
		d := *need.Held
		d.Header = fetch.Merge304(d.Header, x.Header)
		d.Failure, d.Chain, d.FetchedAt = nil, nil, now
		d.Expires = c.policyExpires(need.Place, x)
		return lib.Store(ctx, &d)
	case isRedirect(x.Status) && hops < policyHops:
		if next, ok := c.policyTarget(target, x.Location); ok {
			return c.storeChain(ctx, need, politeness.Chain{Next: next, Hops: hops + 1}, now)
		}
	case isRedirect(x.Status) && x.Location != "", x.Status >= 200 && x.Status < 300, x.Status >= 400 && x.Status < 500 && !notNow(x.Status):
		return c.storeAnswer(ctx, need, target, x, now)
	}
	retry, _ := fetch.RetryAfter(x.Header, now)
	_, err := lib.Unreachable(ctx, need.Place, "status", x.Status, now, retry)
	return err
}

// notNow lists the 4xx that say nothing about the document, only about the
// moment.
func notNow(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests
}

// storeChain notes where a redirected document is looked for next. A copy that is
// held stays, stale, until the chain has ended.
func (c *Crawler) storeChain(ctx context.Context, need *politeness.Need, chain politeness.Chain, now time.Time) error {
	d := politeness.Document{URL: need.Place.URL}
	if need.Held != nil {
		d = *need.Held
	}
	d.Chain = &chain
	if d.Held() {
		d.Expires = now
	}
	if d.Failure != nil { // still unreachable, but the next hop is due at once
		f := *d.Failure
		f.Next, d.Failure = now, &f
	}
	return c.Gate.Library().Store(ctx, &d)
}

// storeAnswer stores a final answer, whatever its status.
func (c *Crawler) storeAnswer(ctx context.Context, need *politeness.Need, target string, x *fetch.Exchange, now time.Time) error {
	d := politeness.Document{URL: need.Place.URL, FinalURL: target, Status: x.Status, Header: policyHeader(x.Header), FetchedAt: now,
		Expires: c.policyExpires(need.Place, x), SHA256: hex.EncodeToString(x.SHA256[:]), Truncated: x.Cut}
	if x.Status >= 200 && x.Status < 300 {
		body, err := x.Body.Bytes(need.Place.MaxBytes)
		if err != nil {
			return err
		}
		d.Body = append([]byte(nil), body...)
	}
	return c.storeChanged(ctx, need.Held, &d)
}

// policyTarget resolves a redirect of a policy document and asks the guard.
func (c *Crawler) policyTarget(from, location string) (string, bool) {
	base, err := frontier.NewBase(from)
	if err != nil || location == "" {
		return "", false
	}
	next, ok := base.Resolve(location)
	return next, ok && c.Fetcher.Vet(next) == nil
}

// policyExpires is the end of a copy's freshness: what its headers say, at most
// the place's own bound, and that bound where they say nothing. A copy always
// lives long enough for the request it was fetched for, which comes a delay
// later: without that, max-age=0 would ask for the document for ever.
func (c *Crawler) policyExpires(p politeness.Place, x *fetch.Exchange) time.Time {
	now := c.Clock()
	longest := now.Add(p.MaxAge)
	if !x.Freshness.Explicit && !x.Freshness.NoCache && !x.Freshness.NoStore {
		return longest
	}
	shortest := now.Add(max(time.Second, p.MinAge, 2*c.Pace.Delay(frontier.HostKey(p.URL))+retryPolicy))
	until := x.Freshness.FreshUntil(now)
	switch {
	case until.After(longest):
		return longest
	case until.Before(shortest):
		return shortest
	}
	return until
}

// policyHeader keeps the fields that standards and revalidation look at.
func policyHeader(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Content-Type", "Etag", "Last-Modified", "Date", "Cache-Control", "Expires", "Age", "Link", "Location"} {
		if v := h.Values(name); len(v) > 0 {
			kept[name] = append([]string(nil), v...)
		}
	}
	return kept
}

// isRedirect lists the codes that lead somewhere else for a page or a policy
// document (RFC 9110 15.4; 300 and 304 to 306 do not).
func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}
