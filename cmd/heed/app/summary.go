package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

// Exit codes of commands that run or ask a job.
const (
	ExitDone      = 0
	ExitFailure   = 1
	ExitUsage     = 2
	ExitFull      = 3
	ExitConfig    = 4
	ExitNone      = 9
	ExitStopped   = 11
	ExitForced    = 13
	ExitSize      = 14
	ExitTime      = 15
	ExitPages     = 16
	ExitRefused   = 20
	ExitDamaged   = 23
	ExitUndecided = 24
)

// Summary is the end of a run as `crawl --json` prints it.
type Summary struct {
	Job       string    `json:"job"`
	Pass      uint64    `json:"pass"`
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at"`
	Exit      int       `json:"exit"`
	crawler.Counts
	Hosts      int64                       `json:"hosts"`
	URLsKnown  int64                       `json:"urls_known"`
	URLsQueued int64                       `json:"urls_queued"`
	Decisions  map[politeness.Reason]int64 `json:"decisions"`
	Conflicts  map[string]int64            `json:"conflicts,omitempty"` // origins whose signals contradict each other, by kind
	Cards      CardCounts                  `json:"cards"`               // all zero without a registry
	Registries []api.Registry              `json:"registries,omitempty"`
	MaxRate    float64                     `json:"max_rate"` // pages a second, highest
	Ceiling    float64                     `json:"ceiling"`  // pages a second that hosts and delay allow, highest seen
	Total      crawler.Counts              `json:"total"`
	Findings   []string                    `json:"findings"`
}

func (a *App) summary(ctx context.Context, end crawler.Ending, m *meter) (Summary, error) {
	st, err := a.crawler.Load().Status(ctx)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Job: a.config.Job, Pass: a.job.Pass, StartedAt: st.StartedAt.UTC(), EndedAt: a.options.Clock().UTC(), Counts: st.Run,
		Hosts: st.Hosts, URLsKnown: st.URLsKnown, URLsQueued: st.URLsQueued, Decisions: st.Decisions, Conflicts: a.book.conflicts.byKind(), Total: st.Total, Registries: a.registries(), Findings: a.findings(st)}
	s.MaxRate, s.Ceiling = m.rates(s.EndedAt, st)
	if s.Cards, err = a.cardCounts(ctx); err != nil {
		return s, err
	}
	s.Exit, err = a.exit(ctx, end, st)
	return s, err
}

// findings are oddities that stopped nothing but that somebody should know.
func (a *App) findings(st crawler.Status) []string {
	found := []string{}
	if st.Run.OverLimit > 0 {
		found = append(found, "links-over-limit")
	}
	if a.second.Load() > 0 {
		found = append(found, "robots-readers-disagree")
	}
	if a.book.conflicts.full() {
		found = append(found, "conflicts-uncounted")
	}
	return found
}

// exit is the code for how the run ended.
func (a *App) exit(ctx context.Context, end crawler.Ending, st crawler.Status) (int, error) {
	switch end.Code {
	case crawler.EndError:
		return ExitFailure, nil
	case crawler.EndFull:
		return ExitFull, nil
	case crawler.EndForced:
		return ExitForced, nil
	case crawler.EndSignal:
		return ExitStopped, nil
	case crawler.EndTime:
		return ExitTime, nil
	case crawler.EndSize:
		return ExitSize, nil
	case crawler.EndPages:
		return ExitPages, nil
	case crawler.EndUndecided:
		return ExitUndecided, nil
	}
	refused := false
	var err error
	if st.Run.Pages == 0 && st.Run.NotModified == 0 {
		refused, err = a.allRefused(ctx)
	}
	switch {
	case err != nil:
		return ExitFailure, err
	case refused:
		return ExitRefused, nil
	case st.Run.Pages == 0 && st.Run.NotModified == 0 && st.Run.Failed > 0:
		return ExitFailure, nil
	}
	return ExitDone, nil
}

// allRefused tells whether a decision stands against every seed.
func (a *App) allRefused(ctx context.Context) (bool, error) {
	a.jobMu.Lock()
	seeds := slices.Clone(a.job.Seeds)
	a.jobMu.Unlock()
	for _, url := range seeds {
		r, err := a.engine.Why(ctx, url)
		if errors.Is(err, frontier.ErrUnknown) {
			return false, nil // a job of context files only: its pages were never queued
		}
		if err != nil {
			return false, err
		}
		if r.State != frontier.Refused {
			return false, nil
		}
	}
	return true, nil
}

// meter keeps the highest rates of a run.
type meter struct {
	mu      sync.Mutex
	started time.Time
	last    time.Time
	pages   int64
	rate    float64
}

func newMeter(now time.Time) *meter { return &meter{started: now, last: now} }

func (m *meter) take(now time.Time, pages int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if span := now.Sub(m.last).Seconds(); span > 0.5 {
		m.rate = max(m.rate, float64(pages-m.pages)/span)
		m.last, m.pages = now, pages
	}
}

// rates are the highest page rate and the highest that hosts and delay allow.
// A run shorter than a sample counts as one.
func (m *meter) rates(now time.Time, st crawler.Status) (rate, ceiling float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rate == 0 {
		if span := now.Sub(m.started).Seconds(); span > 0 {
			m.rate = float64(st.Run.Pages+st.Run.NotModified) / span
		}
	}
	return m.rate, st.Ceiling
}
