package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"heed/crawler"
	"heed/frontier"
)

// wide is a site of n pages below its home page, that may be asked side by side.
func wide(t *testing.T, n int) *world {
	w := newWorld(t)
	var pages []string
	for i := range n {
		pages = append(pages, fmt.Sprintf("/p%d", i))
	}
	return w.on(shop+"/", links(pages...)).on(shop+" *", html("page")).on(shop+"/robots.txt", status(404))
}

// hurried is a job with many workers and no delay.
func hurried(change func(*setup)) func(*setup) {
	return func(s *setup) {
		s.seeds, s.Workers, s.perHost = []string{shop + "/"}, 8, 8
		brisk(s)
		if change != nil {
			change(s)
		}
	}
}

func (j *job) pages() int {
	n := 0
	for _, v := range j.book.all() {
		if v.kind == crawler.VisitPage && v.state == frontier.Fetched {
			n++
		}
	}
	return n
}

func TestThePageLimitIsExact(t *testing.T) {
	for _, limit := range []int64{1, 2, 7, 40} {
		w := wide(t, 50)
		w.on(shop+"/p3", status(404)).on(shop+"/p5", status(404))
		j, end := w.crawl(hurried(func(s *setup) { s.MaxPages = limit }))
		if end.Code != crawler.EndPages || int64(j.pages()) != limit {
			t.Errorf("limit %d: %d pages, ended with %d", limit, j.pages(), end.Code)
		}
		// The rest is not lost: the next run goes on.
		again, end := w.crawl(hurried(func(s *setup) { s.seeds = nil }))
		if end.Code != crawler.EndDone || int64(again.pages())+limit != 49 {
			t.Errorf("limit %d: %d pages in the second run, ended with %d", limit, again.pages(), end.Code)
		}
	}
}

func TestThePageLimitCountsPagesAlone(t *testing.T) {
	w := wide(t, 4)
	w.on(shop+"/p0", status(204)).on(shop+"/p1", redirect(301, "/p2"))
	_, end := w.crawl(hurried(func(s *setup) { s.MaxPages = 5 }))
	if end.Code != crawler.EndDone { // home, /p2 and /p3
		t.Errorf("ended with %d", end.Code)
	}
}

func TestTheSizeLimitCountsOctetsOnTheWire(t *testing.T) {
	w := wide(t, 50)
	w.on(shop+" *", html(string(make([]byte, 10_000))))
	j, end := w.crawl(hurried(func(s *setup) { s.MaxBytes, s.Workers, s.perHost = 50_000, 8, 1 }))
	if end.Code != crawler.EndSize || j.pages() != 6 {
		t.Errorf("%d pages, ended with %d", j.pages(), end.Code)
	}
}

func TestTheTimeLimitEndsARunThatWouldNotEnd(t *testing.T) {
	w := newWorld(t)
	w.on(shop+" *", calendar).on(shop+"/robots.txt", status(404))
	j, end := w.crawl(hurried(func(s *setup) { s.TimeLimit = 100 * time.Millisecond }))
	if end.Code != crawler.EndTime || j.pages() == 0 {
		t.Errorf("%d pages, ended with %d", j.pages(), end.Code)
	}
}

// acting is a sink that does something once, at the n-th page.
type acting struct {
	*recorder
	mu    sync.Mutex
	n     int
	act   func() error
	acted bool
}

func (s *acting) Prepare(v crawler.Visit) (frontier.Attachment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.Kind == crawler.VisitPage {
		s.n--
	}
	if s.n == 0 && !s.acted {
		s.acted = true
		if err := s.act(); err != nil {
			return nil, err
		}
	}
	return s.recorder.Prepare(v)
}

func TestAStopEndsTheRunAndLosesNothing(t *testing.T) {
	w := wide(t, 20)
	var j *job
	sink := &acting{recorder: newRecorder(), n: 5, act: func() error { j.Stop(crawler.EndSignal, nil); return nil }}
	// Seven workers are waiting for a grant when the eighth stops the run.
	j = w.open(hurried(func(s *setup) { s.sink, s.Workers, s.perHost = sink, 8, 1 }))
	if end := j.run(); end.Code != crawler.EndSignal {
		t.Errorf("ended with %d", end.Code)
	}
	j.close()
	if n := len(w.targets(shop)); n != 5 {
		t.Errorf("%d requests, want those before the stop", n)
	}
	w.crawl(func(s *setup) { brisk(s) })
	if n := len(w.targets(shop)); n != 21 {
		t.Errorf("%d requests in both runs, want every page once", n)
	}
}

// claims is an engine that tells when somebody asks for work during a pause.
type claims struct {
	frontier.Engine
	paused func() bool
	during chan<- struct{}
}

func (c claims) Claim(ctx context.Context, r frontier.ClaimRequest) ([]frontier.Grant, frontier.Outlook, error) {
	if c.paused() {
		select {
		case c.during <- struct{}{}:
		default:
		}
	}
	return c.Engine.Claim(ctx, r)
}

