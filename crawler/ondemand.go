package crawler

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// Demand is how one URL is asked for on demand.
type Demand struct {
	Method      string              // "" is GET
	Mode        politeness.Mode     // what a check judges; "" is on demand
	Purposes    politeness.Purposes // 0: those of the job
	Patience    time.Duration       // how long to wait for the host's turn in all
	Validators  fetch.Validators    // of a copy that the caller holds of the URL itself
	Body        []byte              // of an act
	ContentType string
}

func (d Demand) ask() ask {
	if d.Method == "" {
		d.Method = http.MethodGet
	}
	if d.Mode == "" {
		d.Mode = politeness.OnDemand
	}
	return ask{method: d.Method, mode: d.Mode, purposes: d.Purposes}
}

// repeatable tells whether the request may be sent a second time, here or to where
// a redirect points: an act may have been carried out although its answer was lost.
func (d Demand) repeatable() bool {
	return d.Method == "" || d.Method == http.MethodGet || d.Method == http.MethodHead
}

// Check decides about a URL and fetches policy documents only. It waits for the
// host's own delay between them, never for a back-off.
func (c *Crawler) Check(ctx context.Context, url string, demand Demand) (politeness.Decision, error) {
	d, err := c.decide(ctx, url, demand.ask(), turn{delays: true})
	if err != nil {
		return d, fmt.Errorf("crawler: check %s: %w", url, err)
	}
	c.count(d.Reason)
	d.Conflicts = politeness.Conflicts(d.Opinions)
	if d.Notes, err = c.Gate.Notes(ctx, frontier.Origin(url)); err != nil {
		return d, fmt.Errorf("crawler: check %s: %w", url, err)
	}
	v := Visit{Kind: VisitCheck, URL: url, Decision: &d, Reason: string(d.Reason), At: c.Clock()}
	return d, c.record(ctx, frontier.Settlement{Grant: frontier.GrantRef{Host: frontier.HostKey(url)}}, v)
}

// turn says how long an on-demand request may wait for its host.
type turn struct {
	delays   bool      // for every delay between requests, however long
	deadline time.Time // for anything that ends before it
}

// affords tells whether a wait is worth it.
func (t turn) affords(w pace.Wait) bool {
	if t.delays && (w.Reason == pace.ReasonNotYet || w.Reason == pace.ReasonInFlight) {
		return true
	}
	return w.Until.Before(t.deadline)
}

// decide asks the gate until it has all its documents.
func (c *Crawler) decide(ctx context.Context, url string, a ask, t turn) (politeness.Decision, error) {
	if err := c.prepareCard(ctx, frontier.HostKey(url)); err != nil {
		return politeness.Decision{}, err
	}
	for {
		q := c.question(ctx, url, a)
		if q.Rate.Reason != "" && t.delays && t.affords(pace.Wait{Until: q.Rate.Until, Reason: string(q.Rate.Reason)}) {
			q.Rate.Until, q.Rate.Reason = time.Time{}, "" // nothing is sent after a check
		}
		d, need, err := c.Gate.Before(ctx, q)
		if err != nil {
			return d, err
		}
		if need == nil {
			c.learnDelay(d)
			if denied, ok := c.untrusted(ctx, q, d); ok {
				return denied, nil
			}
			return d, nil
		}
		wait, err := c.bring(ctx, need)
		if err != nil {
			return d, err
		}
		if wait.Reason == "" {
			continue
		}
		if !t.affords(wait) {
			return c.postponed(q, wait), nil
		}
		if err := c.sleep(ctx, wait.Until); err != nil {
			return d, err
		}
	}
}

// postponed is the decision about a URL whose documents cannot be read in time.
func (c *Crawler) postponed(q politeness.Question, w pace.Wait) politeness.Decision {
	d := politeness.Combine(q, []politeness.Opinion{{Source: "pace", Verdict: politeness.Wait, Reason: politeness.Reason(w.Reason), Until: w.Until}})
	d.ID = c.Gate.NewID()
	return d
}

