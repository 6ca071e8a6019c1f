package crawler

import (
	"context"
	"fmt"
	"slices"

	"heed/crawler/discover"
	"heed/crawler/extract"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/politeness/pace"
)

// ContextResult is what is known about the llm-context of an origin.
type ContextResult struct {
	discover.Result
	Details []string            `json:"details"`           // what the index links to, in its order
	Refusal politeness.Decision `json:"-"`                 // why nothing could be asked, if the gate refused
	Refused bool                `json:"refused,omitempty"` // every way to an index was refused

	Divergence *float64     `json:"divergence"`        // share of the pages sampled last that disagree with the index; nil if none was
	Samples    []Comparison `json:"samples,omitempty"` // of this call

	text []byte // of the index that may be served, nil if there is none
}

// ContextDemand is how the context of an origin is asked for.
type ContextDemand struct {
	Demand
	Home   bool // the home page is asked for first, so that its Link counts
	Sample int  // pages that the index is compared with, at most discover.MaxSample; 0 is none (LC-154)
}

// ContextOf finds the index of an origin, on demand: the index only (LC-055), and the
// pages of a sample where one is wanted.
func (c *Crawler) ContextOf(ctx context.Context, origin string, d ContextDemand) (ContextResult, error) {
	r, err := c.contextOf(ctx, origin, d.Home, d.Demand)
	if err == nil && d.Sample > 0 {
		err = c.sampleContext(ctx, &r, d.Sample, d.Demand)
	}
	if err != nil {
		return r, fmt.Errorf("crawler: context of %s: %w", origin, err)
	}
	return r, nil
}

func (c *Crawler) contextOf(ctx context.Context, origin string, home bool, demand Demand) (ContextResult, error) {
	if home {
		f, err := c.Fetch(ctx, origin+"/", demand)
		if err != nil {
			return ContextResult{}, err
		}
		f.Close()
	}
	if err := c.prepareCard(ctx, frontier.HostKey(origin+"/")); err != nil {
		return ContextResult{}, err
	}
	w := c.context.of(origin)
	w.mu.Lock()
	defer w.mu.Unlock()
	t := turn{deadline: c.Clock().Add(demand.Patience)}
	for {
		move, err := c.contextStep(ctx, w, demand.ask())
		if err != nil {
			return ContextResult{}, err
		}
		switch {
		case move.over:
			return c.contextResult(ctx, w)
		case move.sent != nil:
			err = c.recordContext(ctx, w, move.sent)
		case move.need != nil:
			if move.wait, err = c.bring(ctx, move.need); err == nil && move.wait.Reason != "" {
				err = c.await(ctx, w, t, move.wait)
			}
		default:
			err = c.await(ctx, w, t, move.wait)
		}
		if err != nil {
			return ContextResult{}, err
		}
	}
}

// await waits for a host's turn, or gives the cycle up for now. mu of w is held, but
// not while it waits: workers have pages of the origin to hear, and whoever comes
// first may go on with the cycle.
func (c *Crawler) await(ctx context.Context, w *contextWork, t turn, wait pace.Wait) error {
	if t.affords(wait) {
		w.mu.Unlock()
		defer w.mu.Lock()
		return c.sleep(ctx, wait.Until)
	}
	if w.cycle == nil {
		w.cycle = discover.Begin(w.memory, discover.Inputs{Resolve: resolveOnce, Policy: c.Discover, RobotsUnreachable: true, Jitter: c.Rand(),
			RequestFields: c.contextFields()}, c.Clock())
		return nil
	}
	w.cycle.Denied(discover.DeniedForNow, wait.Until)
	return nil
}

func (c *Crawler) recordContext(ctx context.Context, w *contextWork, sent *policyRequest) error {
	defer sent.visit.Exchange.Close()
	s := frontier.Settlement{Grant: frontier.GrantRef{Host: sent.host}, HostNext: sent.next.At, Tally: sent.tally}
	return c.record(ctx, s, append(w.takeRefused(), sent.visit)...)
}

// contextResult ends the cycle and adds what the held text links to.
func (c *Crawler) contextResult(ctx context.Context, w *contextWork) (ContextResult, error) {
	result, err := c.endCycle(ctx, w)
	if err != nil {
		return ContextResult{}, err
	}
	if refused := w.takeRefused(); len(refused) > 0 {
		if err := c.record(ctx, frontier.Settlement{Grant: frontier.GrantRef{Host: frontier.HostKey(w.origin + "/")}}, refused...); err != nil {
			return ContextResult{}, err
		}
	}
	r := ContextResult{Result: result, Details: []string{}, Refused: refusedOnly(result)}
	r.Findings = slices.Concat(r.Findings, w.memory.Sample.Audit())
	if result.Copy == nil {
		return r, nil
	}
	if d := w.memory.Divergence; d != nil {
		share := d.Share
		r.Divergence = &share
	}
	if r.text, err = c.indexText(ctx, result); err != nil {
		return r, err
	}
	if links, _ := extract.MarkdownLinks(r.text, result.Copy.URI, &resolver{}); links != nil {
		r.Details = links
	}
	return r, nil
}

// refusedOnly tells whether the signals or the guard stood in every way.
func refusedOnly(r discover.Result) bool {
	if r.State != discover.StateNone {
		return false
	}
	return r.Reason == discover.Disallowed
}

// hearDemand lets a page that was fetched on demand advertise: its Link is one of
// a response already received (LC-044, LC-103). mu of its origin must be free.
func (c *Crawler) hearDemand(ctx context.Context, q politeness.Question, x *fetch.Exchange, page *extract.Page) {
	w := c.context.of(q.Origin)
	w.mu.Lock()
	defer w.mu.Unlock()
	c.remember(ctx, w, q, x, page)
}
