package fetch

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// budget bounds the memory of all bodies together. A fetch takes its worst case
// in one step before it sends anything: taking more while holding some could
// leave all holders waiting for each other.
type budget struct {
	sem   *semaphore.Weighted
	total int64
}

func newBudget(totalBytes int64) *budget {
	return &budget{sem: semaphore.NewWeighted(totalBytes), total: totalBytes}
}

// reserve waits until n bytes are free. More than the whole budget counts as
// the whole, so that a small budget makes fetches queue instead of failing.
func (b *budget) reserve(ctx context.Context, n int64) (*share, error) {
	n = min(n, b.total)
	if err := b.sem.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return &share{sem: b.sem, held: n}, nil
}

// share is a reservation. It only shrinks.
type share struct {
	sem  *semaphore.Weighted
	mu   sync.Mutex // guards held
	held int64
}

// keep gives back everything above n bytes.
func (s *share) keep(n int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < s.held {
		s.sem.Release(s.held - n)
		s.held = n
	}
}

// split moves n bytes, or what is left, into a share of their own.
func (s *share) split(n int64) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, s.held)
	s.held -= n
	return &share{sem: s.sem, held: n}
}
