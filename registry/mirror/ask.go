package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"heed/registry/card"
)

// statusTooLarge stands for the status of an answer that was longer than its
// limit: like every status that is not expected, it makes the answer unusable.
const statusTooLarge = 0

// ask sends one request to the registry. answered is false where the registry
// as a whole has failed, which is noted and pauses it. The error is one of the
// store or of ctx.
func (r *registry) ask(ctx context.Context, q Request) (a Answer, answered bool, err error) {
	q.Accept = cmp.Or(q.Accept, "application/json")
	r.state.Budget.spend(r.o.Clock())
	if err := r.saveState(ctx); err != nil {
		return Answer{}, false, err
	}
	r.mu.Lock()
	r.status.Requests++
	r.mu.Unlock()
	within, done := context.WithTimeout(ctx, requestTimeout)
	defer done()
	a, failure := r.o.Getter.Get(within, q)
	if err := ctx.Err(); err != nil {
		return Answer{}, false, err
	}
	now := r.o.Clock()
	switch {
	case errors.Is(failure, ErrTooLarge):
		return Answer{Status: statusTooLarge}, true, nil
	case failure != nil:
		return a, false, r.fail(ctx, fmt.Sprintf("%s: %v", q.URL, failure), 0)
	case a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable:
		return a, false, r.fail(ctx, fmt.Sprintf("%s: status %d", q.URL, a.Status), askedPause(a, now))
	}
	r.state.NotBefore = now.Add(askedPause(a, now))
	return a, true, nil
}

// fail notes that the registry could not answer and pauses it.
func (r *registry) fail(ctx context.Context, problem string, asked time.Duration) error {
	now := r.o.Clock()
	s := &r.state
	if s.Failures++; s.Since.IsZero() {
		s.Since = now
	}
	s.Problem = problem
	s.NotBefore = now.Add(max(backOff(s.Failures, r.o.Fortune()), asked))
	r.o.Log.Warn("registry cannot answer", "registry", r.origin, "problem", problem, "failures", s.Failures, "not_before", s.NotBefore)
	return r.saveState(ctx)
}

// unusable notes that a resource was answered in a way that cannot be used, and
// pauses it alone.
func (r *registry) unusable(ctx context.Context, t *retry, problem string) error {
	now := r.o.Clock()
	t.Failures++
	t.At = now.Add(backOff(t.Failures, r.o.Fortune()))
	s := &r.state
	s.Failures, s.Problem = 0, problem
	if s.Since.IsZero() {
		s.Since = now
	}
	r.o.Log.Warn("registry answers what cannot be used", "registry", r.origin, "problem", problem, "next", t.At)
	return r.saveState(ctx)
}

// succeed notes that the registry has answered in a usable way and stores the
// state.
func (r *registry) succeed(ctx context.Context) error {
	r.state.Failures, r.state.Since, r.state.Problem = 0, time.Time{}, ""
	return r.saveState(ctx)
}

// warnOnce logs a sentence once a process.
func (r *registry) warnOnce(sentence string, args ...any) {
	if !r.warned[sentence] {
		r.warned[sentence] = true
		r.o.Log.Warn(sentence, append([]any{"registry", r.origin}, args...)...)
	}
}

// skew is the clock of the registry minus ours, zero if they agree well enough
// or if the answer does not say (BC-C-907).
func (r *registry) skew(a Answer, now time.Time) time.Duration {
	date, err := http.ParseTime(a.Header.Get("Date"))
	if err != nil {
		return 0
	}
	skew := date.Sub(now)
	if skew.Abs() <= card.SkewTolerance {
		return 0
	}
	r.warnOnce("clock differs from that of the registry", "difference", skew.Round(time.Second))
	return skew
}
