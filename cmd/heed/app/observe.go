package app

import (
	"context"
	"fmt"
	"time"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/frontier"
	"heed/politeness"
	"heed/store/ledger"
)

// HostReport sums up what was done at one host, over all runs of the job.
type HostReport struct {
	Pages, NotModified, Gone int
	Refused, Failed          map[string]int // URLs by reason
	Waiting                  map[string]int // URLs that still wait, by reason
	Statuses                 map[int]int
	Delay                    time.Duration // longest between requests that a decision asked for
	Uses                     politeness.Uses
	Withheld                 map[politeness.Purpose]politeness.Reason // why a purpose of the job is not granted; a refusal goes before a grant that is missing
	SavedBytes               int64
	Context                  *discover.Memory // of its https origin, nil if it was never sought
}

// listPage is how many records a listing reads in one transaction.
const listPage = 1000

// Report tells of every host of the job, from the ledger and the queue.
func (a *App) Report(ctx context.Context) (map[string]*HostReport, error) {
	if err := a.engine.Flush(ctx); err != nil {
		return nil, fmt.Errorf("app: report: %w", err)
	}
	all := map[string]*HostReport{}
	of := func(host string) *HostReport {
		if all[host] == nil {
			all[host] = &HostReport{Refused: map[string]int{}, Failed: map[string]int{}, Waiting: map[string]int{}, Statuses: map[int]int{},
				Withheld: map[politeness.Purpose]politeness.Reason{}}
		}
		return all[host]
	}
	for line, err := range ledger.Read(a.folder.ledger(), ledger.Query{}) {
		if err != nil {
			return nil, fmt.Errorf("app: report: %w", err)
		}
		p, err := pastOf(line)
		if err != nil {
			return nil, fmt.Errorf("app: report: ledger line %d: %w", line.Seq, err)
		}
		of(frontier.HostKey(p.URL)).add(p)
	}
	for host, r := range all {
		if err := a.waiting(ctx, host, r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add counts one recorded visit.
func (r *HostReport) add(p crawler.Past) {
	if p.Status > 0 {
		r.Statuses[p.Status]++
	}
	if p.Decision != nil {
		r.Delay = max(r.Delay, p.Decision.Delay)
	}
	if p.Kind != crawler.VisitPage {
		return
	}
	if p.Decision != nil {
		r.Uses = r.Uses.Join(p.Decision.Uses)
		r.withhold(*p.Decision)
	}
	switch p.State {
	case frontier.Fetched.String():
		if p.Decoded > 0 {
			r.Pages++
		}
		r.SavedBytes += max(p.Decoded-p.Wire, 0)
	case frontier.NotModified.String():
		r.NotModified++
	case frontier.Gone.String():
		r.Gone++
	case frontier.Refused.String():
		r.Refused[p.Reason]++
	case frontier.Redirected.String(): // refused is the target
		if area := politeness.Reason(p.Reason).Area(); area == "scope" || area == "guard" {
			r.Refused[p.Reason]++
		}
	case frontier.Failed.String():
		r.Failed[p.Reason]++
	}
}

// withhold notes which purposes of a decision nobody granted, and why: what the
// answer would have been, had each of them been the only one.
func (r *HostReport) withhold(d politeness.Decision) {
	for p := range (politeness.Uses{}) {
		purpose := politeness.Purpose(p)
		if !d.Purposes.Has(purpose) {
			continue
		}
		alone := politeness.Combine(politeness.Question{Method: d.Method, Purposes: politeness.PurposesOf(purpose)}, d.Opinions)
		if alone.Verdict == politeness.Deny && (d.Uses[p] == politeness.No || r.Withheld[purpose] == "") {
			r.Withheld[purpose] = alone.Reason
		}
	}
}

// waiting adds the URLs of a host that are not settled, and its context.
func (a *App) waiting(ctx context.Context, host string, r *HostReport) error {
	for cursor := ""; ; {
		list, next, err := a.engine.ListHost(ctx, host, cursor, listPage)
		if err != nil {
			return fmt.Errorf("app: report on %s: %w", host, err)
		}
		for _, u := range list {
			if u.State.Settled() {
				continue
			}
			reason := u.Reason
			if reason == "" {
				if reason, err = a.crawler.Load().WaitReason(ctx, u.URL); err != nil {
					return err
				}
			}
			r.Waiting[reason]++
		}
		if cursor = next; next == "" {
			break
		}
	}
	for _, origin := range []string{"https://" + host, "http://" + host} {
		m, err := a.crawler.Load().ContextMemory(ctx, origin)
		if err != nil {
			return err
		}
		if m.State != discover.StateUnknown {
			r.Context = &m
			return nil
		}
	}
	return nil
}