func TestAPauseHoldsNewVisitsBack(t *testing.T) {
	w := wide(t, 10)
	var j *job
	paused, during := make(chan struct{}), make(chan struct{}, 1)
	sink := &acting{recorder: newRecorder(), n: 4, act: func() error { j.Pause(); close(paused); return nil }}
	j = w.open(hurried(func(s *setup) {
		s.sink, s.Workers, s.perHost = sink, 1, 1
		s.engine = func(e frontier.Engine) frontier.Engine {
			return claims{e, func() bool { return j != nil && j.Paused() }, during}
		}
	}))
	ended := make(chan crawler.Ending, 1)
	go func() {
		end, _ := j.Run(t.Context())
		ended <- end
	}()
	<-paused
	if err := j.engine.Engine.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := j.Status(t.Context()); err != nil || !s.Paused || !s.Running || s.Stopping {
		t.Errorf("status %+v, %v", s, err)
	}
	if n := len(w.targets(shop)); n != 4 {
		t.Errorf("%d requests before the pause, want 4", n)
	}
	j.Resume()
	if end := <-ended; end.Code != crawler.EndDone || j.Paused() {
		t.Errorf("ended with %d, paused %v", end.Code, j.Paused())
	}
	select {
	case <-during:
		t.Error("a worker asked for work during the pause")
	default:
	}
	if n := len(w.targets(shop)); n != 11 {
		t.Errorf("%d requests in all", n)
	}
}

// pausing is an engine that pauses the run when it hands out the third grant, as
// a pause may come while a worker waits for work.
type pausing struct {
	frontier.Engine
	claimed  atomic.Int64
	pause    func()
	released chan<- int
}

func (p *pausing) Claim(ctx context.Context, r frontier.ClaimRequest) ([]frontier.Grant, frontier.Outlook, error) {
	grants, outlook, err := p.Engine.Claim(ctx, r)
	if len(grants) > 0 && p.claimed.Add(1) == 3 {
		p.pause()
	}
	return grants, outlook, err
}

func (p *pausing) Release(ctx context.Context, grants []frontier.GrantRef) error {
	err := p.Engine.Release(ctx, grants)
	p.released <- len(grants)
	return err
}

func TestAPauseTakesBackWhatAWorkerWasJustGiven(t *testing.T) {
	w := wide(t, 10)
	var j *job
	var before int
	released := make(chan int, 1)
	j = w.open(hurried(func(s *setup) {
		s.Workers, s.perHost = 1, 1
		s.engine = func(e frontier.Engine) frontier.Engine {
			return &pausing{Engine: e, pause: func() { before = len(w.targets(shop)); j.Pause() }, released: released}
		}
	}))
	ended := make(chan crawler.Ending, 1)
	go func() {
		end, _ := j.Run(t.Context())
		ended <- end
	}()
	if n := <-released; n != 1 {
		t.Errorf("%d grants given back", n)
	}
	if n := len(w.targets(shop)); n != before {
		t.Errorf("%d requests after the pause", n-before)
	}
	j.Resume()
	if end := <-ended; end.Code != crawler.EndDone {
		t.Errorf("ended with %d", end.Code)
	}
	if n := len(w.targets(shop)); n != 11 {
		t.Errorf("%d requests in all, want every page once", n)
	}
}

func TestAPausedRunCanBeStoppedAndCutOff(t *testing.T) {
	w := wide(t, 3)
	j := w.open(hurried(nil))
	j.Pause()
	ended := make(chan crawler.Ending, 1)
	go func() {
		end, _ := j.Run(t.Context())
		ended <- end
	}()
	j.Stop(crawler.EndSignal, nil)
	if end := <-ended; end.Code != crawler.EndSignal {
		t.Errorf("stopped with %d", end.Code)
	}
	j.close()
	j = w.open(hurried(func(s *setup) { s.seeds = nil }))
	j.Pause()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		end, _ := j.Run(ctx)
		ended <- end
	}()
	cancel()
	if end := <-ended; end.Code != crawler.EndForced {
		t.Errorf("cut off with %d", end.Code)
	}
	if n := len(w.requests(true)); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestAnErrorOfOursEndsTheRun(t *testing.T) {
	for want, cause := range map[crawler.EndCode]error{
		crawler.EndError: errors.New("the pen is broken"),
		crawler.EndFull:  fmt.Errorf("write: %w", syscall.ENOSPC),
	} {
		w := wide(t, 10)
		j := w.open(hurried(func(s *setup) { s.sink = &acting{recorder: newRecorder(), n: 3, act: func() error { return cause }} }))
		end, err := j.Run(t.Context())
		if end.Code != want || !errors.Is(err, cause) {
			t.Errorf("ended with %d, %v", end.Code, err)
		}
		j.close()
	}
}

func TestPatienceEndsARunThatOnlyWaits(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/", turns(status(503, "Retry-After: 3600"), html("well")))
	_, end := w.crawl(seeds(shop + "/"))
	if end.Code != crawler.EndUndecided || w.hits(shop+"/") != 1 {
		t.Errorf("ended with %d after %d requests", end.Code, w.hits(shop+"/"))
	}
	if _, end = w.crawl(nil); end.Code != crawler.EndUndecided || w.hits(shop+"/") != 1 {
		t.Errorf("a second run asked early: %d, %d requests", end.Code, w.hits(shop+"/"))
	}
	_, end = w.crawl(func(s *setup) { s.Patience = 2 * time.Hour })
	all := w.of(shop + "/")
	if end.Code != crawler.EndDone || len(all) != 2 || all[1].at.Sub(all[0].at) < time.Hour {
		t.Errorf("ended with %d after %d requests", end.Code, len(all))
	}
}
