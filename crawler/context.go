package crawler

import (
	"context"
	"errors"
	"net/http"
	"time"

	"heed/crawler/discover"
	"heed/crawler/extract"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// contextMove is one step of a cycle. Exactly one of its members says what it
// was: a document is needed first, the host has to wait, a request was sent, or
// the cycle is over.
type contextMove struct {
	need *politeness.Need
	wait pace.Wait
	sent *policyRequest
	over bool
}

// contextStep makes the next move for an origin; at most one request. mu of w is
// held.
func (c *Crawler) contextStep(ctx context.Context, w *contextWork, a ask) (contextMove, error) {
	if err := c.loadContext(ctx, w); err != nil {
		return contextMove{}, err
	}
	if w.cycle == nil {
		q := c.question(ctx, w.origin+discover.WellKnownPath, a)
		q.Rate = politeness.Rate{} // only the documents matter here
		d, need, err := c.Gate.Before(ctx, q)
		if err != nil || need != nil {
			return contextMove{need: need}, err
		}
		c.learnDelay(d)
		if w.cycle, err = c.beginCycle(ctx, w, d.Verdict == politeness.Wait); err != nil {
			return contextMove{}, err
		}
	}
	for {
		step, more := w.cycle.Next()
		if !more {
			return contextMove{over: true}, nil
		}
		q := c.question(ctx, step.URI, a)
		d, need, err := c.Gate.Before(ctx, q)
		if err != nil || need != nil {
			return contextMove{need: need}, err
		}
		switch {
		case d.Verdict == politeness.Wait && d.Reason.Area() == "pace":
			return contextMove{wait: pace.Wait{Until: d.Until, Reason: string(d.Reason)}}, nil
		case d.Verdict == politeness.Wait:
			w.cycle.Denied(discover.DeniedForNow, d.Until)
			continue
		case d.Verdict == politeness.Deny && d.Reason.Area() == "guard":
			w.cycle.Denied(discover.DeniedByGuard, time.Time{})
			continue
		case d.Verdict == politeness.Deny:
			c.count(d.Reason)
			w.refused = append(w.refused, c.refusedCandidate(step, d))
			w.cycle.Denied(discover.DeniedBySignal, time.Time{})
			continue
		}
		return c.contextRequest(ctx, w.cycle, step, q, d)
	}
}

// refusedCandidate is the trace of a candidate that may not be asked for. A site
// that advertises it contradicts itself.
func (c *Crawler) refusedCandidate(step discover.Step, d politeness.Decision) Visit {
	if step.Hop == 0 && (step.Mechanism == discover.Link || step.Mechanism == discover.Robots) {
		d.Conflicts = politeness.Advertised(discover.Relation, d)
	}
	return Visit{Kind: VisitContext, URL: step.URI, Decision: &d, State: frontier.Refused, Reason: string(d.Reason), At: c.Clock()}
}

// beginCycle opens a cycle with what is known. mu of w is held.
func (c *Crawler) beginCycle(ctx context.Context, w *contextWork, unreachable bool) (*discover.Cycle, error) {
	records, err := c.Gate.Records(ctx, w.origin, discover.RecordName)
	if err != nil {
		return nil, err
	}
	in := discover.Inputs{Resolve: resolveOnce, Policy: c.Discover, RobotsUnreachable: unreachable, Jitter: c.Rand(), RequestFields: c.contextFields()}
	for _, r := range records {
		in.Records = append(in.Records, r.Value)
	}
	if w.memory.Copy != nil {
		text, err := c.Notes.LoadNote(ctx, contextTextNote, w.origin)
		if err != nil {
			return nil, err
		}
		in.BodyEvicted = text == nil
	}
	return discover.Begin(w.memory, in, c.Clock()), nil
}

// contextFields are the request fields by which a server may vary its answer.
func (c *Crawler) contextFields() map[string]string {
	fields := map[string]string{"accept": discover.Accept}
	if c.AcceptLanguage != "" {
		fields["accept-language"] = c.AcceptLanguage
	}
	return fields
}

func resolveOnce(base, ref string) (string, bool) {
	b, err := frontier.NewBase(base)
	if err != nil {
		return "", false
	}
	return b.Resolve(ref)
}

// contextRequest sends one step and hands the answer to the cycle.
func (c *Crawler) contextRequest(ctx context.Context, cycle *discover.Cycle, step discover.Step, q politeness.Question, d politeness.Decision) (contextMove, error) {
	host := frontier.HostKey(step.URI)
	slot, wait := c.Pace.Admit(host, c.addressGroup(ctx, frontier.Origin(step.URI)))
	if slot == nil {
		return contextMove{wait: wait}, wait.Err
	}
	r := fetch.Request{URL: step.URI, Accept: discover.Accept, MaxBodyBytes: step.MaxBytes, WantRaw: c.Archive, Header: http.Header{},
		Validators: fetch.Validators{ETag: step.IfNoneMatch, LastModified: step.IfModifiedSince}}
	if c.AcceptLanguage != "" {
		r.Header.Set("Accept-Language", c.AcceptLanguage)
	}
	c.declare(&r, d.Declared(), d.Declare)
	x, next, failed := c.exchange(ctx, slot, host, r, &d)
	if ctx.Err() != nil {
		x.Close()
		return contextMove{}, ctx.Err()
	}
	if _, err := c.contradicted(ctx, &d, x, failed); err != nil {
		x.Close()
		return contextMove{}, err
	}
	represents := failed == nil && x.Status >= 200 && x.Status < 300
	if represents {
		q.Now, q.Response = c.Clock(), &politeness.Response{Status: x.Status, Header: x.Header}
		d = c.Gate.After(d, q) // what the response says of itself stays with it (LC-149)
	}
	c.count(d.Reason)
	if d.Verdict == politeness.Allow {
		cycle.Answer(contextResponse(x, failed, step.MaxBytes, c.Clock()))
	} else {
		cycle.Denied(discover.DeniedBySignal, time.Time{})
	}
	sent := &policyRequest{host: host, next: next}
	sent.visit = Visit{Kind: VisitContext, URL: step.URI, Decision: &d, Exchange: x, Err: failed, Keep: failed == nil && d.Verdict == politeness.Allow && (!represents || cycle.Stored()), At: c.Clock()}
	if failed != nil {
		sent.visit.Reason = failureReason(failed)
	}
	if x != nil {
		sent.tally[countBytesWire], sent.tally[countBytesDecoded] = x.WireBytes, x.DecodedBytes
	}
	return contextMove{sent: sent}, nil
}

// contextResponse is an exchange in the words of package discover.
func contextResponse(x *fetch.Exchange, failed error, limit int64, now time.Time) discover.Response {
	r := discover.Response{ReceivedAt: now}
	if x != nil {
		r.Status, r.Header, r.WireBytes, r.DecodedBytes, r.Coding = x.Status, x.Header, x.WireBytes, x.DecodedBytes, x.Coding
	}
	if failed != nil {
		r.Failure = contextFailure(failed)
		return r
	}
	body, err := x.Body.Bytes(limit)
	if err != nil {
		r.Failure = discover.FailureCeiling
		return r
	}
	r.Body = body
	return r
}

func contextFailure(err error) discover.Failure {
	switch fetch.KindOf(err) {
	case fetch.KindTooLarge, fetch.KindRatio:
		return discover.FailureCeiling
	case fetch.KindCoding:
		return discover.FailureCoding
	case fetch.KindAddress, fetch.KindPort, fetch.KindScheme:
		return discover.FailureGuard
	}
	return discover.FailureNetwork
}

// endCycle makes the outcome of a cycle durable. mu of w is held.
func (c *Crawler) endCycle(ctx context.Context, w *contextWork) (discover.Result, error) {
	result := w.cycle.Result()
	next := w.cycle.Memory()
	next.TakeObservations(w.memory)
	w.memory, w.cycle = next, nil
	held := w.memory.Copy
	switch {
	case held == nil || held.NoStore:
		if err := c.Notes.SaveNote(ctx, contextTextNote, w.origin, nil); err != nil {
			return result, err
		}
	case result.Text != nil:
		if err := c.Notes.SaveNote(ctx, contextTextNote, w.origin, result.Text); err != nil {
			return result, err
		}
	}
	return result, c.saveContext(ctx, w)
}

// visitContext spends the slot of a grant on the context of an origin.
func (c *Crawler) visitContext(ctx context.Context, g frontier.Grant, origin string) error {
	w := c.context.of(origin)
	if !w.mu.TryLock() {
		return c.settle(ctx, settleBack(g, c.Clock().Add(retryPolicy)))
	}
	defer w.mu.Unlock()
	if c.Context == ContextOff {
		return c.settle(ctx, frontier.Settlement{Grant: g.GrantRef, Outcomes: []frontier.Outcome{{URL: g.URLs[0].URL, State: frontier.Refused, Reason: "context-off"}}})
	}
	if c.hearsFirst(w) {
		return c.settle(ctx, c.afterPage(g))
	}
	move, err := c.contextStep(ctx, w, ask{method: http.MethodGet, mode: politeness.Crawl})
	switch {
	case err != nil:
		return c.interrupted(ctx, err)
	case move.need != nil:
		return c.visitPolicy(ctx, g, move.need)
	case move.over:
		return c.settleContext(ctx, g, w, nil)
	case move.sent == nil:
		return c.settle(ctx, settleBack(g, move.wait.Until))
	}
	defer move.sent.visit.Exchange.Close()
	if _, more := w.cycle.Next(); !more {
		return c.settleContext(ctx, g, w, move.sent)
	}
	s := settleBack(g, c.Pace.Next(g.Host).Until)
	s.Tally = move.sent.tally
	return c.record(ctx, s, append(w.takeRefused(), move.sent.visit)...)
}

// settleContext closes the queue item of an origin's context until its floor.
func (c *Crawler) settleContext(ctx context.Context, g frontier.Grant, w *contextWork, last *policyRequest) error {
	result, err := c.endCycle(ctx, w)
	if err != nil {
		return err
	}
	item := g.URLs[0]
	page := item.Page
	if page.FetchedAt.IsZero() {
		page.FetchedAt = c.Clock()
	}
	page.FreshUntil = result.NextAllowed
	s := settleBack(g, c.Pace.Next(g.Host).Until)
	s.Outcomes = []frontier.Outcome{{URL: item.URL, State: frontier.Fetched, Reason: string(result.Reason), Page: &page}}
	if last != nil {
		s.Tally = last.tally
	}
	if item.Page.FetchedAt.IsZero() {
		s.Tally[countContextKnown]++
	}
	switch result.State {
	case discover.StateIndex:
		s.Tally[countContextIndex]++
	case discover.StateNone:
		s.Tally[countContextNone]++
	default:
		s.Tally[countContextUndetermined]++
	}
	text := result.Text
	if item.Page.FetchedAt.IsZero() { // an index that a request on demand has brought is new to the queue
		if text, err = c.indexText(ctx, result); err != nil {
			return err
		}
	}
	s.Links = c.indexLinks(ctx, item, text, result.FinalURI, &s.Tally)
	visits := w.takeRefused()
	if last != nil {
		visits = append(visits, last.visit)
	}
	return c.record(ctx, s, visits...)
}

// indexText is the text of the index that may be served: the one that the cycle
// brought, or the one that is held; nil if there is none.
func (c *Crawler) indexText(ctx context.Context, result discover.Result) ([]byte, error) {
	if result.Text != nil || result.Copy == nil {
		return result.Text, nil
	}
	return c.Notes.LoadNote(ctx, contextTextNote, result.Origin)
}

// indexLinks makes candidates of what an index links to (LC-009, LC-069): they
// are judged like any other URL, and those that answer as text are details.
func (c *Crawler) indexLinks(ctx context.Context, item frontier.Item, text []byte, uri string, tally *frontier.Tally) []frontier.Candidate {
	if text == nil {
		return nil
	}
	links, _ := extract.MarkdownLinks(text, uri, &resolver{})
	e := ending{visit: Visit{Item: item}}
	origin := discover.OriginOf(uri)
	for _, url := range links {
		hop := "C"
		if frontier.Origin(url) != origin {
			hop = "L" // never a detail of this index (LC-144)
		}
		c.discover(ctx, &e, url, 1, hop)
	}
	for i, n := range e.tally {
		tally[i] += n
	}
	return e.links
}

// hearContext remembers what a page response says about the context of its
// origin, and queues the context once.
func (c *Crawler) hearContext(ctx context.Context, e *ending, q politeness.Question, x *fetch.Exchange) {
	if x == nil || x.Status < 200 || isRedirect(x.Status) {
		return
	}
	w := c.context.of(q.Origin)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.remember(ctx, w, q, x, e.page) {
		return
	}
	w.heard, w.hearings = c.Clock(), 0
	if !w.queued {
		w.queued = true
		e.links = append(e.links, contextCandidate(q.Origin, e.visit.Item.Path+"C"))
	}
}

// remember takes down what a response says about the context of its origin. mu
// of w is held.
func (c *Crawler) remember(ctx context.Context, w *contextWork, q politeness.Question, x *fetch.Exchange, page *extract.Page) bool {
	if err := c.loadContext(ctx, w); err != nil {
		c.Log.Error("context memory cannot be read", "origin", q.Origin, "err", err)
		return false
	}
	links := contextLinks(q.URL, x, page)
	if x.Status == http.StatusNotModified && len(links) == 0 {
		links = linksOf(w.memory, q.URL)
	}
	if len(links) > 0 || len(w.memory.Links) > 0 || w.memory.Sample.Pages == 0 {
		w.memory.ObservePage(q.URL, x.Status, links, c.Clock())
		if now := advertOf(w.memory); now.uri != w.saved.uri || now.at.Sub(w.saved.at) > time.Hour {
			if err := c.saveContext(ctx, w); err != nil && !errors.Is(err, context.Canceled) {
				c.Log.Error("context memory cannot be saved", "origin", q.Origin, "err", err)
			}
		}
	}
	return true
}

// contextLinks are the targets with our relation: those of Link fields first,
// then those of the head (LC-138).
func contextLinks(url string, x *fetch.Exchange, page *extract.Page) []string {
	links := extract.Related(extract.LinkHeader(x.Header.Values("Link")), discover.Relation, url, &resolver{})
	if page != nil {
		links = append(links, page.ContextLinks...)
	}
	return links
}
