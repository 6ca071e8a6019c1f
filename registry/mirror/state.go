package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Kinds of notes. The key of the first two is the origin of the registry, that
// of cards is the domain, with the origin in the kind.
const (
	kindState = "registry"
	kindList  = "registry.list"
	kindCard  = "registry.card "
)

// state is what is stored about a registry as a whole.
type state struct {
	Discovered time.Time `json:"discovered,omitzero"` // list and paths were read, or confirmed
	RobotsFor  time.Time `json:"robots_for,omitzero"` // the Discovered after which robots.txt was looked at
	IndexETag  string    `json:"index_etag,omitempty"`
	Changes    string    `json:"changes,omitempty"`  // URL; empty is the fixed path
	Snapshot   string    `json:"snapshot,omitempty"` // URL; empty is the fixed path
	Listed     bool      `json:"listed,omitempty"`   // the list is known

	Polled       time.Time `json:"polled,omitzero"`
	SnapshotETag string    `json:"snapshot_etag,omitempty"`
	Seen         string    `json:"seen,omitempty"`    // snapshot whose changes were taken in
	Pending      string    `json:"pending,omitempty"` // snapshot whose changes are being read
	Reading      bool      `json:"reading,omitempty"` // there are changes to read
	Cursor       string    `json:"cursor,omitempty"`
	Restarted    bool      `json:"restarted,omitempty"` // the cursor expired during this reading

	// What was answered in a way that cannot be used is asked again later, each
	// on its own, so that one broken resource does not keep us from the others.
	IndexRetry retry `json:"index_retry,omitzero"`
	PollRetry  retry `json:"poll_retry,omitzero"`
	FeedRetry  retry `json:"feed_retry,omitzero"`

	Budget    budget    `json:"budget"`
	Failures  int       `json:"failures,omitempty"` // requests in a row that the registry failed
	Since     time.Time `json:"since,omitzero"`     // first of them
	NotBefore time.Time `json:"not_before,omitzero"`
	Problem   string    `json:"problem,omitempty"` // the last failure, for people
}

// retry is the pause of one resource.
type retry struct {
	Failures int       `json:"failures"`
	At       time.Time `json:"at"`
}

// Status is how a registry fares.
type Status struct {
	Registry         string
	Listed           int // domains
	Cards            int // copies held
	Polled           time.Time
	Requests         int64     // of this process
	UnavailableSince time.Time // zero while it answers
	NotBefore        time.Time // no request before, if in the future
	Problem          string    // the last failure, for people; empty while it answers
}

// Status tells how each registry fares, in the configured order.
func (m *Mirror) Status() []Status {
	all := make([]Status, len(m.registries))
	for i, r := range m.registries {
		r.mu.RLock()
		all[i] = r.status
		for _, e := range r.entries {
			if e.listed {
				all[i].Listed++
			}
			if e.copy != nil {
				all[i].Cards++
			}
		}
		r.mu.RUnlock()
	}
	return all
}

// saveState stores the state and shows it to Lookup and Status.
func (r *registry) saveState(ctx context.Context) error {
	value, err := json.Marshal(&r.state)
	if err == nil {
		err = r.o.Store.SaveNote(ctx, kindState, r.origin, value)
	}
	if err != nil {
		return fmt.Errorf("mirror: save state of %s: %w", r.origin, err)
	}
	r.showState()
	return nil
}

// showState copies what others may see.
func (r *registry) showState() {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.state
	// A registry that wants a long pause cannot be waited for either: no one
	// registry may stop retrieval (BC-C-914).
	paused := s.NotBefore.After(r.o.Clock().Add(budgetWindow))
	r.known, r.down = s.Listed, paused || s.Failures > 0 || !s.Listed && s.Problem != ""
	r.status.Polled, r.status.NotBefore = s.Polled, s.NotBefore
	r.status.UnavailableSince, r.status.Problem = s.Since, s.Problem
}

// loadState reads the state. A note that is damaged counts as none: the
// registry is read from its beginning.
func (r *registry) loadState(ctx context.Context) error {
	value, err := r.o.Store.LoadNote(ctx, kindState, r.origin)
	if err != nil {
		return fmt.Errorf("mirror: load state of %s: %w", r.origin, err)
	}
	if value != nil && json.Unmarshal(value, &r.state) != nil {
		r.o.Log.Warn("registry state is damaged and is read anew", "registry", r.origin)
		r.state = state{}
	}
	now := r.o.Clock()
	s := &r.state
	// What was stored under a clock that was ahead must not lock us out.
	s.NotBefore = earlier(s.NotBefore, now.Add(retryAfterMax))
	for _, t := range []*retry{&s.IndexRetry, &s.PollRetry, &s.FeedRetry} {
		t.At = earlier(t.At, now.Add(2*backOffMax))
	}
	if s.Discovered.After(now) {
		s.Discovered = now
	}
	switch age := now.Sub(s.Polled); {
	case 0 <= age && age <= startPollAge:
		r.pollAt = r.nextPoll(s.Polled)
	default:
		r.pollAt = now
	}
	r.showState()
	return nil
}

// nextPoll is when the snapshot is polled after t.
func (r *registry) nextPoll(t time.Time) time.Time {
	return t.Add(pollEvery - time.Duration(pollJitter*r.o.Fortune()*float64(pollEvery)))
}