// bring makes one step towards a document that a decision needs.
func (c *Crawler) bring(ctx context.Context, need *politeness.Need) (pace.Wait, error) {
	lib := c.Gate.Library()
	if !lib.Begin(need.Place.URL) {
		return pace.Wait{Until: c.Clock().Add(retryPolicy), Reason: pace.ReasonInFlight}, nil
	}
	defer lib.End(need.Place.URL)
	step, wait, err := c.policyStep(ctx, need)
	if err != nil || wait.Reason != "" {
		return wait, err
	}
	defer step.visit.Exchange.Close()
	c.settleDelay(ctx, frontier.Origin(need.Place.URL)+"/")
	s := frontier.Settlement{Grant: frontier.GrantRef{Host: step.host}, HostNext: c.Pace.Next(step.host).Until, Tally: step.tally}
	return pace.Wait{}, c.record(ctx, s, step.visit)
}

// sleep waits until a time of the crawler's clock.
func (c *Crawler) sleep(ctx context.Context, until time.Time) error {
	timer := time.NewTimer(until.Sub(c.Clock()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fetched is what an on-demand request came to. Close it.
type Fetched struct {
	URL      string // of the last hop
	Hops     []string
	Decision politeness.Decision // about the last hop, with what the response said
	Exchange *fetch.Exchange     // nil if nothing was sent or nothing came
	Err      error               // why the last exchange failed
	At       time.Time
}

// Close releases the bodies.
func (f *Fetched) Close() error { return f.Exchange.Close() }

// Kept tells whether there is a body that may be used.
func (f *Fetched) Kept() bool {
	return f.Err == nil && f.Decision.Verdict == politeness.Allow && f.Exchange != nil && f.Exchange.Status >= 200 && f.Exchange.Status < 300
}

// Confirmed tells whether the copy that the caller holds is still good.
func (f *Fetched) Confirmed() bool {
	return f.Err == nil && f.Decision.Verdict == politeness.Allow && f.Exchange != nil && f.Exchange.Status == http.StatusNotModified && len(f.Hops) == 1
}

// Fetch asks for one URL through the same gate and at the same pace as a crawl,
// and follows redirects, each hop judged afresh. A refusal or a failure is in
// the result, not in the error.
func (c *Crawler) Fetch(ctx context.Context, url string, demand Demand) (*Fetched, error) {
	t := turn{deadline: c.Clock().Add(demand.Patience)}
	f := &Fetched{URL: url}
	for attempt := 1; ; {
		f.Hops = append(f.Hops, f.URL)
		if err := c.fetchOnce(ctx, f, demand, t); err != nil {
			return f, fmt.Errorf("crawler: fetch %s: %w", f.URL, err)
		}
		if !demand.repeatable() {
			return f, nil
		}
		if next, ok := c.nextHop(f); ok {
			f.URL, attempt = next, 1
			f.Exchange.Close()
			continue
		}
		if !c.worthRetry(f) || attempt > c.Retries {
			return f, nil
		}
		at := c.retryAt(attempt, f.Exchange, c.Clock())
		if !at.Before(t.deadline) {
			return f, nil
		}
		attempt++
		f.Exchange.Close()
		f.Hops = f.Hops[:len(f.Hops)-1]
		if err := c.sleep(ctx, at); err != nil {
			return f, err
		}
	}
}

// fetchOnce decides about the current hop and, if allowed, sends its request.
func (c *Crawler) fetchOnce(ctx context.Context, f *Fetched, demand Demand, t turn) error {
	a := demand.ask()
	f.Exchange, f.Err, f.At = nil, nil, c.Clock()
	host, origin := frontier.HostKey(f.URL), frontier.Origin(f.URL)
	for {
		d, err := c.decide(ctx, f.URL, a, t)
		if err != nil {
			return err
		}
		f.Decision = d
		if d.Verdict == politeness.Wait && d.Reason.Area() == "pace" {
			if !t.affords(pace.Wait{Until: d.Until, Reason: string(d.Reason)}) {
				return c.recordFetch(ctx, f, host, pace.Next{})
			}
			if err := c.sleep(ctx, d.Until); err != nil {
				return err
			}
			continue
		}
		if d.Verdict != politeness.Allow {
			return c.recordFetch(ctx, f, host, pace.Next{})
		}
		slot, wait := c.Pace.Admit(host, c.addressGroup(ctx, origin))
		if slot == nil {
			if wait.Err != nil {
				return wait.Err
			}
			if !t.affords(wait) {
				f.Decision = c.postponed(c.question(ctx, f.URL, a), wait)
				return c.recordFetch(ctx, f, host, pace.Next{})
			}
			if err := c.sleep(ctx, wait.Until); err != nil {
				return err
			}
			continue
		}
		r := fetch.Request{URL: f.URL, Method: a.method, MaxBodyBytes: c.MaxBodyBytes, WantRaw: c.Archive,
			Body: demand.Body, ContentType: demand.ContentType}
		if len(f.Hops) == 1 {
			r.Validators = demand.Validators
		}
		c.declare(&r, d.Declared(), d.Declare)
		x, next, err := c.exchange(ctx, slot, host, r, &d)
		f.Exchange, f.Err = x, err
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.readAgain(ctx, f, a, t); err != nil {
			return err
		}
		c.seeResponse(ctx, f, a)
		return c.recordFetch(ctx, f, host, next)
	}
}

// readAgain takes the word of preferences that were contradicted once more, if
// they can be read again in time. The request itself is not repeated.
func (c *Crawler) readAgain(ctx context.Context, f *Fetched, a ask, t turn) error {
	again, err := c.contradicted(ctx, &f.Decision, f.Exchange, f.Err)
	if !again || err != nil {
		return err
	}
	d, err := c.decide(ctx, f.URL, a, t)
	if err == nil && d.Verdict == politeness.Deny {
		f.Decision = d
	}
	return err
}

// seeResponse lets the response tighten the decision.
func (c *Crawler) seeResponse(ctx context.Context, f *Fetched, a ask) {
	if f.Err != nil {
		if r := guardReason(f.Err); r != "" && r != politeness.GuardDNS {
			f.Decision.Opinion = politeness.Opinion{Source: r.Area(), Verdict: politeness.Deny, Reason: r, Uses: politeness.Everything(politeness.No)}
		}
		return
	}
	if f.Exchange.Status < 200 || f.Exchange.Status >= 300 {
		return
	}
	e := ending{}
	e.parse(c, f.Exchange)
	q := c.question(ctx, f.URL, a)
	q.Response = &politeness.Response{Status: f.Exchange.Status, Header: f.Exchange.Header, Meta: e.meta()}
	f.Decision = c.Gate.After(f.Decision, q)
	if f.Decision.Verdict == politeness.Allow && !acts(a.method) {
		c.hearDemand(ctx, q, f.Exchange, e.page)
	}
}

// recordFetch leaves the trace of one hop.
func (c *Crawler) recordFetch(ctx context.Context, f *Fetched, host string, next pace.Next) error {
	c.count(f.Decision.Reason)
	d := f.Decision
	v := Visit{Kind: VisitPage, URL: f.URL, Decision: &d, Exchange: f.Exchange, Err: f.Err, Keep: f.Kept(), Reason: string(d.Reason), At: c.Clock()}
	if f.Err != nil {
		v.Reason = failureReason(f.Err)
	}
	s := frontier.Settlement{Grant: frontier.GrantRef{Host: host}, HostNext: next.At}
	if x := f.Exchange; x != nil {
		s.Tally[countBytesWire], s.Tally[countBytesDecoded] = x.WireBytes, x.DecodedBytes
	}
	return c.record(ctx, s, v)
}

// nextHop is the target of a redirect that may still be followed.
func (c *Crawler) nextHop(f *Fetched) (string, bool) {
	x := f.Exchange
	if acts(f.Decision.Method) || f.Err != nil || x == nil || !isRedirect(x.Status) || x.Location == "" || len(f.Hops) > c.MaxRedirects {
		return "", false
	}
	base, err := frontier.NewBase(f.URL)
	if err != nil {
		return "", false
	}
	return base.Resolve(x.Location)
}

// worthRetry tells whether the last attempt failed in a way that may pass.
func (c *Crawler) worthRetry(f *Fetched) bool {
	if acts(f.Decision.Method) || f.Decision.Verdict != politeness.Allow {
		return false
	}
	return f.Err != nil && retryable(f.Err) || f.Err == nil && f.Exchange != nil && retryStatus(f.Exchange.Status)
}

// acts tells whether a method may change state. An act is sent once, to the URL
// that was judged: never again, and nowhere else.
func acts(method string) bool { return method != http.MethodGet && method != http.MethodHead }
