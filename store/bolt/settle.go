package bolt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heed/frontier"
)

// Bounds of what one call may carry.
const (
	maxLinks = 1 << 16
	maxURL   = 16 << 10 // octets
	maxHost  = 255      // octets; RFC 1035 2.3.4
)

var errRequest = errors.New("bad request")

// Settle closes grants and waits for the commit. If ctx ends first, the
// settlements may still be committed. A settlement that is not valid fails the
// call; those before it are kept.
func (e *Engine) Settle(ctx context.Context, settlements []frontier.Settlement) ([]frontier.Verdict, error) {
	verdicts := make([]frontier.Verdict, len(settlements))
	result := make(chan error, len(settlements))
	queued := 0
	var failure error
	for i := range settlements {
		err := e.settleAsync(ctx, &settlements[i], i == len(settlements)-1, func(v frontier.Verdict, err error) {
			verdicts[i] = v
			result <- err
		})
		if err != nil {
			failure = err
			e.urge()
			break
		}
		queued++
	}
	for range queued {
		if err := await(ctx, result); err != nil {
			return nil, fmt.Errorf("bolt: settle: %w", err)
		}
	}
	if failure != nil {
		return nil, failure
	}
	return verdicts, nil
}

// urge asks for a commit at once.
func (e *Engine) urge() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue.hurry()
}

// SettleAsync queues one settlement. What it refers to is copied, but for the
// attachments. Whether the token is current is decided now, not at the commit:
// the slot is free as soon as SettleAsync returns.
//
// A stale settlement keeps its links and nothing else: no attachment of it is
// made durable, no tally counted; done learns of it by Verdict.Stale. An
// outcome outside of any grant changes a URL that is known and not in flight.
func (e *Engine) SettleAsync(ctx context.Context, s frontier.Settlement, done func(frontier.Verdict, error)) error {
	return e.settleAsync(ctx, &s, false, done)
}

func (e *Engine) settleAsync(ctx context.Context, s *frontier.Settlement, urgent bool, done func(frontier.Verdict, error)) error {
	o, err := e.settlement(s)
	if err != nil {
		return fmt.Errorf("bolt: settle %s: %w", s.Grant.Host, err)
	}
	o.done = func(o *op, err error) {
		if done != nil {
			done(frontier.Verdict{Stale: o.stale, Added: o.added}, err)
		}
	}
	if err := e.enqueue(ctx, o, urgent, func() error { return e.admit(o, s) }); err != nil {
		return fmt.Errorf("bolt: settle %s: %w", s.Grant.Host, err)
	}
	return nil
}

// settlement checks and copies a settlement. The hashing is done here, by the
// caller, and not by the writer.
func (e *Engine) settlement(s *frontier.Settlement) (*op, error) {
	if len(s.Grant.Host) > maxHost {
		return nil, fmt.Errorf("%w: host name of %d octets", errRequest, len(s.Grant.Host))
	}
	o := &op{kind: opSettle, name: s.Grant.Host, attach: s.Attach, tally: s.Tally, spent: s.Spent, pace: slices.Clone(s.Pace)}
	if !s.HostNext.IsZero() {
		o.next = max(millisUp(s.HostNext), 1)
	}
	if o.name == "" && (o.next != 0 || o.pace != nil || len(s.Outcomes) > 0) {
		return nil, fmt.Errorf("%w: outcomes, next time and pace belong to a host, and none is named", errRequest)
	}
	var err error
	if o.links, err = e.links(s.Links); err != nil {
		return nil, err
	}
	if len(s.Outcomes) > 0 {
		o.outcomes = make([]outcome, len(s.Outcomes))
	}
	for i, out := range s.Outcomes {
		if !stored(out.State) {
			return nil, fmt.Errorf("%w: %s cannot be settled as %s", errRequest, out.URL, out.State)
		}
		if out.Page != nil {
			page := *out.Page
			out.Page = &page
		}
		o.outcomes[i] = outcome{Outcome: out}
		if s.Grant.Token == 0 {
			o.outcomes[i].hash = e.key.sum(out.URL)
		}
	}
	return o, nil
}

// links checks candidates and copies those that may change something.
func (e *Engine) links(candidates []frontier.Candidate) ([]link, error) {
	if len(candidates) > maxLinks {
		return nil, fmt.Errorf("%w: %d URLs in one call, at most %d", errRequest, len(candidates), maxLinks)
	}
	var links []link
	for i := range candidates {
		c := &candidates[i]
		if len(c.URL) == 0 || len(c.URL) > maxURL || len(c.Parent) > maxURL || len(c.Host) == 0 || len(c.Host) > maxHost {
			return nil, fmt.Errorf("%w: URL of %d octets, parent of %d, host name %q", errRequest, len(c.URL), len(c.Parent), c.Host)
		}
		hash := e.key.sum(c.URL)
		if e.seen.covers(hash, c) {
			continue
		}
		if links == nil {
			links = make([]link, 0, min(len(candidates)-i, 16))
		}
		links = append(links, link{hash, *c})
	}
	return links, nil
}

// admit decides whether the token of a settlement is current, frees the slot
// and marks its URLs as waiting for the commit. The caller holds mu.
func (e *Engine) admit(o *op, s *frontier.Settlement) error {
	if s.Grant.Token == 0 {
		return nil
	}
	now := e.now()
	e.lapse(now)
	l := e.find(s.Grant.Host, s.Grant.Slot, s.Grant.Token)
	if l == nil {
		*o = op{kind: opSettle, done: o.done, links: o.links, stale: true}
		return nil
	}
	h := l.host
	for i := range o.outcomes {
		at := slices.IndexFunc(l.urls, func(u leased) bool { return u.url == o.outcomes[i].URL })
		if at < 0 {
			return fmt.Errorf("%w: %s is not in grant %d", errRequest, o.outcomes[i].URL, l.token)
		}
		o.outcomes[i].hash = l.urls[at].hash
	}
	e.end(l)
	for i := range o.outcomes {
		if f := h.flight(o.outcomes[i].hash); f != nil && !f.pending {
			f.pending = true
			e.pending++
		}
	}
	for _, u := range l.urls {
		if f := h.flight(u.hash); f != nil && !f.pending {
			e.giveBack(h, u.hash)
		}
	}
	o.live = true
	e.wake()
	return nil
}

// Discover makes URLs known. At most 65,536 at a time; a candidate without URL
// or host name, or with a URL of more than 16 KiB, fails the call.
func (e *Engine) Discover(ctx context.Context, candidates []frontier.Candidate) (int, error) {
	links, err := e.links(candidates)
	if err != nil {
		return 0, fmt.Errorf("bolt: discover: %w", err)
	}
	o := &op{kind: opSettle, links: links}
	if err := e.do(ctx, o); err != nil {
		return 0, fmt.Errorf("bolt: discover: %w", err)
	}
	return o.added, nil
}
